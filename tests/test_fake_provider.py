"""The fake provider: each op over the cloud, as an engine would ask."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import BUCKET, TOKEN, URN, bucket, call, fake, reasons

from mockprovider.calls import ChangeKind, Op, Session
from mockprovider.cloud import Cloud, Effect
from mockprovider.errors import DefinitionError, MockProviderError, UnsupportedError
from mockprovider.fake import Fake
from mockprovider.fake.behaviours import Modified, Slow
from mockprovider.schema import Property, ResourceType
from mockprovider.values import UNKNOWN, Asset, Secret

MADE = {"acl": "private", "name": "logs"}


def created(serve, **given):
    """The reply to a create of a bucket."""
    return serve(call(Op.CREATE, **{"inputs": {"name": "logs"}, "urn": URN, "name": "logs"} | given))


# Check -----------------------------------------------------------------------------------------------------------------


def test_check_fills_in_and_complains_at_once():
    """Check returns the inputs with defaults beside the failures of what does not fit."""
    serve, _ = fake(BUCKET)
    reply = serve(call(Op.CHECK, inputs={"name": 5, "arn": "x"}))

    assert reply.inputs == {"name": 5, "arn": "x", "acl": "private"}
    assert [each.path for each in reply.failures] == ["name", "arn"]


def test_check_drops_the_marker_of_defaults():
    """The bridge's own bookkeeping key is no input."""
    serve, _ = fake(BUCKET)

    assert serve(call(Op.CHECK, inputs={"__defaults": ["acl"], "acl": "x"})).inputs == {"acl": "x"}


def test_check_without_inputs():
    """A call without inputs is checked as an empty one."""
    serve, _ = fake(BUCKET)

    assert serve(call(Op.CHECK)).inputs == {"acl": "private"}


# Undeclared types ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [Op.CHECK, Op.DIFF, Op.PLAN, Op.CREATE, Op.UPDATE])
def test_strict_refuses_undeclared_types(op):
    """A strict fake refuses a type that nobody declared, naming the nearest."""
    serve, cloud = fake(BUCKET, strict=True)
    [(_, reason, status)] = reasons(serve(call(op, "cloud:index:Buket", inputs={}, id="x")))

    assert reason == "Nobody declared the resource type 'cloud:index:Buket'. Did you mean 'cloud:index:Bucket'?"
    assert status == "invalid_argument"
    assert not cloud.objects()


def test_strict_with_nothing_declared():
    """A strict fake without any type says how types are declared."""
    serve = Fake({}, Cloud(), strict=True)
    [(_, reason, _)] = reasons(serve(call(Op.CHECK, inputs={})))

    assert reason.endswith("Nothing is declared at all: provider.define(...) does.")


def test_undeclared_types_live_a_whole_life():
    """A fake that is not strict echoes the inputs of undeclared types: create, read, no-op, update, delete."""
    serve, cloud = fake()
    made = serve(call(Op.CREATE, "x:y:Z", inputs={"a": 1, "s": Secret("k")}, urn="urn:pulumi:dev::shop::x:y:Z::u"))

    assert made.value == {"a": 1, "s": Secret("k")}
    found = serve(call(Op.READ, "x:y:Z", id=made.id))
    assert (found.id, found.value, found.inputs) == (made.id, {"a": 1, "s": "k"}, {"a": 1, "s": "k"})
    same = serve(call(Op.DIFF, "x:y:Z", id=made.id, prior=made.value, prior_inputs=made.value, inputs=made.value))
    assert same.plan.changes == ()
    less = serve(call(Op.DIFF, "x:y:Z", id=made.id, prior=made.value, prior_inputs=made.value, inputs={"a": 1}))
    assert [(each.path, each.kind) for each in less.plan.changes] == [("s", ChangeKind.DELETE)]
    serve(call(Op.UPDATE, "x:y:Z", id=made.id, prior=made.value, inputs={"a": 2}))
    assert dict(cloud.objects()[0]) == {"a": 2}
    serve(call(Op.DELETE, "x:y:Z", id=made.id))
    assert not cloud.objects()


# Create ----------------------------------------------------------------------------------------------------------------


