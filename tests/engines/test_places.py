"""Decisions about places under the real engines: public values in declared places, masks, and names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pytest
from engine_toolbox import cli_of

from mockprovider import Double, Property, ResourceType, Stack, recording, replaying
from mockprovider.cassette.decided import OPENLY
from mockprovider.double import Wiring, attached
from mockprovider.drivers.terraform import Terraform
from mockprovider.pulumi.generations import Generation
from mockprovider.tape import load
from mockprovider.values import Secret

QUEUE = ResourceType("cloud:index:Queue", {"name": str, "url": Property(str, computed="https://queues.example/{id}/{name}")})
PARAMETER = ResourceType("cloud:index:Parameter", {"value": Property(str, secret=True), "password": Property(str, secret=True)})
POLICY = ResourceType("cloud:index:Policy", {"queue": str, "text": str, "at": str})
TYPES = (QUEUE, PARAMETER, POLICY)

HEAD = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
CONFIGURATION = """
variable "at" { type = string }
variable "password" { type = string }
resource "cloud_queue" "q" { name = "jobs" }
resource "cloud_parameter" "p" {
  value    = cloud_queue.q.url
  password = var.password
}
resource "cloud_policy" "a" {
  queue = cloud_queue.q.url
  text  = jsonencode({ resource = cloud_queue.q.url, parameter = cloud_parameter.p.id })
  at    = var.at
}
"""
TERRAFORMS = [
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]


@contextmanager
def behind(family: str) -> Iterator[Wiring]:
    """A provider of these types, of which the double that records knows nothing."""
    with Double(*TYPES) as theirs:
        yield attached(theirs.serve(family).address, family, name="cloud")


def life(double: Double, folder: Path, binary: str, at: str, password: str) -> dict[str, Any]:
    """Apply, look that nothing is left to do, and destroy. What the state had in between, by resource."""
    serving = double.serve("terraform")
    engine = Terraform(folder, lambda: serving.environment, binary=binary, variables={"at": at, "password": password})
    engine.write(HEAD + CONFIGURATION)
    engine.apply()
    assert engine.plan().exit_code == 0
    state = {one["type"]: one["instances"][0]["attributes"] for one in engine.state()["resources"]}
    engine.destroy()
    double.raise_errors()
    return state


@pytest.mark.parametrize("binary", TERRAFORMS)
@pytest.mark.parametrize(
    ("decided", "undecided"),
    [({}, {"cloud_parameter": ["value"]}), ({"public": ["cloud_parameter.value"]}, {}), ({"secrets": ["value"]}, {})],
    ids=["undecided", "public", "secret"],
)
def test_a_public_value_in_a_declared_place(binary: str, decided: Any, undecided: Any, tmp_path: Path) -> None:
    """A queue's URL in a sensitive attribute replays, whatever is decided: it is the queue's URL, or a stand-in everywhere."""
    path = tmp_path / "it.json"
    with behind("terraform") as provider, Double(provider=recording(path, provider, masks=["at"], **decided)) as double:
        live = life(double, tmp_path / "live", binary, "monday", "hunter2-very-secret")
    assert load(path).header.undecided == undecided
    text = path.read_text()
    assert ("hunter2" in text, live["cloud_queue"]["url"] in text) == (False, "secrets" not in decided)

    with Double(provider=replaying(path)) as double:
        again = life(double, tmp_path / "again", binary, "tuesday", "another-password-9")
    url = again["cloud_queue"]["url"]
    assert (url == live["cloud_queue"]["url"]) is ("secrets" not in decided)
    assert again["cloud_parameter"] == {**live["cloud_parameter"], "value": url, "password": "another-password-9"}
    assert (again["cloud_policy"]["queue"], again["cloud_policy"]["at"]) == (url, "tuesday")
    assert url in again["cloud_policy"]["text"]


def program(password: str) -> Callable[[], None]:
    """One parameter with a secret."""

    def declare() -> None:
        pulumi.CustomResource(PARAMETER.token, "p", {"password": pulumi.Output.secret(password)})

    return declare


@pytest.mark.pulumi_cli
def test_a_provider_that_accepts_no_secrets_under_pulumi(tmp_path: Path) -> None:
    """The real pulumi marks nothing for such a provider, which is told; named, its secret is gone, and both engines replay."""
    path = tmp_path / "it.json"
    for secrets in ((), ("cloud:index:Parameter.password",)):
        fake = Double(ResourceType(PARAMETER.token, {"password": str}), generation=Generation(name="open", secrets=False))
        with fake as theirs:
            wiring = recording(path, attached(theirs.serve().address, name="cloud"), secrets=secrets)
            with Double(provider=wiring) as double:
                cli_of(double, tmp_path / f"live-{len(secrets)}").up(program("hunter2-very-secret"))
            assert (wiring.recorder and wiring.recorder.notices) == ([] if secrets else [OPENLY])
            assert ("hunter2" in path.read_text()) is not bool(secrets)

    with Double(provider=replaying(path), name="cloud") as double:
        replayed = cli_of(double, tmp_path / "pulumi").up(program("another-password-9"))
        double.raise_errors()
    assert replayed.summary.get("create", 0) >= 1
    with Double(provider=replaying(path), name="cloud") as double:
        assert Stack(double).up(program("another-password-9")).state["p"].outputs["password"] == Secret("another-password-9")
        double.raise_errors()
