"""Real Terraform providers whose values are hard to keep: recorded, and replayed three times with no provider anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept_terraform import module_plan, module_state
from terraform_stage import Seen, lived, said

from mockprovider import tape
from mockprovider.double import Double, real, recording, replaying
from mockprovider.drivers.terraform import Terraform

TIMES = 3

KEEPERS = """
resource "random_password" "p" {
  length  = 20
  keepers = { env = "dev", app = "shop", tier = "web" }
}
resource "random_id" "i" {
  count       = 3
  byte_length = 4
  keepers     = { env = "dev", app = "shop", tier = "web", zone = "a", rack = "7" }
}
resource "random_pet" "after" {
  keepers = { id = random_id.i[1].hex, app = "shop", tier = "web" }
}
"""


def led(*configurations: str) -> Callable[[Terraform], Seen]:
    """A life: each configuration is planned, applied and found to need nothing more; then all is destroyed."""

    def life(cli: Terraform) -> Seen:
        seen: Seen = []
        for configuration in configurations:
            cli.write(configuration)
            seen += [module_plan(cli.plan().plan), module_state(cli.apply_plan().state)]
            assert cli.plan().exit_code == 0
        return [*seen, module_state(cli.destroy().state)]

    return life


def recorded(provider: str, binary: str, path: Path, life: Callable[[Terraform], Seen]) -> Seen:
    """What is seen of a life with the real provider, while it is recorded."""
    wiring = real([f"terraform-provider-{provider}"], "terraform")
    return lived(binary, Double(provider=recording(path, wiring, "terraform")), path.parent / "live", life)


def replayed(binary: str, path: Path, life: Callable[[Terraform], Seen]) -> list[Seen]:
    """What is seen of the same life with the cassette alone, each time anew."""
    return [lived(binary, Double(provider=replaying(path)), path.parent / f"replayed-{time}", life) for time in range(TIMES)]


def trees(path: Path) -> str:
    """All messages of a cassette but the schemas, as text."""
    cassette = tape.load(path)
    return json.dumps([[each.request, each.response] for each in cassette.interactions if each.op != "get_schema"])


def test_maps_of_several_keys_are_data(binary: str, tmp_path: Path) -> None:
    """A provider that sends a map's keys in any order is recorded as data: secrets in it are seen, equal objects told apart."""
    path, life = tmp_path / "keepers.json", led(KEEPERS)
    live = recorded("random", binary, path, life)
    assert "$msgpack" not in trees(path)
    assert not [each for each in tape.load(path).interactions if each.withheld]
    assert _unordered(replayed(binary, path, life)) == _unordered([live] * TIMES)


def _unordered(lives: list[Seen]) -> list[Any]:
    """Of each life the last state before the destroy, equal objects in the order of their values."""
    return [
        {
            each["type"]: sorted(json.dumps(found["attributes"]["id"]) for found in each["instances"])
            for each in life[-2]["resources"]
        }
        for life in lives
    ]


PREFIXED = """
resource "random_pet" "p" {
  length = 2
}
resource "random_string" "s" {
  length  = 8
  keepers = { name = "WORD-${random_pet.p.id}", env = "dev" }
}
"""


def test_what_is_known_of_an_unknown_is_data(binary: str, tmp_path: Path) -> None:
    """A text that is known to begin with a word before it is known is compared and shown by that word."""
    path, life = tmp_path / "prefixed.json", led(PREFIXED.replace("WORD", "TEP"))
    live = recorded("random", binary, path, life)
    assert '{"$unknown": {"null": false, "prefix": "TEP-"}}' in trees(path)
    assert replayed(binary, path, life) == [live] * TIMES
    with Double(provider=replaying(path)) as double:
        serving = double.serve("terraform")
        cli = Terraform(tmp_path / "other", lambda: serving.environment, binary=binary)
        cli.write(PREFIXED.replace("WORD", "PET"))
        refused = said(cli.plan(expect_failure=True))
    assert 'prefix: recorded "TEP-", now "PET-"' in refused