def test_create():
    """A created object has its inputs, defaults and computed values, in the cloud as in the reply."""
    serve, cloud = fake(BUCKET)
    reply = created(serve)

    assert reply.value == {**MADE, "arn": f"arn:cloud:::{reply.id}"}
    assert [dict(each) for each in cloud.objects(TOKEN)] == [reply.value]
    assert cloud.objects()[0].id == reply.id


def test_create_preview_does_nothing():
    """A preview answers with what is known, and neither makes an object nor uses up an id."""
    serve, cloud = fake(BUCKET)
    reply = created(serve, preview=True)
    other, _ = fake(BUCKET)

    assert (reply.id, reply.value) == ("", {**MADE, "arn": UNKNOWN})
    assert not cloud.events
    assert created(serve).id == created(other).id


def test_secrets_stay_secret_for_the_engine_alone():
    """The engine gets secrets wrapped, declared or sent; the cloud holds plain values."""
    declared = ResourceType(TOKEN, {"key": Property(computed=True, secret=True), "name": Property()})
    serve, cloud = fake(declared)
    reply = created(serve, inputs={"name": Secret("logs")})

    assert reply.value["name"] == Secret("logs")
    assert isinstance(reply.value["key"], Secret)
    assert cloud.objects()[0]["key"] == reply.value["key"].value


def test_assets_are_kept():
    """An asset goes into the cloud and comes back as it was."""
    serve, cloud = fake(ResourceType(TOKEN, {"file": Property("asset")}))
    asset = Asset(text="hello", hash="1" * 64)

    assert created(serve, inputs={"file": asset}).value == {"file": asset}
    assert cloud.objects()[0]["file"] == asset


# Ids -------------------------------------------------------------------------------------------------------------------


def ids(seed, urns=("a", "b"), times=2):
    """The ids of ``times`` creates at each URN."""
    serve, _ = fake(BUCKET, seed=seed)
    return [created(serve, urn=f"{URN}-{each}").id for _ in range(times) for each in urns]


def test_ids_repeat_with_the_seed():
    """Equal seeds give equal ids at equal points; other seeds give others, and no two in one run are equal."""
    assert ids(1) == ids(1)
    assert not set(ids(1)) & set(ids(2))
    assert len(set(ids(1))) == 4


def test_ids_do_not_depend_on_the_order():
    """What is created at the same time elsewhere does not change an object's id."""
    there, back = ids(1, ("a", "b"), 1), ids(1, ("b", "a"), 1)

    assert there == back[::-1]


def test_ids_are_the_same_under_threads():
    """Creates from many threads get the ids that they get one after another, each once."""
    serve, cloud = fake(BUCKET)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: created(serve, urn=f"{URN}-{n}").id, range(200)))

    assert found == ids(0, range(200), 1)
    assert len({each.id for each in cloud.objects()}) == 200


def test_equal_requests_without_urn_differ_by_their_order():
    """Terraform names no resource: equal requests get ids of their own, and the same ones in the next run."""

    def run():
        serve, _ = fake(BUCKET)
        return [created(serve, urn="", name="").id for _ in range(3)]

    assert len(set(run())) == 3
    assert run() == run()


def test_id_templates():
    """An id may be made of the logical name, of inputs behind secrets too, and of the hash."""
    declared = ResourceType(TOKEN, {"region": Property(default="north"), "key": Property()}, id="{name}/{region}/{key}/{hash}")
    serve, _ = fake(declared)
    made = created(serve, inputs={"key": Secret("k")}).id

    assert made.startswith("logs/north/k/")
    assert len(made) == len("logs/north/k/") + 8


def test_an_id_that_lacks_something_is_an_error():
    """A template that asks for what the program did not set is an error of the declaration, and nothing is made."""
    serve, cloud = fake(ResourceType(TOKEN, {"region": Property()}, id="{region}"))
    with pytest.raises(DefinitionError, match="needs 'region'"):
        created(serve)

    assert not cloud.events


def test_an_id_that_exists_is_an_error():
    """A second object with the same id is an error of the declaration that says what to do."""
    serve, cloud = fake(ResourceType(TOKEN, {}, id="only"))
    created(serve)
    with pytest.raises(MockProviderError, match=r"'only' already exists. Give the type an id template with \{hash\}"):
        created(serve)

    assert len(cloud.objects()) == 1


