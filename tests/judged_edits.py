"""Edits of objects of real providers: what the provider plans, and what a harvested types file plans without it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from msgspec import Struct

from mockprovider import from_plugin
from mockprovider.double import Double
from mockprovider.fake.definitions import dump, load
from mockprovider.terraform.judging.asking import Asking, Judgement, Lived
from mockprovider.terraform.judging.harvest import harvest
from mockprovider.terraform.judging.trying import Trying
from mockprovider.values import has_unknown, same

NAMES = ("random", "null", "local", "time", "tls")


UNHELD = frozenset({"rotationRfc3339"})
"""What the provider plans otherwise than it was configured: time_rotating works it out anew, which no types file can say."""


class Edit(Struct):
    """One edit, and the two verdicts on it."""

    type: str
    before: dict[str, Any]
    after: dict[str, Any]
    real: Judgement
    harvested: Judgement

    @property
    def agrees(self) -> bool:
        """Whether both come to the same, and plan the same for what both know."""
        return self.real.action == self.harvested.action and not {*self.differing} - UNHELD

    @property
    def differing(self) -> list[str]:
        """The properties that a program can set, and of which the two plan different values."""
        if self.real.plan is None or self.harvested.plan is None or self.real.action != self.harvested.action:
            return []
        one, other = self.real.plan.planned, self.harvested.plan.planned
        settable = {*self.before, *self.after}
        known = (name for name in settable if not has_unknown(one.get(name)) and not has_unknown(other.get(name)))
        return [name for name in known if not same(one.get(name), other.get(name))]

    def __str__(self) -> str:
        what = f"{self.real.action}, and the file says {self.harvested.action} {self.differing or ''}"
        return f"{self.type}: {self.before} -> {self.after}: {what} {self.real.failures} {self.harvested.failures}"


TWINS = frozenset({"number"})
"""Deprecated names whose values the real provider takes from those of another one (``numeric``), which no file can say."""


class Sampler:
    """Samples edits of the types of one real provider, from values that it accepts."""

    def __init__(self, name: str) -> None:
        executable = shutil.which(f"terraform-provider-{name}")
        if executable is None:
            pytest.skip(f"no terraform-provider-{name} on PATH; tools/build-engines builds it")
        self.package = from_plugin(executable)
        judge = self.package.judge
        self._types = {}
        text = json.dumps(dump([harvest(judge)]))
        (self.file,) = load(text)
        self.double = Double(self.file)
        for declared in self.package.resources.values():
            asking = Asking(judge.answer, self.package, declared, judge.major)
            harvested = Asking(self.double, self.file, self.file.resources[declared.token], judge.major)
            self._types[declared.terraform] = (Trying(asking, declared), asking, harvested)

    def close(self) -> None:
        """End the provider."""
        self.double.close()
        self.package.judge.close()

    def edit(self, chance: Random) -> Edit:
        """One edit of one object that the real provider accepts, before and after."""
        name = chance.choice(sorted(self._types))
        trying, asking, harvested = self._types[name]
        while True:
            before = self._changed(trying, dict(trying.base or {}), chance, chance.randrange(4))
            verdict = trying.accepted(before)
            after = self._changed(trying, dict(before), chance, chance.randrange(1, 3))
            if verdict is None or not trying.accepted(after):
                continue
            lived = asking.made(verdict)
            real = asking.change(lived, after)
            return Edit(name, before, after, real, harvested.change(Lived(lived.id, lived.bag, b""), after))

    @staticmethod
    def _changed(trying: Trying, inputs: dict[str, Any], chance: Random, count: int) -> dict[str, Any]:
        """Inputs with some values set to others that are accepted by themselves, or left out."""
        paths = [path for path in trying.paths() if trying.good(path) and path[0] not in TWINS]
        for path in chance.sample(paths, min(count, len(paths))):
            if chance.random() < 0.25 and not trying.inputs[path[0]].required:
                inputs.pop(path[0], None)
            else:
                inputs[path[0]] = chance.choice(trying.good(path))[path[0]]
        return inputs


@contextmanager
def sampler(name: str) -> Iterator[Sampler]:
    """A sampler for as long as the block lasts."""
    sampler = Sampler(name)
    try:
        yield sampler
    finally:
        sampler.close()
