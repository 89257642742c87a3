"""Remote components and methods under the embedded engine: constructed by the fake, in process, over a wire, and replayed."""

from __future__ import annotations

import json
import logging
from functools import partial

import pulumi
import pytest
from both_engines import resources
from component_toolbox import HUSH, SITE, package, program
from engine_toolbox import BUCKET, Bucket, Cloud, Remote
from lifecycle_toolbox import EVERYTHING, A, Lifecycle, Provider, errors

from mockprovider import from_schema
from mockprovider.calls import Failure, Op, Reply
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, MalformedError, MissError
from mockprovider.schema import Component, Method, Property, ResourceType
from mockprovider.values import Archive, ResourceReference, Secret


def life(source, wanted=("a.org", "b.org")):
    """Preview, up and change; the states, and the outputs at the end."""
    stack = Stack(source)
    states = []
    for domain in wanted:
        stack.preview(partial(program, {"domain": domain}))
        result = stack.up(partial(program, {"domain": domain}))
        states.append(resources(stack.export()))
    stack.destroy()
    return states, result.outputs


def test_children_are_in_the_state_below_their_component():
    """The children stand under the component that the provider registered, with its outputs, and go with a destroy."""
    with Double(package()) as double:
        states, outputs = life(double)
        below = {each["urn"].rpartition("::")[2]: each["parent"].rpartition("::")[2] for each in states[0] if "parent" in each}
        kept = [each["name"] for each in double.cloud.objects() if "name" in each]
    # The third is retained on delete, and what is below it inherits that.
    assert kept == [each for each in kept if each.startswith("https://")]
    assert (below["first-logs"], below["first-more"], below["third-logs"]) == ("first", "first", "third")
    assert outputs["text"] == "hello https://b.org/"


def test_a_component_of_a_schema_has_the_children_that_it_shows():
    """An output that is a resource is a child with what its type requires; a component or an input is none."""
    text, token = {"type": "string"}, "front:index:Bucket"
    shown = {"bucket": token, "given": token, "inner": "front:index:Inner"}
    bucket = {"inputProperties": {"zone": text}, "requiredInputs": ["zone"], "properties": {"zone": text}}
    web = {
        "isComponent": True,
        "inputProperties": {"given": {"$ref": f"#/resources/{token}"}},
        "properties": {
            **{name: {"$ref": f"#/resources/{type_}"} for name, type_ in shown.items()},
            "listed": {"type": "array", "items": {"$ref": f"#/resources/{token}"}},
            "bucketId": text,
        },
    }
    resources_ = {token: bucket, "front:index:Web": web, "front:index:Inner": {"isComponent": True}}

    def web_of():
        component = pulumi.ComponentResource(
            "front:index:Web", "web", {"given": "b", **dict.fromkeys(("bucket", "inner", "listed", "bucketId"))}, remote=True
        )
        pulumi.export("bucket", component.bucket)
        pulumi.export("listed", component.listed)
        pulumi.export("id", component.bucketId)

    with Double(from_schema({"name": "front", "resources": resources_})) as double:
        stack = Stack(double)
        assert stack.preview(web_of).summary == {"create": 3}
        outputs = stack.up(web_of).outputs
        child, other = [each for each in resources(stack.export()) if each["type"] == token]
        assert (outputs["bucket"], outputs["listed"], outputs["id"]) == (child["id"], [other["id"]], child["id"])
        assert child["parent"].endswith("::web")
        assert child["inputs"]["zone"]
        assert stack.up(web_of).summary == {}
        stack.destroy()
        assert double.cloud.objects() == []


