"""Pulumi's diff as plain data: from a neutral plan, by the engine's own comparison, and with the engine's options applied.

Facts from the provider protocol: ``changes`` is authoritative; under SOME a replacement is wanted if ``replaces`` is not
empty or a detailed kind is a ``*_REPLACE``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct, field
from msgspec.structs import replace

from mockprovider import paths
from mockprovider.calls import ChangeKind, Plan, Reply
from mockprovider.errors import MalformedError
from mockprovider.values import Bag, Output, Secret, Value, same

INIT_ERROR = "#initerror"
"""The pseudo-path of initialization errors in ``replaceOnChanges``."""


class Changes(IntEnum):
    """Whether anything changes, if the provider knows (``DiffResponse.changes``)."""

    UNKNOWN = 0
    NONE = 1
    SOME = 2


class DiffKind(IntEnum):
    """``PropertyDiff.kind``: each odd number is the even one before it, with replacement."""

    ADD = 0
    ADD_REPLACE = 1
    DELETE = 2
    DELETE_REPLACE = 3
    UPDATE = 4
    UPDATE_REPLACE = 5

    @property
    def replaces(self) -> bool:
        """Whether this change forces a replacement."""
        return bool(self % 2)


KINDS: Mapping[ChangeKind, DiffKind] = {
    ChangeKind.ADD: DiffKind.ADD,
    ChangeKind.DELETE: DiffKind.DELETE,
    ChangeKind.UPDATE: DiffKind.UPDATE,
}
INVERSE: Mapping[int, DiffKind] = {
    DiffKind.ADD: DiffKind.DELETE,
    DiffKind.ADD_REPLACE: DiffKind.DELETE_REPLACE,
    DiffKind.DELETE: DiffKind.ADD,
    DiffKind.DELETE_REPLACE: DiffKind.ADD_REPLACE,
}


class Diff(Struct, frozen=True):
    """Pulumi's answer to Diff (``DiffResponse``) as data.

    ``diffs`` are top-level keys; ``detailed`` maps a property path to ``(kind, input_diff)`` and counts only with
    ``has_detailed``.
    """

    changes: int = Changes.UNKNOWN
    replaces: tuple[str, ...] = ()
    stables: tuple[str, ...] = ()
    delete_before_replace: bool = False
    diffs: tuple[str, ...] = ()
    detailed: Mapping[str, tuple[int, bool]] = field(default_factory=dict)
    has_detailed: bool = False

    @property
    def wants_replacement(self) -> bool:
        """Whether changes, if there are any, force a replacement."""
        detailed = self.has_detailed and any(kind % 2 for kind, _ in self.detailed.values())
        return bool(self.replaces) or detailed


def from_plan(plan: Plan) -> Diff:
    """The projection of a neutral plan; its paths refer to inputs on both sides."""
    if not plan.changes:
        return Diff(Changes.NONE, stables=plan.stable)
    detailed = {change.path: (int(KINDS[change.kind]) + change.replaces, True) for change in plan.changes}
    return Diff(
        Changes.SOME,
        replaces=_top_level(change.path for change in plan.changes if change.replaces),
        stables=plan.stable,
        delete_before_replace=plan.delete_before_replace,
        diffs=_top_level(detailed),
        detailed=detailed,
        has_detailed=True,
    )


def as_diff(reply: Reply) -> Diff:
    """The diff of ``reply``: the one decoded from the wire, else its plan's projection, else "unknown".

    With ``changes`` 0 in ``extra`` (an older provider) it is "unknown" with the plan's replacements and stable properties.
    """
    decoded = reply.extra.get("diff")
    if isinstance(decoded, Diff):
        return decoded
    if reply.plan is None:
        return Diff()
    diff = from_plan(reply.plan)
    if reply.extra.get("changes") == Changes.UNKNOWN:
        return Diff(replaces=diff.replaces, stables=diff.stables, delete_before_replace=diff.delete_before_replace)
    return diff


def compare(old: Bag, new: Bag) -> Diff:
    """The engine's own comparison of inputs, for a provider that answered "unknown". As in the real engine, a value that has
    become a secret, or is none any more, has changed.
    """
    detailed = {paths.show(path): (int(kind), True) for path, kind in _compare(old, new, ())}
    if not detailed:
        return Diff(Changes.NONE)
    return Diff(Changes.SOME, diffs=_top_level(detailed), detailed=detailed, has_detailed=True)


def resolved(diff: Diff, old_inputs: Bag, new_inputs: Bag) -> Diff:
    """``diff`` with "unknown" resolved by comparing inputs; the provider's other fields stay."""
    if diff.changes != Changes.UNKNOWN:
        return diff
    own = compare(old_inputs, new_inputs)
    if own.changes == Changes.NONE:
        return replace(diff, changes=Changes.NONE)
    return replace(diff, changes=Changes.SOME, diffs=own.diffs, detailed=own.detailed, has_detailed=True)


