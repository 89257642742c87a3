"""All providers of a configuration in one cassette: equal objects of one of them, and what the others made of these."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from terraform_stage import ENGINES

from mockprovider.double import Double, Wiring, joint_environment, real, recording_all, replaying_all
from mockprovider.drivers.terraform import Terraform

NAMES = ("random", "local", "null")
MODULE = """
resource "random_id" "i" {
  count       = 5
  byte_length = 4
}
resource "local_file" "f" {
  count    = 5
  filename = "${random_id.i[count.index].hex}.${count.index}"
  content  = "x"
}
resource "null_resource" "n" {
  count    = 5
  triggers = { of = random_id.i[count.index].hex }
}
"""
Attributes = Mapping[str, dict[str, Any]]


def live() -> dict[str, Wiring]:
    """The real providers."""
    return {name: real([f"terraform-provider-{name}"]) for name in NAMES}


def lived(wirings: Mapping[str, Wiring], folder: Path, binary: str, parallelism: int | None = None) -> Attributes:
    """Apply, look again, destroy, in an empty folder: the attributes of each resource, by its address."""
    shutil.rmtree(folder, ignore_errors=True)
    with ExitStack() as ending:
        doubles = [ending.enter_context(Double(provider=wiring)) for wiring in wirings.values()]
        servings = [double.serve("terraform") for double in doubles]
        cli = Terraform(folder, lambda: joint_environment(*servings), binary=binary, doubles=doubles, parallelism=parallelism)
        cli.write(MODULE)
        state = cli.apply().state
        assert cli.plan().exit_code == 0
        assert cli.destroy().summary == {"remove": 15}
        for double in doubles:
            double.raise_errors()
    return {
        f"{resource['type']}[{instance['index_key']}]": instance["attributes"]
        for resource in state["resources"]
        for instance in resource["instances"]
    }


def in_order(attributes: Attributes) -> Attributes:
    """The same with the random values in ascending order: which object has which does not count."""
    ids = sorted((attributes[f"random_id[{n}]"] for n in range(5)), key=lambda one: str(one["hex"]))
    triggers = sorted((attributes[f"null_resource[{n}]"] for n in range(5)), key=lambda one: str(one["triggers"]["of"]))
    ordered = {**attributes}
    for n in range(5):
        file = attributes[f"local_file[{n}]"]
        assert file["filename"] == f"{attributes[f'random_id[{n}]']['hex']}.{n}"
        assert attributes[f"null_resource[{n}]"]["triggers"]["of"] == attributes[f"random_id[{n}]"]["hex"]
        ordered[f"local_file[{n}]"] = {**file, "filename": ""}
        ordered[f"random_id[{n}]"], ordered[f"null_resource[{n}]"] = ids[n], triggers[n]
    return ordered


def only(binary: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, nothing but the engine is on ``PATH``."""
    engine = shutil.which(binary)
    assert engine is not None
    folder.mkdir()
    (folder / binary).symlink_to(engine)
    monkeypatch.setenv("PATH", str(folder))
    assert not any(shutil.which(f"terraform-provider-{name}") for name in NAMES)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_dependents_of_other_providers_by_index(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five equal objects with dependents of two other providers: serially each has what it had, and in parallel each of the
    dependents belongs to its own object, with no provider present.
    """
    cassette = tmp_path / "all.json"
    folder = tmp_path / "module"
    recorded = lived(recording_all(cassette, live()), folder, binary)
    only(binary, tmp_path / "bin", monkeypatch)

    for _ in range(5):
        assert lived(replaying_all(cassette), folder, binary) == recorded
    for _ in range(5):
        assert in_order(lived(replaying_all(cassette), folder, binary, parallelism=10)) == in_order(recorded)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_recorded_in_parallel(binary: str, tmp_path: Path) -> None:
    """What was recorded without addresses, in parallel and compact, replays as well, serially and in parallel."""
    cassette = tmp_path / "all.json"
    folder = tmp_path / "module"
    recorded = lived(recording_all(cassette, live(), compact=True), folder, binary, parallelism=10)
    for parallelism in (None, 10, 10):
        assert in_order(lived(replaying_all(cassette), folder, binary, parallelism)) == in_order(recorded)
