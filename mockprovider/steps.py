"""Steps: what a create or an update consists of, so that it can be broken in the middle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean


class Step(Struct, frozen=True):
    """One step of making an object: its name, and what it fills. Properties of no step are there from the first on."""

    name: str
    fills: tuple[str, ...] = ()


def check_steps(token: str, properties: Collection[str], steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps. Raises ``DefinitionError`` for two of one name, and for one that fills what the type does not have."""
    checked = tuple(steps)
    for step in checked:
        if not isinstance(step, Step) or not step.name:
            raise DefinitionError(f"{token}: {step!r} is no step. Write Step('allocate', fills=['address']).")
        for name in step.fills:
            if name not in properties:
                hint = did_you_mean(name, properties, "Its properties are")
                raise DefinitionError(f"{token}: the step {step.name!r} fills {name!r}, which the type does not have. {hint}")
    names = [step.name for step in checked]
    if len(set(names)) < len(names):
        raise DefinitionError(f"{token}: two steps have one name; there are {', '.join(names)}. Give each a name of its own.")
    return checked


def unfilled(steps: Sequence[Step], done: int) -> frozenset[str]:
    """The properties that are not filled yet after the first ``done`` steps."""
    return frozenset(name for step in steps[done:] for name in step.fills) - {
        name for step in steps[:done] for name in step.fills
    }
