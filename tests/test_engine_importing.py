"""The command ``import`` of the embedded engine: what it reads, remembers and refuses."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, Bucket, Component, calls, make

from mockprovider.engine import Import
from mockprovider.engine.operations.importing import completed
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.pulumi.stacks.imports import import_file, placed
from mockprovider.values import Secret

COMPONENT = "my:index:Component"


def test_what_exists_becomes_a_resource():
    """Import reads and checks what is named, protects it, and remembers no import id; an equal program changes nothing."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:cloud:::there"})
    assert stack.import_resource(BUCKET, "b", "there").summary == {"import": 1}
    assert calls(double, "b") == ["read", "check"]
    imported = stack.state["b"]
    assert (imported.id, imported.import_id, imported.protect, imported.inputs) == ("there", "", True, {"acl": "public"})
    assert stack.up(lambda: Bucket("b", acl="public")).summary == {}


def test_what_is_there_already():
    """What the state has under its id is not read again, and another object under its name is refused."""
    stack, double, _ = make()
    for id_ in ("there", "other"):
        double.cloud.create(BUCKET, id_, {"acl": "public", "arn": "arn:cloud:::there"})
    stack.import_resource(BUCKET, "b", "there")
    double.journal.clear()
    assert stack.import_resource(BUCKET, "b", "there").summary == {}
    assert calls(double, "b") == []
    with pytest.raises(ProgramError, match="already exists"):
        stack.import_resource(BUCKET, "b", "other")


def test_an_import_that_is_cut_off():
    """What was being imported when the engine was killed is pending."""
    stack, double, _ = make()
    double.faults.on.read(name="b").kill_engine()
    failed = stack.import_resource(BUCKET, "b", "there", expect_failure=True)
    assert [(operation.kind, operation.resource.name) for operation in failed.pending_operations] == [("importing", "b")]


def test_a_component_and_its_children():
    """Children may stand before the component that they belong to, which takes no call."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:cloud:::there"})
    child = Import(type=BUCKET, name="b", id="there", parent="c")
    stack.import_resources([child, Import(type=COMPONENT, name="c", component=True)])
    assert list(stack.state)[-1] == "urn:pulumi:dev::project::my:index:Component$cloud:index:Bucket::b"
    assert calls(double, "c") == []
    assert not stack.state["c"].custom


def test_a_remote_component():
    """A component that its provider constructs gets the provider of its package, which is asked nothing about it."""
    stack, double, _ = make()
    stack.import_resources([Import(type="cloud:index:Site", name="s", component=True, remote=True)])
    site = stack.state["s"]
    assert (site.custom, site.provider.split("::")[2]) == (False, "pulumi:providers:cloud")
    assert calls(double, "s") == []


@pytest.mark.parametrize(
    ("imports", "why"),
    [
        ([], "nothing to import"),
        ([{"type": BUCKET, "name": "a", "id": "b-1"}], "is no list of imports. Give Import"),
        (Import(type=BUCKET, name="a", id="b-1"), "is no list of imports. Give Import"),
        ([Import(type=BUCKET, name="b")], "no id"),
        ([Import(type=BUCKET, name="", id="x")], "a type and a name"),
        ([Import(type=COMPONENT, name="c", id="x", component=True)], "is a component"),
        ([Import(type="pulumi:providers:cloud", name="p", id="x")], "is a provider"),
        ([Import(type=BUCKET, name="b", id="x", remote=True)], "no component"),
        ([Import(type="Bucket", name="b", id="x")], "no resource type token"),
        ([Import(type=BUCKET, name="b", id="x")] * 2, "duplicate import"),
        ([Import(type=BUCKET, name="b", id="x", parent="ground")], "Did you mean 'around'"),
        ([Import(type=BUCKET, name="b", id="x", provider="around")], "neither in the state nor imported"),
        ([Import(type=BUCKET, name="b", id="x", parent="twin")], "give a URN"),
        (
            [Import(type=BUCKET, name="b", id="x", parent="c"), Import(type=BUCKET, name="c", id="x", parent="b")],
            "parents of one another",
        ),
    ],
)
def test_an_import_that_cannot_be(imports, why):
    """It is refused before any provider is asked, with what is wrong about it."""
    stack, double, _ = make()
    stack.up(lambda: [Component("around"), Component("twin"), Bucket("twin")])
    double.journal.clear()
    with pytest.raises(DefinitionError, match=why):
        stack.import_resources(imports)
    assert double.journal.ops() == []


def test_what_is_supplied_fills_gaps():
    """The provider's word counts, but for what it does not say; what was supplied as a secret stays one."""
    read = {"here": 1, "null": None, "open": 2}
    supplied = {"here": 3, "null": 4, "gone": 5, "open": Secret(6)}
    assert completed(read, supplied) == {"here": 1, "null": 4, "gone": 5, "open": Secret(2)}


def test_a_stack_reference_is_no_object():
    """The built-in provider reads no stack reference, and says so."""
    stack, _, _ = make()
    with pytest.raises(ProgramError, match="can not be imported"):
        stack.import_resource("pulumi:pulumi:StackReference", "s", "organization/project/other")


def test_a_file_of_imports():
    """Imports become a file of ``pulumi import``, in which parents and providers are entries or in the table of names."""
    urns = ["urn:pulumi:s::p::my:index:Component::c", "urn:pulumi:s::p::pulumi:providers:cloud::own"]
    places = placed(
        [
            Import(type=BUCKET, name="b", id="1", parent="c", provider=urns[1]),
            Import(type=BUCKET, name="d", id="2", parent="b", inputs={"token": Secret("t")}),
        ],
        "s",
        "p",
        urns,
    )
    written = import_file(places)
    assert written["nameTable"] == {"n0": urns[0], "n1": urns[1]}
    first, second = written["resources"]
    assert first == {"type": BUCKET, "name": "r0", "logicalName": "b", "id": "1", "parent": "n0", "provider": "n1"}
    assert (second["parent"], second["inputs"]["token"]["plaintext"]) == ("r0", '"t"')
