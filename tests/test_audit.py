"""Audits: what exists against what is remembered, and what the calls of a provider say exists."""

from __future__ import annotations

from decimal import Decimal

import pytest
from builders import TOKEN, URN, call

from mockprovider.audit import Audit, CutOff, EngineMemory, Evidence, ExistingObject, Remedies, RememberedObject, Trail, compare
from mockprovider.calls import Failure, Op, Reply, Status
from mockprovider.matching import Difference
from mockprovider.payloads import StoredState
from mockprovider.properties import Property
from mockprovider.values import UNKNOWN, Asset, Secret

OTHER = URN.replace("logs", "more")


def existing(id_="b-1", resource="", inputs=None, type_=TOKEN, **properties):
    """An object that exists."""
    return ExistingObject(type_, id_, properties, resource, inputs)


def remembered(id_="b-1", resource=URN, **fields):
    """An object that an engine remembers; ``properties`` are its fields unless given."""
    return RememberedObject(fields.pop("type", TOKEN), id_, fields.pop("properties", {}), resource, **fields)


def audited(objects, known, declared=None, **fields):
    """The audit of these objects and this memory."""
    return compare(Evidence(objects, **fields), [EngineMemory(known)], lambda _: declared or {})


# Comparing -------------------------------------------------------------------------------------------------------------


def test_what_is_remembered_as_it_is():
    """Equal objects on both sides are a clean audit, which says how much it compared and asserts nothing."""
    audit = audited([existing(acl="x")], [remembered(properties={"acl": "x"})])

    audit.assert_clean()
    assert audit.is_clean
    assert str(audit) == "Clean: objects that exist: 1, that are remembered: 1."


def test_orphans_and_phantoms():
    """What only exists is an orphan, what is only remembered is a phantom, and both are said with their resource."""
    audit = audited([existing("b-1", OTHER)], [remembered("b-2")])

    assert [orphan.id for orphan in audit.orphans] == ["b-1"]
    assert [phantom.id for phantom in audit.phantoms] == ["b-2"]
    with pytest.raises(AssertionError) as raised:
        audit.assert_clean()
    assert str(raised.value).splitlines() == [
        "2 findings: objects that exist: 1, that are remembered: 1.",
        f"- orphan: {TOKEN} b-1 exists, and nobody remembers it. It was made for {OTHER}. Delete it.",
        f"- phantom: {TOKEN} b-2 ({URN}) is remembered, and does not exist.",
    ]


def test_ids_are_those_of_a_type():
    """Objects of two types may have one id: each is remembered by its own type."""
    audit = audited([existing(), existing(type_="cloud:index:Key")], [remembered(type="cloud:index:Key")])

    assert [orphan.type for orphan in audit.orphans] == [TOKEN]


def test_an_id_without_a_type_fits_any():
    """What knows ids alone matches an object of any type, and compares what it names."""
    known = [RememberedObject("", "b-1", {"acl": "x"}, is_whole=False)]

    assert audited([existing(acl="x", name="n")], known).is_clean
    assert [stale.differences for stale in audited([existing(acl="y")], known).stale] == [[Difference("acl", "x", "y")]]


@pytest.mark.parametrize(
    ("orphan", "twin", "is_double"),
    [
        (existing("b-2", URN, acl="y"), existing("b-1", acl="x"), True),
        (existing("b-2", OTHER, acl="x"), existing("b-1", acl="x"), False),
        (existing("b-2", inputs={"acl": "x"}, name="n2"), existing("b-1", inputs={"acl": "x"}, name="n1"), True),
        (existing("b-2", inputs={"acl": "y"}), existing("b-1", inputs={"acl": "x"}), False),
        (existing("b-2", acl="x", arn="arn:b-2"), existing("b-1", acl="x", arn="arn:b-1"), True),
        (existing("b-2", acl="y", arn="arn:b-2"), existing("b-1", acl="x", arn="arn:b-1"), False),
        (existing("b-2", URN, type_="cloud:index:Key"), existing("b-1"), False),
    ],
    ids=["one resource", "two resources", "equal inputs", "other inputs", "equal but for ids", "other values", "other type"],
)
def test_doubles(orphan, twin, is_double):
    """An orphan is a double of what is remembered for the same resource; who knows no resource goes by inputs, then values."""
    audit = audited([twin, orphan], [remembered(properties=None)])

    assert [known.id for known in audit.orphans] == ["b-2"]
    assert [(double.object.id, double.remembered.id) for double in audit.doubles] == [("b-2", "b-1")] * is_double
    assert ("double: " in str(audit)) is is_double


