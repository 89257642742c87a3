"""``cassette verify`` with the kept recordings of real providers, asked of the same providers today."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_cassettes import KEPT
from terraform_stage import ENGINES

from mockprovider.double.verifying import verify

SAME = ("terraform-null", "terraform-random-equal", "terraform-tls", "terraform-tls-equal")
"""Recordings in which nothing was changed by hand, and all that is made up looks like it."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SAME)
def test_a_real_provider_answers_as_recorded(engine: str, name: str, tmp_path: Path) -> None:
    """A real provider with other ids, keys, certificates and passwords answers each call as recorded, and leaves nothing."""
    kept = KEPT[name]
    verified = verify(kept.path(engine), kept.live(tmp_path).behind)
    assert [str(one) for one in verified.differing] == []
    assert (verified.left, verified.made_up > 0) == ([], True)


@pytest.mark.parametrize("engine", ENGINES)
def test_three_real_providers_differ_where_somebody_changed_a_file(engine: str, tmp_path: Path) -> None:
    """Of three providers that use each other's ids, only reads after the change by hand are answered differently."""
    kept = KEPT["terraform-together"]
    verified = verify(kept.path(engine), kept.live(tmp_path).behind)
    assert {(one.op, one.provider) for one in verified.differing} == {("read", "local")}
    assert [left.provider for left in verified.left] == ["local"]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_does_not_look_made_up_is_masked(engine: str, tmp_path: Path) -> None:
    """A shuffled list is a difference until it is masked."""
    kept = KEPT["terraform-random"]
    given = {"secrets": {4: "x5j2k9q1aaaa"}, "masks": ["random_shuffle.result", "random_password.length"]}
    verified = verify(kept.path(engine), kept.live(tmp_path).behind, **given)
    assert [str(one) for one in verified.differing] == []
