"""What recordings tell people: facts of calls, the story of the run, how two recordings differ."""

from __future__ import annotations

import pytest
from cassette_toy import TYPE, Toy, answer, call, header, recorded, secret, session
from kept_cassettes import CASSETTES

from mockprovider import tape
from mockprovider.calls import Failure, Op, Reply, Status
from mockprovider.cassette import Cassette, Interaction, RecordedStatus
from mockprovider.cassette.gist import Gist, changed, worded
from mockprovider.cassette.telling import CallFacts, CallFilter, compared, facts, story
from mockprovider.cassette.telling.facts import listed
from mockprovider.double.opening import transcribers
from mockprovider.errors import CassetteBrokenError
from mockprovider.terraform.recorded.gist import gist

URN = f"urn:pulumi:dev::shop::{TYPE}::logs"


def told_by(cassette):
    return facts(cassette, {"": Toy()})


def kept(name):
    cassette = tape.load(CASSETTES / f"{name}.json")
    return cassette, facts(cassette, transcribers(cassette))


def results(calls, *fields):
    return [tuple(getattr(call, field) for field in fields) for call in calls]


def made(id_, urn=URN, **properties):
    return call(Op.CREATE, session(), urn, properties=properties), answer(
        id=id_, properties={**properties, "arn": f"arn::{id_}"}
    )


def compare(old, new):
    return compared(old, new, told_by(old), told_by(new))


def lines(calls):
    return [(line.kind, line.text) for chapter in story(calls) for line in chapter.lines]


# Facts


def test_the_facts_of_a_pulumi_recording():
    """Each op of Pulumi has its result in a few words, with names from URNs and what changed."""
    _, calls = kept("fake-pulumi/pulumi")
    shown = {call.n: (call.op, call.name, call.result) for call in calls}

    assert {n: shown[n] for n in (1, 4, 5, 7, 8, 22, 36, 37, 51, 54, 65, 67, 68, 80, 82)} == {
        1: ("handshake", "", "answered"),
        4: ("check_config", "default", "valid"),
        5: ("configure", "default", "configured"),
        7: ("check", "logs", "valid"),
        8: ("create", "logs", "created 43ec04af"),
        22: ("diff", "logs", "no change"),
        36: ("diff", "logs", "update: acl"),
        37: ("update", "logs", "updated: acl"),
        51: ("diff", "logs", "replace because of name"),
        54: ("delete", "logs", "deleted 43ec04af"),
        65: ("read", "logs", "has changed: acl"),
        67: ("read", "more", "is gone"),
        68: ("read", "user", "as remembered"),
        80: ("update", "logs", "would be updated: acl"),
        82: ("create", "more", "would be created"),
    }
    assert shown[77][2] == "answered (preview)"
    assert not any(call.failed for call in calls)


def test_the_facts_of_a_terraform_recording():
    """Each op of Terraform has its result in the same words, also where no call names its resource."""
    _, calls = kept("fake-terraform/terraform")
    shown = {call.n: (call.op, call.type, call.result) for call in calls}

    assert {n: shown[n] for n in (44, 56, 67, 69, 83, 84, 120, 121, 126, 127, 177)} == {
        44: ("plan", "cloud_bucket", "create"),
        56: ("create", "cloud_bucket", "created 56f6d7e9"),
        67: ("plan", "cloud_bucket", "no change"),
        69: ("read", "cloud_bucket", "as remembered"),
        83: ("plan", "cloud_bucket", "replace because of name"),
        84: ("plan", "cloud_bucket", "update: acl, source"),
        120: ("update", "cloud_bucket", "updated: acl, source"),
        121: ("delete", "cloud_bucket", "deleted 56f6d7e9"),
        126: ("read", "cloud_bucket", "is gone"),
        127: ("read", "cloud_bucket", "has changed: acl"),
        177: ("plan", "cloud_bucket", "delete"),
    }
    assert calls[82].replaces == ("name",)


