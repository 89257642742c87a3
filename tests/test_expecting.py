"""``journal.assert_calls``: order, count, arguments and never, the nearest calls, and questions that test nothing."""

from __future__ import annotations

import re
from unittest.mock import ANY

import pytest
from builders import BUCKET, TOKEN, call
from engine_toolbox import make

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.cloud import Cloud
from mockprovider.double import Double
from mockprovider.errors import DefinitionError, MockProviderError
from mockprovider.hints import misspelt
from mockprovider.journal import Journal, Side
from mockprovider.layers import stack
from mockprovider.schema import Function, ResourceType
from mockprovider.values import Secret

LOGS = {"name": "logs", "urn": f"urn:pulumi:dev::shop::{TOKEN}::logs"}
MORE = {"name": "more", "urn": f"urn:pulumi:dev::shop::{TOKEN}::more"}


@pytest.fixture
def journal():
    """A journal of two buckets: both are created, the first is updated, the second deleted."""
    written = Journal()
    serve = stack([written.at(Side.ENGINE)], lambda _: Reply(id="b-1"))
    session = Session("pulumi")
    for op, about, words in (
        (Op.CREATE, LOGS, {"inputs": {"acl": "x", "token": Secret("hush"), "tags": {"a": 1}}}),
        (Op.CREATE, MORE, {"inputs": {"acl": "y"}, "preview": True}),
        (Op.CREATE, MORE, {"inputs": {"acl": "y"}}),
        (Op.UPDATE, LOGS, {"inputs": {"acl": "z"}, "id": "b-1"}),
        (Op.DELETE, MORE, {"id": "b-2", "prior": {"acl": "y"}}),
    ):
        serve(call(op, session=session, **about, **words))
    return written


@pytest.mark.parametrize(
    ("expected", "criteria"),
    [
        (["create logs", "create more", "update logs", "delete more"], {}),
        (["create", "delete"], {}),
        ([f"create {TOKEN}", f"update logs {TOKEN} b-1"], {}),
        ([f"create {LOGS['urn']}"], {}),
        (["create", "create", "create", "update"], {}),
        (["3 times create", "once update", "never read"], {}),
        (["twice create"], {"preview": False}),
        (["once create more", "never update"], {"name": "more", "preview": False}),
        (["never create queue", "never create queue", "never delete b-9"], {}),
        (["  create   'logs' "], {}),
        ([("create logs", {"acl": "x"}), ("update logs", {"acl": "z"})], {}),
        ([("create", {"tags": {"a": 1.0}}), ("create", {"acl": ANY})], {}),
        ([("create logs", {"token": "hush"}), ("create logs", {"token": Secret("hush")})][:1], {}),
        ([("delete more", {"acl": "y"}), ("never create", {"acl": "w"})], {}),
        ([("twice create more", {"acl": "y"})], {}),
        (["once create logs", "3 times create", "0 times read"][:2], {}),
    ],
)
def test_what_came(journal, expected, criteria):
    """Lines in order with others between, words of all kinds, counts, arguments among others, and never: all may be said."""
    journal.assert_calls(*expected, **criteria)


FAILURES = [
    (["delete more", "create logs"], "Expected 'create logs' after 'delete more', and it came before that."),
    (["create logs", "create logs"], "Expected 'create logs' after 'create logs', and no other such call came."),
    (["update logs", "create logs"], "Expected 'create logs' after 'update logs', and it came before that."),
    (["create cloud:index:Bukcet"], f"Expected 'create cloud:index:Bukcet', and no such call came. Did you mean {TOKEN!r}?"),
    (["create b-9"], "Expected 'create b-9', and no such call came."),
    (["read logs"], "Expected 'read logs', and no such call came."),
    (["create logs", "read more"], "Expected 'read more' after 'create logs', and no such call came."),
    (["once create"], "Expected 'once create', and 3 such calls came."),
    (["never update"], "Expected 'never update', and one such call came."),
    (["twice read"], "Expected 'twice read', and no such call came."),
    (["update logs", "once create logs"], "Expected 'once create logs' after 'update logs', and it came before that."),
    ([("create logs", {"acl": "w"})], 'Expected \'create logs\' with {"acl":"w"}, and no such call came.'),
    ([("create more", {"tags": {}})], "Expected 'create more' with {\"tags\":{}}, and no such call came."),
]


@pytest.mark.parametrize(("expected", "head"), FAILURES)
def test_what_did_not_come(journal, expected, head):
    """What is not so fails with the line that is wrong, and whether there are too few, too many, or another order."""
    with pytest.raises(AssertionError) as raised:
        journal.assert_calls(*expected)
    assert str(raised.value).splitlines()[0] == head


