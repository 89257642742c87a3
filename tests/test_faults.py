"""Faults: the half-made object, and the rules that say at which calls a fault fires."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import BUCKET, TOKEN, URN, answer, call, fake

from mockprovider.calls import Failure, Native, Op, Reply, Session
from mockprovider.errors import DefinitionError
from mockprovider.faults import Faults, Rule, Surroundings, When, naming
from mockprovider.faults.fault import EVERY
from mockprovider.layers import stack
from mockprovider.schema import ResourceType
from mockprovider.values import Secret

OBJECT = {"id": "b-1", "value": {"acl": "private"}}


@pytest.fixture
def faults():
    """No faults yet."""
    return Faults()


def ask(faults, op=Op.CREATE, type_=TOKEN, *, provider=None, **given):
    """The failures with which a call ends."""
    reply = faults.layer(call(op, type_, **given), provider or answer(**OBJECT))
    return [each.reason for each in reply.failures]


def test_without_faults_calls_pass(faults):
    """The layer hands on the very reply when no rule fits."""
    reply = Reply()

    assert faults.layer(call(Op.CREATE), lambda _: reply) is reply


def test_a_fault_that_is_not_there(faults):
    """A rule that is asked for a fault that there is not names the nearest, or all of them, and the words that say when."""
    with pytest.raises(AttributeError, match=r"no fault 'parital'\. Did you mean 'partial'\? \.times\(\), "):
        faults.on.create().parital()
    with pytest.raises(AttributeError, match=r"There are: absent, .*, warning\."):
        faults.on.create().xyz()


def test_partial_create(faults):
    """The object exists in the cloud, and the reply has it, its inputs and every reason."""
    serve, cloud = fake(BUCKET)
    faults.on.create(TOKEN).partial(reasons=["timed out", "still waiting"])
    reply = stack([faults.layer], serve)(call(Op.CREATE, inputs={"acl": "x"}, urn=URN))

    assert reply.partial
    assert reply.failures == (Failure("timed out"), Failure("still waiting"))
    assert dict(cloud.objects()[0]) == reply.value
    assert (reply.id, reply.inputs) == (cloud.objects()[0].id, {"acl": "x"})


def test_partial_update(faults):
    """An update's half-made object has the id of the call, even where the reply has none."""
    faults.on.update().partial(reasons=["slow"])
    reply = faults.layer(call(Op.UPDATE, id="b-7", inputs={}), answer(value={"acl": "y"}))

    assert reply.partial
    assert (reply.id, reply.value) == ("b-7", {"acl": "y"})


def test_a_half_made_object_keeps_the_id_of_its_reply(faults):
    """Where the reply names the object, that is its id, whatever the call said."""
    faults.on.update().partial()

    assert faults.layer(call(Op.UPDATE, id="old"), answer(id="new", value={})).id == "new"


def test_partial_drops_the_native_answer(faults):
    """A recorded or proxied answer's bytes say success, so they are not handed on."""
    faults.on.create().partial()
    reply = faults.layer(call(Op.CREATE), answer(native=Native(b"success"), **OBJECT))

    assert reply.native is None
    assert reply.failures == (Failure("injected by mockprovider"),)


def test_partial_of_what_failed_anyway(faults):
    """A call that fails by itself keeps its own failure: there is no object to report."""
    faults.on.create().partial(reasons=["injected"])

    assert ask(faults, provider=answer(failures=(Failure("real"),))) == ["real"]


def test_a_fault_fires_once(faults):
    """Unless told otherwise a fault fires at the first fitting call, and the next succeeds."""
    rule = faults.on.create(TOKEN).partial()

    assert [bool(ask(faults)) for _ in range(3)] == [True, False, False]
    assert rule.fired == 1


def test_times_and_after(faults):
    """``after`` lets calls through first, ``times`` is how many fail then; in either order of saying."""
    one = Faults()
    faults.on.create().partial().times(2).after(1)
    one.on.create().after(1).times(2).partial()

    for each in (faults, one):
        assert [bool(ask(each)) for _ in range(5)] == [False, True, True, False, False]


def test_only_fitting_calls_are_counted(faults):
    """Calls that a rule is not about use up neither its shots nor its grace."""
    faults.on.create(TOKEN, name="logs").partial().after(1)
    asked = [
        {"name": "other"},
        {"op": Op.UPDATE, "name": "logs"},
        {"type_": "cloud:index:Key", "name": "logs"},
        {"name": "logs", "preview": True},
        {"name": "logs"},
        {"name": "logs"},
    ]

    assert [bool(ask(faults, **each)) for each in asked] == [False] * 5 + [True]


def test_previews_never_fail(faults):
    """Nothing is done in a preview, so nothing can go half wrong in it."""
    faults.on.create().partial()

    assert ask(faults, preview=True) == []
    assert ask(faults) != []


def test_any_type(faults):
    """A rule without a type is about all."""
    faults.on.create().partial().times(2)

    assert ask(faults, type_="a:b:C")
    assert ask(faults, type_="d:e:F")


