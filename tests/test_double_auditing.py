"""``double.audit``: which states it takes, what counts in each, and where it learns what exists."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from engine_toolbox import BUCKET, TYPES, Bucket, Component, Existing, Thing, make
from pulumi import Output, ResourceOptions, StringAsset

from mockprovider import from_terraform_schema
from mockprovider.calls import Call, Failure, Op, Reply, Session, Status
from mockprovider.double import Double, recording, replaying
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.offers import Ephemeral
from mockprovider.schema import Property, ResourceType

SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
URN = f"urn:pulumi:dev::project::{BUCKET}::"


def logs(**properties: Any):
    """A program of one bucket."""
    return lambda: Bucket("logs", **properties) and None


# Pulumi's states -------------------------------------------------------------------------------------------------------


def test_a_stack_and_its_result():
    """The engine, its export and the file of that are one state; after each up it is clean, secrets, assets and all."""
    stack, double, _ = make()

    def program():
        component = Component("c")
        first = Bucket("first", ResourceOptions(parent=component), acl="x", token=Output.secret("hush"), tags={"a": "b"})
        Bucket("second", source=first.arn, name="n")

    stack.up(program)

    double.audit(stack).assert_clean()
    double.audit(stack.export()).assert_clean()


def test_a_state_that_is_given_twice():
    """One state is remembered once, however often it is given."""
    stack, double, _ = make()
    stack.up(logs())
    assert str(double.audit(stack, stack)) == str(double.audit(stack))


def test_a_misspelt_type():
    """An id of a type that is almost a declared one is refused, and counts for no phantom."""
    with Double(ResourceType("cloud:index:Bucket")) as double:
        with pytest.raises(DefinitionError, match="Did you mean 'cloud:index:Bucket'"):
            double.audit({("cloud:index:Bukcet", "x"): {}})
        assert len(double.audit({("cloud:index:Bucket", "x"): {}}).phantoms) == 1


def test_drift_and_secrets():
    """What changed and vanished behind the engine's back is found; a secret's values are nowhere, not even inside of others."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("logs", acl="x", token=Output.secret("hush-1"), source="s") and None)
    double.cloud.drift(BUCKET, acl="y", token="hush-2", source="with hush-1")
    audit = double.audit(stack)

    assert [(each.path, each.actual) for each in audit.stale[0].differences] == [
        ("acl", "y"),
        ("source", "with [secret]"),
        ("token", "[secret]"),
    ]
    assert "hush" not in str(audit)
    double.cloud.vanish(BUCKET)
    assert [(each.type, each.resource) for each in double.audit(stack).phantoms] == [(BUCKET, f"{URN}logs")]


def test_a_lost_reply_and_a_second_create():
    """A create whose answer is lost leaves an orphan, and the next run makes it a double."""
    stack, double, breaking = make()

    def lose(call, proceed):
        proceed(call)
        return Reply(status=Status(14, "connection reset"))

    breaking.replace(Op.CREATE, "logs", lose)
    stack.up(logs(acl="x"), expect_failure=True)
    assert len(double.audit(stack).orphans) == 1
    assert double.audit(stack).doubles == []

    stack.up(logs(acl="x"))
    (double_,) = double.audit(stack).doubles
    assert (double_.remembered.resource, double_.object) == (f"{URN}logs", double.audit(stack).orphans[0])


def test_a_half_made_object_is_remembered():
    """A half-made object is in the state: nothing is lost."""
    stack, double, _ = make()
    double.faults.on.create(BUCKET).partial(reasons=["timed out"])
    stack.up(logs(), expect_failure=True)

    double.audit(stack).assert_clean()


def test_a_replacement_that_was_cut_in_two():
    """The old instance that waits for its deletion is remembered; its values do not count, its absence does."""
    stack, double, breaking = make()
    stack.up(logs(name="a"))
    breaking.fail(Op.DELETE, "logs")
    stack.up(logs(name="b"), expect_failure=True)
    old = double.cloud.objects(BUCKET)[0].id
    double.cloud.drift(BUCKET, old, acl="z")

    double.audit(stack).assert_clean()
    double.cloud.vanish(BUCKET, old)
    assert [phantom.id for phantom in double.audit(stack).phantoms] == [old]