def test_an_input_that_only_says_what_to_make_is_not_shown():
    """Of an input that a schema gives another kind than the output of its name, as of a strategy of gateways, a child comes."""
    text, token = {"type": "string"}, "front:index:Gateway"
    network = {
        "isComponent": True,
        "inputProperties": {"gateways": {"type": "object", "additionalProperties": text}, "size": {"type": "integer"}},
        "properties": {
            "gateways": {"type": "array", "items": {"$ref": f"#/resources/{token}"}},
            "size": {"type": "array", "items": text},
        },
    }

    def network_of():
        given = {"gateways": {"strategy": "None"}, "size": 3}
        component = pulumi.ComponentResource("front:index:Network", "net", given, remote=True)
        pulumi.export("gateways", component.gateways)
        pulumi.export("size", component.size)

    with Double(from_schema({"name": "front", "resources": {token: {}, "front:index:Network": network}})) as double:
        outputs = Stack(double).up(network_of).outputs
        (gateway,) = double.cloud.objects()
    assert outputs["gateways"] == [gateway.id]
    assert [type(size) for size in outputs["size"]] == [str]


def test_an_object_of_a_component_has_the_resources_that_it_shows():
    """Inside of an object, too, they are children; one of the same type and name is the same, and a component is none."""
    bucket, core = "front:index:Bucket", "front:index:Core"
    members = {name: {"$ref": f"#/resources/{bucket}"} for name in ("logs", "data", "more")}
    inner = {"$ref": "#/resources/front:index:Inner"}
    listed = {"type": "array", "items": members["logs"]}
    types = {
        core: {
            "type": "object",
            "properties": {**members, "inner": inner, "listed": listed, "again": {"$ref": f"#/types/{core}"}},
        }
    }
    web = {
        "isComponent": True,
        "properties": {"core": {"$ref": f"#/types/{core}"}, "logs": members["logs"], "data": members["data"]},
    }
    taking = {"oneOf": [{"$ref": f"#/types/{core}"}, {"$ref": "#/resources/front:index:Web"}]}
    user = {"inputProperties": {"web": taking}}
    declared = {bucket: {}, "front:index:Web": web, "front:index:Inner": {"isComponent": True}, "front:index:User": user}

    def web_of():
        component = pulumi.ComponentResource("front:index:Web", "web", dict.fromkeys(("core", "logs", "data")), remote=True)
        pulumi.CustomResource("front:index:User", "user", {"web": component})
        pulumi.export("core", component.core)
        pulumi.export("logs", component.logs)

    with Double(from_schema({"name": "front", "types": types, "resources": declared})) as double:
        stack = Stack(double)
        outputs = stack.up(web_of).outputs
        ids = {each["urn"].rpartition("::")[2]: each["id"] for each in resources(stack.export()) if each["type"] == bucket}
        assert stack.up(web_of).summary == {}
    core_ = outputs["core"]
    assert {*ids} == {"web-logs", "web-data", "web-core-more", "web-core-listed"}
    assert (outputs["logs"], core_["logs"], core_["data"]) == (ids["web-logs"], ids["web-logs"], ids["web-data"])
    assert (core_["more"], core_["listed"]) == (ids["web-core-more"], [ids["web-core-listed"]])
    assert core_.get("inner") is None


def test_one_line_says_what_a_component_of_a_schema_shows():
    """Outputs, and how many elements a list has, are said of a component as of a type; a name that it lacks is refused."""
    texts = {"type": "array", "items": {"type": "string"}}
    network = {"isComponent": True, "properties": {"zones": texts, "subnetIds": texts}}

    def network_of():
        component = pulumi.ComponentResource("front:index:Network", "net", dict.fromkeys(("zones", "subnetIds")), remote=True)
        pulumi.export("zones", component.zones)
        pulumi.export("ids", component.subnetIds)

    with Double(from_schema({"name": "front", "resources": {"front:index:Network": network}})) as double:
        double.outputs("front:index:Network", {"zones": ["north", "south"]}, name="net")
        double.outputs("front:index:Network", {"zones": ["east"]}, name="other")
        double.elements(3, "front:index:Network", "subnetIds")
        outputs = Stack(double).up(network_of).outputs
        with pytest.raises(DefinitionError, match="has no output 'zone'"):
            double.outputs("front:index:Network", {"zone": []})
    assert outputs["zones"] == ["north", "south"]
    assert len({*outputs["ids"]}) == 3


