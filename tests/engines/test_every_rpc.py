"""The real ``pulumi`` and the RPCs beside a resource's life: lists, mappings, parameters, configuration, functions, views."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime.proto import resource_pb2

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.double import Double, attached, recording, replaying
from mockprovider.drivers.command import run
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.fake.views import View
from mockprovider.journal import Side
from mockprovider.payloads import ParameterArgs, ParameterValue
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Function, Package, Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

SERVER = ResourceType(
    "cloud:index:Server",
    {"size": Property(str), "arn": Property(str, computed="arn:{id}")},
    traits=[ResourceTraits(list_by=("size",))],
)
VIEWED = ResourceType(
    "cloud:index:Viewed",
    SERVER.properties,
    traits=[ResourceTraits(views=(View("cloud:index:Disk", "{name}-disk", {"size": "{size}"}, {"of": "{arn}"}),))],
)
EAGER = ResourceType("cloud:index:Eager", SERVER.properties, traits=[ResourceTraits(refresh_before_update=True)])


def thing(package: str, **given: Any) -> Package:
    """A package with one type of things."""
    made = Package(package, "2.0.0", **given)
    made.add(ResourceType(f"{package}:index:Thing", {"size": Property(str), "arn": Property(str, computed="arn:{id}")}))
    return made


def cloud(**given: Any) -> Package:
    """The package that these tests serve."""
    made = Package("cloud", "1.2.3", **given)
    made.add(
        SERVER,
        VIEWED,
        EAGER,
        Function("cloud:index:getZone", {"region": Property(str, enum=("a", "b"))}, {"zone": "z-{region}"}),
    )
    return made


class Run:
    """A double, the real pulumi attached to it, and its commands with the double's launcher in reach."""

    def __init__(self, double: Double, folder: Path) -> None:
        self.double = double
        self._served = double.serve()
        self.cli = PulumiCli(folder / "pulumi", lambda: self._served.environment)
        self._bin = folder / "bin"
        self._bin.mkdir()
        self._launched = self._served.plugin_environment(self._bin)

    def command(self, *arguments: str, expect_failure: bool = False) -> str:
        """A command that looks for the plugin itself (``PLUGIN`` is its executable); what it printed."""
        given = [str(self._bin / "pulumi-resource-cloud") if each == "PLUGIN" else each for each in arguments]
        env = {**os.environ, **self.cli.environment, **self._launched}
        env.pop("PULUMI_DEBUG_PROVIDERS", None)
        found = run([self.cli.binary, *given], cwd=self.cli.folder, env=env, seconds=120, expect_failure=expect_failure)
        return found.stderr if expect_failure else found.stdout

    def asked(self, *ops: Op) -> list[Call]:
        """The calls of these ops (all, if none is named) that the provider saw since the last look."""
        found = [each.call for each in self.double.journal.entries(side=Side.PROVIDER) if not ops or each.call.op in ops]
        self.double.journal.clear()
        return found

    def methods(self, name: str) -> list[str]:
        """The methods that were called about a resource since the last look."""
        return [each.method for each in self.asked() if each.name == name]

    def state(self, name: str) -> dict[str, Any]:
        """What the engine remembers of the resource called ``name``."""
        found = [each for each in self.cli.export()["deployment"]["resources"] if each["urn"].endswith(f"::{name}")]
        assert len(found) == 1, found
        remembered: dict[str, Any] = found[0]
        return remembered


@pytest.fixture
def started(tmp_path):
    """Makes a double of definitions, and the real pulumi attached to it."""
    made = []

    def start(*definitions, **options):
        double = Double(*definitions, **options)
        made.append(double)
        return Run(double, tmp_path)

    yield start
    for each in made:
        each.close()
        each.raise_errors()


def one(type_: str, **properties: Any) -> dict[str, Any]:
    """A YAML program of one resource called ``web``."""
    return {"resources": {"web": {"type": type_, "properties": properties}}}


# List and mappings -----------------------------------------------------------------------------------------------------


def test_list(started):
    """``pulumi do … list`` shows what is in the cloud, all of it, or as many as asked of what fits a query."""
    running = started(cloud())
    for number in range(3):
        running.double.cloud.create(SERVER.token, f"s{number}", {"size": "big" if number else "small", "name": f"n{number}"})

    def listed(*arguments):
        return json.loads(running.command("do", "--package", "PLUGIN", SERVER.token, "list", *arguments))

    assert listed("--all") == [{"id": f"s{number}", "name": f"n{number}"} for number in range(3)]
    assert listed("--size", "big", "--count", "1") == [{"id": "s1", "name": "n1"}]
    assert [dict(each.inputs or {}) for each in running.asked(Op.LIST)] == [{}, {"size": "big"}]


