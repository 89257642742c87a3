"""Components of providers, their methods, and references to resources (Pulumi's ``components_test.go``,
``resource_reference_test.go``, ``parameterized_test.go`` and ``package_ref_test.go``).
"""

from __future__ import annotations

import threading

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, echoing, life, provider_urn, urn, way_back

from mockprovider.calls import Op, Reply
from mockprovider.urn import Urn
from mockprovider.values import UNKNOWN, Output, ResourceReference, Secret, has_unknown

B = "pkgA:m:typB"
CHILD = f"{A}${A}"


def construct(call):
    """A component with a child of type B, and an output."""
    engine = way_back(call)
    component = engine.component(call.type, call.name, parent=call.extra.get("parent", ""))
    engine.register(B, "resA", parent=component.urn)
    engine.outputs(component.urn, foo="bar")
    return Reply(value={"foo": "bar"}, extra={"urn": component.urn})


def test_lives_of_components():
    """A component and its child are created, kept and deleted, and its outputs are the program's."""
    seen = []
    stack = Lifecycle(Provider(construct=construct))
    life(stack, lambda monitor: seen.append(monitor.component(A, "resA", remote=True).outputs), 3)
    assert seen == [{"foo": "bar"}] * len(seen)


def test_a_component_is_told_where_it_is():
    """The project, the stack and the organization."""
    provider = Provider(construct=construct)
    Lifecycle(provider, organization="organization").up(lambda monitor: monitor.component(A, "resA", remote=True))
    (call,) = provider.of(Op.CONSTRUCT)
    assert [call.extra[key] for key in ("project", "stack", "organization")] == ["project", "dev", "organization"]


def test_deleting_components_that_depend_on_each_other():
    """What depends on a component, or on its child, is deleted before."""
    child = []

    def make(call):
        engine = way_back(call)
        if call.name == "first":
            first = engine.component(call.type, call.name).urn
            nested = engine.component("nested", "nested", parent=first).urn
            child.append(engine.register("pkgA:m:sg", "sg", parent=nested).urn)
            engine.outputs(nested)
            engine.outputs(first)
            return Reply(value={}, extra={"urn": first})
        second = engine.component(call.type, call.name, dependencies=call.extra["dependencies"]).urn
        engine.register("pkgA:m:rule", "rule", parent=second, dependencies=call.extra["inputDependencies"]["sgID"])
        engine.outputs(second)
        return Reply(value={}, extra={"urn": second})

    def run(monitor: Monitor) -> None:
        first = monitor.component("pkgB:m:first", "first", remote=True).urn
        monitor.component(
            "pkgB:m:second", "second", remote=True, dependencies=[first], depends_by={"sgID": [child[-1]]}, inputs={"sgID": "x"}
        )

    stack = Lifecycle({"pkgA": Provider(), "pkgB": Provider(construct=make)})
    stack.up(run)
    order = [Urn.parse(each).name for _, each in stack.destroy().steps]
    at = order.index
    assert at("rule") < at("sg")
    assert at("rule") < at("second") < at("sg") < at("nested") < at("first")


@pytest.mark.parametrize("preview", [True, False])
def test_secrets_and_unknowns_of_components(preview):
    """Construct has them as output values, and a method hears of them, too."""
    provider = echoing(construct=construct, call=lambda _: Reply(value={}))
    inputs = {"foo": Secret("foo"), "bar": UNKNOWN}

    def run(monitor: Monitor) -> None:
        monitor.component(A, "resA", remote=True, inputs=inputs)
        monitor.call(A, inputs)

    stack = Lifecycle(provider)
    (stack.preview if preview else stack.up)(run)
    got = [{key: call.inputs[key] for key in ("foo", "bar")} for call in provider.calls if call.op in (Op.CONSTRUCT, Op.CALL)]
    for bag in got:
        assert (isinstance(bag["foo"], Output), isinstance(bag["bar"], Output)) == (True, True)
        assert (bag["foo"].value, bag["foo"].secret) == ("foo", True)
        assert (has_unknown(bag["bar"].value), bag["bar"].secret) == (True, False)
    assert len(got) == 2


