"""The embedded engine against the real CLI: the command ``import``."""

from __future__ import annotations

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Thing

from mockprovider.calls import Op
from mockprovider.pulumi.stacks.imports import Import
from mockprovider.values import Secret

pytestmark = pytest.mark.pulumi_cli


def exist(both, *ids):
    """Let buckets of these ids exist, which no engine has made."""
    for id_ in ids:
        both.create(BUCKET, id_, acl="public", arn=f"arn:cloud:::{id_}")


def test_an_import_into_an_empty_stack(both):
    """Stack and default provider are made, what exists is read and checked, and an equal program changes nothing."""
    exist(both, "there")
    called = both.run("import_resources", imports=[Import(type=BUCKET, name="b", id="there")])
    assert called["b"] == ["Read", "Check"]
    assert both.results[0].summary == {"import": 1}
    both.run("up", lambda: Bucket("b", acl="public"))
    both.run("up", lambda: Bucket("b", acl="private"))
    both.run("destroy")


def test_an_import_beside_what_is_remembered(both):
    """What the state has is kept, its providers are configured, and an explicit one serves what names it."""

    def program():
        provider = Cloud("own", region="eu")
        Bucket("a", pulumi.ResourceOptions(provider=provider))

    both.run("up", program)
    exist(both, "there", "other")
    both.run(
        "import_resources",
        imports=[
            Import(type=BUCKET, name="b", id="there", provider="own", protect=False),
            Import(type=BUCKET, name="c", id="other", protect=False),
        ],
    )
    assert both.results[0].summary == {"import": 2}
    both.run("destroy")


def test_imports_below_one_another(both):
    """A component without an object and its children are imported parents first, in whatever order they are listed."""
    exist(both, "one", "two")
    both.run(
        "import_resources",
        imports=[
            Import(type=BUCKET, name="leaf", id="two", parent="branch"),
            Import(type=BUCKET, name="branch", id="one", parent="c"),
            Import(type="my:index:Component", name="c", component=True),
        ],
    )
    parents = {resource.name: resource.parent.rpartition("::")[2] for resource in both.results[0].state.values()}
    assert (parents["leaf"], parents["branch"], parents["c"]) == ("branch", "c", "project-dev")


def test_an_import_with_a_provider_of_its_own(both):
    """A provider among the imports is made with its inputs, and serves what names it; versions make default providers."""
    exist(both, "one", "two", "three")
    both.run(
        "import_resources",
        imports=[
            Import(type="pulumi:providers:cloud", name="own", inputs={"region": "eu", "tag": Secret("t")}),
            Import(type=BUCKET, name="a", id="one", provider="own"),
            Import(type=BUCKET, name="b", id="two", version="1.2.3"),
            Import(type=BUCKET, name="c", id="three"),
        ],
    )


def test_importing_what_is_there(both):
    """The very object again does nothing; another one under its name is refused; so is what does not exist."""
    exist(both, "there", "other")
    there = Import(type=BUCKET, name="b", id="there")
    both.run("import_resources", imports=[there])
    assert both.run("import_resources", imports=[there]).get("b") is None
    assert both.results[0].summary == {}
    both.run("import_resources", imports=[Import(type=BUCKET, name="b", id="other")], fails=True)
    assert all("already exists" in told for told in both.said())
    both.run("import_resources", imports=[Import(type=BUCKET, name="c", id="nowhere")], fails=True)
    assert all("resource 'nowhere' does not exist" in told for told in both.said())


def test_a_preview_of_an_import(both):
    """It reads and checks, and the state stays as it was."""
    exist(both, "there")
    there = Import(type=BUCKET, name="b", id="there")
    assert both.run("import_resources", imports=[there], preview=True)["b"] == ["Read", "Check"]
    assert both.results[0].summary == {"import": 1}
    assert both.stack.export()["deployment"]["resources"] == []


def test_what_is_supplied_with_an_import(both):
    """Inputs stand where the provider read none, outputs are taken without reading, and properties change nothing."""
    exist(both, "one", "two", "three")
    both.run(
        "import_resources",
        imports=[
            Import(type=BUCKET, name="a", id="one", inputs={"token": Secret("t"), "acl": Secret("other")}),
            Import(type=BUCKET, name="b", id="two", inputs={"acl": "x"}, outputs={"acl": "y", "arn": Secret("z")}),
            Import(type=BUCKET, name="c", id="three", properties=("arn",)),
        ],
    )
    both.run("up", lambda: [Bucket("a", acl="public"), Bucket("b", acl="x"), Bucket("c", acl="public")])


def test_an_import_that_fails_its_check(both):
    """It is imported all the same, with a warning."""
    both.create(BUCKET, "odd", acl="public", arn="arn", tags="none")
    both.run("import_resources", imports=[Import(type=BUCKET, name="a", id="odd")])
    assert both.results[0].summary == {"import": 1}
    assert [diagnostic.severity for diagnostic in both.results[0].diagnostics] != []


def test_an_import_whose_read_fails(both):
    """It fails the run, and nothing of it is in the state."""
    exist(both, "one")
    both.fail(Op.READ, "a")
    both.run("import_resources", imports=[Import(type=BUCKET, name="a", id="one")], fails=True)
    both.run("up", lambda: [Thing(NET, "n", cidr="10"), Component("c")])


def test_several_imports_that_fail(both):
    """Each of one level is told, and what exists beside them is imported; what is below them is not."""
    exist(both, "there")
    missing = [Import(type=BUCKET, name=name, id=name) for name in ("a", "b")]
    below = Import(type=BUCKET, name="below", id="there", parent="a")
    there = Import(type=BUCKET, name="c", id="there")
    both.run("import_resources", imports=[missing[0], there, missing[1]], fails=True)
    both.run("import_resources", imports=[*missing, below], fails=True)
    both.run("up", lambda: None, fails=True)


def test_an_import_takes_the_newest_plugin_of_the_state(both):
    """What says neither version nor address has those of the state's newest provider of its package."""
    both.run("up", lambda: Thing(NET, "n", pulumi.ResourceOptions(version="2.0.0", plugin_download_url="https://a.example")))
    both.run("up", lambda: [Thing(NET, "n", pulumi.ResourceOptions(version="1.2.3")), Cloud("own", version="3.0.0")])
    exist(both, "one", "two", "three")
    there = [Import(type=BUCKET, name="a", id="one"), Import(type=BUCKET, name="b", id="two", version="1.2.3")]
    both.run("import_resources", imports=[*there, Import(type=BUCKET, name="c", id="three", provider="own")])
    both.run("destroy", fails=True)