def test_the_first_rule_with_shots_left_decides(faults):
    """Of two rules that fit the earlier fires until it is used up, then the later."""
    faults.on.create().partial(reasons=["first"])
    faults.on.create().partial(reasons=["second"])

    assert [ask(faults) for _ in range(3)] == [["first"], ["second"], []]


def test_a_rule_without_a_fault_does_nothing(faults):
    """A rule that was begun and never given a fault lets calls through, and never says that it fired."""
    rule = faults.on.create()

    assert ask(faults) == []
    assert (rule.fired, rule.unfired) == (0, "it was given no fault, such as .error()")


def test_rules_are_listed_and_cleared(faults):
    """Rules can be looked at, with how often they fired, and removed."""
    rule = faults.on.create(TOKEN, name="logs").partial()
    faults.on.update().partial().times(3)
    ask(faults, name="logs")

    assert faults.rules[0] is rule
    assert list(map(repr, faults.rules)) == [
        "Rule(create cloud:index:Bucket logs, fired 1 of 1)",
        "Rule(update any type any name, fired 0 of 3)",
    ]
    faults.clear()
    assert faults.rules == []


@pytest.mark.parametrize("op", sorted(EVERY - {Op.CREATE, Op.UPDATE, Op.READ}))
def test_only_what_answers_an_object_leaves_half_made_ones(op):
    """A half-made object cannot come from another op: the rule is refused where it is written."""
    with pytest.raises(DefinitionError, match=r"partial\(\) makes no sense at .*: it is for create, read and update"):
        Rule(When(op=op)).partial()


@pytest.mark.parametrize("reasons", [[], (), "timed out"])
def test_reasons_are_a_list(faults, reasons):
    """Engines know a half-made object by its reasons: none at all, or a bare string, is refused."""
    with pytest.raises(DefinitionError, match="Write a list of reasons, as in reasons="):
        faults.on.create().partial(reasons=reasons)


def test_exactly_as_many_fire_under_threads(faults):
    """However many calls come at once, the fault fires as often as it was told."""
    faults.on.create().partial().times(7)
    with ThreadPoolExecutor(8) as pool:
        fired = list(pool.map(lambda _: bool(ask(faults)), range(100)))

    assert sum(fired) == 7


def test_no_lock_is_held_while_the_call_runs(faults):
    """A call that hangs behind a fault does not keep others from their faults."""
    hung, released = threading.Event(), threading.Event()
    faults.on.create().partial().times(2)

    def hang(_):
        hung.set()
        released.wait(60)
        return Reply(**OBJECT)

    thread = threading.Thread(target=ask, args=(faults,), kwargs={"provider": hang})
    thread.start()
    try:
        assert hung.wait(60)
        assert ask(faults)
    finally:
        released.set()
        thread.join(60)


# Rules that can only be misspelt, and rules that never fire ---------------------------------------------------------------


DECLARED = {"cloud:index:Bucket": "cloud_bucket", "cloud:index:Key": "cloud_access_key"}


@pytest.fixture
def typed():
    """Faults of a double that has types declared."""
    return Faults(Surroundings(check_asked=lambda _, type_: naming.check(type_, DECLARED)))


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("cloud:index:Bukcet", "Nobody declared the type 'cloud:index:Bukcet'. Did you mean 'cloud:index:Bucket'? If it is"),
        ("cluod:index:Bucket", "Did you mean 'cloud:index:Bucket'?"),
        ("cloud_bucket", "'cloud_bucket' is none. Write 'cloud:index:Bucket'."),
        ("cloud_access_key", "Write 'cloud:index:Key'."),
        (ResourceType("cloud:index:Bucket"), "this is a ResourceType: give its token, a string."),
        ("Bucket", "'Bucket' is none. Write it as 'package:module:Member'"),
    ],
)
def test_a_misspelt_type_is_refused_at_once(typed, type_, said):
    """A type that is almost a declared one, or no token at all, is refused where the rule is begun, with what was meant."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        typed.on.create(type_)
    assert typed.rules == []


@pytest.mark.parametrize(
    "type_", ["cloud:index:Bucket", "cloud:index:BucketV2", "cloud:index:Buck", "cloud:index:Server", "net:index:Zone"]
)
def test_types_need_no_declaration(typed, type_):
    """Declared types, and such as are not like any, are taken: nobody has to declare a type."""
    assert typed.on.update(type_).when.type == type_


@pytest.mark.parametrize(
    ("declared", "said"), [(DECLARED, "Did you mean 'cloud:index:Bucket'?"), ({}, "this double is strict. Declared are: none.")]
)
def test_a_strict_double_has_no_other_types(declared, said):
    """On a strict double a rule about an undeclared type could never fire, so it is refused."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        naming.check("cloud:index:BucketV2", declared, strict=True)


@pytest.mark.parametrize(("word", "count"), [("times", 0), ("times", "3"), ("times", True), ("after", -1), ("after", 1.5)])
def test_counts_are_whole_numbers(faults, word, count):
    """A count that would never let a rule fire, or is none, is refused."""
    with pytest.raises(DefinitionError, match=rf"when: {word}: .* (a whole number|from 0)"):
        getattr(faults.on.create().partial(), word)(count)