@pytest.mark.parametrize("sent", ["outputs", "both"])
@pytest.mark.parametrize("returned", ["plain", "outputs"])
def test_dependencies_on_the_way_there_and_back(sent, returned):
    """They are told by property whichever way they were said, each once, and an SDK has plain values."""
    above = urn("pkgA:m:typC", "resC")
    inner = urn(A, "resA-a", A)

    def answer(urns, key):
        values = {"foo": Secret("foo"), "bar": UNKNOWN}
        if returned == "outputs":
            return {
                "foo": Output("foo", secret=True, dependencies=tuple(urns)),
                "bar": Output(UNKNOWN, dependencies=tuple(urns)),
            }, {}
        return values, {key: {"foo": tuple(urns), "bar": tuple(urns)}}

    def make(call):
        assert list(call.extra["inputDependencies"]["arg"]) == [above]
        engine = way_back(call)
        component = engine.component(call.type, call.name)
        engine.register(A, f"{call.name}-a", parent=component.urn)
        value, extra = answer([inner], "stateDependencies")
        return Reply(value=value, extra={"urn": component.urn, **extra})

    def method(call):
        assert list(call.extra["argDependencies"]["arg"]) == [inner]
        value, extra = answer(call.inputs["arg"].dependencies, "returnDependencies")
        return Reply(value=value, extra=extra)

    def by(field):
        return {key: list(each.urns) for key, each in field.items()}

    def run(monitor: Monitor) -> None:
        c = monitor.component("pkgA:m:typC", "resC", inputs={"arg": 1.0})
        fields = {"depends_by": {"arg": [c.urn]}} if sent == "both" else {}
        value = Output(1.0, dependencies=(c.urn,))
        component = monitor.component(A, "resA", remote=True, inputs={"arg": value}, **fields)
        assert component.outputs == {"foo": Secret("foo"), "bar": UNKNOWN}
        assert by(component.answer.propertyDependencies) == {"foo": [inner], "bar": [inner]}
        fields = {"depends_by": {"arg": [inner]}} if sent == "both" else {}
        called = monitor.call(A, {"arg": Output("foo", secret=True, dependencies=(inner,))}, **fields)
        assert called.outputs == {"foo": Secret("foo"), "bar": UNKNOWN}
        assert by(called.answer.returnDependencies) == {"foo": [inner], "bar": [inner]}
        done.append(True)

    done = []
    Lifecycle(echoing(construct=make, call=method)).preview(run)
    assert done == [True]


def test_methods_that_make_resources():
    """What a method registers is one of the stack's resources."""
    component = []

    def make(call):
        reply = construct(call)
        component.append(reply.extra["urn"])
        return reply

    def method(call):
        way_back(call).register("pkgA:m:typC", "resA", parent=component[-1])
        return Reply(value={})

    def run(monitor: Monitor) -> None:
        monitor.component(A, "resA", remote=True)
        monitor.call(f"{A}/methodA")

    life(Lifecycle(Provider(construct=make, call=method)), run, 4)


def test_methods_that_look_up_resources():
    """A method asks for the state of its component."""

    def greet(call):
        state = way_back(call).invoke("pulumi:pulumi:getResource", {"urn": urn(A, "resA")}).outputs["state"]
        return Reply(value={"message": f"{call.inputs['name']}, {state['foo']}!"})

    def run(monitor: Monitor) -> None:
        monitor.component(A, "resA", remote=True)
        seen.append(monitor.call(f"{A}/methodA", {"name": "Alice"}).outputs)

    seen = []
    life(Lifecycle(Provider(construct=construct, call=greet)), run, 4)
    assert seen == [{"message": "Alice, bar!"}] * len(seen)