def test_the_nearest_calls(journal):
    """A failure shows the nearest calls, those of the same op first, each with all that is different; secrets are hidden."""
    others = 'acl is "y", not "w"; token is nothing, not "no"; size is nothing, not 1'
    with pytest.raises(AssertionError) as raised:
        journal.assert_calls(("create logs", {"acl": "w", "token": "no", "size": 1}))
    assert str(raised.value).splitlines()[1:] == [
        "The nearest calls:",
        f"     1 #1 create of {LOGS['urn']} -> b-1",
        '         acl is "x", not "w"; token is [secret], not "no"; size is nothing, not 1',
        f"     2 #1 create (preview) of {MORE['urn']} -> b-1",
        f"         it is about {TOKEN} more, not 'logs'; {others}",
        f"     3 #1 create of {MORE['urn']} -> b-1",
        f"         it is about {TOKEN} more, not 'logs'; {others}",
    ]
    with pytest.raises(AssertionError, match=r"delete of .*\n +the op is delete$"):
        journal.assert_calls("read more", name="more", preview=False, op="delete")


def test_the_calls_that_should_not_be(journal):
    """What came too often, or in another order, is shown itself."""
    with pytest.raises(AssertionError) as raised:
        journal.assert_calls("never create logs")
    assert str(raised.value).splitlines()[1:] == [f"     1 #1 create of {LOGS['urn']} -> b-1"]


def test_a_journal_without_calls():
    """Of an empty journal, a failure says that nothing was asked at all, and never is true."""
    with pytest.raises(AssertionError, match=re.escape("no such call came.\n  No call was made at all.")):
        Journal().assert_calls("create")
    Journal().assert_calls("never create")


def test_a_choice_without_calls(journal):
    """Where no call is of those that are looked at, a failure says which these are, and not that there was none."""
    with pytest.raises(AssertionError, match=re.escape("no such call came.\n  No call is one with op='read', preview=False.")):
        journal.assert_calls("read", op="read", preview=False)


def test_a_journal_that_has_forgotten_cannot_count(journal):
    """Order may be asked of what a journal still has; how often, or never, may not once it has forgotten entries."""
    journal.limit = 2
    journal.assert_calls("update logs", "delete more")

    for line in ("never read", "once update"):
        with pytest.raises(DefinitionError, match="counts calls, and the journal has forgotten its first 3 entries"):
            journal.assert_calls(line)


def test_both_sides():
    """The provider's side is asked for as in ``entries``: what a fault kept from the provider never came there."""
    written = Journal()
    refuse = stack(
        [written.at(Side.ENGINE), lambda *_: Reply(failures=(Failure("no"),)), written.at(Side.PROVIDER)], lambda _: None
    )
    refuse(call(Op.CREATE))

    written.assert_calls("once create")
    written.assert_calls("never create", side="provider")


def test_declared_secrets_are_not_in_a_failure():
    """A value that is declared secret is not in the failure of a double's journal, although the call has it in plain text."""
    _, double, _ = make()
    session = double.open("pulumi")
    double(Call(op=Op.CREATE, session=session, type="cloud:index:Bucket", inputs={"token": "hush-hush", "source": "hush-hush"}))

    with pytest.raises(AssertionError) as raised:
        double.journal.assert_calls(("create", {"token": "x", "source": "y"}))
    assert "source is" in str(raised.value)
    assert "hush-hush" not in str(raised.value)


# Questions that test nothing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ([], "assert_calls() without a call tests nothing. Write an op"),
        (["craete logs"], "'craete' is no op. Did you mean 'create'?"),
        ([""], "'' is no op."),
        (["never"], "'never' is no call to expect: '' is no op."),
        (["create 'logs"], "No closing quotation"),
        ([3], "3 is no call to expect."),
        ([("create", "x")], "('create', 'x') is no call to expect."),
        (["never create lgos"], "No call is about 'lgos'. Did you mean 'logs'?"),
        (["never create Logs"], "No call is about 'Logs'. Did you mean 'logs'?"),
    ],
)
def test_what_no_call_can_be(journal, expected, said):
    """A line that nothing could ever fit is refused, also where nothing is what was expected."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        journal.assert_calls(*expected)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("lgos", "logs"),
        ("Logs", "logs"),
        ("my_bucket", "my-bucket"),
        ("myBucket", "my-bucket"),
        ("logs", ""),
        ("log", ""),
        ("lugs", ""),
        ("web-2", ""),
        ("a21", ""),
        ("sgol", ""),
    ],
)
def test_what_can_only_be_misspelt(word, meant):
    """Swapped neighbours, capitals and dashes are typing errors; another letter or number may be another name."""
    assert misspelt(word, ["logs", "my-bucket", "web-1", "a12"]) == meant


ASKED = Function("cloud:index:getZone")


@pytest.fixture
def double():
    """A double of a bucket and a function, which made one bucket."""
    made = Double(BUCKET, ASKED)
    made(Call(op=Op.CREATE, session=made.open("pulumi"), type=TOKEN, **LOGS, inputs={"acl": "x"}))
    return made


QUESTIONS = {
    "objects": lambda double, type_: double.cloud.objects(type_),
    "ops": lambda double, type_: double.journal.ops(type=type_),
    "entries": lambda double, type_: double.journal.entries(type=type_, op="create"),
    "never": lambda double, type_: double.journal.assert_calls(f"never create {type_}"),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("cloud:index:Bukcet", "Nobody declared the type 'cloud:index:Bukcet'. Did you mean 'cloud:index:Bucket'?"),
        ("cloud:index:bucket", "Did you mean 'cloud:index:Bucket'?"),
    ],
)
def test_a_type_that_can_only_be_misspelt(double, ask, type_, said):
    """A type that is almost a declared one is refused wherever the answer would be empty."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        ask(double, type_)