def test_no_double_of_what_waits_for_its_deletion():
    """The old instance of a replacement is no twin of an orphan, exists without a finding, and its values do not count."""
    audit = audited([existing(acl="x"), existing("b-2", URN)], [remembered(properties={"acl": "y"}, waits=True)])

    assert (audit.doubles, audit.stale, len(audit.orphans)) == ([], [], 1)


VALUES = [
    ({"a": 1}, {"a": 1.0}, []),
    ({"a": Decimal(1)}, {"a": 1}, []),
    ({"a": True}, {"a": 1}, ["a"]),
    ({"a": None}, {}, []),
    ({"a": Secret("x")}, {"a": "x"}, []),
    ({"a": UNKNOWN}, {"a": "x"}, []),
    ({"a": {"b": UNKNOWN, "c": "x"}}, {"a": {"b": "y", "c": "z"}}, ["a.c"]),
    ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ["a[1].b"]),
    ({"a": ["x", "y"]}, {"a": ["y", "x"]}, ["a[0]", "a[1]"]),
    ({"a": Asset(text="t", hash="1")}, {"a": Asset(path="p", hash="1")}, []),
    ({"a": Asset(hash="1")}, {"a": Asset(hash="2")}, ["a.hash"]),
    ({"a": b"x"}, {"a": b"y"}, ["a"]),
    ({}, {"a": "x"}, ["a"]),
    ({"a": "x"}, {}, ["a"]),
]


@pytest.mark.parametrize(("known", "actual", "paths"), VALUES)
def test_stale_values(known, actual, paths):
    """Values differ by what they mean, each at its path; what is remembered and cannot be read is not compared."""
    audit = audited([existing(**actual)], [remembered(properties=known)])

    assert [difference.path for stale in audit.stale for difference in stale.differences] == paths


def test_what_was_never_answered_goes_by_the_inputs():
    """Where the state has an input and no output, the input counts if the object has such a property."""
    known = [remembered(properties={"arn": "a"}, inputs={"acl": "x", "zone": "z"})]

    assert audited([existing(acl="x", arn="a")], known).is_clean
    assert [stale.differences for stale in audited([existing(acl="y", arn="a")], known).stale] == [
        [Difference("acl", "x", "y")]
    ]


def test_sets_have_no_order():
    """A declared set, and any list of an engine that has sets, is equal in another order; a declared list is not."""
    two, turned = existing(a=["x", "y"]), {"a": ["y", "x"]}

    assert audited([two], [remembered(properties=turned)], {"a": Property(set[str])}).is_clean
    assert audited([two], [remembered(properties=turned, is_unordered=True)]).is_clean
    assert not audited([two], [remembered(properties=turned, is_unordered=True)], {"a": Property(list[str])}).is_clean


@pytest.mark.parametrize(
    ("declared", "secrets"),
    [({"token": Property(str, secret=True)}, ()), ({}, {"token"})],
    ids=["declared", "remembered"],
)
def test_secrets_are_not_shown(declared, secrets):
    """A stale secret is named by its path, and neither of its values is in the finding, its text or its ``repr``."""
    audit = audited([existing(token="new-hush")], [remembered(properties={"token": "old-hush"}, secrets=secrets)], declared)

    assert audit.stale[0].differences == [Difference("token", "[secret]", "[secret]")]
    assert "hush" not in f"{audit}{audit!r}"


def test_shown_values_are_scrubbed():
    """Of values that are shown, a function takes secrets out that stand inside of other text."""
    audit = compare(
        Evidence([existing(url="https://hush@b", size=2)]),
        [EngineMemory([remembered(properties={"url": "https://a", "size": 1})])],
        scrub=lambda content: content.replace("hush", "***"),
    )

    assert audit.stale[0].differences == [Difference("size", 1, 2), Difference("url", "https://a", "https://***@b")]