def test_imports_and_addresses():
    """An import says the id that was asked for, and an address is the name where nothing else is."""
    _, calls = kept("terraform-random/terraform")
    addressed = Interaction(n=1, session=1, op="read", method="R", type="t", address="module.x.t.a[0]", response={"id": "1"})

    assert calls[77].result == "imported 15390,1,50000"
    assert told_by(Cassette(header(), [addressed]))[0].resource == "t module.x.t.a[0]"
    assert [calls[n].resource for n in (0, 8, 20)] == ["random_integer", "", "random_integer 35624"]


def failing(**slots):
    return told_by(Cassette(header(), [Interaction(n=1, session=1, op="create", method="Create", **slots)]))[0]


@pytest.mark.parametrize(
    ("slots", "result", "failed"),
    [
        ({"status": RecordedStatus(code="UNAVAILABLE")}, "failed: UNAVAILABLE", True),
        ({"status": RecordedStatus(code="UNKNOWN", message="quota")}, "failed: quota", True),
        ({"status": RecordedStatus(code="UNKNOWN", message={"$text": ["no ", {"$secret": 3}]})}, "failed: no [secret 3]", True),
        ({"status": RecordedStatus(code="UNIMPLEMENTED", message="no")}, "not implemented", False),
        ({"withheld": "a secret is in bytes"}, "answer withheld: a secret is in bytes", False),
        ({"response": {"failures": [{"property": "acl", "reason": "must be short"}]}}, "failed: acl: must be short", True),
        ({"response": {"failures": [{"reason": "bad"}, {"reason": "worse"}]}}, "failed: bad; worse", True),
        ({"response": {}}, "created", False),
        ({"response": {}, "id": "b-1"}, "created b-1", False),
    ],
)
def test_what_went_wrong(slots, result, failed):
    """Statuses, failures of properties and withheld answers are told apart, and secrets in messages stay hidden."""
    assert (failing(**slots).result, failing(**slots).failed) == (result, failed)


@pytest.mark.parametrize(
    ("op", "request_", "response", "expected"),
    [
        ("plan", {}, {"diagnostics": [{"severity": "WARNING", "summary": "old"}]}, Gist(changes=())),
        (
            "create",
            {},
            {
                "diagnostics": [
                    {"severity": "ERROR", "summary": "Quota", "detail": "no more"},
                    {
                        "severity": "ERROR",
                        "summary": "Bad",
                        "attribute": {
                            "steps": [{"attribute_name": "spec"}, {"element_key_int": 0}, {"element_key_string": "k"}]
                        },
                    },
                ]
            },
            Gist(failures=("Quota: no more", "spec[0][k]: Bad")),
        ),
        (
            "plan",
            {"prior_state": {"msgpack": {"a": 1, "b": [2]}}},
            {
                "planned_state": {"msgpack": {"a": 1, "b": [3]}},
                "requires_replace": [
                    {"steps": [{"attribute_name": "a"}]},
                    {"steps": [{"attribute_name": "b"}, {"element_key_int": 0}]},
                ],
            },
            Gist(before={"a": 1, "b": [2]}, after={"a": 1, "b": [3]}, changes=("b",), replaces=("b[0]",)),
        ),
        ("read", {"current_state": {"json": {"a": 1}}}, {}, Gist(before={"a": 1}, gone=True)),
        ("read", {}, {}, Gist()),
        ("delete", {"prior_state": {"msgpack": {"a": 1}}}, {"new_state": {"msgpack": None}}, Gist(before={"a": 1})),
    ],
)
def test_the_gist_of_terraform_messages(op, request_, response, expected):
    """Errors have their place, warnings are none, and only what changes is a reason to replace."""
    assert gist(op, request_, response) == expected


def test_what_found_nothing_to_do():
    """A look or a plan without a change is idle; one that failed, or found the object gone, is not."""
    looked = call(Op.READ, session(), URN, properties={"a": 1})
    answers = [
        answer(id="1", properties={"a": 1}),
        answer(id="1", properties={"a": 2}),
        answer(),
        answer(id="1", failures=[{}]),
    ]

    assert [told_by(recorded((looked, reply)))[0].idle for reply in answers] == [True, False, False, False]
    assert not told_by(recorded((call(Op.CHECK, session(), URN), answer())))[0].idle