@pytest.mark.parametrize("how", ["registered", "read"])
@pytest.mark.parametrize("by", ["program", "component"])
def test_looking_up_what_a_component_returned(how, by):
    """The state of a resource that a component made or read is to be had by the reference that the component returned."""

    def make(call):
        engine = way_back(call)
        component = engine.component(call.type, call.name)
        if call.name == "second":
            look(engine, call.inputs["custom"])
            return Reply(value={}, extra={"urn": component.urn})
        fields = {"parent": component.urn, "inputs": {"foo": "bar"}}
        custom = engine.register(A, "custom", **fields) if how == "registered" else engine.read(A, "custom", "an-id", **fields)
        id_ = custom.id or "an-id"
        return Reply(value={"custom": ResourceReference(custom.urn, id_)}, extra={"urn": component.urn})

    def look(monitor, reference):
        reference = getattr(reference, "value", reference)
        got = monitor.invoke("pulumi:pulumi:getResource", {"urn": reference.urn}).outputs
        assert got.pop("provider").startswith(provider_urn("pkgA"))
        assert got == {"urn": reference.urn, "id": reference.id, "state": {"foo": "bar"}}
        seen.append(True)

    def run(monitor: Monitor) -> None:
        custom = monitor.component("pkgA:m:Component", "first", remote=True).outputs["custom"]
        if by == "program":
            look(monitor, custom)
        else:
            monitor.component("pkgA:m:Component", "second", remote=True, inputs={"custom": custom})

    seen = []
    Lifecycle(echoing(construct=make, read=lambda call: Reply(id=call.id, value=call.prior or call.inputs))).up(run)
    assert seen == [True]


def test_the_provider_of_a_method():
    """It is that of the receiver."""

    def run(monitor: Monitor) -> None:
        reference = monitor.provider("pkgA", "prov", inputs={"state": "foo"}).reference
        resource = monitor.register(A, "resA", provider=reference)
        called = monitor.call(f"{A}/method", {"__self__": ResourceReference(resource.urn, resource.id or UNKNOWN)})
        seen.append(called.outputs)

    seen = []
    provider = Provider(call=lambda call: Reply(value={"state": call.session.instance}))
    Lifecycle(provider).up(run)
    assert seen == [{"state": provider_urn("pkgA", "prov")}]


# resource_reference_test.go


def test_references():
    """A provider and a program have them as they were given."""

    def run(monitor: Monitor) -> None:
        a = monitor.component("component", "resA")
        monitor.outputs(a.urn)
        b = monitor.register(A, "resB")
        bag = {"resA": ResourceReference(a.urn), "resB": ResourceReference(b.urn, b.id or UNKNOWN)}
        c = monitor.register(A, "resC", inputs=bag)
        if not monitor.preview or c.outputs:
            assert {key: each.urn for key, each in c.outputs.items()} == {key: each.urn for key, each in bag.items()}
        seen.append(True)

    seen = []
    provider = echoing()
    life(Lifecycle(provider), run, 4)
    assert len(seen) == 3
    created = [call for call in provider.of(Op.CREATE, "resC") if not call.preview]
    assert all(isinstance(each, ResourceReference) for call in created for each in call.inputs.values())


def test_references_for_sdks_of_old():
    """They have the id, or the URN of a component."""

    def create(call):
        urns = urn("component", "resA"), urn(A, "resB")
        made = ResourceReference(urns[0]), ResourceReference(urns[1], UNKNOWN if call.preview else "created-id")
        return Reply(
            id="" if call.preview else "created-id", value={"resA": made[0], "resB": made[1]} if call.name == "resC" else {}
        )

    def run(monitor: Monitor) -> None:
        a = monitor.component("component", "resA", acceptResources=False)
        monitor.outputs(a.urn)
        b = monitor.register(A, "resB", acceptResources=False)
        c = monitor.register(A, "resC", acceptResources=False)
        assert (c.outputs["resA"], has_unknown(c.outputs["resB"]) if not b.id else c.outputs["resB"]) == (a.urn, b.id or True)
        seen.append(True)

    seen = []
    life(Lifecycle(Provider(create=create)), run, 4)
    assert len(seen) == 3


def test_references_of_looked_up_resources():
    """They are references in what getResource answers."""

    def run(monitor: Monitor) -> None:
        child = monitor.register("pkgA:m:typChild", "resChild")
        reference = ResourceReference(child.urn, child.id or UNKNOWN)
        container = monitor.register("pkgA:m:typContainer", "resContainer", inputs={"child": reference})
        got = monitor.invoke("pulumi:pulumi:getResource", {"urn": container.urn}, acceptResources=True).outputs
        assert got["urn"] == container.urn
        assert got["state"]["child"].urn == child.urn
        seen.append(True)

    seen = []
    life(Lifecycle(echoing()), run, 4)
    assert len(seen) == 3