def test_a_network_of_awsx_has_subnets_in_three_zones():
    """A preset says how many elements the lists of a component have; what a test says counts before it."""
    texts = {"type": "array", "items": {"type": "string"}}
    network = {"isComponent": True, "properties": {"publicSubnetIds": texts, "privateSubnetIds": texts}}
    names = ("publicSubnetIds", "privateSubnetIds")

    def network_of():
        component = pulumi.ComponentResource("awsx:ec2:Vpc", "net", dict.fromkeys(names), remote=True)
        for name in names:
            pulumi.export(name, getattr(component, name))

    with Double(from_schema({"name": "awsx", "resources": {"awsx:ec2:Vpc": network}})) as double:
        double.elements(2, "awsx:ec2:Vpc", "private_subnet_ids")
        outputs = Stack(double).up(network_of).outputs
    assert [len({*outputs[name]}) for name in names] == [3, 2]
    assert all(id_.startswith("subnet-") for name in names for id_ in outputs[name])


def test_over_the_wire_is_as_in_process():
    """Served, the way back goes over a socket, and states, outputs and calls are the same."""
    with Double(package()) as ours, Double(package()) as theirs, theirs.serve() as served, served.client() as client:
        assert life(ours) == life(client)
        seen = [[(each.call.method, each.call.name, each.call.inputs) for each in double.journal] for double in (ours, theirs)]
        assert seen[0] == seen[1]


def test_a_recording_is_replayed_with_its_children(tmp_path):
    """The way back is recorded with direction and parent, without secrets, and replayed to the same states."""
    path = tmp_path / "sites.json"
    with Double(package(), provider=recording(path, Wiring("cloud"))) as double:
        recorded = life(double)
    text = path.read_text(encoding="utf-8")
    assert HUSH not in text
    found = json.loads(text)[1:]
    ops = {each["n"]: each["op"] for each in found}
    back = [(each["method"], ops[each["parent"]]) for each in found if each.get("direction") == "engine"]
    assert set(back) == {("RegisterResource", "construct"), ("RegisterResourceOutputs", "construct"), ("Invoke", "call")}
    with Double(provider=replaying(path), name="cloud") as double:
        assert life(double) == recorded


OTHER = "other:index:Volume"


def _hold(site):
    volume = site.resource(OTHER, "volume", {"size": site.output("size")})
    tag = site.resource(OTHER, "tag", {"label": f"for {volume['name']}"})
    return {"name": volume["name"], "label": tag["label"], "arn": volume.output("arn")}


HOLDER = Component("cloud:index:Holder", {"size": Property(int)}, construct=_hold)


def volumes(**computed):
    """Another provider, whose generated values depend on its seed."""
    return ResourceType(OTHER, {"size": int, "label": str, "name": Property(str, computed="vol-{id}"), **computed})


def hold():
    """A component whose children another provider makes."""
    holder = Remote(HOLDER.token, "holder", size=3, arn=None)
    pulumi.export("arn", holder.arn)


def up(double, other):
    """The state after an up with both providers."""
    stack = Stack({"cloud": double, "other": other})
    stack.up(hold)
    return {each["urn"].rpartition("::")[2]: each for each in stack.export()["deployment"]["resources"]}


def test_what_the_engine_answers_otherwise_is_mapped(tmp_path):
    """Children of a live provider have new names now, and every later request and the answer have the new ones."""
    path = tmp_path / "holder.json"
    with Double(HOLDER, provider=recording(path, Wiring("cloud"))) as double:
        was = up(double, Double(volumes(arn=Property(str, computed="arn:{name}")), seed=1))
    with Double(provider=replaying(path), name="cloud") as double:
        now = up(double, Double(volumes(arn=Property(str, computed="arn:{name}")), seed=2))
    old, new = was["volume"]["outputs"]["name"], now["volume"]["outputs"]["name"]
    assert old != new
    assert now["tag"]["inputs"] == {"label": f"for {new}"}
    assert now["holder"]["outputs"] == {"name": new, "label": f"for {new}", "arn": f"arn:{new}"}


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (Property(int, computed=lambda _: 1), Property(int, computed=lambda _: 2), "extra: recorded 1, now 2"),
        (Property(str, computed="x{id}"), Property(str), "object: recorded"),
        (Property(str, computed=lambda _: "a"), Property(str, computed=lambda _: "b"), "was one value, and is now both"),
    ],
)
def test_what_cannot_be_mapped_is_refused(tmp_path, before, after, why):
    """Where the provider might have made something else of the engine's answer, the replay says so, and answers nothing."""
    path = tmp_path / "holder.json"
    arn = Property(str, computed="a")
    with Double(HOLDER, provider=recording(path, Wiring("cloud"))) as double:
        up(double, Double(volumes(arn=arn, extra=before)))
    with Double(provider=replaying(path), name="cloud") as double, pytest.raises(MissError, match=f"cannot be replayed.*{why}"):
        up(double, Double(volumes(arn=Property(str, computed="a"), extra=after)))


