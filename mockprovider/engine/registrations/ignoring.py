"""The resource option ``ignoreChanges``: the old input is copied over the new one, path by path, before the provider sees
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

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
        path = parsed(text)
        if path:
            effective, followed = _reset(old_inputs, effective, path, _Secrecy())
            if not followed:
                refused.append(text)
    return effective, tuple(refused)


def parsed(text: str) -> Path:
    """The path that ``text`` says; an empty one where it is malformed."""
    try:
        return parse(text)
    except MalformedError:
        return ()


class _Secrecy(Struct, frozen=True):
    """Whether what is looked at stands inside of a secret: what was, and what is wanted."""

    old: bool = False
    new: bool = False

    def kept(self, value: Value) -> Value:
        """An old value where it is set: still a secret, unless all around it is one."""
        return Secret(value) if self.old and not self.new and not isinstance(value, Secret) else value


def _reset(old: Value, new: Value, path: Path, secrecy: _Secrecy) -> Change:
    if isinstance(new, Secret):
        inner, followed = _reset(old, new.value, path, _Secrecy(secrecy.old, new=True))
        return Secret(inner), followed
    secrecy = _Secrecy(secrecy.old or isinstance(old, Secret), secrecy.new)
    old = unwrap(old)
    if path[0] == WILDCARD:
        return _reset_every(old, new, path[1:], secrecy)
    if isinstance(path[0], int):
        return _reset_index(old, new, path[0], path[1:], secrecy)
    return _reset_key(old, new, path[0], path[1:], secrecy)


def _reset_key(old: Value, new: Value, key: str, rest: Path, secrecy: _Secrecy) -> Change:
    if not rest:
        return _reset_last_key(old, new, key, secrecy)
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new, not isinstance(old, Mapping) and not isinstance(new, Mapping)
    if key not in new:
        return new, key not in old
    # What the old side lacks altogether is taken out of the new one at the end of the path.
    inner, followed = _reset(old.get(key), new[key], rest, secrecy)
    return {**new, key: inner}, followed


def _reset_last_key(old: Value, new: Value, key: str, secrecy: _Secrecy) -> Change:
    known = isinstance(old, Mapping) and key in old
    if not isinstance(new, Mapping):
        return new, not known
    if known:
        return {**new, key: secrecy.kept(old[key])}, True
    return {name: value for name, value in new.items() if name != key}, True


def _reset_index(old: Value, new: Value, index: int, rest: Path, secrecy: _Secrecy) -> Change:
    if index < 0:
        return new, False
    lists = [isinstance(value, (list, tuple)) for value in (old, new)]
    if not all(lists):
        return new, not any(lists)
    within = [index < len(value) for value in (old, new)]
    if not all(within):
        return new, not rest and not any(within)
    inner, followed = _reset(old[index], new[index], rest, secrecy) if rest else (secrecy.kept(old[index]), True)
    return [inner if position == index else item for position, item in enumerate(new)], followed


def _reset_every(old: Value, new: Value, rest: Path, secrecy: _Secrecy) -> Change:
    if isinstance(new, Mapping):
        return _reset_every_key(old, new, rest, secrecy)
    if not isinstance(new, (list, tuple)):
        return new, False
    if not isinstance(old, (list, tuple)):
        return new, not rest
    pairs = [
        _reset(was, item, rest, secrecy) if rest else (secrecy.kept(was), True) for was, item in zip(old, new, strict=False)
    ]
    reset = [inner for inner, _ in pairs] + list(new[len(pairs) :])
    return reset, len(old) == len(new) and all(followed for _, followed in pairs)


def _reset_every_key(old: Value, new: Mapping[str, Value], rest: Path, secrecy: _Secrecy) -> Change:
    if not isinstance(old, Mapping):
        return new, not rest
    if not rest:
        return {key: secrecy.kept(value) for key, value in old.items()}, True
    shared = {key: _reset(old[key], new[key], rest, secrecy) for key in old if key in new}
    # What only the new side has is no obstacle, unlike in a list.
    followed = all(complete for _, complete in shared.values()) and old.keys() <= new.keys()
    return {**new, **{key: inner for key, (inner, _) in shared.items()}}, followed