def test_mappings(started):
    """``pulumi package get-mapping`` is given the mapping that was declared, and told that there is none for another key."""
    running = started(cloud(mappings={"terraform": '{"name": "cloud"}'}))

    assert running.command("package", "get-mapping", "terraform", "PLUGIN") == '{"name": "cloud"}'
    assert 'no mapping found for key "other"' in running.command(
        "package", "get-mapping", "other", "PLUGIN", expect_failure=True
    )


def test_no_mappings(started):
    """A package without mappings does not implement them, which the engine takes for none."""
    told = started(cloud()).command("package", "get-mapping", "terraform", "PLUGIN", expect_failure=True)

    assert 'no mapping found for key "terraform"' in told


# Parameters ------------------------------------------------------------------------------------------------------------


def test_schema_of_a_parameterized_package(started):
    """``pulumi package get-schema`` with words after the package shows what it becomes, and what an SDK has to keep of it."""
    running = started(cloud(parameters={"tools": thing("tools")}))
    schema = json.loads(running.command("package", "get-schema", "PLUGIN", "tools"))

    assert (schema["name"], schema["version"], list(schema["resources"])) == ("tools", "2.0.0", ["tools:index:Thing"])
    assert schema["parameterization"] == {"baseProvider": {"name": "cloud", "version": "1.2.3"}, "parameter": "WyJ0b29scyJd"}
    assert running.asked(Op.PARAMETERIZE)[0].parameter == ParameterArgs(("tools",))


def test_unknown_parameters(started):
    """Words that mean nothing to the package fail with the nearest that do."""
    running = started(cloud(parameters={"tools": thing("tools")}))
    told = running.command("package", "get-schema", "PLUGIN", "tool", expect_failure=True)

    assert "cannot be parameterized with 'tool'. Did you mean 'tools'?" in told


def life_of_tools(running: Run) -> list[str]:
    """Add the package ``tools`` to a YAML program, and up, update, destroy it; what was asked about its resource."""
    running.cli.up({})
    running.command("package", "add", "PLUGIN", "tools")
    packages = {"packages": {"tools": {"source": "cloud", "version": "1.2.3", "parameters": ["tools"]}}}
    running.double.journal.clear()
    for size in ("s", "m"):
        running.cli.up({**one("tools:index:Thing", size=size), **packages})
    running.cli.destroy()
    return running.methods("web")


LIFE = ["Check", "Create", "Check", "Diff", "Update", "Delete"]


def test_a_package_becomes_another(started):
    """A program uses a parameterized package from first to last; the destroy parameterizes it from the state alone."""
    running = started(cloud(parameters={"tools": thing("tools")}))

    assert life_of_tools(running) == LIFE
    assert [str(each.effect) for each in running.double.cloud.events] == ["created", "updated", "deleted"]


def test_a_parameterized_package_recorded_and_replayed(started, tmp_path):
    """What the engine does with a parameterized package is recorded, and the cassette alone answers it again."""
    package = cloud(parameters={"tools": thing("tools")})
    path = tmp_path / "tools.json"
    for folder, wired in (("live", lambda: recording(path, Double(package))), ("again", lambda: replaying(path))):
        (tmp_path / folder).mkdir()
        with Double(package, provider=wired()) as double:
            assert life_of_tools(Run(double, tmp_path / folder)) == LIFE
            double.raise_errors()


def test_a_package_gets_another_beside_it(started):
    """An extension comes to the base's own instance, after Configure, and its resources are deleted by what the state keeps."""
    running = started(cloud(parameters={"more": thing("more", extension=True)}))
    shown = json.loads(running.command("package", "get-schema", "PLUGIN", "--extension", "more"))
    assert shown["extensionParameterization"]["parameter"] == "WyJtb3JlIl0="
    assert "provider" not in shown, "the engine refuses an extension that configures"
    running.double.journal.clear()

    def program():
        async def registered():
            monitor = pulumi.runtime.settings.get_monitor()
            request = resource_pb2.RegisterPackageRequest(name="cloud", version="1.2.3")
            request.extension.CopyFrom(type(request.extension)(name="more", version="2.0.0", value=b'["more"]'))
            answer = await asyncio.get_running_loop().run_in_executor(None, monitor.RegisterPackage, request)
            return answer.ref

        pulumi.CustomResource("more:index:Thing", "web", {"size": "s"}, package_ref=registered())

    running.cli.up(program)
    [asked] = running.asked(Op.PARAMETERIZE)
    assert asked.parameter == ParameterValue("more", "2.0.0", b'["more"]')
    assert asked.session.config is not None, "it was not configured yet"
    running.cli.destroy()
    assert [each.op for each in running.asked(Op.PARAMETERIZE, Op.DELETE)] == [Op.PARAMETERIZE, Op.DELETE]
    assert running.double.cloud.objects() == []


# Configuration ---------------------------------------------------------------------------------------------------------