def test_references_without_names():
    """The engine says the name and the type where the other side left them out, in Construct and to the program."""
    source = urn("pkgA:m:source", "source")

    def make(call):
        reference = call.inputs["ref"]
        reference = getattr(reference, "value", reference)
        assert (reference.urn, reference.name, reference.type) == (source, "source", "pkgA:m:source")
        engine = way_back(call)
        component = engine.component(call.type, call.name, parent=call.extra.get("parent", ""))
        echo = {"echo": ResourceReference(reference.urn, reference.id)}
        engine.outputs(component.urn, **echo)
        return Reply(value=echo, extra={"urn": component.urn})

    def run(monitor: Monitor) -> None:
        made = monitor.register("pkgA:m:source", "source")
        reference = ResourceReference(made.urn, made.id or UNKNOWN)
        component = monitor.component("pkgA:m:component", "component", remote=True, inputs={"ref": reference})
        echo = component.outputs["echo"]
        seen.append((echo.urn, echo.name, echo.type, echo.id == reference.id))

    seen = []
    up = Lifecycle(echoing(construct=make)).up(run)
    assert seen == [(source, "source", "pkgA:m:source", True)]
    assert isinstance(up.state["component"].outputs["echo"], ResourceReference)


# parameterized_test.go and package_ref_test.go


def test_references_of_packages():
    """One for each package and version, however many ask at once; resources have its provider."""

    def run(monitor: Monitor) -> None:
        first, second = (monitor.package(name="pkgA", version=version) for version in ("1.0.0", "2.0.0"))
        refs = []
        asking = [
            threading.Thread(
                target=lambda: refs.append(monitor.package(name="pkgB", version="1.0.0", download_url="downloadUrl"))
            )
            for _ in range(20)
        ]
        for each in asking:
            each.start()
        for each in asking:
            each.join()
        assert (len(refs), len(set(refs))) == (20, 1)
        monitor.register(A, "resA", packageRef=first)
        monitor.register(A, "resB", packageRef=second)

    up = Lifecycle(Provider()).up(run)
    first, a, second, b = up.state.every
    assert (a.provider, b.provider) == (f"{first.urn}::{first.id}", f"{second.urn}::{second.id}")
    assert (first.inputs["version"], second.inputs["version"]) == ("1.0.0", "2.0.0")


def test_a_parameterized_package_is_another():
    """Its reference is not that of its base."""

    def run(monitor: Monitor) -> None:
        parameters = {"name": "extPkg", "version": "2.0.0", "value": bytes([0, 1, 2, 3])}
        refs = [monitor.package(name="pkgA", version="1.0.0", **fields) for fields in ({"parameterization": parameters}, {})]
        assert refs[0] != refs[1]

    Lifecycle(Provider()).up(run)


def parameterized(seen):
    """Handlers of a provider that becomes the package it is told to be."""

    def parameterize(call):
        value = call.parameter
        seen.append((value.name, value.version, bytes(value.value)))
        return Reply(name=value.name, version=value.version)

    return {"parameterize": parameterize}


INTERNAL = {"name": "pkgA", "version": "1.0.0", "parameterization": "cmVwbGFjZW1lbnQ="}
REPLACEMENT = {"name": "pkgExt", "version": "0.5.0", "value": b"replacement"}