def test_a_failing_child_fails_the_run():
    """The first failure is the child's own, the component is not blamed for it, and nothing hangs."""
    double = Double(package())
    double.faults.on.create(BUCKET).partial(reasons=["no space"])
    stack = Stack(double)
    result = stack.up(lambda: Remote(SITE, "first", domain="a.org") and None, expect_failure=True)
    assert [each.message for each in result.diagnostics if each.severity == "error"] == [
        "1 error occurred:\n\t* no space\n\n",
        "update failed",
    ]


def test_wrong_inputs_and_options_fail_the_run():
    """Inputs that a component does not take fail the run with the provider's reason; an option that does not exist is ours."""
    stack = Stack(Double(package()))
    result = stack.up(lambda: Remote(SITE, "first", token="x") and None, expect_failure=True)
    assert "missing required property 'domain'" in str(result)
    wrong = Component(SITE, construct=lambda site: site.resource(BUCKET, "x", {}, protekt=True) and None)
    with pytest.raises(MalformedError, match=r"has no option 'protekt'\. Did you mean 'protect'"):
        Stack(Double(package(), wrong)).up(lambda: Remote(SITE, "first") and None)


def test_unknown_configuration_leaves_the_component_to_the_engine():
    """In a preview that cannot configure the provider, the component is registered without children."""

    def unconfigured():
        mine = Cloud("mine", region=Bucket("base").arn)
        Remote(SITE, "first", pulumi.ResourceOptions(providers=[mine]), domain="a.org")

    double = Double(package())
    stack = Stack(double)
    result = stack.preview(unconfigured)
    assert result.summary == {"create": 2}
    assert double.journal.entries(op=Op.CONSTRUCT) == []
    assert stack.up(unconfigured).summary == {"create": 4}


def test_references_are_sent_and_followed():
    """A resource reference reaches a method with name and type, and is followed by asking the engine."""
    seen = []
    method = Method(f"{SITE}/arn", {"bucket": "any"}, lambda called: seen.append(called.inputs["bucket"]) or _followed(called))
    stack = Stack(Double(package(), method))

    def asking():
        base = Bucket("base")
        site = Remote(SITE, "first", domain="a.org")
        told = pulumi.runtime.call(method.token, {"__self__": site, "bucket": base}, site)
        pulumi.export("arn", told.apply(lambda found: found["arn"]))

    outputs = stack.up(asking).outputs
    assert outputs["arn"].startswith("arn:cloud:::")
    (reference,) = seen
    assert isinstance(reference, ResourceReference)
    assert (reference.name, reference.type) == ("base", BUCKET)


def _followed(called):
    return {"arn": called.monitor.get_resource(called.inputs["bucket"].urn)["arn"]}


def test_what_a_provider_logs_is_told(caplog):
    """It is among the run's diagnostics, and in Python's log under a name of its own; another severity is refused."""
    caplog.set_level(logging.INFO, "mockprovider.provider")
    declared = Component(SITE, construct=lambda site: site.log("building", "warning"))
    double = Double(package(), declared)
    result = Stack(double).up(lambda: Remote(SITE, "first") and None)
    assert [str(each) for each in result.diagnostics] == ["warning: building"]
    assert caplog.record_tuples == [("mockprovider.provider", logging.WARNING, "building")]
    (entry,) = double.journal.entries(op=Op.CONSTRUCT)
    with pytest.raises(MalformedError, match="There is no severity 'loud'"):
        entry.call.session.engine.log("loud", "x")