def test_what_is_only_read():
    """An object that a program reads (``external``) is remembered by it; without it, it is an orphan of the cloud."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x", "arn": "arn:cloud:::there"})
    stack.up(lambda: Existing("there", "there") and None)

    double.audit(stack).assert_clean()
    assert [orphan.id for orphan in double.audit({}).orphans] == ["there"]


def test_what_was_retained_on_purpose():
    """What was retained is an orphan to the state alone, and clean where the audit is told of it."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("kept", ResourceOptions(retain_on_delete=True), name="k") and None)
    double.audit(stack).assert_clean()
    stack.up(lambda: None)
    (kept,) = double.cloud.objects(BUCKET)

    assert [orphan.id for orphan in double.audit(stack).orphans] == [kept.id]
    double.audit(stack, {kept.id: {}}).assert_clean()
    double.audit(stack, {(BUCKET, kept.id): {"name": "k"}}).assert_clean()


def test_only_served_packages_count():
    """With a provider for each package, each audit counts its own resources, and says how many it left out."""
    one, other = Double(*TYPES), Double(ResourceType("net:index:Net", {"cidr": Property(str)}))
    stack = Stack({"cloud": one, "net": other})

    def program():
        Bucket("logs")
        Thing("net:index:Net", "net", cidr="x")

    stack.up(program)
    assert [dict(double.audit(stack).left_out) for double in (one, other)] == [{"net": 1}, {"cloud": 1}]
    for double in (one, other):
        double.audit(stack).assert_clean()


def test_types_that_nobody_declared_count():
    """A double without declarations serves everything, and one with some serves what it was asked for, too."""
    for declared in ((), TYPES):
        double = Double(*declared)
        stack = Stack(double)
        stack.up(lambda: Thing("else:index:Where", "a", size=1) and None)
        double.audit(stack).assert_clean()
        double.cloud.vanish("else:index:Where")
        assert len(double.audit(stack).phantoms) == 1


def deployment(*resources, pending=()):
    """An exported stack."""
    return {"version": 3, "deployment": {"resources": list(resources), "pending_operations": list(pending)}}


def resource(name="logs", id_="b-1", **fields):
    """A resource of an exported stack."""
    return {"urn": f"{URN}{name}", "type": BUCKET, "custom": True, "id": id_, **fields}


@pytest.mark.parametrize(
    ("entry", "phantoms"),
    [
        (resource(), 1),
        (resource(external=True), 1),
        (resource(delete=True), 1),
        (resource(retainOnDelete=True), 1),
        (resource(pendingReplacement=True), 0),
        (resource(viewOf=f"{URN}other"), 0),
        (resource(custom=False), 0),
        ({"urn": "urn:pulumi:dev::project::pulumi:providers:cloud::default", "custom": True, "id": "x"}, 0),
        ({"urn": "urn:pulumi:dev::project::pulumi:pulumi:StackReference::r", "custom": True, "id": "x"}, 0),
    ],
    ids=["custom", "external", "delete", "retain", "pendingReplacement", "view", "component", "provider", "reference"],
)
def test_which_resources_are_objects(entry, phantoms):
    """Of a deployment, custom resources that are there are objects; deleted ones, views, components and providers are not."""
    assert len(Double(*TYPES).audit(deployment(entry)).phantoms) == phantoms


def test_pending_operations():
    """What Pulumi was doing when it died is said with its URN; of a package that is not served it is not said."""
    creating = {"type": "creating", "resource": {"urn": f"{URN}logs", "type": BUCKET}}
    other = {"type": "creating", "resource": {"urn": "urn:pulumi:dev::project::net:index:Net::n", "type": "net:index:Net"}}
    audit = Double(*TYPES).audit(deployment(pending=[creating, other]))

    assert [(each.kind, each.resource, each.is_remembered) for each in audit.pending] == [("creating", f"{URN}logs", True)]
    assert "--import-pending-creates" in str(audit)


@pytest.mark.parametrize(
    "exported",
    [
        deployment(resource(id_=3)),
        deployment(resource(outputs=[1])),
        deployment(resource(delete="yes")),
        deployment(resource(outputs={"a": {next(iter(SECRET)): "nonsense"}})),
        deployment(pending=[{}]),
        deployment(pending=[{"type": "creating", "resource": {}}]),
        deployment(pending=[{"type": "creating", "resource": {"urn": "nonsense"}}]),
        {"version": 3, "deployment": {"pending_operations": {"a": 1}}},
        {"version": 3, "deployment": {"resources": {"a": 1}}},
    ],
)
def test_deployments_that_somebody_broke(exported):
    """What is no deployment, or was edited by hand, is refused in words of ours."""
    with pytest.raises(MalformedError):
        Double(*TYPES).audit(exported)


