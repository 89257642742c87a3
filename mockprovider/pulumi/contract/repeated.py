"""What a provider answered before to the same question, or about the same object, as rules about several answers need it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from mockprovider.calls import Call, Reply
from mockprovider.paths import Path, show
from mockprovider.pulumi.diff import Diff
from mockprovider.values import Bag, Unknown, Value, is_unknown, reveal, same

CHECKED = 4
"""So many of the latest answers to Check of one resource are compared with what is checked again."""


class CheckedInputs(Struct, frozen=True):
    """An answer to Check: who was asked, what the program said, and the inputs that became of it."""

    instance: str
    news: Bag
    inputs: Bag


class MadeState(Struct, frozen=True):
    """What a create or an update made: of which inputs, by which provider instance."""

    instance: str
    inputs: Bag
    outputs: Bag


class PreviewedState(Struct, frozen=True):
    """What a preview said that would become of inputs and an old state."""

    inputs: Bag
    prior: Bag | None
    outputs: Bag
    id: str


class Repeated(Struct):
    """Answers about the same resources.

    Args:
        checks: those to Check, by URN, the newest one last.
        previews: those to previews of Create and Update that nothing has overtaken, by URN and id.
        diffs: those to Diff that call something stable, with the inputs that were asked about, by URN and id.
        states: what the latest of Create and Update made, by type and id.
    """

    checks: dict[str, list[CheckedInputs]] = field(default_factory=lambda: defaultdict(list))
    previews: dict[tuple[str, str], PreviewedState] = field(default_factory=dict)
    diffs: dict[tuple[str, str], tuple[Bag, Diff]] = field(default_factory=dict)
    states: dict[tuple[str, str], MadeState] = field(default_factory=dict)

    def check(self, call: Call, inputs: Bag) -> None:
        """A check has been answered."""
        checks = self.checks[call.urn]
        checks.append(CheckedInputs(call.session.instance, call.inputs or {}, inputs))
        del checks[:-CHECKED]

    def compare(self, call: Call, diff: Diff) -> None:
        """A diff has been answered."""
        if diff.stables:
            self.diffs[call.urn, call.id] = (call.inputs or {}, diff)

    def delete(self, call: Call, reply: Reply) -> None:
        """A delete has been answered."""
        self.previews.pop((call.urn, call.id), None)
        if reply.ok:
            self.states.pop((call.type, call.id), None)

    def change(self, call: Call, reply: Reply) -> None:
        """A create or an update has been answered."""
        if call.preview:
            if reply.ok and reply.value is not None:
                self.previews[call.urn, call.id] = PreviewedState(call.inputs or {}, call.prior, reply.value, reply.id)
            return
        self.previews.pop((call.urn, call.id), None)
        self.diffs.pop((call.urn, call.id), None)
        key = (call.type, call.id or reply.id)
        self.states.pop(key, None)
        if reply.ok and reply.value is not None:
            self.states[key] = MadeState(call.session.instance, call.inputs or {}, reply.value)


def contradicted(said: Value, there: Value, path: Path = ()) -> Iterator[str]:
    """Each path at which something known was said, and something else is there. What was left out was left unknown."""
    said, there = _inner(said), _inner(there)
    if said is there or said is None or isinstance(said, Unknown):
        return
    if isinstance(said, Mapping) and isinstance(there, Mapping):
        for key, value in said.items():
            yield from contradicted(value, there.get(key), (*path, key))
    elif isinstance(said, list) and isinstance(there, list) and len(said) == len(there):
        for index, (one, other) in enumerate(zip(said, there, strict=True)):
            yield from contradicted(one, other, (*path, index))
    elif not same(said, there):
        yield show(path)


def _inner(value: Value) -> Value:
    return value if isinstance(value, (Mapping, list)) else UNKNOWN if is_unknown(value) else reveal(value)


UNKNOWN = Unknown()
