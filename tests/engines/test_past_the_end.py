"""Past the end of a cassette under real engines: recordings of real providers go on with a fake."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from live_stage import MODULE, live, lived, of_type, run
from terraform_stage import ENGINES

from mockprovider.double import recording_all, replaying_all

by_engine = pytest.mark.parametrize("engine", ENGINES)
CHANGED = """
resource "random_id" "i" {
  count       = 3
  byte_length = 4
}
resource "random_password" "p" {
  length = 20
}
resource "null_resource" "n" {
  triggers = { of = random_id.i[0].hex, word = random_password.p.result, more = "x" }
}
resource "random_pet" "new" {
  length = 3
}
resource "null_resource" "of_new" {
  triggers = { pet = random_pet.new.id }
}
"""


@pytest.fixture
def path(engine, tmp_path):
    """A recorded life of two ids, a password, and what is made of them."""
    wirings = {name: wiring for name, wiring in live().items() if name != "local"}
    lived(engine, tmp_path / "recorded", recording_all(tmp_path / "it.json", wirings), MODULE.format(ids=2))
    return tmp_path / "it.json"


def words(resources: list[dict[str, Any]]) -> list[str]:
    return [instance["attributes"]["result"] for instance in of_type(resources, "random_password")[0]]


def fakes(path: Path) -> Mapping[str, Any]:
    return replaying_all(path, beyond="fake", unplayed="allow")


@by_engine
def test_a_configuration_goes_on(engine, path, tmp_path):
    """After a recorded apply, one that adds, changes and destroys leaves an empty plan, and its destroy leaves nothing."""
    with run(engine, tmp_path / "past", fakes(path)) as (terraform, doubles):
        terraform.write(MODULE.format(ids=2))
        first = terraform.apply().state["resources"]
        assert [double.made_up for double in doubles] == [[], []]
        terraform.write(CHANGED)
        second = terraform.apply().state["resources"]
        assert terraform.plan().exit_code == 0
        known = [instance["attributes"]["hex"] for instance in of_type(first, "random_id")[0]]
        assert [instance["attributes"]["hex"] for instance in of_type(second, "random_id")[0]][:2] == known
        assert words(first) == words(second)
        made_up = {double.name: double.made_up for double in doubles}
        assert {line.partition(" ")[0] for line in made_up["random"]} >= {"plan", "create"}
        terraform.destroy()
        for double in doubles:
            double.raise_errors()
            assert double.cloud.objects() == []


@by_engine
def test_a_configuration_that_was_never_recorded(engine, path, tmp_path):
    """A configuration of which nothing was recorded but the types is applied, planned and destroyed."""
    with run(engine, tmp_path / "past", fakes(path)) as (terraform, doubles):
        terraform.write('resource "random_pet" "p" {\n  length = 3\n}\nresource "null_resource" "n" {}\n')
        terraform.apply()
        assert terraform.plan().exit_code == 0
        terraform.destroy()
        for double in doubles:
            double.raise_errors()


@by_engine
def test_the_secret_is_the_one_that_the_replay_gave_out(engine, path, tmp_path):
    """A password of the replay stands in what is made up of it, and is masked in what is kept of the run."""
    with run(engine, tmp_path / "past", fakes(path)) as (terraform, doubles):
        terraform.write(CHANGED)
        state = terraform.apply().state["resources"]
        word = words(state)[0]
        assert word in str(of_type(state, "null_resource"))
        assert word not in path.read_text()
        for double in doubles:
            double.raise_errors()