def test_a_change_that_names_no_property():
    """A diff that says no more than that there is one is still a change."""
    asked = call(Op.DIFF, session(), URN)
    assert [one.result for one in told_by(recorded((asked, answer(changes="DIFF_SOME"))))] == ["update: ?"]
    assert [one.result for one in told_by(recorded((asked, answer(changes="DIFF_NONE"))))] == ["no change"]
    assert [one.result for one in told_by(recorded((asked, answer(diffs=list("abcdef")))))] == ["update: a, b, c, d and 2 more"]
    assert [one.result for one in told_by(recorded((asked, answer(replaces=["acl"]))))] == ["replace because of acl"]


@pytest.mark.parametrize(("names", "said"), [("abcd", "a, b, c, d"), ("abcde", "a, b, c, d and 1 more"), ("", "")])
def test_lists_of_names(names, said):
    """Four names are said, of more how many there are."""
    assert listed(list(names)) == said


def test_words_for_texts_and_states():
    """What is no text has no words, and what is no state has no changes."""
    assert [worded("a"), worded({"$secret": 2}), worded({"$text": ["x", {"$secret": 1, "as": "url"}]}), worded(3)] == [
        *("a", "[secret 2]", "x[secret 1]", ""),
    ]
    assert changed({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}) == ("b", "c")
    assert changed({"a": None, "b": {}, "c": "", "d": 0}, {"a": [], "c": None, "d": 0, "e": 1}) == ("e",)
    assert changed({"a": {}}, {"a": 0}) == ("a",)
    assert changed(None, {"a": 1}) == changed({"a": 1}, None) == ()


def test_an_interaction_that_is_damaged():
    """What is not what its protocol says is an error that names the interaction."""
    broken = Interaction(n=7, session=1, op="check", method="Check", type="t", response={"failures": [3]})

    with pytest.raises(CassetteBrokenError, match=r"interaction 7 \(Check of t\) is damaged"):
        told_by(Cassette(header(), [broken]))


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (CallFilter(), [1, 2, 3]),
        (CallFilter(ops=("create",)), [1]),
        (CallFilter(ops=("create", "read")), [1, 2]),
        (CallFilter(types=("BUCKET",)), [1, 2]),
        (CallFilter(types=("user", "nothing")), [3]),
        (CallFilter(resources=("log",)), [1]),
        (CallFilter(resources=("b-2",)), [2]),
        (CallFilter(resources=("module.x",)), [3]),
        (CallFilter(resources=("urn:dev",)), [1]),
        (CallFilter(failed=True), [2]),
        (CallFilter(types=("bucket",), failed=True), [2]),
        (CallFilter(ops=("create",), failed=True), []),
    ],
)
def test_filters(wanted, numbers):
    """Filters of one kind widen, of several kinds narrow; parts of names will do, in any case."""
    calls = [
        CallFacts(n=1, session=1, op="create", method="C", type="t:Bucket", urn="urn:dev::logs", name="logs"),
        CallFacts(n=2, session=1, op="read", method="R", type="t:Bucket", id="b-2", failed=True),
        CallFacts(n=3, session=1, op="delete", method="D", type="t:User", address="module.x"),
    ]
    assert [one.n for one in calls if wanted(one)] == numbers


# The story


def test_the_story_of_a_pulumi_run():
    """A session tells each change, with the reason of a replacement, and folds plans, looks and questions."""
    chapters = story(kept("fake-pulumi/pulumi")[1])

    assert [chapter.sessions for chapter in chapters] == [[n] for n in range(1, 9)]
    assert [(line.calls, line.text) for line in chapters[3].lines[:4]] == [
        ([51, 56, 59], "plans: 1 unchanged"),
        ([53], "creates cloud:index:Bucket logs → fdb1df4f, to replace it because of name"),
        ([54], "deletes cloud:index:Bucket logs (43ec04af)"),
        ([57], "updates cloud:index:Bucket more: file, source"),
    ]
    assert [(line.kind, line.text) for line in chapters[4].lines] == [
        ("drift", "finds that cloud:index:Bucket logs has changed: acl"),
        ("plan", "plans: cloud:index:Bucket logs update: acl; 1 unchanged"),
        ("drift", "finds that cloud:index:Bucket more is gone"),
        ("look", "reads cloud:index:User user"),
        ("rest", "also: handshake, attach, get_plugin_info, configure, cancel"),
    ]
    assert "would be created; 1 unchanged" in chapters[5].lines[0].text