def test_the_least_counts(faults):
    """A rule may be told what it does anyway: to let none through, and to fire once."""
    faults.on.create().partial().after(0).times(1)

    assert [bool(ask(faults)) for _ in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"type_": "cloud:index:Bukcet"}, f"of the nearest, the type is {TOKEN!r}, not 'cloud:index:Bukcet'"),
        ({"name": "lgos"}, "of the nearest, the name is 'logs', not 'lgos'"),
        ({"type_": "a:b:C", "name": "keys"}, "the type is 'cloud:index:Key', not 'a:b:C'"),
        ({"type_": TOKEN, "name": "keys"}, "the name is 'logs', not 'keys'"),
    ],
)
def test_a_rule_that_fits_nothing_names_the_nearest_call(faults, rule, said):
    """A rule that no call fitted says so, and what of the nearest call is another."""
    made = faults.on.create(**rule).partial()
    ask(faults, type_="cloud:index:Key", name="keys")
    ask(faults, name="logs")

    assert said in made.unfired
    assert made.unfired.startswith("no such create was asked for")


def test_why_a_rule_has_not_fired(faults):
    """A rule says whether there was no such op, only previews, too few calls, an earlier rule, or no fault given."""
    first, second = faults.on.create().partial(), faults.on.create().partial()
    bare, late, update = faults.on.create(), faults.on.update().partial().after(2), faults.on.update(name="other").partial()
    before = update.unfired
    ask(faults, op=Op.UPDATE, name="other", preview=True)
    previewed = update.unfired
    ask(faults)
    ask(faults, op=Op.UPDATE, name="logs")

    assert before == "no update was asked for"
    assert previewed == "it fits previews alone, in which nothing is done"
    assert first.unfired == ""
    assert second.unfired == "an earlier rule fired instead at a call that it fits"
    assert bare.unfired == "it was given no fault, such as .error()"
    assert late.unfired == "1 fitted, and it lets 2 through first"


def test_a_name_where_no_call_has_one(faults):
    """A rule with a name, where calls have none, says that the protocol is why."""
    rule = faults.on.create(TOKEN, name="logs").partial()
    ask(faults)

    other = faults.on.create("a:b:C", name="logs").partial()
    ask(faults)
    assert other.unfired.endswith(f"of the nearest, the type is {TOKEN!r}, not 'a:b:C' and name is '', not 'logs'")
    assert rule.unfired == "no create told a name, as its protocol has none: leave name='logs' out"


# Twins: equal creates that nothing tells apart -----------------------------------------------------------------------------


def creates(faults, *inputs, protocol="tfplugin6", number=1):
    """Whether creates without a name, in one session, are broken; ``refused`` is what a rule that would guess raises."""
    session, ends = Session(protocol, number), []
    for one in inputs:
        try:
            ends.append(bool(ask(faults, session=session, name="", inputs=one)))
        except DefinitionError:
            ends.append("refused")
    return ends


@pytest.mark.parametrize(
    ("rule", "ends"),
    [
        (lambda rule: rule, [True, "refused", "refused"]),
        (lambda rule: rule.after(1), [False, "refused", False]),
        (lambda rule: rule.times(2), [True, True, "refused"]),
        (lambda rule: rule.times(3), [True, True, True]),
        (lambda rule: rule.always(), [True, True, True]),
        (lambda rule: rule.whichever(), [True, False, False]),
    ],
)
def test_one_of_several_twins_is_not_guessed(faults, rule, ends):
    """Of equal creates that no protocol tells apart, a rule breaks all, or whichever if it says so; else it is refused."""
    rule(faults.on.create(TOKEN).error("no"))

    assert creates(faults, *[{"acl": "x"}] * len(ends)) == ends


def test_what_differs_is_no_twin(faults):
    """Creates with other inputs, of another session, or with names of their own are told apart."""
    faults.on.create(TOKEN).error("no")
    assert creates(faults, {"acl": "x"}, {"acl": Secret("y")}, {"acl": Secret("z")}) == [True, False, False]
    assert creates(faults, {"acl": "x"}, number=2) == [False]

    faults.rewind()
    assert creates(faults, {"acl": "x"}, {"acl": "x"}, protocol="pulumi") == [True, False]


def test_an_address_tells_twins_apart(faults):
    """A rule about an address fires at the twin that has it, in whatever order they come."""
    faults.on.create(TOKEN, address="a[1]").error("no")
    session = Session("tfplugin6")

    assert [bool(ask(faults, session=session, name="", inputs={}, address=f"a[{n}]")) for n in range(3)] == [False, True, False]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "no create told an address: run serially (parallelism = 1), or leave address='a[1]' out"),
        ("a[0]", "no such create was asked for; of the nearest, the address is 'a[0]', not 'a[1]'"),
    ],
)
def test_a_rule_about_an_address_says_what_it_missed(faults, address, said):
    """A rule about an address that never came says what addresses there were, or how to have them."""
    rule = faults.on.create(TOKEN, address="a[1]").error("no")
    ask(faults, session=Session("tfplugin6"), name="", inputs={}, address=address)

    assert rule.unfired == said