NEEDY = {"region": Property(str, required=True, description="Where it is."), "tag": Property(str)}


def test_missing_configuration(started):
    """A provider without CheckConfig says at Configure which keys are missing, and the engine tells how to set them."""
    running = started(cloud(config=NEEDY), generation="no-config-checks")
    told = running.cli.up(one(SERVER.token, size="s"), expect_failure=True).output

    assert 'missing required configuration key "cloud:region": Where it is.' in told
    assert "pulumi config set cloud:region <value>" in told


def test_configuration_that_does_not_check(started):
    """What CheckConfig has against the configuration fails the provider, and no resource is asked about."""
    running = started(cloud(config=NEEDY))
    told = running.cli.up(one(SERVER.token, size="s"), expect_failure=True).output

    assert "missing required property 'region'" in told
    assert not running.asked(Op.CONFIGURE, Op.CHECK)


def test_a_failing_configure_shows_at_first_use(started):
    """Configure runs in the background: a program that uses the provider for nothing succeeds, its first resource fails."""

    def refuse(call: Call, proceed: Handler) -> Reply:
        if call.op is Op.CONFIGURE:
            return Reply(failures=(Failure("the door is shut", status="permission_denied"),))
        return proceed(call)

    running = started(cloud(), layers=(refuse,))
    told = running.cli.up(one(SERVER.token, size="s"), expect_failure=True).output

    assert "the door is shut" in told
    assert not running.asked(Op.CHECK, Op.CREATE)


# Functions -------------------------------------------------------------------------------------------------------------


def test_functions(started):
    """A function is told whether it is previewed; its failures and an error of the RPC both fail the program, by name."""
    running = started(cloud())

    def program(region="a", token="cloud:index:getZone"):
        return {
            "variables": {"zone": {"fn::invoke": {"function": token, "arguments": {"region": region}}}},
            "outputs": {"zone": "${zone.zone}"},
        }

    running.cli.preview(program())
    assert running.cli.up(program()).outputs == {"zone": "z-a"}
    assert [each.preview for each in running.asked(Op.INVOKE)] == [True, False]
    assert "expected one of 'a', 'b', got 'c'" in running.cli.up(program("c"), expect_failure=True).output


# What is told beside the state -----------------------------------------------------------------------------------------


def test_refresh_before_update(started):
    """An object that says so is read again before each later operation, and made again if it has gone meanwhile."""
    running = started(cloud())
    running.cli.up(one(EAGER.token, size="s"))
    assert running.methods("web") == ["Check", "Create"]
    assert running.state("web")["refreshBeforeUpdate"] is True

    running.double.cloud.drift(EAGER.token, size="drifted")
    running.cli.up(one(EAGER.token, size="s"))
    assert running.methods("web") == ["Read", "Diff", "Check", "Diff", "Update"]

    running.double.cloud.vanish(EAGER.token)
    running.cli.up(one(EAGER.token, size="s"))
    assert running.methods("web") == ["Read", "Check", "Create"]
    running.cli.destroy()
    assert running.methods("web") == ["Read", "Diff", "Delete"]


def test_views(started):
    """Views are in the state beside their owner, follow it through update, drift and loss, and go with it."""
    running = started(cloud())
    previewed = running.cli.preview(one(VIEWED.token, size="s"))
    assert ("create", "web-disk") in named(previewed.steps)
    running.cli.up(one(VIEWED.token, size="s"))
    owner, view = running.state("web"), running.state("web-disk")
    assert view["viewOf"] == owner["urn"]
    assert (view["type"], view["inputs"], view["outputs"]) == (
        "cloud:index:Disk",
        {"size": "s"},
        {"of": owner["outputs"]["arn"]},
    )

    updated = running.cli.up(one(VIEWED.token, size="m"))
    assert ("update", "web-disk") in named(updated.steps)
    assert running.state("web-disk")["inputs"] == {"size": "m"}

    running.double.cloud.drift(VIEWED.token, size="l")
    refreshed = running.cli.refresh()
    assert ("refresh", "web-disk") in named(refreshed.steps)
    assert running.state("web-disk")["inputs"] == {"size": "l"}

    destroyed = running.cli.destroy()
    assert ("delete", "web-disk") in named(destroyed.steps)
    assert not any(each.name == "web-disk" for each in running.asked()), "an engine asks nothing about a view"


def named(steps):
    """Steps as (op, the resource's name)."""
    return [(op, urn.rsplit("::", 1)[-1]) for op, urn in steps]


def test_views_through_a_proxy(started):
    """A provider behind another double publishes its views to the engine: the address of the status service goes through."""
    with Double(cloud()) as behind:
        running = started(cloud(), provider=attached(behind.serve().address, name="cloud"))
        running.cli.up(one(VIEWED.token, size="s"))

        assert running.state("web-disk")["viewOf"] == running.state("web")["urn"]
