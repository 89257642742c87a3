"""Programs by chance under both Pulumi engines, against equal fakes: what each asks, does, says and remembers is the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine_toolbox
import hypothesis
import pulumi
import pytest
from both_engines import Both, UnanswerableError
from differential import Story
from differential_drawing import THEMES, stories
from transform_toolbox import adding

from mockprovider.pulumi.stacks.imports import Import

pytestmark = pytest.mark.pulumi_cli

NAMES: dict[str, Any] = {**vars(pulumi), **vars(engine_toolbox), "pulumi": pulumi, "adding": adding, "Import": Import}
"""What a case's test knows; in a module it has to import that."""

ATTEMPTS = 5
"""How often a case has to differ before it is a difference."""

PATIENCE = 60.0
"""Seconds after which an operation of the real engine is taken to hang, as some do; one of these programs takes two."""

SETTINGS = hypothesis.settings(
    # The first example is always the smallest one, which is passed over; the other is the case.
    max_examples=2,
    deadline=None,
    database=None,
    report_multiple_bugs=False,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.generate],
)
SHRINKING = hypothesis.settings(SETTINGS, phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink])
"""For trials: a case that differs is made as small as it can be in five minutes."""


def play(story: Story, folder: Path) -> None:
    """Run a case under both engines. A failure notes the test to paste, up to where the engines differ."""
    pairs: list[Both] = []

    def make_both(**options: Any) -> Both:
        pairs.append(Both(folder, **options))
        pairs[0].cli.timeout = PATIENCE
        return pairs[0]

    names = dict(NAMES)
    exec(story.source(), names)
    try:
        names["test_found"](make_both)
    except UnanswerableError:
        hypothesis.reject()
    except Exception:
        hypothesis.note(story.source([ended for both in pairs for ended in both.ended], whole=False))
        raise
    finally:
        for both in pairs:
            both.close()


def case(theme: str, seed: int, settings: hypothesis.settings, new_folder: Callable[[], Path]) -> None:
    """Play the case of this seed; one that differs is played again, several times.

    Where the real engine goes through one of Go's maps, it does another thing each time, and ours does one of them: of two
    deletions in one batch, say, either may be the one that fails first.
    """

    @hypothesis.seed(seed)
    @settings
    @hypothesis.given(stories(THEMES[theme]))
    def differ(story: Story) -> None:
        if story.is_smallest:
            return
        for attempt in range(ATTEMPTS):
            try:
                play(story, new_folder())
            except AssertionError:
                if attempt == ATTEMPTS - 1:
                    raise
            else:
                return

    differ()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.trial("programs-under-both-engines", pinned=1, cases=84)
def test_programs(theme, seeds, tmp_path, request):
    """Programs in several versions, with options that meet each other, failures, drift and limits, are the same to both."""
    settings = SHRINKING if request.config.getoption("trials") else SETTINGS
    folders = (tmp_path / str(number) for number in range(10_000))
    for seed in seeds:
        case(theme, seed, settings, lambda: next(folders))