def test_the_story_of_a_terraform_run():
    """Sessions with nothing but questions are one chapter, and equal verdicts one word."""
    chapters = story(kept("fake-terraform/tofu")[1])

    assert chapters[0].sessions == list(range(1, 19))
    assert [line.text for line in chapters[0].lines] == ["asks: 22 get_schema, 28 check"]
    assert chapters[1].lines[0].text == "plans: 2 x cloud_bucket create; cloud_user create"


def test_objects_without_a_name():
    """Where nobody knows a name, the id stands in its place, once."""
    chapters = story(kept("fake-terraform/terraform")[1])
    texts = {line.calls[0]: line.text for chapter in chapters for line in chapter.lines if line.kind in ("change", "drift")}

    assert {n: texts[n] for n in (56, 119, 120, 121, 126)} == {
        56: "creates cloud_bucket 56f6d7e9",
        119: "creates cloud_bucket 5f794e1a",
        120: "updates cloud_bucket d9a1aa89: acl, source",
        121: "deletes cloud_bucket 56f6d7e9",
        126: "finds that cloud_bucket d9a1aa89 is gone",
    }


def test_what_a_provider_tells_meanwhile():
    """Views are counted beside the change that published them, and questions of previews among the rest."""
    calls = [
        CallFacts(n=1, session=1, op="import", method="I", type="t", name="a", id="i-1"),
        CallFacts(n=2, session=1, op="views", method="V", parent=1, direction="engine"),
        CallFacts(n=3, session=1, op="list", method="L", type="t"),
        CallFacts(n=4, session=1, op="invoke", method="N", preview=True),
    ]
    assert lines(calls) == [
        ("change", "imports t a → i-1 (views: 1)"),
        ("look", "reads t"),
        ("rest", "also: invoke"),
    ]


def test_the_last_plan_of_a_resource_counts():
    """A preview of the change knows more than the question before it, so only that is said; names tell resources apart."""

    def plan(n, urn, result):
        return CallFacts(n=n, session=1, op="diff", method="D", type="t", urn=urn, name=urn, result=result, changes=("a",))

    assert lines([plan(1, "a", "update: a"), plan(2, "b", "update: a"), plan(3, "a", "would be updated: a")]) == [
        ("plan", "plans: t a would be updated: a; t b update: a"),
    ]


def test_components_have_what_they_registered():
    """What a provider told and asked its engine meanwhile is counted beside the construct."""
    first = story(kept("pulumi-sites/embedded")[1])[0].lines[0]

    assert (first.kind, first.text) == ("change", "constructs sites:index:Site (resources: 3, lines of log: 1)")


def test_failures_stand_alone():
    """A failed call says what failed, of what, and why; a preview's that it was one."""
    broken = Reply(failures=(Failure("quota"),))
    calls = told_by(
        recorded(
            (call(Op.CREATE, session(), URN), broken),
            (call(Op.UPDATE, session(), URN, preview=True), broken),
            (call(Op.CONFIGURE, session(), type_=""), Reply(status=Status(14, "away"))),
        )
    )
    assert lines(calls) == [
        ("failure", "configure failed: away"),
        ("failure", f"create of {TYPE} logs failed: quota"),
        ("failure", f"preview of the update of {TYPE} logs failed: quota"),
    ]