# Diff ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [Op.DIFF, Op.PLAN])
def test_plans(op):
    """Without a prior object the plan is of a new one, with it of a change; both carry id and private data on."""
    serve, _ = fake(BUCKET)
    new = serve(call(op, inputs={"name": "x"}))
    changed = serve(call(op, id="b", prior={"name": "x", "acl": "a"}, inputs={"name": "y"}, private=b"p"))

    assert new.plan.planned["arn"] == UNKNOWN
    assert changed.plan.replaces
    assert (changed.id, changed.private) == ("b", b"p")


# Read ------------------------------------------------------------------------------------------------------------------


def test_read_by_id_alone():
    """An import knows nothing but the id: it gets the object, and the inputs that would make it."""
    serve, _ = fake(BUCKET)
    made = created(serve)
    for op in (Op.READ, Op.IMPORT):
        found = serve(call(op, id=made.id))

        assert (found.id, found.value, found.inputs) == (made.id, made.value, MADE)


@pytest.mark.parametrize("strict", [True, False])
def test_read_of_what_is_gone(strict):
    """Reading what does not exist answers with no id and no value, which is how providers say so."""
    serve, _ = fake(BUCKET, strict=strict)
    reply = serve(call(Op.READ, id="nowhere"))

    assert (reply.id, reply.value, reply.ok) == ("", None, True)


def test_read_shows_drift():
    """A refresh finds what was changed behind the engine's back, in state and inputs."""
    serve, cloud = fake(BUCKET)
    made = created(serve)
    cloud.drift(TOKEN, acl="public", name=None)
    found = serve(call(Op.READ, id=made.id, prior=made.value, prior_inputs=MADE))

    assert found.value == {"acl": "public", "arn": made.value["arn"]}
    assert found.inputs == {"acl": "public"}


def test_read_keeps_the_form_of_what_is_the_same():
    """A secret that did not change stays one; one that drifted keeps its secrecy only if that is declared."""
    declared = ResourceType(TOKEN, {"a": Property(), "b": Property(), "c": Property(secret=True)})
    serve, cloud = fake(declared)
    made = created(serve, inputs={"a": Secret("1"), "b": Secret("1"), "c": "1"})
    cloud.drift(TOKEN, b="2", c="2")
    found = serve(call(Op.READ, id=made.id, prior=made.value, prior_inputs=made.value))

    assert found.value == found.inputs == {"a": Secret("1"), "b": "2", "c": Secret("2")}


def test_read_takes_computed_values_for_no_inputs():
    """What the provider filled in by itself is an input only where the program had set it."""
    declared = ResourceType(TOKEN, {"zone": Property(computed="made", optional=True), "name": Property()})
    serve, _ = fake(declared)
    made = created(serve, inputs={"name": "logs"})

    assert serve(call(Op.READ, id=made.id, prior_inputs={"name": "logs"})).inputs == {"name": "logs"}
    assert serve(call(Op.READ, id=made.id, prior_inputs={"zone": "made"})).inputs == {"name": "logs", "zone": "made"}


# Update and delete -----------------------------------------------------------------------------------------------------


def test_update():
    """An update replaces the object's properties; what was computed once stays, and what is left out goes."""
    declared = ResourceType(TOKEN, {"acl": Property(default="x"), "tag": Property(), "etag": Property(computed=True)})
    serve, cloud = fake(declared)
    made = created(serve, inputs={"tag": "a", "acl": "y"})
    reply = serve(call(Op.UPDATE, id=made.id, prior=made.value, inputs={}))

    assert reply.value == {"acl": "x", "etag": made.value["etag"]}
    assert reply.id == made.id
    assert [each.effect for each in cloud.events] == [Effect.CREATED, Effect.UPDATED]


def test_update_preview_does_nothing():
    """A preview of an update tells what will be and changes nothing."""
    serve, cloud = fake(BUCKET)
    made = created(serve)
    reply = serve(
        call(Op.UPDATE, id=made.id, prior=made.value, prior_inputs=MADE, inputs={"acl": "b", "name": "logs"}, preview=True)
    )

    assert reply.value == {"acl": "b", "name": "logs", "arn": made.value["arn"]}
    assert len(cloud.events) == 1