@pytest.mark.parametrize("ask", [QUESTIONS["objects"], QUESTIONS["ops"]])
def test_a_type_by_another_name(double, ask):
    """Terraform's name of a declared type is refused with its token, and what is no token at all with an example of one."""
    with pytest.raises(DefinitionError, match=re.escape("'cloud_bucket' is none. Write 'cloud:index:Bucket'.")):
        ask(double, "cloud_bucket")
    with pytest.raises(DefinitionError, match=re.escape("'bucket' is none. Write it as 'package:module:Member'")):
        ask(double, "bucket")


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_types_that_may_be_meant(double, ask):
    """A type that nobody asked for may be asked about: declared, a function's, of its own, or one that continues another."""
    for type_ in ("cloud:index:Queue", "cloud:index:BucketPolicy", "net:index:Bucket", ASKED.token):
        assert not ask(double, type_)


def test_a_strict_double_knows_all_types(double):
    """To a strict double every undeclared type is misspelt, and what it declares is not."""
    double.strict = True

    with pytest.raises(DefinitionError, match="this double is strict"):
        double.cloud.objects("net:index:Queue")
    assert double.journal.ops(type=ASKED.token) == []
    assert double.journal.ops(type="pulumi:providers:cloud") == []


def test_a_shared_cloud_knows_the_types_of_all():
    """What any of the doubles that share a cloud knows may be asked, and what none knows is refused."""
    cloud = Cloud()
    one, other = Double(BUCKET, cloud=cloud, strict=True), Double(ResourceType("net:index:Net", {"cidr": str}), cloud=cloud)

    assert one.cloud.objects("net:index:Net") == []
    with pytest.raises(MockProviderError, match="this double is strict"):
        other.cloud.objects("net:index:Nte")


def test_types_of_providers_that_are_not_ours():
    """Of a real or recorded provider nobody declares types here, so that any name may be asked for."""
    assert Double(provider=lambda _: Reply(), name="random").journal.ops(type="random_id") == []


def test_a_name_that_can_only_be_misspelt(double):
    """A name that differs from one in the journal by swapped letters, capitals or dashes is refused; others are not."""
    with pytest.raises(DefinitionError, match=re.escape("No call is about 'lgos'. Did you mean 'logs'?")):
        double.journal.ops(name="lgos")
    assert double.journal.ops(name="queue") == []
    assert double.journal.ops(name="logs", type="cloud:index:Queue") == []


def test_a_name_where_there_are_none():
    """Where the protocol has no names, a name is refused; an address is none, where addresses are known."""
    written = Journal()
    serve = stack([written.at(Side.ENGINE)], lambda _: Reply(id="t-1"))
    serve(call(Op.CREATE, session=Session("terraform")))
    for ask in (lambda: written.ops(name="a"), lambda: written.assert_calls("never delete a")):
        with pytest.raises(
            DefinitionError, match=re.escape("this protocol has no names of resources. Go by the type, or by the address")
        ):
            ask()
    with pytest.raises(DefinitionError, match="this protocol has no names"):
        written.assert_calls("never delete cloud_bucket.b")
    serve(call(Op.CREATE, session=Session("terraform"), address="cloud_bucket.a"))
    written.assert_calls("never delete cloud_bucket.b", "never delete t-1", "create cloud_bucket.a")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"alc": "y"}, "cloud:index:Bucket has no property 'alc'. Did you mean 'acl'?"),
        ({"acl": "y", "nothing": 1}, "cloud:index:Bucket has no property 'nothing'. It has: acl, arn, name."),
    ],
)
def test_a_property_that_is_misspelt(double, changes, said):
    """Drift of a property that the type does not have is refused, and nothing changes."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        double.cloud.drift(TOKEN, **changes)
    assert double.cloud.objects(TOKEN)[0]["acl"] == "x"


def test_properties_of_types_that_nobody_declared(double):
    """An object of an undeclared type may get any property, but none that is one of its own misspelt."""
    double.cloud.create("net:index:Net", "n-1", {"cidr": "x"})
    double.cloud.drift("net:index:Net", tags={"a": "b"})

    with pytest.raises(DefinitionError, match=re.escape("This net:index:Net has no property 'cdir'. Did you mean 'cidr'?")):
        double.cloud.drift("net:index:Net", cdir="y")


def test_a_cloud_without_a_double_answers_everything():
    """A cloud that no double keeps its objects in knows no types, and refuses none."""
    cloud = Cloud()
    cloud.create(TOKEN, "b-1", {})

    assert cloud.objects("cloud:index:Bukcet") == []
    assert cloud.drift(TOKEN, alc="x")["alc"] == "x"