OWN = "pulumi:providers:pkgA/method"
NOBODY = "urn:pulumi:dev::project::a:b:C::gone"


@pytest.mark.parametrize(
    ("token", "arguments", "said"),
    [
        (OWN, {}, "was called without a receiver"),
        (OWN, {"__self__": {"urn": NOBODY}}, "has no 'id'"),
        (OWN, {"__self__": {"id": "1"}}, "has no 'urn'"),
        (f"{A}/method", {"__self__": {"id": "1"}}, "has no 'urn'"),
        (f"{A}/method", {"__self__": {"urn": NOBODY}}, "is no resource of this run"),
    ],
)
def test_a_method_without_a_receiver(token, arguments, said):
    """A receiver that is none, or none of this run, fails the run, with what is wrong about it."""
    assert said in errors(Lifecycle(Provider()).up(lambda monitor: monitor.call(token, arguments), expect_failure=True))


def test_a_method_of_a_provider():
    """It is answered by the provider itself."""

    def run(monitor):
        own = monitor.provider("pkgA", "prov")
        seen.append(monitor.call(OWN, {"__self__": {"urn": own.urn, "id": own.id}}).outputs["by"] == own.urn)

    seen = []
    Lifecycle(Provider(call=lambda call: Reply(value={"by": call.session.instance}))).up(run)
    assert seen == [True]


def test_a_method_that_refuses_an_argument():
    """The failures of single arguments are the program's to see, also where nothing else was answered."""
    seen = []
    provider = Provider(call=lambda _: Reply(failures=(Failure("too long", path="name"),)))
    Lifecycle(provider).up(lambda monitor: seen.append(monitor.call(f"{A}/method").answer))
    assert [(failure.property, failure.reason) for failure in seen[0].failures] == [("name", "too long")]


@pytest.mark.parametrize("config", [{}, {"pkgA:region": "eu"}])
def test_the_configuration_that_a_component_gets(config):
    """It is the stack's, and left out where there is none."""
    provider = Provider(construct=lambda _: Reply(value={}, extra={"urn": NOBODY}))
    Lifecycle(provider, config=config).up(lambda monitor: monitor.component(A, "c", remote=True))
    [call] = provider.of(Op.CONSTRUCT)
    assert call.extra.get("config", {}) == config
    assert ("config" in call.extra) is bool(config)


@pytest.mark.parametrize("outputs", [True, False])
def test_inputs_of_components(tmp_path, outputs):
    """Whatever the provider accepts, references have names, files hashes, and secrets are marked."""

    def run(monitor):
        reference = ResourceReference(monitor.register(A, "resA").urn)
        inputs = {"reference": reference, "files": Archive(path=str(tmp_path)), "key": Secret("k")}
        monitor.component(A, "c", remote=True, inputs=inputs)

    provider = Provider(
        handshake=lambda _: Reply(extra=EVERYTHING if outputs else {}),
        construct=lambda _: Reply(value={}, extra={"urn": NOBODY}),
    )
    Lifecycle(provider).up(run)
    inputs = provider.of(Op.CONSTRUCT)[0].inputs
    assert (inputs["reference"].name, len(inputs["files"].hash)) == ("resA", 64)
    assert inputs["key"].value == "k"
    assert isinstance(inputs["key"], Secret) is not outputs


@pytest.mark.parametrize(("accepts", "answered"), [(True, b"words"), (False, "words")])
def test_byte_strings_of_a_method(accepts, answered):
    """They are text to an SDK that does not know them."""
    seen = []
    provider = Provider(call=lambda _: Reply(value={"b": b"words"}))
    Lifecycle(provider).up(lambda monitor: seen.append(monitor.call(f"{A}/method", accepts_byte_string=accepts).outputs["b"]))
    assert seen == [answered]
