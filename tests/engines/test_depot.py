"""The real provider of ``tools/engines/depot``: its list resource, its action and its state store, live, recorded and replayed.

No engine that tests can count on uses these yet: Terraform has list resources and actions from 1.14 on, and state stores as an
experiment. So the engine here is a client that asks what Terraform does.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from depot_stage import KEY, TOKEN, Engine, begin, chunks, engine, life, make, read, stamp, state_file, text_of

from mockprovider.double import Double, Wiring, real, recording, replaying
from mockprovider.drivers.terraform import Terraform
from mockprovider.terraform.process.plugin import reattach_environment

pytestmark = pytest.mark.terraform_cli


@pytest.fixture
def provider() -> Wiring:
    """The real provider; the test is skipped where the machine does not have it."""
    command = shutil.which("terraform-provider-depot")
    if command is None:
        pytest.skip("no terraform-provider-depot on PATH; tools/build-engines builds it")
    return real([command], "terraform")


@contextmanager
def asking(wiring: Wiring) -> Iterator[Engine]:
    """A client of a double, whose errors fail the test."""
    with Double(provider=wiring) as double, engine(double) as client:
        yield client
        double.raise_errors()


@pytest.mark.parametrize("chunk", [64, 1 << 20])
def test_a_life_with_the_real_provider(provider: Wiring, tmp_path: Path, chunk: int) -> None:
    """What the real provider answers is recorded without secrets, and replayed as equal messages without it."""
    cassette, folder = tmp_path / "depot.json", str(tmp_path / "live")
    with asking(recording(cassette, provider)) as client:
        seen = life(client, folder=folder, chunk=chunk)
    assert {rpc for rpc, _ in seen} >= {"ListResource", "InvokeAction", "ReadStateBytes", "WriteStateBytes", "LockState"}
    text = text_of(cassette)
    assert "stamp 1 of 1 on one" in text
    for secret in (KEY, TOKEN, KEY[:9], KEY[-9:]):
        assert secret not in text
    shutil.rmtree(folder)
    with asking(replaying(cassette)) as client:
        assert life(client, folder=folder, chunk=chunk) == seen


def test_a_large_state(provider: Wiring, tmp_path: Path) -> None:
    """A state of many chunks, in the size that Terraform takes, reaches the real provider and comes back, also replayed."""
    cassette, folder, size = tmp_path / "depot.json", str(tmp_path / "live"), 8 << 20
    state = state_file(more=["x" * 1000] * 9_000)
    answers: list[Any] = []
    for wiring in (lambda: recording(cassette, provider), lambda: replaying(cassette)):
        with asking(wiring()) as client:
            begin(client, folder, chunk=size)
            client.ask("WriteStateBytes", chunks(state, size))
            assert len(client.ask("ReadStateBytes", type_name="depot_store", state_id="default")) == 2
            answers.append(read(client))
    assert answers == [state, state]


def test_a_double_passes_it_on(provider: Wiring, tmp_path: Path) -> None:
    """Without a cassette a double stands between, and the real provider does what it is asked."""
    with asking(provider) as client:
        begin(client, str(tmp_path))
        box = make(client, "one")
        assert [event.WhichOneof("type") for event in stamp(client, box)] == ["progress", "completed"]
        client.ask("WriteStateBytes", chunks(state_file(3), 64))
    assert len([*(tmp_path / "stamps" / box).iterdir()]) == 1
    assert json.loads((tmp_path / "states-main" / "default").read_bytes())["serial"] == 3


CONFIGURATION = """
terraform {{
  required_providers {{
    depot = {{ source = "hashicorp/depot" }}
  }}
}}
provider "depot" {{
  folder = "{folder}"
}}
resource "depot_box" "one" {{
  name    = "one"
  content = "paper"
  key     = "{key}"
}}
action "depot_stamp" "seal" {{
  config {{
    box   = depot_box.one.id
    text  = "sealed"
    times = 2
  }}
}}
"""
QUERY = """
list "depot_box" "all" {
  provider         = depot
  include_resource = true
  config {
    prefix = "o"
  }
}
"""


def test_terraform_lists_and_invokes(provider: Wiring, tmp_path: Path) -> None:
    """A terraform that has list resources and actions uses those of the real provider, and those of its recording alike."""
    version = subprocess.run(["terraform", "version", "-json"], capture_output=True, check=True, cwd=tmp_path).stdout
    if [*map(int, json.loads(version)["terraform_version"].partition("-")[0].split("."))] < [1, 14]:
        pytest.skip("list resources and actions need terraform 1.14")
    cassette, folder = tmp_path / "depot.json", tmp_path / "live"
    seen = []
    for name, wiring in (("recorded", lambda: recording(cassette, provider)), ("replayed", lambda: replaying(cassette))):
        with Double(provider=wiring()) as double, double.serve("terraform", major=6) as serving:
            environment = reattach_environment({"registry.terraform.io/hashicorp/depot": serving.address}, 6)
            cli = Terraform(tmp_path / name, environment, binary="terraform")
            cli.write(CONFIGURATION.format(folder=folder, key=KEY))
            cli.write(QUERY, "look.tfquery.hcl")
            cli.apply()
            invoked = cli.command("apply", "-auto-approve", "-no-color", "-invoke=action.depot_stamp.seal").stdout
            listed = cli.command("query", "-no-color").stdout
            cli.destroy()
            double.raise_errors()
        seen.append(([line for line in invoked.splitlines() if " on one: " in line], listed.split()))
        shutil.rmtree(folder, ignore_errors=True)
    assert len(seen[0][0]) == 2
    assert "list.depot_box.all" in seen[0][1]
    assert seen[1] == seen[0]
    assert KEY not in text_of(cassette)
