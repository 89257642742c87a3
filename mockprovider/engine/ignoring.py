"""The resource option ``ignoreChanges``: the old input is copied over the new one, path by path, before the provider sees
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockprovider.errors import MalformedError
from mockprovider.paths import WILDCARD, Path, parse, unwrap
from mockprovider.values import Bag, Secret, Value

Change = tuple[Value, bool]
"""The new value after the copy, and whether the path could be followed."""


def with_ignored(inputs: Bag, old_inputs: Bag, ignored: Sequence[str]) -> tuple[dict[str, Value], tuple[str, ...]]:
    """``inputs`` with what ``ignored`` names set back to ``old_inputs``, and the paths that could not be ignored.

    Malformed paths are skipped, as in the real engine. A list is neither grown nor shrunk through an ignored element.
    """
    effective: Value = dict(inputs)
    refused = []
    for text in ignored:
        path = _parsed(text)
        if path:
            effective, followed = _reset(old_inputs, effective, path)
            if not followed:
                refused.append(text)
    return effective, tuple(refused)


def _parsed(text: str) -> Path:
    try:
        return parse(text)
    except MalformedError:
        return ()


def _reset(old: Value, new: Value, path: Path) -> Change:
    if isinstance(new, Secret):
        inner, followed = _reset(old, new.value, path)
        return Secret(inner), followed
    old = unwrap(old)
    if path[0] == WILDCARD:
        return _reset_every(old, new, path[1:])
    if isinstance(path[0], int):
        return _reset_index(old, new, path[0], path[1:])
    return _reset_key(old, new, path[0], path[1:])


def _reset_key(old: Value, new: Value, key: str, rest: Path) -> Change:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new, not isinstance(old, Mapping) and not isinstance(new, Mapping)
    if rest:
        if key not in old or key not in new:
            return new, key not in old and key not in new
        inner, followed = _reset(old[key], new[key], rest)
        return {**new, key: inner}, followed
    if key in old:
        return {**new, key: old[key]}, True
    return {name: value for name, value in new.items() if name != key}, True


def _reset_index(old: Value, new: Value, index: int, rest: Path) -> Change:
    if index < 0:
        return new, False
    lists = [isinstance(value, (list, tuple)) for value in (old, new)]
    if not all(lists):
        return new, not any(lists)
    within = [index < len(value) for value in (old, new)]
    if not all(within):
        return new, not rest and not any(within)
    inner, followed = _reset(old[index], new[index], rest) if rest else (old[index], True)
    return [inner if position == index else item for position, item in enumerate(new)], followed


def _reset_every(old: Value, new: Value, rest: Path) -> Change:
    if isinstance(new, Mapping):
        return _reset_every_key(old, new, rest)
    if not isinstance(new, (list, tuple)):
        return new, False
    if not isinstance(old, (list, tuple)):
        return new, not rest
    pairs = [_reset(was, item, rest) if rest else (was, True) for was, item in zip(old, new, strict=False)]
    reset = [inner for inner, _ in pairs] + list(new[len(pairs) :])
    return reset, len(old) == len(new) and all(followed for _, followed in pairs)


def _reset_every_key(old: Value, new: Mapping[str, Value], rest: Path) -> Change:
    if not isinstance(old, Mapping):
        return new, not rest
    if not rest:
        return dict(old), True
    shared = {key: _reset(old[key], new[key], rest) for key in old if key in new}
    followed = all(complete for _, complete in shared.values()) and old.keys() == new.keys()
    return {**new, **{key: inner for key, (inner, _) in shared.items()}}, followed
