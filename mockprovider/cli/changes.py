"""Values and their changes as lines, as users of ``pulumi`` read them: keys in columns, ``+`` ``-`` ``~``, nothing secret."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.cli.cassette.screen import cut, printable
from mockprovider.values import Archive, Asset, Output, ResourceReference, Secret, Unknown, Value, same

INDENT = "    "
MISSING: Any = object()
"""The value of a property on the side that does not have it."""


class ChangeLine(Struct, frozen=True):
    """A line: how deep it is, what stands before it (``+``, ``-``, ``~`` or a space), and its text."""

    depth: int
    mark: str
    text: str

    def __str__(self) -> str:
        return (f"{(INDENT * self.depth)[:-2]}{self.mark} {self.text}" if self.depth else self.text).rstrip()


def listed(bag: Mapping[str, Value], depth: int = 1, mark: str = " ") -> list[ChangeLine]:
    """All properties of a bag, in the order of their names."""
    return [line for lead, value in _in_columns(bag) for line in _whole(lead, value, mark, depth)]


def differences(old: Mapping[str, Value], new: Mapping[str, Value], depth: int = 1, *, all_: bool = False) -> list[ChangeLine]:
    """The properties that differ between two bags; with ``all_`` also those that do not."""
    return list(_compared(old, new, depth, all_=all_))


def names_of_differences(old: Mapping[str, Value], new: Mapping[str, Value]) -> str:
    """The names of the properties that differ, in short: ``+added-deleted~changed,another``."""
    by_mark: dict[str, list[str]] = {"+": [], "-": [], "~": []}
    for name in sorted({*old, *new}):
        if name not in old:
            by_mark["+"].append(name)
        elif name not in new:
            by_mark["-"].append(name)
        elif not same(old[name], new[name]):
            by_mark["~"].append(name)
    return "".join(mark + ",".join(names) for mark, names in by_mark.items() if names)


def _compared(old: Mapping[str, Value], new: Mapping[str, Value], depth: int, *, all_: bool) -> Iterator[ChangeLine]:
    names = [name for name in sorted({*old, *new}) if all_ or not _alike(old.get(name, MISSING), new.get(name, MISSING))]
    width = max(map(len, names), default=0)
    for name in names:
        yield from _change(f"{name.ljust(width)}: ", old.get(name, MISSING), new.get(name, MISSING), depth)


def _alike(old: Value, new: Value) -> bool:
    return old is not MISSING and new is not MISSING and same(old, new)


def _change(lead: str, old: Value, new: Value, depth: int) -> Iterator[ChangeLine]:
    if old is MISSING:
        yield from _whole(lead, new, "+", depth)
    elif new is MISSING:
        yield from _whole(lead, old, "-", depth)
    elif same(old, new):
        yield from _whole(lead, new, " ", depth)
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield ChangeLine(depth, "~", f"{lead}{{")
        yield from _compared(old, new, depth + 1, all_=False)
        yield ChangeLine(depth, " ", "}")
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        yield ChangeLine(depth, "~", f"{lead}[")
        for index in range(max(len(old), len(new))):
            before, now = (side[index] if index < len(side) else MISSING for side in (old, new))
            if not _alike(before, now):
                yield from _change(f"[{index}]: ", before, now, depth + 1)
        yield ChangeLine(depth, " ", "]")
    elif _is_short(old) and _is_short(new):
        yield ChangeLine(depth, "~", f"{lead}{_short(old)} => {_short(new)}")
    else:
        yield from _whole(lead, old, "-", depth)
        yield from _whole(lead, new, "+", depth)


def _whole(lead: str, value: Value, mark: str, depth: int) -> Iterator[ChangeLine]:
    if _is_short(value):
        yield ChangeLine(depth, mark, lead + _short(value))
        return
    if isinstance(value, Mapping):
        opening, closing, items = "{", "}", _in_columns(value)
    elif isinstance(value, (list, tuple)):
        opening, closing, items = "[", "]", [(f"[{index}]: ", item) for index, item in enumerate(value)]
    else:
        opening, closing, items = f"archive(assets:{value.hash[:7]}) {{", "}", _in_columns(value.assets or {})
    yield ChangeLine(depth, mark, lead + opening)
    for inner, item in items:
        yield from _whole(inner, item, mark, depth + 1)
    yield ChangeLine(depth, mark if mark == "-" else " ", closing)


def _in_columns(bag: Mapping[str, Value]) -> list[tuple[str, Value]]:
    width = max(map(len, bag), default=0)
    return [(f"{printable(name).ljust(width)}: ", bag[name]) for name in sorted(bag)]


def _is_short(value: Value) -> bool:
    if isinstance(value, (Mapping, list, tuple)):
        return not value
    return not (isinstance(value, Archive) and value.assets)


def _short(value: Value) -> str:
    if isinstance(value, Output):
        value = Secret(value.value) if value.secret else value.value
    for kinds, text in SHORT:
        if isinstance(value, kinds):
            return text(value)
    return printable(cut(json.dumps(value, ensure_ascii=False, default=repr)))


def _file(value: Asset | Archive) -> str:
    what = "asset" if isinstance(value, Asset) else "archive"
    kind, where = next(
        ((kind, place) for kind, place in (("file", value.path), ("uri", value.uri)) if place is not None), ("text", None)
    )
    return f"{what}({kind}:{value.hash[:7]}) {{ {'<contents elided>' if where is None else printable(where)} }}"


SHORT: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (Secret, lambda _: "[secret]"),
    (Unknown, lambda _: "[unknown]"),
    (type(None), lambda _: "<null>"),
    ((Asset, Archive), _file),
    (ResourceReference, lambda value: json.dumps(value.urn)),
    (Mapping, lambda _: "{}"),
    ((list, tuple), lambda _: "[]"),
    (float, lambda value: str(int(value)) if value.is_integer() else str(value)),
)
"""How values of one line are shown, by their kinds."""
