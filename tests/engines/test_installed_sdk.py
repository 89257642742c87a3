"""A package that was read from a real SDK, under programs that use that SDK."""

from __future__ import annotations

import pulumi
import pulumi_random
import pytest

from mockprovider import Double, Stack, from_sdk
from mockprovider.values import Secret

pytestmark = pytest.mark.pulumi_cli

SERVED = (from_sdk("pulumi_random"),)
PASSWORD = "random:index/randomPassword:RandomPassword"


def program() -> None:
    """What people write with this SDK."""
    pet = pulumi_random.RandomPet("pet", length=2, keepers={"of": "x"})
    word = pulumi_random.RandomPassword("password", length=12, min_lower=3)
    pulumi_random.RandomShuffle("order", inputs=["a", "b"], result_count=1)
    pulumi.export("pet", pet.id)
    pulumi.export("length", word.length)
    pulumi.export("password", word.result)


def test_a_program_of_the_sdk_runs_under_both_engines(cli, double, tmp_path) -> None:
    """The embedded engine and the real one make the same objects, and what the SDK calls secret is secret."""
    with Double(*SERVED, strict=True) as other:
        stack = Stack(other)
        embedded = stack.up(program)
        assert stack.up(program).summary == {}
    double.strict = True
    real = cli.up(program)
    assert real.summary == embedded.summary == {"create": 3}
    assert real.outputs["length"] == embedded.outputs["length"] == 12
    assert isinstance(embedded.state["password"].outputs["result"], Secret)
    assert real.outputs["password"] not in str(cli.export(show_secrets=False))
    assert cli.up(program).summary == {}
    assert cli.destroy().summary == {"delete": 3}
    assert double.cloud.objects(PASSWORD) == []


def test_what_the_sdk_does_not_declare_is_refused(cli, double) -> None:
    """A property of the wrong kind fails in Check, with the reason that the SDK's types give."""

    def wrong() -> None:
        pulumi_random.RandomPet("pet", length="two")  # type: ignore[arg-type]

    failed = cli.up(wrong, expect_failure=True)
    assert "expected integer" in str(failed)
