"""Programs in YAML under the embedded engine, run by Pulumi's own language host."""

from __future__ import annotations

import re
import shutil

import pytest
from language_stage import PROGRAMS, SECONDS, cloud_package, kubernetes_package, random_package

from mockprovider import Double, Secret, Stack

pytestmark = pytest.mark.yaml_host


@pytest.fixture
def double(request):
    """The packages that the programs use, as fakes; the host is no engine, and asks for schemas alone."""
    with Double(random_package(request.config), kubernetes_package(request.config), cloud_package()) as double:
        yield double
        double.raise_errors()


@pytest.fixture
def at_hand(double, tmp_path):
    """Gives a stack for a program."""
    return lambda name: Stack(double, project=shutil.copytree(PROGRAMS / "yaml" / name, tmp_path / name), timeout=SECONDS)


def pets(result):
    assert result.outputs["greeting"] == f"hello, {result.outputs['name']}"
    assert result.state["pet"].inputs["length"] == 3
    assert result.secret_outputs == {"password"}


def network(result):
    assert (result.outputs["zone"], result.outputs["project"]) == ("zone-eu", "network")
    assert result.state["logs"].inputs["source"] == "10.0.0.0/16"
    assert "::elsewhere::" in result.state["copies"].provider


def guestbook(result):
    assert (result.outputs["replicas"], result.outputs["image"]) == (2, "nginx:1.27")
    assert result.outputs["settings"].startswith("shop-")
    assert all("::cluster::" in result.state[name].provider for name in ("shop", "settings", "web"))
    assert result.state["settings"].inputs["stringData"] == Secret({"token": "hush"})
    assert result.state["web"].custom_timeouts.create == 300


@pytest.mark.parametrize(("check", "created"), [(pets, 2), (network, 3), (guestbook, 3)], ids=["pets", "network", "guestbook"])
def test_life_of_a_program(at_hand, double, check, created):
    """A program is previewed, brought up, does nothing the second time, has nothing to refresh, and leaves nothing behind."""
    stack = at_hand(check.__name__)
    stack.config |= {"guestbook:token": Secret("hush")} if check is guestbook else {}
    assert stack.preview().summary["create"] == created
    check(stack.up())
    assert stack.up().summary == {}
    assert stack.refresh().summary == {}
    assert stack.destroy().summary["delete"] == created
    assert double.cloud.objects() == []


def test_a_program_with_mistakes(at_hand):
    """What the host finds wrong in a program is told, without the port that it had printed before."""
    failed = at_hand("broken").up(expect_failure=True)
    assert "Error: Property lenght does not exist" in str(failed.error)
    assert not re.search(r"^\s*\d+$", str(failed.error), re.M)


def test_a_resource_that_fails(at_hand, double):
    """What fails is told once: that the host cannot reach the monitor any more is no error of the program."""
    double.faults.on.create(name="logs").error("no")
    failed = at_hand("network").up(expect_failure=True)
    assert [diagnostic.message for diagnostic in failed.diagnostics if diagnostic.severity == "error"] == [
        "no",
        "update failed",
    ]
