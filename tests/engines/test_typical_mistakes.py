"""What users get wrong with a cassette: what each engine shows says what is wrong, what was nearest, what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engine_toolbox import cli_of
from terraform_stage import ENGINES

from mockprovider import ResourceType
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.engine import Stack
from mockprovider.errors import MissError, ProgramError

TYPES = [ResourceType(f"cloud:index:{name}", {"acl": str, "tags": list[str]}) for name in ("Bucket", "Queue")]
Resources = dict[str, tuple[str, Any]]
RECORDED: Resources = {"logs": ("Bucket", ["a", "b"])}

MISTAKES: dict[str, tuple[Resources, list[str]]] = {
    "another value": ({"logs": ("Bucket", ["x", "a", "b"])}, ["Nearest is", 'tags[0]: recorded nothing, now "x"']),
    "another resource": ({**RECORDED, "more": ("Bucket", ["c"])}, ["Nearest is", 'tags[0]: recorded "a", now "c"']),
    "another type": ({"logs": ("Queue", ["a", "b"])}, ["Nothing about", "was recorded, only about"]),
    "from the start again": (RECORDED, ["has no further answer to", "It was recorded once", "and that was used already"]),
}
"""What a user replays, and what the engine has to show. ``from the start again`` makes everything a second time."""
TABLE = [pytest.param(mistake, *row, id=mistake) for mistake, row in MISTAKES.items()]
ALWAYS = "To record it again: --provider-record=all (pytest), or mockprovider record."


def shown(mistake: str, run: Callable[[Double, Path, Resources], Any], folder: Path, path: Path, resources: Resources) -> str:
    """What the engine shows of a mistake."""
    with Double(provider=replaying(path, unplayed="allow")) as double:
        if mistake == "from the start again":
            run(double, folder / "first", resources)
        with pytest.raises((ProgramError, MissError)) as failed:
            run(double, folder / "second", resources)
    return str(failed.value)


def told(said: str, expected: list[str]) -> list[str]:
    """Of what is expected, what is not there."""
    return [fragment for fragment in [*expected, ALWAYS] if fragment not in said]


def program(resources: Resources) -> Callable[[], None]:
    """A Pulumi program with these resources."""
    import pulumi  # noqa: PLC0415 - slow to import

    def declare() -> None:
        for name, (type_, tags) in resources.items():
            type(name, (pulumi.CustomResource,), {})(f"cloud:index:{type_}", name, {"tags": tags})

    return declare


def under_pulumi(double: Double, folder: Path, resources: Resources) -> None:
    """One update by the real engine."""
    cli_of(double, folder).up(program(resources))


def embedded(double: Double, _: Path, resources: Resources) -> None:
    """One update by the embedded engine."""
    Stack(double).up(program(resources))


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("run", [under_pulumi, embedded])
@pytest.mark.parametrize(("mistake", "resources", "expected"), TABLE)
def test_under_pulumi(
    run: Callable[..., None], mistake: str, resources: Resources, expected: list[str], tmp_path: Path
) -> None:
    """Both Pulumi engines show all of what the cassette says."""
    with Double(*TYPES, provider=recording(path := tmp_path / "it.json", Wiring("cloud"))) as double:
        run(double, tmp_path / "recording", RECORDED)
    assert told(shown(mistake, run, tmp_path, path, resources), expected) == []


def named(engine: str, double: Double, folder: Path, stack: str) -> Any:
    """An engine with a stack of this name."""
    if engine == "embedded":
        return Stack(double, name=stack)
    serving = double.serve("pulumi")
    return PulumiCli(folder, lambda: serving.environment, doubles=[double], stack=stack)


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("engine", ["pulumi", "embedded"])
def test_another_stack(engine: str, tmp_path: Path) -> None:
    """A stack of another name is told both names, and to take the recorded one."""
    with Double(*TYPES, provider=recording(path := tmp_path / "it.json", Wiring("cloud"))) as double:
        named(engine, double, tmp_path / "one", "dev").up(program(RECORDED))
    with Double(provider=replaying(path)) as double, pytest.raises((ProgramError, MissError)) as failed:
        named(engine, double, tmp_path / "two", "prod").up(program(RECORDED))
    assert told(str(failed.value), ["for the stack 'dev'", "and this is 'prod'", "give them the recorded names"]) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("mistake", "resources", "expected"), TABLE)
def test_under_terraform(engine: str, mistake: str, resources: Resources, expected: list[str], tmp_path: Path) -> None:
    """Both Terraform engines show all of what the cassette says, and the resource with its line."""

    def run(double: Double, folder: Path, wanted: Resources) -> None:
        serving = double.serve("terraform")
        cli = Terraform(folder, lambda: serving.environment, binary=engine, doubles=[double])
        blocks = (
            f'resource "cloud_{type_.lower()}" "{name}" {{\n  tags = {json.dumps(tags)}\n}}'
            for name, (type_, tags) in wanted.items()
        )
        cli.write("\n".join(blocks))
        cli.apply()

    with Double(*TYPES, provider=recording(path := tmp_path / "it.json", Wiring("cloud"), "terraform")) as double:
        run(double, tmp_path / "recording", RECORDED)
    said = shown(mistake, run, tmp_path, path, resources)
    assert told(said, [*expected, "main.tf, line "]) == [], said
