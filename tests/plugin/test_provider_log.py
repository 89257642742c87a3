"""What a provider logs is shown with the test that failed."""

from __future__ import annotations

import pytest
from plugin_toolbox import WITHOUT

FAILING = """
import pulumi
from mockprovider import Component


class Site(pulumi.ComponentResource):
    def __init__(self):
        super().__init__("cloud:index:Site", "home", {}, remote=True)


def test_it(provider, pulumi_stack):
    provider.define(Component("cloud:index:Site", construct=lambda site: site.log("laying the foundation")))
    pulumi_stack.up(lambda: Site() and None)
    assert False
"""


def test_what_a_provider_logs_is_shown_with_a_failed_test(pytester: pytest.Pytester) -> None:
    """A line of a provider's log stands in the section of captured logs of the test that failed."""
    pytester.makepyfile(FAILING)
    result = pytester.runpytest_subprocess(*WITHOUT)
    result.stdout.fnmatch_lines(["*Captured log call*", "INFO*mockprovider.provider*laying the foundation"])
