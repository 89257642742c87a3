"""Property paths: ``spec.rules[0]["a.b"]``, the text that engines and providers use to point into a value.

The grammar is what the engine's parser does, oddities included: a bare name runs to the next ``.`` or ``[``, dots may double
(``a..b``) or stand before a bracket (``a.[0]``), a name may follow a bracket (``a[0]b``), an empty path is the whole value. A
path is a tuple of keys (``str``) and indices (``int``). ``"*"`` is a wildcard to ``contains`` and ``matches``, and an ordinary
key to the others, as in the engine, whose ``["*"]`` and ``[*]`` are one. Wrappers (``Secret``, ``Output``) are walked through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from mockprovider.errors import MalformedError
from mockprovider.values import Output, Secret, Value

WILDCARD: Final = "*"
Path: TypeAlias = tuple[str | int, ...]

NAME = re.compile(r"[^.\[]+")
QUOTED = re.compile(r'\["((?:\\"|[^"])*+)"')
INDEX = re.compile(r"\[([^\]]*)\]")
INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
PLAIN_KEY = re.compile(r"[A-Za-z0-9_]+")
INDICES = range(-(2**63), 2**63)
"""What the parser's 64 bits hold. Negative ones parse, and lead nowhere."""


def parse(text: str) -> Path:
    """The path that ``text`` spells.

    Raises:
        MalformedError: with the column at which the text stops being a path.
    """
    if PLAIN_KEY.fullmatch(text):
        return (text,)
    path: list[str | int] = []
    at = 0
    while at < len(text):
        if text[at] == ".":
            if at in (0, len(text) - 1):
                raise _malformed(text, at, "a path starts and ends with a name or an index")
            at += 1
        else:
            match = NAME.match(text, at)
            segment, at = (match.group(), match.end()) if match else _bracket(text, at)
            path.append(segment)
    return tuple(path)


def show(path: Path) -> str:
    """The text of ``path``, as the engine writes it; ``parse(show(path)) == path``.

    An empty key and one that ends in a backslash the engine writes so that no parser reads them back. Here they are spelled
    readably, but for one that ends in a backslash and holds a ``.`` or ``[``: only quotes can be escaped, so there is none.
    """
    return "".join([_segment(segment, first=not position) for position, segment in enumerate(path)])


def get(value: Value, path: Path, default: Value = None) -> Value:
    """What stands in ``value`` at ``path``, with its own wrappers; ``default`` where nothing stands there."""
    for segment in path:
        value = unwrap(value)
        if not _holds(value, segment):
            return default
        value = value[segment]
    return value


def has(value: Value, path: Path) -> bool:
    """Whether anything, ``None`` included, stands in ``value`` at ``path``."""
    return get(value, path, _MISSING) is not _MISSING


def set_(value: Value, path: Path, new: Value) -> Value:
    """``value`` with ``new`` at ``path``; a new value, wrappers on the way kept. A key may be new, all above it must be there.

    Raises:
        MalformedError: the path does not lead anywhere in ``value``.
    """
    if not path:
        return new
    _check_parent(value, path)
    return _changed(value, path, lambda parent, segment: _replaced(parent, segment, new))


def delete(value: Value, path: Path) -> Value:
    """``value`` without what stands at ``path``; a list element becomes ``None``, so that the others keep their places.

    As in the engine, a key that is absent already is no error.

    Raises:
        MalformedError: the path does not lead anywhere in ``value``, or is empty.
    """
    if not path:
        raise MalformedError("The empty path is the whole value, which cannot be deleted from itself.")
    _check_parent(value, path)
    return _changed(value, path, _without)


def contains(outer: Path, inner: Path) -> bool:
    """Whether ``outer`` covers ``inner``: it is its beginning, segment by segment, and ``*`` in ``outer`` stands for any."""
    return len(outer) <= len(inner) and all(
        one == WILDCARD or (one == other and type(one) is type(other)) for one, other in zip(outer, inner, strict=False)
    )


def matches(value: Value, path: Path) -> list[Path]:
    """The paths that exist in ``value`` and that ``path`` stands for, ``*`` being every key or index there."""
    reached: list[tuple[Path, Value]] = [((), value)]
    for segment in path:
        reached = [((*at, step), unwrap(inside)[step]) for at, inside in reached for step in _steps(inside, segment)]
    return [at for at, _ in reached]


def walk(value: Value, at: Path = ()) -> Iterator[tuple[Path, Value]]:
    """Every leaf of ``value`` with its path: what is neither list nor object, and empty lists and objects, wrappers kept."""
    inside = unwrap(value)
    steps = _steps(inside, WILDCARD)
    if not steps:
        yield at, value
    for step in steps:
        yield from walk(inside[step], (*at, step))