def test_encrypted_secrets_are_not_compared():
    """Of an export without ``--show-secrets``, everything but the secrets is compared."""
    double = Double(*TYPES)
    double.cloud.create(BUCKET, "b-1", {"acl": "y", "token": "hush", "tags": {"a": "b"}})
    sealed = {**SECRET, "ciphertext": "v1:abc"}
    audit = double.audit(deployment(resource(outputs={"acl": "x", "token": sealed, "tags": {"a": sealed}})))

    assert [difference.path for stale in audit.stale for difference in stale.differences] == ["acl"]


# Terraform's states ----------------------------------------------------------------------------------------------------

THING = ResourceType(
    "cloud:index:Thing",
    {
        "fullName": Property(str),
        "kinds": Property(set[str]),
        "token": Property(str, secret=True),
        "hidden": Property(str, write_only=True),
    },
)
FORMER = ResourceType("cloud:index:Old", {"name": Property(str)})
HEIR = ResourceType("cloud:index:New", {"name": Property(str)}, moved_from=("cloud_old",))


def tfstate(*instances, type_="cloud_thing", mode="managed", package="cloud"):
    """A state file with one resource."""
    provider = f'provider["example.com/mock/{package}"]'
    held = {"mode": mode, "type": type_, "name": "a", "provider": provider, "instances": list(instances)}
    return {"version": 4, "terraform_version": "1.11.0", "lineage": "x", "serial": 1, "resources": [held]}


def instance(id_="t-1", **attributes):
    """An instance."""
    return {"attributes": {"id": id_, "full_name": None, "kinds": None, "token": None, "hidden": None, **attributes}}


def things(**properties: Any) -> Double:
    """A double with one thing."""
    double = Double(THING, FORMER, HEIR)
    double.cloud.create(THING.token, "t-1", properties)
    return double


def test_a_terraform_state():
    """Attributes are compared under the names of the declaration; sets have no order, and what is write-only does not count."""
    double = things(fullName="n", kinds=["x", "y"], hidden="h", token="hush")
    double.audit(tfstate(instance(full_name="n", kinds=["y", "x"], token="hush"))).assert_clean()

    audit = double.audit(tfstate({**instance(full_name="m", kinds=["y"], token="hush-2"), "index_key": "k"}))
    assert [each.path for each in audit.stale[0].differences] == ["fullName", "kinds[0]", "kinds[1]", "token"]
    assert "hush" not in str(audit)
    assert audit.stale[0].remembered.resource == 'cloud_thing.a["k"]'
    assert "terraform apply -refresh-only" in str(audit)


def test_a_sensitive_attribute_is_not_shown():
    """What the configuration made sensitive is hidden, whatever the type declares."""
    entry = {**instance(full_name="hush"), "sensitive_attributes": [[{"type": "get_attr", "value": "full_name"}]]}
    audit = things(fullName="hush-2").audit(tfstate(entry))

    assert 'fullName: remembered "[secret]"' in str(audit)
    assert "hush" not in str(audit)


def test_tainted_and_deposed_objects():
    """A tainted object is remembered as any other; a deposed one is remembered, its values do not count, its absence does."""
    double = things(fullName="n")
    double.audit(tfstate({**instance(full_name="n"), "status": "tainted"})).assert_clean()
    double.audit(tfstate({**instance(full_name="m"), "deposed": "0badc0de"})).assert_clean()

    (phantom,) = double.audit(tfstate(instance(full_name="n"), {**instance("t-2"), "deposed": "0badc0de"})).phantoms
    assert (phantom.id, phantom.resource) == ("t-2", "cloud_thing.a (deposed 0badc0de)")