def test_many_plans_are_cut():
    """Of more than six different verdicts it is said how many more there are."""
    plans = [
        CallFacts(n=n, session=1, op="plan", method="P", type=f"t{n}", result="create", changes=("a",)) for n in range(1, 10)
    ]
    assert lines(plans) == [
        ("plan", "plans: t1 create; t2 create; t3 create; t4 create; t5 create; t6 create; 3 more"),
    ]
    assert lines(plans[:6]) == [("plan", "plans: t1 create; t2 create; t3 create; t4 create; t5 create; t6 create")]
    assert lines([]) == []


def test_quiet_sessions_of_two_providers():
    """Questions to another provider, or in another phase, are another chapter; so are those after something happened."""

    def asked(n, session_, provider="", phase="", op="check"):
        return CallFacts(n=n, session=session_, op=op, method="M", provider=provider, phase=phase, id=str(n))

    calls = [asked(1, 1, "a"), asked(2, 2, "a"), asked(3, 3, "b"), asked(4, 4, "b", "up"), asked(5, 5, "b", "up", "delete")]
    chapters = story([*calls, asked(6, 6, "b", "up")])

    assert [(one.sessions, one.provider, one.phase) for one in chapters] == [
        *(([1, 2], "a", ""), ([3], "b", ""), ([4], "b", "up"), ([5], "b", "up"), ([6], "b", "up")),
    ]
    assert [line.text for line in chapters[0].lines] == ["asks: 2 check"]


# Differences


def test_a_recording_does_not_differ_from_itself():
    """Equal recordings are equal, of every kept cassette."""
    cassette, calls = kept("terraform-tls/terraform")
    result = compared(cassette, cassette, calls, calls)

    assert (result.equal, result.same, result.generated) == (True, len(calls), {})


def test_generated_ids_are_no_difference():
    """An id that is another one everywhere, also inside of texts, differs no more than a name does."""
    old = recorded(made("b-1234", acl="x"), (call(Op.READ, session(), URN, id="b-1234"), answer(id="b-1234", acl="x")))
    new = recorded(made("b-9876", acl="x"), (call(Op.READ, session(), URN, id="b-9876"), answer(id="b-9876", acl="x")))
    result = compare(old, new)

    assert (result.equal, result.same, result.generated) == (True, 2, {"1234": "9876"})


def test_an_id_that_is_another_only_once():
    """An id that does not differ in the same way everywhere is a difference."""
    old = recorded(made("b-1234", acl="x"), (call(Op.READ, session(), URN), answer(owner="b-1234")))
    new = recorded(made("b-9876", acl="x"), (call(Op.READ, session(), URN), answer(owner="b-1234")))
    result = compare(old, new)

    assert [(place.path, place.old, place.new) for calls in result.differing for place in calls.places] == [
        ("response.owner", "b-9876", "b-1234")
    ]


def test_two_objects_that_became_one():
    """Two old ids with one new one are no renaming, so that the difference is seen."""
    other = URN.replace("logs", "more")
    old = recorded(made("b-1111"), made("b-2222", other))
    new = recorded(made("b-3333"), made("b-3333", other))
    result = compare(old, new)

    assert (result.same, len(result.differing), result.generated) == (0, 2, {})


def test_one_object_that_became_two():
    """One old id with two new ones is no renaming either."""
    other = URN.replace("logs", "more")
    result = compare(recorded(made("b-1111"), made("b-1111", other)), recorded(made("b-2222"), made("b-3333", other)))

    assert (result.same, len(result.differing), result.generated) == (0, 2, {})


@pytest.mark.parametrize(
    ("op", "preview", "learnt"),
    [
        (Op.CREATE, False, True),
        (Op.IMPORT, False, True),
        (Op.CREATE, True, False),
        (Op.UPDATE, False, False),
        (Op.INVOKE, False, False),
        (Op.READ, False, False),
    ],
)
def test_where_things_are_generated(op, preview, learnt):
    """Only what makes objects generates ids: other answers with such words are differences."""
    old, new = (recorded((call(op, session(), URN, preview=preview), answer(value=f"i-{word}"))) for word in ("12ab", "98fe"))

    assert compare(old, new).equal is learnt