def test_several_states_remember_together():
    """An object that any of the states remembers is no orphan, and one that two remember is compared with both."""
    objects = [existing("b-1", acl="x"), existing("b-2")]
    one, other = EngineMemory([remembered("b-1", properties={"acl": "x"})]), EngineMemory([remembered("b-2")])
    again = EngineMemory([remembered("b-1", properties={"acl": "y"})])

    assert compare(Evidence(objects), [one, other]).is_clean
    assert [len(found.stale) for found in (compare(Evidence(objects), [one, other, again]),)] == [1]


def test_objects_that_share_an_id():
    """Of several objects with one id, each is matched by the one that it equals, and what is over is an orphan."""
    objects = [existing("none", length=1), existing("none", length=2), existing("none", length=3)]
    audit = audited(objects, [remembered("none", properties={"length": n}) for n in (3, 1)])

    assert [(orphan.properties["length"], audit.stale) for orphan in audit.orphans] == [(2, [])]


def test_what_is_left_out_is_said():
    """Packages that are not served here are counted, and named where the audit says what it compared."""
    audit = compare(Evidence([]), [EngineMemory([], left_out={"gcp": 2, "aws": 1})])

    assert str(audit).endswith("Of packages that are not served here, and left out: 1 of aws, 2 of gcp.")


def test_advice_is_the_engine_s():
    """Each finding says what to do in the engine whose state it was, with the engine's names filled in."""
    remedies = Remedies("import {type} {name} {id}", "forget {name}", "refresh", "settle {name}", "{type}.NAME", str.upper)
    known = [remembered("b-2"), remembered("b-3", properties={"a": 1})]
    objects = [existing("b-1"), existing("b-4", OTHER), existing("b-3", a=2)]
    audit = compare(
        Evidence(objects), [EngineMemory([]), EngineMemory(known, [CutOff("creating", TOKEN, "", URN)], {}, remedies)]
    )

    assert [line.rpartition("- ")[2].partition(":")[0] for line in str(audit).splitlines()[1:]] == [
        *("orphan", "orphan", "phantom", "stale", "pending")
    ]
    for advice in (
        f"or import {TOKEN.upper()} {TOKEN.upper()}.NAME b-1.",
        f"or import {TOKEN.upper()} more b-4.",
        "Forget logs.",
        "Refresh.",
        "Settle logs.",
    ):
        assert advice in str(audit)


# Trails ----------------------------------------------------------------------------------------------------------------


def followed(*pairs):
    """What calls and their replies say exists."""
    trail = Trail()
    for asked, reply in pairs:
        trail.follow(asked, reply)
    return trail.evidence


def shown(evidence):
    """Ids and properties."""
    return [(known.id, dict(known.properties)) for known in evidence.objects]


CREATED = (call(Op.CREATE, urn=URN, inputs={"acl": "x"}), Reply(id="b-1", value={"acl": Secret("x")}))


def test_a_life():
    """What was created exists with its resource and inputs, an update and a read show its values, and a delete ends it."""
    update = (call(Op.UPDATE, id="b-1"), Reply(value={"acl": "y"}))
    read = (call(Op.READ, id="b-1"), Reply(id="b-1", value={"acl": "z"}))

    (known,) = followed(CREATED).objects
    assert (known.resource, known.inputs, known.is_ours) == (URN, {"acl": "x"}, True)
    assert shown(followed(CREATED)) == [("b-1", {"acl": "x"})]
    assert shown(followed(CREATED, update)) == [("b-1", {"acl": "y"})]
    assert shown(followed(CREATED, update, read)) == [("b-1", {"acl": "z"})]
    ended = followed(CREATED, update, (call(Op.DELETE, id="b-1"), Reply()))
    assert (ended.objects, ended.gone) == ([], {(TOKEN, "b-1")})