def test_an_instance_without_an_id():
    """A remembered object without an id is a phantom, since nobody can find it again; what was made is an orphan."""
    audit = things().audit(tfstate(instance(id_=None)))

    assert ([phantom.id for phantom in audit.phantoms], [orphan.id for orphan in audit.orphans]) == ([""], ["t-1"])
    assert "phantom: cloud:index:Thing (without an id) (cloud_thing.a) is remembered" in str(audit)
    assert "`terraform import cloud_thing.NAME t-1`" in str(audit)


@pytest.mark.parametrize(
    ("state", "left_out"),
    [(tfstate(instance(), mode="data"), {}), (tfstate(instance(), instance(), package="aws"), {"aws": 2})],
    ids=["data source", "other provider"],
)
def test_what_does_not_count_in_a_terraform_state(state, left_out):
    """Data sources are no objects, and instances of other providers are counted and left out."""
    audit = Double(THING).audit(state)

    assert (audit.phantoms, dict(audit.left_out)) == ([], left_out)


def test_a_state_of_another_schema():
    """An instance that its type cannot decode, and one of a type that nobody declared, are known by their ids alone."""
    double = things(fullName="n")
    double.audit(tfstate(instance(full_name=["no", "text"]))).assert_clean()
    assert [each.type for each in double.audit(tfstate(instance(), type_="cloud_other")).phantoms] == ["cloud_other"]


@pytest.mark.parametrize(
    "entry",
    [{"attributes": [1]}, {"attributes": {}, "private": 3}, {"attributes": {}, "sensitive_attributes": [3]}, {"deposed": 1}],
)
def test_instances_that_somebody_broke(entry):
    """An instance that no engine wrote is refused with its address."""
    with pytest.raises(MalformedError, match=r"cloud_thing\.a.*: .*Was the state file edited by hand"):
        Double(THING).audit(tfstate(entry))


@pytest.mark.parametrize("entry", [{}, {"attributes": None}, {"attributes_flat": {"id": "t-1"}}, instance(id_=3)])
def test_instances_that_say_nothing(entry):
    """An instance without attributes or a usable id is remembered, and nobody can find its object."""
    assert len(Double(THING).audit(tfstate(entry)).phantoms) == 1


PUBLISHED = {"block": {"attributes": {"size": {"type": "number", "optional": True}}}}


@pytest.mark.parametrize(("private", "id_"), [("dC0x", "t-1"), ("%", ""), (None, "")])
def test_an_id_that_is_no_attribute(private, id_):
    """Where a published type has no attribute for the id, it is in the private bytes that the engine keeps."""
    schema = {"provider_schemas": {"x/y/cloud": {"resource_schemas": {"cloud_disk": PUBLISHED}}}, "format_version": "1.0"}
    double = Double(from_terraform_schema(schema, "cloud"))
    token = next(iter(double.packages["cloud"].resources))
    double.cloud.create(token, "t-1", {"size": 0.1})
    audit = double.audit(tfstate({"attributes": {"size": 0.1}, "private": private}, type_="cloud_disk"))

    assert ([phantom.id for phantom in audit.phantoms], len(audit.orphans)) == (([], 0) if id_ else ([""], 1))


def test_an_object_that_moved_to_another_type():
    """An object whose resource moved to another type is the same object, although the cloud has it under the old one."""
    double = Double(FORMER, HEIR)
    double.cloud.create(FORMER.token, "o-1", {"name": "n"})

    double.audit(tfstate({"attributes": {"id": "o-1", "name": "n"}}, type_="cloud_new")).assert_clean()
    (stale,) = double.audit(tfstate({"attributes": {"id": "o-1", "name": "m"}}, type_="cloud_new")).stale
    assert (stale.object.type, stale.differences[0].path) == (HEIR.token, "name")


def test_an_ephemeral_resource_that_was_never_closed():
    """What was opened and not closed still exists, and no state remembers it."""
    double = Double(Ephemeral("cloud:index:Token", {"user": Property(str)}, {"secret": "s-{user}"}))
    session = double.open("terraform")
    opened = double(Call(op=Op.OPEN, session=session, type="cloud:index:Token", inputs={"user": "u"}))

    assert [orphan.type for orphan in double.audit({}).orphans] == ["cloud:index:Token"]
    double(Call(op=Op.CLOSE, session=session, type="cloud:index:Token", private=opened.private))
    double.audit({}).assert_clean()


# Other providers -------------------------------------------------------------------------------------------------------