def unwrap(value: Value) -> Value:
    """``value`` without the ``Secret`` and ``Output`` wrappers around it; those inside stay."""
    while isinstance(value, (Secret, Output)):
        value = value.value
    return value


_MISSING: Final = object()


def _bracket(text: str, at: int) -> tuple[str | int, int]:
    if text.startswith('["', at):
        return _quoted(text, at)
    match = INDEX.match(text, at)
    if match is None:
        raise _malformed(text, at, "the bracket is not closed")
    index = match.group(1)
    if index == WILDCARD:
        return WILDCARD, match.end()
    if not INTEGER.fullmatch(index) or int(index) not in INDICES:
        raise _malformed(text, at, f'{index!r} is no index; a key in brackets is quoted: ["{index}"]')
    return int(index), match.end()


def _quoted(text: str, at: int) -> tuple[str, int]:
    match = QUOTED.match(text, at)
    if match is None:
        raise _malformed(text, at, "the quoted key is not closed")
    if not text.startswith("]", match.end()):
        raise _malformed(text, match.end(), "a closing bracket belongs here, right after the quoted key")
    return match.group(1).replace('\\"', '"'), match.end() + 1


def _malformed(text: str, at: int, why: str) -> MalformedError:
    return MalformedError(f'{text!r} is no property path: at column {at + 1}, {why}. Expected such as: spec.rules[0]["a.b"]')


def _segment(segment: str | int, *, first: bool) -> str:
    if isinstance(segment, int):
        return f"[{segment}]"
    bare = segment if first else f".{segment}"
    if PLAIN_KEY.fullmatch(segment):
        return bare
    # In quotes a last backslash would escape the closing quote, bare it is an ordinary character.
    if segment.endswith("\\") and NAME.fullmatch(segment):
        return bare
    escaped = segment.replace('"', '\\"')
    return f'["{escaped}"]'


def _holds(value: Value, segment: str | int) -> bool:
    if isinstance(value, Mapping):
        return isinstance(segment, str) and segment in value
    return isinstance(value, (list, tuple)) and isinstance(segment, int) and 0 <= segment < len(value)


def _steps(value: Value, segment: str | int) -> list[str | int]:
    """The keys or indices of ``value`` that ``segment`` stands for."""
    value = unwrap(value)
    if segment != WILDCARD:
        return [segment] if _holds(value, segment) else []
    if isinstance(value, Mapping):
        return list(value)
    return list(range(len(value))) if isinstance(value, (list, tuple)) else []


def _check_parent(value: Value, path: Path) -> None:
    """Raises ``MalformedError`` unless the last segment of ``path`` has a parent in ``value`` that can hold it."""
    parent = unwrap(get(value, path[:-1], _MISSING))
    if parent is _MISSING:
        reached = next(end for end in range(len(path)) if not has(value, path[: end + 1]))
        raise MalformedError(f"{show(path)!r} leads nowhere: there is nothing at {show(path[: reached + 1])!r}.")
    if isinstance(parent, Mapping) and isinstance(path[-1], str):
        return
    if not _holds(parent, path[-1]):
        where = repr(show(path[:-1])) if len(path) > 1 else "the value"
        raise MalformedError(f"{show(path)!r} leads nowhere: {where} is {_kind(parent)}.")


def _kind(value: Value) -> str:
    if isinstance(value, Mapping):
        return "an object"
    return f"a list of {len(value)}" if isinstance(value, (list, tuple)) else f"no list or object ({type(value).__name__})"


def _changed(value: Value, path: Path, change: Callable[[Value, str | int], Value]) -> Value:
    """``value`` rebuilt along ``path``, with ``change`` applied to the parent of the last segment."""
    if isinstance(value, Secret):
        return Secret(_changed(value.value, path, change))
    if isinstance(value, Output):
        return Output(_changed(value.value, path, change), value.secret, value.dependencies)
    first, *rest = path
    return _replaced(value, first, _changed(value[first], tuple(rest), change)) if rest else change(value, first)


def _replaced(parent: Value, segment: str | int, new: Value) -> Value:
    if isinstance(parent, Mapping):
        return {**parent, segment: new}
    return [new if index == segment else item for index, item in enumerate(parent)]


def _without(parent: Value, segment: str | int) -> Value:
    if isinstance(parent, Mapping):
        return {key: item for key, item in parent.items() if key != segment}
    return _replaced(parent, segment, None)
