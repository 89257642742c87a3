"""The line at the end of a run that counts the calls of cassettes."""

from __future__ import annotations

import pytest

TESTS = """
    import pytest
    from cloud import BUCKET, program

    @pytest.fixture(autouse=True)
    def defined(request, providers):
        if request.config.getoption("--provider-record"):
            for provider in providers.values():
                provider.define(BUCKET)

    @pytest.mark.cassette("one.json", name="cloud")
    def test_whole(provider, pulumi_stack):
        pulumi_stack.up(program)
        pulumi_stack.preview(program)
        pulumi_stack.destroy()

    @pytest.mark.cassette("one.json", name="cloud", unplayed="allow")
    def test_part(provider, pulumi_stack):
        pulumi_stack.up(program)
        pulumi_stack.preview(program)
        pulumi_stack.preview(program)

    def test_without(provider, pulumi_stack):
        pulumi_stack.up(program)
    """
RECORDED = "mockprovider cassettes: 20 recorded."
PLAYED = "mockprovider cassettes: 43 calls played (4 of them again), 1 never played."


@pytest.mark.parametrize("options", [[], ["-n", "2", "-p", "xdist"]], ids=["alone", "two workers"])
def test_calls_are_counted(run, options):
    """What was recorded, played, played again and never played is counted over all tests, whichever process ran them."""
    run(TESTS, "--provider-record=all", "-k", "whole").stdout.fnmatch_lines([RECORDED])
    run(TESTS, *options).stdout.fnmatch_lines([PLAYED])


def test_nothing_is_counted_where_no_cassette_is_used(run):
    """A run without a cassette has no such line."""
    run(TESTS, "-k", "without").stdout.no_fnmatch_line("*mockprovider cassettes*")