def invert(diff: Diff) -> Diff:
    """The inverse of ``diff``: additions become deletions and the other way round."""
    detailed = {path: (int(INVERSE.get(kind, kind)), inputs) for path, (kind, inputs) in diff.detailed.items()}
    return replace(diff, detailed=detailed)


def with_replace_on_changes(diff: Diff, patterns: Sequence[str], *, init_errors: bool) -> Diff:
    """``diff`` after the resource option ``replaceOnChanges``.

    Raises ``MalformedError`` for a pattern, or a key of the detailed diff, that is no property path.
    """
    if not patterns:
        return diff
    parsed = [paths.parse(pattern) for pattern in patterns]
    detailed = {
        path: (kind | 1, inputs) if _covered(parsed, paths.parse(path)) else (kind, inputs)
        for path, (kind, inputs) in diff.detailed.items()
    }
    replaces = dict.fromkeys(diff.replaces) | dict.fromkeys(key for key in diff.diffs if _covers_key(parsed, key))
    if init_errors and _covered(parsed, (INIT_ERROR,)):
        replaces[INIT_ERROR] = None
        return replace(diff, changes=Changes.SOME, replaces=tuple(replaces), detailed=detailed)
    return replace(diff, replaces=tuple(replaces), detailed=detailed)


def _covered(patterns: Iterable[paths.Path], path: paths.Path) -> bool:
    return any(paths.contains(pattern, path) for pattern in patterns)


def _covers_key(patterns: Iterable[paths.Path], key: str) -> bool:
    try:
        return _covered(patterns, paths.parse(key))
    except MalformedError:
        # No pattern matches a key that is no path; the engine ignores such a key, too.
        return False


def _top_level(changed: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(segments[0]) for segments in map(paths.parse, changed) if segments))


def _compare(old: Value, new: Value, path: paths.Path) -> Iterator[tuple[paths.Path, DiffKind]]:
    if isinstance(old, Secret) or isinstance(new, Secret):
        both = isinstance(old, Secret) and isinstance(new, Secret)
        if not both or any(_compare(_bare(old), _bare(new), ())):
            yield path, DiffKind.UPDATE
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from _compare_item(old.get(key), new.get(key), (*path, key))
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        for index in range(max(len(old), len(new))):
            was, now = (side[index] if index < len(side) else None for side in (old, new))
            yield from _compare_item(was, now, (*path, index))
    elif not same(old, new):
        yield path, DiffKind.UPDATE


def _compare_item(old: Value, new: Value, path: paths.Path) -> Iterator[tuple[paths.Path, DiffKind]]:
    if old is None and new is None:
        return
    if old is None:
        yield path, DiffKind.ADD
    elif new is None:
        yield path, DiffKind.DELETE
    else:
        yield from _compare(old, new, path)


def _bare(value: Value) -> Value:
    while isinstance(value, (Secret, Output)):
        value = value.value
    return value
