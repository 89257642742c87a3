"""What the story is played on: one engine, one provider, and a way to see what exists, three times."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from mockprovider.double import Double, Wiring, real
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.engine import Stack
from mockprovider.errors import PluginError
from mockprovider.schema import Property, ResourceType
from mockprovider.urn import PROVIDERS

FILE = "files:index:File"
FILES = ResourceType(
    FILE,
    {
        "path": Property(str, required=True, forces_new=True),
        "content": Property(str, required=True),
        "sha256": Property(str, computed="sum-of-{content}"),
    },
    id="{path}",
)
CONFIGURATION = """
resource "files_file" "hello" {{
  path    = "hello.txt"
  content = "{greeting}\\n"
}}
resource "files_file" "checksums" {{
  path    = "checksums.txt"
  content = "${{files_file.hello.sha256}}  ${{files_file.hello.path}}\\n"
}}
"""
VOLATILE = frozenset(
    {"created", "modified", "sourcePosition", "stackTrace", "provider", "lineage", "serial", "terraform_version"}
)


class Stage(Protocol):
    """One engine with one provider, in a folder of its own."""

    protocol: str
    provider: str
    """What the demo records, as its output calls it."""

    def behind(self) -> Wiring:
        """The provider that is recorded and broken."""

    def begin(self, double: Double, folder: Path) -> None:
        """A new, empty stack (state) in ``folder``, led to ``double``."""

    def up(self, greeting: str, *, fails: bool = False) -> None:
        """Create the program's resources, with this greeting in the first file."""

    def refresh(self) -> None:
        """Refresh the engine's state."""

    def destroy(self) -> None:
        """Delete everything."""

    def state(self) -> Any:
        """The engine's state, without times and the like."""

    def remembered(self) -> dict[str, str]:
        """The ids that the engine remembers, each with what it thinks is wrong with it (empty if nothing)."""

    def existing(self) -> list[str]:
        """The ids of what exists."""


def example() -> Path:
    """The folder of the example provider, in an installed package or in a checkout."""
    installed = Path(__file__).parent / "files"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "examples" / "files"


def load_program() -> Callable[[str], None]:
    """The example's program."""
    program: Callable[[str], None] = import_file("mockprovider_example", example() / "program.py").program
    return program


def import_file(name: str, path: Path) -> Any:
    """The module at ``path``, known to Python as ``name``: the SDK looks annotations up in ``sys.modules``."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} is not there. Is the installation complete?")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steady(state: Any) -> Any:
    """``state`` without what differs from run to run: times, source lines, provider ids, the order of resources."""
    if isinstance(state, dict):
        kept = {key: steady(value) for key, value in state.items() if key not in VOLATILE}
        if str(kept.get("type", "")).startswith(PROVIDERS):
            kept.pop("id", None)
        return kept
    return [steady(element) for element in state] if isinstance(state, list) else state


class _OnFiles:
    """The example provider: what exists are real files."""

    protocol = "pulumi"
    provider = "a real provider of files (examples/files/provider.py)"

    def __init__(self, folder: Path) -> None:
        self.files = folder / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.program = load_program()
        self.engine: Any = None

    def behind(self) -> Wiring:
        command = [sys.executable, str(example() / "provider.py")]
        return real(command, "pulumi", name="files", env={"FILES_FOLDER": str(self.files)})

    def up(self, greeting: str, *, fails: bool = False) -> None:
        self.engine.up(lambda: self.program(greeting), expect_failure=fails)

    def refresh(self) -> None:
        self.engine.refresh()

    def destroy(self) -> None:
        self.engine.destroy()

    def state(self) -> Any:
        resources = self.engine.export()["deployment"].get("resources") or []
        return sorted((steady(resource) for resource in resources), key=lambda resource: str(resource["urn"]))

    def remembered(self) -> dict[str, str]:
        return {
            resource["id"]: "; ".join(resource.get("initErrors") or ()) for resource in self.state() if resource["type"] == FILE
        }

    def existing(self) -> list[str]:
        return sorted(path.name for path in self.files.iterdir())


class Embedded(_OnFiles):
    """The engine that is built in."""

    def begin(self, double: Double, folder: Path) -> None:  # noqa: ARG002 - the other stages need a folder
        self.engine = Stack(double)


class Pulumi(_OnFiles):
    """The real ``pulumi``."""

    def begin(self, double: Double, folder: Path) -> None:
        serving = double.serve("pulumi")
        self.engine = PulumiCli(folder, lambda: serving.environment)


class TerraformStage:
    """The real ``terraform``, with the fake for a provider: what exists is in its cloud."""

    protocol = "terraform"
    provider = "the fake provider, as a Terraform provider"

    def __init__(self, folder: Path) -> None:  # noqa: ARG002 - the other stages keep files in it
        self.double: Double | None = None
        self.engine: Any = None

    def behind(self) -> Wiring:
        return Wiring("files")

    def begin(self, double: Double, folder: Path) -> None:
        double.define(FILES)
        self.double = double
        serving = double.serve("terraform")
        self.engine = Terraform(folder, lambda: serving.environment)

    def up(self, greeting: str, *, fails: bool = False) -> None:
        self.engine.write(CONFIGURATION.format(greeting=greeting))
        self.engine.apply(expect_failure=fails)

    def refresh(self) -> None:
        self.engine.refresh()

    def destroy(self) -> None:
        self.engine.destroy()

    def state(self) -> Any:
        return steady(self.engine.state())

    def remembered(self) -> dict[str, str]:
        instances = [instance for resource in self.state().get("resources", ()) for instance in resource["instances"]]
        return {instance["attributes"]["id"]: instance.get("status", "") for instance in instances}

    def existing(self) -> list[str]:
        return sorted(cloud_object.id for cloud_object in self.double.cloud.objects()) if self.double else []


STAGES: dict[str, Callable[[Path], Stage]] = {"embedded": Embedded, "pulumi": Pulumi, "terraform": TerraformStage}
