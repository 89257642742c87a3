"""Scenarios of section 13 of Pulumi's reference in which a read, a refresh or an import fails, by their numbers there.

All run under both engines but the command ``pulumi import``, which only the real one has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from both_engines import Both
from engine_toolbox import BUCKET, TYPES, Bucket, Existing, said
from pulumi import ResourceOptions

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli

pytestmark = pytest.mark.pulumi_cli

SERVED = TYPES


def buckets(*names: str) -> Callable[[], None]:
    """A program of buckets, each after the one before."""

    def program() -> None:
        for name in names:
            Bucket(name, acl="x")

    return program


# Reads and refreshes ---------------------------------------------------------------------------------------------------


def test_s36_a_read_of_what_is_not_there(both: Both) -> None:
    """A program's read that finds nothing fails the run and is not remembered; once it is there, it is read."""
    both.create(BUCKET, "one", acl="x")
    both.breaks(lambda on: on.read(id="one").absent())

    def program() -> None:
        Existing("found", "one")

    assert both.run("up", program, fails=True)["found"] == ["Read"]
    assert all("resource 'one' does not exist" in said for said in both.said())
    assert both.run("up", program)["found"] == ["Read"]


def test_s41_a_refresh_that_finds_an_object_half_made(both: Both) -> None:
    """It is a warning and no failure, the reasons are remembered, and the next up updates the object."""
    both.run("up", buckets("logs"))
    both.breaks(lambda on: on.read(name="logs").partial(reasons=["still starting"]))
    assert both.run("refresh")["logs"] == ["Read", "Diff"]
    for result in both.results:
        assert result.state["logs"].init_errors == ["still starting"]
        assert any(severity == "warning" and "still starting" in message for severity, message in said(result))
    assert both.run("up", buckets("logs"))["logs"] == ["Check", "Diff", "Update"]
    assert both.run("up", buckets("logs"))["logs"] == ["Check", "Diff"]


def test_s44_one_read_of_many_that_fails(both: Both) -> None:
    """What could not be read stays as it was remembered, and the others are as they were read."""
    both.run("up", buckets("one", "two", "three"))
    both.drift(BUCKET, acl="drifted")
    both.breaks(lambda on: on.read(name="two").error("no"))
    both.run("refresh", fails=True)
    for result in both.results:
        acls = {name: result.state[name].outputs["acl"] for name in ("one", "two", "three")}
        assert acls == {"one": "drifted", "two": "x", "three": "drifted"}
    both.run("refresh")


def test_s45_a_read_that_answers_no_id(both: Both) -> None:
    """An object that is read without an id counts as deleted, whatever else was answered."""
    both.run("up", buckets("logs"))
    both.breaks(lambda on: on.read(name="logs").altered(id=""))
    assert both.run("refresh")["logs"] == ["Read"]
    assert both.results[1].summary == {"delete": 1}


# Imports ---------------------------------------------------------------------------------------------------------------


def imported(id_: str, **properties: Any) -> Callable[[], None]:
    """A program that imports a bucket."""
    return lambda: Bucket("logs", ResourceOptions(import_=id_), **properties) and None


def test_s46_an_import_of_what_is_not_there(both: Both) -> None:
    """It fails the run, nothing is remembered, and nothing is made instead."""
    assert both.run("up", imported("nowhere", acl="x"), fails=True)["logs"] == ["Read"]
    assert all("'nowhere' does not exist" in said for said in both.said())
    assert both.objects() == [[], []]


def test_s46_an_import_of_what_is_another(both: Both) -> None:
    """The object is imported and then updated to what the program says; an update that fails leaves it imported."""
    both.create(BUCKET, "one", acl="x", arn="arn:one")
    both.breaks(lambda on: on.update(name="logs").error("no"))
    both.run("up", imported("one", acl="y"), fails=True)
    for result in both.results:
        assert result.state["logs"].outputs["acl"] == "x"
    assert both.run("up", imported("one", acl="y"))["logs"][-1] == "Update"
    assert [[found["acl"] for found in objects] for objects in both.objects()] == [["y"], ["y"]]


def test_s46_an_import_of_what_would_be_replaced(both: Both) -> None:
    """An object that would need to be replaced is not imported."""
    both.create(BUCKET, "one", acl="x", name="a", arn="arn:one")
    both.run("up", imported("one", acl="x", name="b"), fails=True)
    assert [[found["name"] for found in objects] for objects in both.objects()] == [["a"], ["a"]]


def test_s48_an_import_whose_check_fails(cli: PulumiCli, double: Double) -> None:
    """What Check has against an object is a warning of ``pulumi import``, and the object is imported all the same."""
    double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:there"})
    double.faults.on.check(name="logs").error("no such list", path="acl")
    result = cli.import_resource(BUCKET, "logs", "there", protect=False)
    assert result.summary == {"import": 1}
    assert any(severity == "warning" and "no such list" in message for severity, message in said(result))
    assert result.state["logs"].id == "there"
