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


SCHEMA = """
    import pulumi
    from mockprovider import from_schema

    BOX = "post:index:Box"
    BOXES = {"inputProperties": {"labels": {"type": "string"}}, "properties": {"labels": {"type": "string"}}}
    PACKAGE = from_schema({"name": "post", "resources": {BOX: BOXES}})

    def test(provider, pulumi_stack):
        provider.define(PACKAGE)
        provider.strict = STRICT
        pulumi_stack.up(lambda: pulumi.CustomResource(BOX, "b", {PROPERTY: "x"}), expect_failure=STRICT)
"""


@pytest.mark.parametrize(("strict", "warned"), [("False", 1), ("True", 0)])
def test_a_misspelt_property_of_a_declared_type(run, strict, warned):
    """A property that is almost a declared one warns, the engine's user too; a strict double refuses it instead."""
    result = run(SCHEMA.replace("STRICT", strict).replace("PROPERTY", '"label"'), "-W", "default")

    result.assert_outcomes(passed=1, warnings=warned)
    if warned:
        result.stdout.fnmatch_lines(["*MockProviderWarning: post:index:Box has no property 'label'. Did you mean 'labels'?*"])


def test_what_a_schema_cannot_check_is_said_once(run):
    """The last lines of a run name the packages of which a schema alone is known, once, with the page that tells more."""
    result = run(SCHEMA.replace("STRICT", "False").replace("PROPERTY", '"labels"') + "\n    test_again = test\n")

    result.assert_outcomes(passed=2)
    lines = [line for line in result.outlines if "only a schema is known" in line]
    assert len(lines) == 1
    assert "post (1)" in lines[0]
    assert "mockprovider docs answers#what-is-not-checked" in lines[0]