def test_other_requests_and_answers():
    """A difference has its path, both values, and on which side it is."""
    old = recorded((call(Op.UPDATE, session(), URN, acl="x", gone=1), answer(acl="x", size=1)))
    new = recorded((call(Op.UPDATE, session(), URN, acl="y"), answer(acl="x", size=1.0, more=None)))
    result = compare(old, new)

    assert [(place.path, place.there, place.old, place.new) for place in result.differing[0].places] == [
        ("request.acl", "both", "x", "y"),
        ("request.gone", "old", 1, None),
        ("response.more", "new", None, None),
        ("response.size", "both", 1, 1.0),
    ]
    assert (result.differing[0].old.n, result.differing[0].new.n, result.same, result.equal) == (1, 1, 0, False)


def test_failures_and_withheld_answers_are_compared():
    """An answer that became a failure is a difference in the status."""
    old = recorded((call(Op.UPDATE, session(), URN), answer()))
    new = recorded((call(Op.UPDATE, session(), URN), Reply(failures=(Failure("quota"),))))

    assert [place.path for place in compare(old, new).differing[0].places] == ["response", "status"]


def test_calls_that_one_side_has():
    """A call more is only in its recording, and equal requests are paired before others."""

    def looks(*names):
        return recorded(*((call(Op.READ, session(), URN, which=name), answer(name=name)) for name in names))

    result = compare(looks("a", "b", "c"), looks("c", "a"))
    assert (results(result.only_old, "n", "op"), result.only_new, result.same, result.differing) == ([(2, "read")], [], 2, [])
    result = compare(looks("a"), looks("b", "a", "c"))
    assert (results(result.only_new, "n"), result.same) == ([(1,), (3,)], 1)
    result = compare(looks("a"), looks("b", "c"))
    assert (results(result.only_new, "n"), [calls.new.n for calls in result.differing]) == ([(2,)], [1])


def test_secrets_are_no_difference():
    """Recordings with other numbers for their secrets are equal."""
    one = (call(Op.UPDATE, session(), URN, word=secret("first secret")), answer())
    before = (call(Op.UPDATE, session(), f"{URN}-a", word=secret("another secret")), answer())
    result = compare(recorded(one), recorded(before, one))

    assert (result.same, len(result.only_new), result.differing) == (1, 1, [])


def test_headers_and_schemas():
    """Another version, protocol or schema is a difference of the headers; one that only one side asked for is none."""
    asked = call(Op.GET_SCHEMA, session(), type_="")
    old, new = recorded((asked, answer(v=1))), recorded((asked, answer(v=2)))
    new.header.provider_version = "2.0"
    result = compare(old, new)

    assert [(line.what, line.old, len(line.new)) for line in result.header[:1]] == [("provider_version", "", 3)]
    assert [line.what for line in result.header] == ["provider_version", "schema"]
    assert [len(line.old) for line in result.header[1:]] == [12]
    assert compare(recorded(), old).header == []
    assert not compare(old, new).equal


@pytest.mark.parametrize(
    ("was", "now", "hidden"),
    [
        ("arn::i-12ab", "arn::i-98fe", True),
        ("arn::v1", "arn::v2", False),
        ("drifted", "changed", False),
        ("arn::abcd1234", "name::abcd5678", False),
        ("a1b2c3", "a1b2c3:more", False),
        ("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "ffeeddccbbaa99887766554433221100", True),
    ],
)
def test_what_looks_generated(was, now, hidden):
    """Only words with digits, of four characters and more, in texts of one shape, are taken for generated."""
    old = recorded((call(Op.CREATE, session(), URN), answer(value=was)))
    new = recorded((call(Op.CREATE, session(), URN), answer(value=now)))

    assert compare(old, new).equal is hidden


def test_numbers_that_were_generated():
    """A generated id that is a number somewhere is found there, too; one that would become a word is left."""
    old = recorded((call(Op.CREATE, session(), URN), answer(id="35624", result=35624)))
    new = recorded((call(Op.CREATE, session(), URN), answer(id="15390", result=15390)))
    word = recorded((call(Op.CREATE, session(), URN), answer(id="x1539", result=15390)))

    assert compare(old, new).equal
    assert not compare(old, word).equal
