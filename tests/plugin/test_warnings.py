"""Tests that pass and hardly test what they say."""

from __future__ import annotations

import pytest

UNFIRED = """
    from cloud import program

    def test(provider, pulumi_stack):
        {rule}
        pulumi_stack.{operation}(program)
    """


@pytest.mark.parametrize(
    ("rule", "operation", "said"),
    [
        (
            "provider.faults.on.create('cloud:index:Bukcet').partial()",
            "up",
            "no such create was asked for; of the nearest, the type is 'cloud:index:Bucket', not 'cloud:index:Bukcet'.",
        ),
        (
            "provider.faults.on.create(name='lgos').partial()",
            "up",
            "no such create was asked for; of the nearest, the name is 'logs', not 'lgos'.",
        ),
        ("provider.faults.on.create('cloud:index:Bucket')", "up", "it was given no fault, such as .error()."),
        ("provider.faults.on.create().partial()", "preview", "it fits previews alone, in which nothing is done."),
        ("provider.faults.on.update().partial()", "up", "no update was asked for."),
    ],
)
def test_a_fault_that_never_fires(run, rule, operation, said):
    """A test whose fault never fired fails, with the reason and the nearest call."""
    result = run(UNFIRED.format(rule=rule, operation=operation))

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*passed without its faults, so it tests something else:", f"  Rule(*, fired 0 of 1) never fired: {said}"]
    )


@pytest.mark.parametrize(
    "line",
    [
        "provider.faults.on.create().partial()",
        "provider.faults.on.update().partial(); provider.faults.clear()",
    ],
)
def test_nothing_to_warn_of(run, line):
    """A fault that fired, and one that was taken back, are no reason to fail."""
    result = run(
        f"""
        from cloud import program

        def test(provider, pulumi_stack):
            {line}
            pulumi_stack.up(program, expect_failure=bool(provider.faults.rules))
        """
    )

    result.assert_outcomes(passed=1, warnings=0)


def test_a_fault_that_may_be_left_unfired(run):
    """A fault that is optional, or that chance decides about, may be left unfired."""
    rules = "provider.faults.on.update().partial().optional(); provider.faults.on.delete().error().sometimes(0.5)"
    run(UNFIRED.format(rule=rules, operation="up")).assert_outcomes(passed=1)


def test_a_marker_that_nothing_heeds(run):
    """A test that is marked with a cassette itself, and uses no double of ours, is warned of; one in a marked module is not."""
    source = "import pytest\n{}def test(): pass"
    marked = run(source.format("@pytest.mark.cassette\n"), "-W", "default")
    beside = run(source.format("pytestmark = pytest.mark.cassette\n"))

    marked.stdout.fnmatch_lines(["*MockProviderWarning: Marked with a cassette, and uses no fixture of mockprovider's."])
    beside.assert_outcomes(passed=1, warnings=0)