def test_update_of_what_is_gone():
    """Updating what vanished fails with a status, and makes nothing."""
    serve, cloud = fake(BUCKET)
    made = created(serve)
    cloud.vanish(TOKEN)
    [(_, reason, status)] = reasons(serve(call(Op.UPDATE, id=made.id, prior=made.value, inputs={})))

    assert status == "not_found"
    assert reason == f"{TOKEN} {made.id!r} does not exist any more. A refresh would have told."
    assert not cloud.objects()


def test_update_of_what_is_of_another_type():
    """Where another type has an object of that id, the message says how to declare that an alias renamed its type."""
    serve, cloud = fake(BUCKET)
    cloud.create("cloud:index:Old", "b-1", {})
    [(_, reason, _)] = reasons(serve(call(Op.UPDATE, id="b-1", prior={}, inputs={})))

    assert reason.endswith(f"Then declare ResourceType({TOKEN!r}, ..., moved_from=('cloud:index:Old',)).")


def test_delete():
    """A delete removes the object; one of what is gone succeeds and leaves no event."""
    serve, cloud = fake(BUCKET)
    made = created(serve)
    replies = [serve(call(Op.DELETE, id=made.id)) for _ in range(2)]

    assert all(reply.ok for reply in replies)
    assert [each.effect for each in cloud.events] == [Effect.CREATED, Effect.DELETED]


def test_two_instances_of_one_urn():
    """During a replacement both objects of one URN exist, with ids of their own."""
    serve, cloud = fake(BUCKET)
    old, new = created(serve), created(serve)
    serve(call(Op.DELETE, id=old.id, urn=URN))

    assert [each.id for each in cloud.objects()] == [new.id]


# Other calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [Op.RAW, Op.ENGINE])
def test_what_the_fake_does_not_do(op):
    """An op that the fake does not have is refused by its method's name, never answered with something empty."""
    serve, _ = fake()
    with pytest.raises(UnsupportedError, match="does not answer Something yet"):
        serve(call(op, "", method="Something"))


def test_upgrade_echoes():
    """State of the current version is handed back as it is."""
    serve, _ = fake(BUCKET)
    reply = serve(call(Op.UPGRADE, prior={"a": 1}, id="x"))

    assert (reply.value, reply.id) == ({"a": 1}, "x")


@pytest.mark.parametrize("op", [Op.CREATE, Op.CONFIGURE, Op.CANCEL])
def test_a_malformed_urn(op):
    """Whatever is asked, a malformed URN is refused: an engine would remember it."""
    serve, cloud = fake(BUCKET)
    with pytest.raises(MockProviderError, match="is no URN"):
        serve(call(op, urn="urn:pulumi:nothing", inputs={}))

    assert not cloud.events


def test_strictness_may_be_set_at_any_time():
    """A fake that becomes strict refuses from the next call on what nobody declared, and the other way round."""
    serve, _ = fake(BUCKET)
    asked = call(Op.CHECK, "cloud:index:Else", inputs={})

    assert not Fake({}, Cloud()).strict
    assert (serve.strict, serve(asked).ok) == (False, True)
    serve.strict = True
    assert (serve.strict, serve(asked).ok) == (True, False)
    serve.strict = False
    assert serve(asked).ok


def test_what_only_one_protocol_asks():
    """A fake answers each protocol what it asks, in any order of their calls."""
    serve, _ = fake(BUCKET)
    for protocol, answered in (("pulumi", True), ("tfplugin6", False), ("pulumi", True)):
        asked = call(Op.HANDSHAKE, "", session=Session(protocol))
        if answered:
            assert serve(asked).ok
        else:
            with pytest.raises(UnsupportedError, match="The fake does not answer handshake yet"):
                serve(asked)


def test_a_clock_that_nobody_gave():
    """A fake without a clock has one that stands still, and goes on only where an op takes time."""
    serve, cloud = fake(bucket(Modified("at"), Slow(create=61), at=Property(str, computed=True)))
    for urn in ("", URN):
        serve(call(Op.CREATE, urn=urn, inputs={}))

    assert [each["at"] for each in cloud.objects()] == ["1970-01-01T00:00:00Z", "1970-01-01T00:01:01Z"]