def test_a_recording_and_its_replay(tmp_path):
    """A replay of a program knows from the recorded answers what exists; secrets of the recording stay hidden."""
    path = tmp_path / "cassette.json"
    for wiring in (recording, replaying):
        with Double(*TYPES, provider=wiring(path)) as double:
            stack = Stack(double)
            stack.up(lambda: Bucket("logs", acl="x", token=Output.secret("hush-hush"), file=StringAsset("t")) and None)
            double.audit(stack).assert_clean()
            exported = stack.export()
            exported["deployment"]["resources"][-1]["outputs"] |= {"acl": "y", "token": "hush"}
            stale = double.audit(exported)
            assert [each.path for each in stale.stale[0].differences] == ["acl", "token"]
            assert "hush" not in str(stale)
            stack.destroy()
            assert len(double.audit(exported).phantoms) == 1


def test_a_provider_that_is_not_ours():
    """Of any other provider, what it answered says what exists, whatever the engine was told of it."""
    answers = iter([Reply(id="b-1", value={"acl": "x"}), Reply(id="b-2", value={"acl": "x"}), Reply(failures=(Failure("no"),))])
    double = Double(provider=lambda _: next(answers), name="cloud")
    session = Session("pulumi")
    for name in ("logs", "more", "third"):
        double(Call(op=Op.CREATE, session=session, type=BUCKET, urn=f"{URN}{name}", inputs={"acl": "x"}))

    audit = double.audit(deployment(resource(outputs={"acl": "y"})))
    assert [(orphan.id, orphan.resource) for orphan in audit.orphans] == [("b-2", f"{URN}more")]
    assert [difference.path for difference in audit.stale[0].differences] == ["acl"]
    assert (audit.phantoms, audit.doubles) == ([], [])


def test_a_journal_that_has_forgotten():
    """Of a provider that is not ours, nothing is clean once the journal has forgotten what exists; a fake has its cloud."""
    double = Double(provider=lambda _: Reply(), name="cloud")
    fake = Double(*TYPES)
    for asked in (double, fake):
        asked.journal.limit = 2
        for _ in range(3):
            asked(Call(op=Op.READ, session=asked.open("pulumi"), type=BUCKET, id="b-1"))

    fake.audit({}).assert_clean()
    with pytest.raises(AssertionError, match="unknown: the journal has forgotten its first 4 entries, and what exists by them"):
        double.audit({}).assert_clean()


# Sources ---------------------------------------------------------------------------------------------------------------


def test_a_file(tmp_path):
    """A state is read from the file that an engine wrote."""
    for name, state in (("stack.json", deployment(resource())), ("terraform.tfstate", tfstate(instance()))):
        (tmp_path / name).write_text(json.dumps(state), encoding="utf-8")
        assert len(Double(*TYPES, THING).audit(tmp_path / name).phantoms) == 1


@pytest.mark.parametrize(
    ("sources", "error", "said"),
    [
        ((), DefinitionError, "An audit compares what exists with something. Give an engine"),
        (("state",), DefinitionError, "'state' remembers nothing that can be audited. Give an engine"),
        ((None,), DefinitionError, "None remembers nothing that can be audited."),
        (({"resources": []},), DefinitionError, "'resources': [] is no object of a state."),
        (({1: {}},), DefinitionError, "1: {} is no object of a state."),
        (({("x",): {}},), DefinitionError, "('x',): {} is no object of a state."),
        (({"b-1": {3: 4}},), DefinitionError, "'b-1': {3: 4} is no object of a state."),
        (({"deployment": {}},), Exception, "The deployment is of version None"),
        (({"format_version": "1.0"},), MalformedError, "it is what `terraform show -json` prints"),
    ],
)
def test_what_remembers_nothing(sources, error, said):
    """What is no state is refused, with the forms that there are."""
    with pytest.raises(error, match=re.escape(said)):
        Double().audit(*sources)


def test_a_file_that_is_no_state(tmp_path):
    """A file that is missing, or holds something else, is named."""
    with pytest.raises(MalformedError, match=r"There is no exported state at .*stack\.json"):
        Double().audit(tmp_path / "stack.json")
    (tmp_path / "stack.json").write_text("{", encoding="utf-8")
    with pytest.raises(MalformedError, match="is no exported state: it is no JSON"):
        Double().audit(tmp_path / "stack.json")
