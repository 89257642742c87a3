"""The embedded engine against the real CLI: transforms of resources, of components and of functions."""

from __future__ import annotations

import component_toolbox
import pulumi
import pytest
from engine_toolbox import Bucket
from transform_toolbox import adding, constructed, inheriting, invoking, nested, options

pytestmark = pytest.mark.pulumi_cli


@pytest.mark.parametrize("program", [nested, options, inheriting, invoking])
def test_programs_with_transforms(both, program):
    """What transforms make of inputs, options and arguments is the same, from the first preview to the last deletion."""
    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)
    assert both.results[0].outputs == both.results[1].outputs
    both.run("refresh")
    both.run("destroy")


def test_a_component_and_its_children(make_both):
    """The transforms of a component that its provider makes reach the children, which the provider registers."""
    both = make_both(package=component_toolbox.package)
    both.run("preview", constructed)
    both.run("up", constructed)
    both.run("up", constructed)
    both.run("destroy")


def test_a_transform_of_a_child_of_a_resource(both):
    """It is told the provider that the child has from its parent, and what it answers names that."""

    def program():
        parent = Bucket("parent")
        Bucket("child", pulumi.ResourceOptions(parent=parent, transforms=[adding("s")]))

    both.run("preview", program)
    both.run("up", program)
    both.run("destroy")


def test_a_transform_that_fails(both):
    """The program fails with what the transform raised, and nothing of that resource is made."""

    def transform(args):
        if args.name == "b":
            raise ValueError(f"no {args.name}")

    def program():
        pulumi.runtime.register_resource_transform(transform)
        Bucket("b")

    both.run("up", program, fails=True)
    for result in both.results:
        assert "no b" in str(result.error) or any("no b" in each.message for each in result.diagnostics)
