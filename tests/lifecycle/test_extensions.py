"""Extensions, packages beside a base package (Pulumi's ``extension_test.go`` and ``package_ref_test.go``)."""

from __future__ import annotations

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, alone, errors, way_back
from pulumi.runtime.proto import resource_pb2

from mockprovider.calls import Op, Reply
from mockprovider.engine import Extension, Import
from mockprovider.pulumi.stacks.extensions import plain

BASE = {"name": "pkgA", "version": "1.0.0"}
EXT_A, EXT_B = (Extension(f"ext-{letter}", "1.0.0", f"blob-{letter}".encode()) for letter in "ab")
REGISTERED = "extension" in resource_pb2.RegisterPackageRequest.DESCRIPTOR.fields_by_name
registered = pytest.mark.skipif(not REGISTERED, reason="this SDK registers no extensions")


def extended(monitor: Monitor, extension: Extension) -> str:
    """Register an extension; its reference."""
    return monitor.package(**BASE, extension={"name": extension.name, "version": extension.version, "value": extension.value})


def asked(provider: Provider, *, forget: bool = True) -> list[str]:
    """The words of what an instance was asked, an extension by its name; then they are forgotten."""
    ops = (Op.PARAMETERIZE, Op.CREATE, Op.READ, Op.DELETE)
    words = [call.parameter.name if call.op is Op.PARAMETERIZE else call.op.value for call in provider.calls if call.op in ops]
    if forget:
        provider.calls.clear()
    return words


def parameterizable(**handlers) -> Provider:
    """A provider that becomes what it is told."""
    return Provider(parameterize=lambda call: Reply(name=call.parameter.name, version=call.parameter.version), **handlers)


@registered
def test_the_life_of_extensions():
    """One provider is parameterized with each, once an operation, before anything is asked of its resources; the state has
    what a refresh without the program needs for that.
    """
    references: dict[str, str] = {}

    def run(monitor: Monitor) -> None:
        for name, extension in (("resA", EXT_A), ("resB", EXT_B)):
            references[name] = extended(monitor, extension)
            monitor.register(A, name, packageRef=references[name])
        assert extended(monitor, EXT_A) == references["resA"] != references["resB"]

    provider = parameterizable()
    stack = Lifecycle(provider)
    up = stack.up(run)
    values = [call.parameter.value for call in provider.of(Op.PARAMETERIZE)]
    assert (values, asked(provider)) == ([b"blob-a", b"blob-b"], ["ext-a", "create", "ext-b", "create"])
    assert [up.state[name].extension_ref for name in ("resA", "resB")] == list(references.values())
    assert len(up.state.every) == 3
    exported = up.export()["deployment"]["extensions"]
    assert exported == {references["resA"]: plain(EXT_A), references["resB"]: plain(EXT_B)}
    stack.refresh()
    assert asked(provider) == ["ext-a", "read", "ext-b", "read"]
    up = stack.up(run)
    assert (asked(provider), up.export()["deployment"]["extensions"]) == (["ext-a", "ext-b"], exported)


@registered
@pytest.mark.parametrize("delete", [lambda stack: stack.destroy(), lambda stack: stack.up(alone())], ids=["destroy", "up"])
def test_deleting_what_is_of_an_extension(delete):
    """The provider is parameterized with what the state has, before the delete; then the state has no extension any more."""
    provider = parameterizable()
    stack = Lifecycle(provider)
    stack.up(lambda monitor: monitor.register(A, "resA", packageRef=extended(monitor, EXT_A)))
    provider.calls.clear()
    result = delete(stack)
    assert (asked(provider), "extensions" in result.export()["deployment"]) == (["ext-a", "delete"], False)


@registered
def test_an_extension_that_becomes_another():
    """The up fails, and nothing is created."""
    provider = Provider(parameterize=lambda _: Reply(name="other"))
    up = Lifecycle(provider).up(
        lambda monitor: monitor.register(A, "resA", packageRef=extended(monitor, EXT_A)), expect_failure=True
    )
    assert ("'other'" in errors(up), asked(provider)) == (True, ["ext-a"])


def test_importing_what_is_of_an_extension():
    """The command parameterizes the base's provider before it reads, and the state has the extension."""
    provider = parameterizable(read=lambda call: Reply(id=call.id, inputs={"foo": "bar"}, value={"foo": "bar"}))
    stack = Lifecycle(provider)
    found = stack.import_resources([Import(type=A, name="resA", id="imported-id", version="1.0.0", extension=EXT_A)])
    assert asked(provider) == ["ext-a", "read"]
    assert found.state["resA"].extension_ref == EXT_A.reference
    assert found.export()["deployment"]["extensions"] == {EXT_A.reference: plain(EXT_A)}


@pytest.mark.parametrize("what", ["parameterization", pytest.param("extension", marks=registered)])
def test_references_of_one_base(what):
    """A package that a base becomes, or that stands beside it, has another reference than the base itself."""
    references = []

    def run(monitor: Monitor) -> None:
        more = {"name": "extPkg", "version": "2.0.0", "value": bytes(range(4))}
        references.extend([monitor.package(**BASE, **{what: more}), monitor.package(**BASE)])

    Lifecycle(parameterizable()).up(run)
    assert len(set(references)) == 2


@registered
def test_what_else_is_of_an_extension():
    """A remote component gets a provider that is parameterized; a function and what is only read have it as it is, and the
    state says of the latter nothing.
    """

    def construct(call):
        return Reply(value={}, extra={"urn": way_back(call).component(call.type, call.name).urn})

    def run(monitor: Monitor) -> None:
        reference = extended(monitor, EXT_A)
        monitor.read(A, "resR", "some-id", packageRef=reference)
        monitor.invoke("pkgA:m:fn", packageRef=reference)
        seen.extend(asked(provider))
        monitor.component("ext-a:m:Comp", "comp", remote=True, packageRef=reference)
        seen.extend(asked(provider))

    seen: list[str] = []
    provider = parameterizable(construct=construct)
    up = Lifecycle(provider).up(run)
    assert (seen, up.state["resR"].extension_ref) == (["read", "ext-a"], "")
    assert [it.name for it in up.state.every if it.is_provider] == ["default_1_0_0"]
