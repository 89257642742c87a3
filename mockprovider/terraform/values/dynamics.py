"""Dynamic values keep the type that they have in the request.

A dynamic value is sent with its type, and for Terraform a list differs from a tuple of the same elements. A Python list in a
bag may be either. So an answer's dynamic value gets the type of the equal value at the same path in the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from mockprovider.terraform.values import statejson
from mockprovider.terraform.values.packing import Dynamic, dynamic_in
from mockprovider.terraform.values.types import DYNAMIC, Type
from mockprovider.values import Unknown, Value, same

Hints: TypeAlias = Mapping[str, "list[Dynamic]"]
"""The dynamic values of a request, by path."""


Source: TypeAlias = tuple[Any, bool]
"""A source of hints: an unpacked DynamicValue or parsed state JSON, and whether it is JSON."""


def hints(sources: Iterable[Source], declared: Type) -> Hints:
    """All dynamic values in ``sources``, which are of the type ``declared``."""
    by_path: dict[str, list[Dynamic]] = {}
    for raw, is_json in sources:
        for path, dynamic in _dynamic_values(raw, declared, "", _of_json if is_json else _of_msgpack):
            by_path.setdefault(path, []).append(dynamic)
    return by_path


def typed(value: Value, declared: Type, known: Hints, path: str = "") -> Value:
    """``value``, a ``declared``, with its dynamic values typed like the equal ones in ``known``."""
    if declared.name == "dynamic":
        return next((dynamic for dynamic in known.get(path, ()) if same(dynamic.value, value)), value)
    if isinstance(value, Mapping):
        # A null has a type, too, and is not in a bag.
        whole = {**dict.fromkeys(declared.attributes), **value}
        return {key: _inside(part, declared, known, key, path) for key, part in whole.items()}
    if isinstance(value, (list, tuple)):
        return [typed(element, declared.element, known, f"{path}[{index}]") for index, element in enumerate(value)]
    return value


def _inside(value: Value, declared: Type, known: Hints, key: str, path: str) -> Value:
    return typed(value, declared.attributes.get(key, declared.element), known, f"{path}.{key}")


def _dynamic_values(raw: Any, declared: Type, path: str, read: Callable[[Any, str], Dynamic]) -> Iterator[tuple[str, Dynamic]]:
    if raw is None or isinstance(raw, Unknown):
        return
    if declared.name == "dynamic":
        yield path, read(raw, path)
    elif isinstance(raw, dict):
        for key, part in raw.items():
            inside = declared.attributes.get(key, declared.items)
            if inside is not None:
                yield from _dynamic_values(part, inside, f"{path}.{key}", read)
    elif isinstance(raw, list) and declared.items is not None:
        for index, part in enumerate(raw):
            yield from _dynamic_values(part, declared.items, f"{path}[{index}]", read)


def _of_msgpack(raw: Any, path: str) -> Dynamic:
    return dynamic_in(raw, DYNAMIC, path.removeprefix("."))


def _of_json(raw: Any, path: str) -> Dynamic:
    declared = statejson.type_in_json(raw)
    return Dynamic(declared, statejson.decode_json(raw.get("value"), declared, path))
