"""One set of resources, under each engine: the same words written as a Python program, as YAML and as HCL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pulumi
import pytest
from engine_toolbox import cli_of
from msgspec import Struct
from terraform_stage import ENGINES, HEAD

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.engine import Stack
from mockprovider.schema import ResourceType, snake_case


class Ref(Struct, frozen=True):
    """Another resource's property, as the value of one."""

    resource: str
    property: str


Wanted = Mapping[str, tuple[ResourceType, Mapping[str, Any]]]
"""Resources by name: their types and properties, in Pulumi's spelling."""


class Route(Protocol):
    """A way from a program to the double."""

    def up(self, wanted: Wanted) -> None:
        """Make exactly these resources exist."""

    def refresh(self, wanted: Wanted) -> None:
        """Take note of what changed behind the engine's back."""

    def destroy(self, wanted: Wanted) -> None:
        """Make none of them exist."""


class Embedded:
    """The embedded engine, with a Python program."""

    def __init__(self, double: Double, folder: Path) -> None:
        self.stack = Stack(double)

    def up(self, wanted: Wanted) -> None:
        """Run ``up``."""
        self.stack.up(lambda: _program(wanted))

    def refresh(self, wanted: Wanted) -> None:
        """Run ``refresh``."""
        self.stack.refresh()

    def destroy(self, wanted: Wanted) -> None:
        """Run ``destroy``."""
        self.stack.destroy()


def _program(wanted: Wanted) -> None:
    made: dict[str, Any] = {}
    for name, (type_, properties) in wanted.items():
        outputs = dict.fromkeys(type_.properties)
        given = {
            key: getattr(made[each.resource], each.property) if isinstance(each, Ref) else each
            for key, each in properties.items()
        }
        # The SDK makes attributes of what the class is annotated with.
        class_ = type(name, (pulumi.CustomResource,), {"__annotations__": dict.fromkeys(outputs, pulumi.Output[Any])})
        made[name] = class_(type_.token, name, {**outputs, **given})


class Yaml:
    """The real ``pulumi``, with a YAML program."""

    def __init__(self, double: Double, folder: Path) -> None:
        self.cli = cli_of(double, folder)

    def up(self, wanted: Wanted) -> None:
        """Run ``up``."""
        self.cli.up(_yaml(wanted))

    def refresh(self, wanted: Wanted) -> None:
        """Run ``refresh``."""
        self.cli.refresh(_yaml(wanted))

    def destroy(self, wanted: Wanted) -> None:
        """Run ``destroy``."""
        self.cli.destroy()


def _yaml(wanted: Wanted) -> dict[str, Any]:
    resources = {}
    for name, (type_, properties) in wanted.items():
        given = {
            key: f"${{{each.resource}.{each.property}}}" if isinstance(each, Ref) else each for key, each in properties.items()
        }
        resources[name] = {"type": type_.token, "properties": given}
    return {"resources": resources}


class Hcl:
    """The real ``terraform`` or ``tofu``, with a configuration in JSON."""

    def __init__(self, double: Double, folder: Path, binary: str, major: int) -> None:
        serving = double.serve("terraform", major=major)
        self.cli = Terraform(folder, lambda: serving.environment, binary=binary)

    def up(self, wanted: Wanted) -> None:
        """Run ``apply``."""
        self._write(wanted)
        self.cli.apply()

    def refresh(self, wanted: Wanted) -> None:
        """Run ``apply -refresh-only``."""
        self._write(wanted)
        self.cli.refresh()

    def destroy(self, wanted: Wanted) -> None:
        """Run ``destroy``."""
        self._write(wanted)
        self.cli.destroy()

    def _write(self, wanted: Wanted) -> None:
        resources: dict[str, Any] = {}
        for name, (type_, properties) in wanted.items():
            resources.setdefault(type_.terraform, {})[name] = {
                snake_case(key): _reference(wanted, each) if isinstance(each, Ref) else _snake(each)
                for key, each in properties.items()
            }
        self.cli.write(HEAD)
        self.cli.write(json.dumps({"resource": resources} if resources else {}), "resources.tf.json")


def _reference(wanted: Wanted, ref: Ref) -> str:
    return f"${{{wanted[ref.resource][0].terraform}.{ref.resource}.{snake_case(ref.property)}}}"


def _snake(value: Any) -> Any:
    """Objects' keys in Terraform's spelling; a map's keys are the program's own, and are the same in both here."""
    if isinstance(value, dict):
        return {snake_case(key): _snake(each) for key, each in value.items()}
    return [_snake(each) for each in value] if isinstance(value, list) else value


ROUTES = [
    pytest.param(Embedded, marks=pytest.mark.pulumi_cli, id="embedded"),
    pytest.param(Yaml, marks=pytest.mark.pulumi_cli, id="pulumi"),
    *(
        pytest.param(partial(Hcl, binary=engine.values[0], major=major), marks=engine.marks, id=f"{engine.values[0]}-v{major}")
        for engine in ENGINES
        for major in (5, 6)
    ),
]
"""What makes each route, given the double and a folder."""