def test_a_package_that_replaces_its_base():
    """Resources, components, functions, methods and reads of it have its own provider, explicit or default."""

    def make(call):
        component = way_back(call).component(call.type, call.name)
        return Reply(
            value={"output": "output"}, extra={"urn": component.urn, "stateDependencies": {"output": (component.urn,)}}
        )

    def run(monitor: Monitor) -> None:
        base = monitor.package(name="pkgA", version="1.0.0")
        monitor.register("pkgA:m:typA", "resA", packageRef=base)
        component = monitor.component("pkgA:m:typA", "mlcA", remote=True, packageRef=base)
        assert component.outputs == {"output": "output"}
        extended = monitor.package(name="pkgA", version="1.0.0", parameterization=REPLACEMENT)
        monitor.register("pkgExt:m:typA", "resB", packageRef=extended)
        monitor.component("pkgExt:m:typA", "mlcB", remote=True, packageRef=extended)
        assert monitor.invoke("pkgExt:index:func", {"input": "in"}, packageRef=extended).outputs == {"output": "in"}
        monitor.read("pkgExt:m:typA", "resC", "id", packageRef=extended)
        called = monitor.call("pkgExt:index:call", {"input": "in"}, packageRef=extended, depends_by={"input": [component.urn]})
        assert called.outputs == {"output": "output"}
        reference = monitor.provider("pkgExt", "provider", packageRef=extended).reference
        monitor.register("pkgExt:m:typA", "resD", provider=reference)
        done.append(True)

    done, seen = [], []
    provider = echoing(
        construct=make,
        invoke=lambda call: Reply(value={"output": call.inputs["input"]}),
        call=lambda _: Reply(value={"output": "output"}),
        **parameterized(seen),
    )
    stack = Lifecycle(provider)
    up = stack.up(run)
    assert done == [True]
    assert set(seen) == {("pkgExt", "0.5.0", b"replacement")}
    (default,) = (each for each in up.state.every if each.name == "default_0_5_0")
    assert (default.type, default.inputs) == ("pulumi:providers:pkgExt", {"version": "0.5.0", "__internal": INTERNAL})
    before = len(up.state.every)
    assert len(stack.refresh().state.every) == before
    assert stack.destroy().state.every == ()


def test_settings_of_a_package_that_replaces_its_base():
    """Each has its own, and none of the engine's key ``__internal``."""

    def run(monitor: Monitor) -> None:
        base = monitor.package(name="pkgA", version="1.0.0", download_url="http://example.com")
        monitor.register("pkgA:m:typA", "resA", packageRef=base)
        extended = monitor.package(name="pkgA", version="1.0.0", parameterization=REPLACEMENT)
        monitor.register("pkgExt:m:typA", "resB", packageRef=extended)

    provider = echoing(**parameterized([]))
    stack = Lifecycle(provider, config={"pkgA:name": "testingBase", "pkgExt:name": "testingExt"})
    up = stack.up(run)
    assert [dict(call.inputs) for call in provider.of(Op.CONFIGURE) if "name" in call.inputs][:2] == [
        {"version": "1.0.0", "name": "testingBase"},
        {"version": "0.5.0", "name": "testingExt"},
    ]
    (default,) = (each for each in up.state.every if each.type == "pulumi:providers:pkgExt")
    assert default.inputs == {"version": "0.5.0", "name": "testingExt", "__internal": INTERNAL}
    assert len(stack.refresh().state.every) == 4
    assert stack.destroy().state.every == ()


def test_imports_of_a_package_that_replaces_its_base():
    """They are read by the provider of each package."""
    read = []

    def answer(call):
        read.append((call.type, call.id))
        return Reply(id=call.id, inputs={"input": "input"}, value={"output": "output"})

    def run(monitor: Monitor) -> None:
        inputs = {"input": "input"}
        base = monitor.package(name="pkgA", version="1.0.0")
        monitor.register("pkgA:m:typA", "resA", packageRef=base, importId="idA", inputs=inputs)
        extended = monitor.package(name="pkgA", version="1.0.0", parameterization=REPLACEMENT)
        monitor.register("pkgExt:m:typA", "resB", packageRef=extended, importId="idB", inputs=inputs)
        reference = monitor.provider("pkgExt", "provider", packageRef=extended).reference
        monitor.register("pkgExt:m:typA", "resC", provider=reference, importId="idB", inputs=inputs)

    up = Lifecycle(Provider(read=answer, **parameterized([]))).up(run)
    assert read == [("pkgA:m:typA", "idA"), ("pkgExt:m:typA", "idB"), ("pkgExt:m:typA", "idB")]
    assert all(up.state[name].inputs == {"input": "input"} for name in ("resA", "resB", "resC"))
    assert all(up.state[name].outputs == {"output": "output"} for name in ("resA", "resB", "resC"))