@pytest.mark.parametrize(
    ("asked", "reply", "ids"),
    [
        (call(Op.CREATE), Reply(failures=(Failure("no"),)), []),
        (call(Op.CREATE), Reply(status=Status(2, "no")), []),
        (call(Op.CREATE), Reply(id="b-1", value={}, failures=(Failure("slow"),)), ["b-1"]),
        (call(Op.CREATE, preview=True), Reply(id="b-1", value={}), []),
        (call(Op.READ, id="b-1"), Reply(), []),
        (call(Op.READ, id="b-1"), Reply(id="b-1", value={}), ["b-1"]),
        (call(Op.IMPORT, id="b-1"), Reply(id="b-1", value={}), ["b-1"]),
        (call(Op.CHECK), Reply(value={}), []),
    ],
)
def test_what_a_call_shows(asked, reply, ids):
    """A half-made object exists, a failed create and a preview make none, and a read or an import shows what was there."""
    evidence = followed((asked, reply))

    assert [known.id for known in evidence.objects] == ids
    assert all(known.is_ours is (asked.op is Op.CREATE) for known in evidence.objects)


def test_what_only_was_read_is_no_orphan():
    """An object that the provider showed and did not make is no orphan, and no phantom either."""
    evidence = followed((call(Op.READ, id="b-1"), Reply(id="b-1", value={})))

    assert compare(evidence, [EngineMemory([])]).is_clean
    assert compare(evidence, [EngineMemory([remembered()])]).is_clean


def test_only_what_is_known_to_be_gone_is_a_phantom():
    """Of a cloud that nobody can look into, a remembered object is a phantom if it was deleted or a read did not find it."""
    gone = followed((call(Op.READ, id="b-1"), Reply()))

    assert compare(followed(), [EngineMemory([remembered()])]).is_clean
    assert len(compare(gone, [EngineMemory([remembered()])]).phantoms) == 1


def test_an_object_that_goes_on():
    """An object whose id an update or a read changed, or whose resource became one of another type, is the same object."""
    update = (call(Op.UPDATE, id="b-1"), Reply(id="b-2", value={"acl": "x"}))
    (renamed,) = followed(CREATED, update).objects
    assert (renamed.type, renamed.id, renamed.resource, renamed.is_ours) == (TOKEN, "b-2", URN, True)

    move = (call(Op.MOVE, "cloud:index:New", stored=StoredState({"id": "b-1"}, type=TOKEN)), Reply(id="b-1", stored={}))
    (moved,) = followed(CREATED, move).objects
    assert (moved.type, moved.id, moved.resource, moved.is_ours) == ("cloud:index:New", "b-1", URN, True)
    assert followed(move).objects == []


def test_a_failed_delete_leaves_the_object():
    """A delete that failed deleted nothing."""
    assert shown(followed(CREATED, (call(Op.DELETE, id="b-1"), Reply(failures=(Failure("no"),))))) == [("b-1", {"acl": "x"})]


@pytest.mark.parametrize("reply", [None, Reply(status=Status(14, "gone")), Reply(status=Status(4)), Reply(status=Status(1))])
def test_a_call_without_an_answer(reply):
    """A change of which the provider never said how it ended is pending; a read that never came back changes nothing."""
    evidence = followed((call(Op.CREATE, urn=URN), reply), (call(Op.READ, id="b-2"), reply))
    audit = compare(evidence, [EngineMemory([])])

    assert audit.pending == [CutOff("creating", TOKEN, "", URN, is_remembered=False)]
    assert f"pending: creating {TOKEN} ({URN}) was never answered by the provider. Look whether it was done." in str(audit)


def test_a_delete_of_one_of_several_with_one_id():
    """Where several objects share an id, a delete takes the one that was as the engine remembered it."""
    made = [(call(Op.CREATE), Reply(id="none", value={"length": n})) for n in (1, 2, 3)]
    evidence = followed(*made, (call(Op.DELETE, id="none", prior={"length": 2}), Reply()))

    assert shown(evidence) == [("none", {"length": 1}), ("none", {"length": 3})]
    assert evidence.gone == set()


def test_an_empty_audit_is_clean():
    """Nothing that exists and nothing that is remembered agree."""
    assert Audit().is_clean
