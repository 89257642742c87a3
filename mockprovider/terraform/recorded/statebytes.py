"""The state files that engines and state stores send each other in chunks, as one tree.

A secret may begin in one chunk and end in the next, so chunks are joined before secrets are looked for. The tree has the file's
JSON, in which what the file itself calls sensitive is ``{"(sensitive)": value}``, and the size of the chunks. It comes back as
the file that Terraform writes of this JSON, cut into chunks of that size again: a secret of a replay may be longer.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec
from google.protobuf.message import Message

from mockprovider.errors import MalformedError
from mockprovider.terraform.recorded import trees
from mockprovider.wire.transcript import MESSAGES

Data: TypeAlias = Any
"""JSON data."""

STATE, CHUNK, META, COMPACT = "state", "chunk_size", "meta", "compact"
SENSITIVE, NUMBER = "(sensitive)", "(number)"
"""What stands around a value that the state calls sensitive, and around the digits of a number that no float holds."""
OURS = frozenset({SENSITIVE, NUMBER, "$unknown"})
BYTES, CHUNKS, SIZES = "$bytes", "$chunks", "sizes"

TOP = ("version", "terraform_version", "serial", "lineage", "outputs", "resources", "check_results")
OUTPUT = ("value", "type", "sensitive")
RESOURCE = ("module", "mode", "type", "name", "each", "provider", "instances")
INSTANCE = (
    *("index_key", "status", "deposed", "schema_version", "attributes", "attributes_flat", "sensitive_attributes"),
    *("identity_schema_version", "identity", "private", "dependencies", "create_before_destroy"),
)
CHECK = ("object_kind", "config_addr", "status", "objects")
CHECKED = ("object_addr", "status", "failure_messages")
"""Terraform writes the members of its own objects in these orders, and those of all others in the order of their names."""

NEW: Mapping[str, Data] = {"lineage": "00000000-0000-0000-0000-000000000000", "terraform_version": "1.11.0"}
"""What differs from run to run in a new state: requests are compared without it, and one that is asked again has this."""


def show(messages: Sequence[Message]) -> dict[str, Data]:
    """The tree of the messages of ReadStateBytes' answer, or of WriteStateBytes' request; ``build`` restores them."""
    tree = _joined(messages)
    if tree is not None and _frames(_cut(type(messages[0]), tree, b"".join(_parts(messages)))) == _frames(messages):
        return tree
    shown = [trees.tree(message) for message in messages]
    parts = _parts(messages)
    if sum(map(bool, parts)) < 2:
        return {MESSAGES: shown}
    # Chunks of another kind than Terraform's: the bytes stay as they are, and an answer with a secret in them is withheld.
    for message in shown:
        message.pop("bytes", None)
    return {MESSAGES: shown, SIZES: [*map(len, parts)], CHUNKS: b64encode(b"".join(parts)).decode()}


def build(tree: Mapping[str, Data], cls: type[Message]) -> list[Message]:
    """The messages of a tree. Raises ``MalformedError`` for a tree of no such messages."""
    if STATE in tree:
        return _cut(cls, tree, _written(tree))
    messages: list[Any] = [trees.build(message, cls) for message in tree[MESSAGES]]
    rest = b64decode(tree.get(CHUNKS, ""))
    for message, size in zip(messages, tree.get(SIZES, ()), strict=False):
        message.bytes, rest = rest[:size], rest[size:]
    return messages


def compared(tree: Mapping[str, Data]) -> dict[str, Data]:
    """The tree of a request without what differs from run to run."""
    return _with_state(tree, lambda state: {name: item for name, item in state.items() if name not in NEW})


def again(tree: Mapping[str, Data]) -> dict[str, Data]:
    """A tree from ``compared``, with all that a state has."""
    return _with_state(tree, lambda state: {**NEW, **state})


def _with_state(tree: Mapping[str, Data], change: Callable[[dict[str, Data]], dict[str, Data]]) -> dict[str, Data]:
    state = tree.get(STATE)
    if not isinstance(state, dict) or not isinstance(state.get("json"), dict):
        return dict(tree)
    return {**tree, STATE: {"json": change(state["json"])}}


# Chunks -----------------------------------------------------------------------------------------------------------------


def _parts(messages: Sequence[Any]) -> list[bytes]:
    return [message.bytes for message in messages]


def _frames(messages: Sequence[Any]) -> list[tuple[int, bytes]]:
    """All that the messages say beside the bytes of the state, and how many bytes each has."""
    frames = []
    for message in messages:
        frame = type(message)()
        frame.CopyFrom(message)
        frame.ClearField("bytes")
        frames.append((len(message.bytes), frame.SerializeToString(deterministic=True)))
    return frames


def _joined(messages: Sequence[Any]) -> dict[str, Data] | None:
    """The tree of the whole state; ``None`` where there is nothing of one."""
    data = b"".join(_parts(messages))
    if not data:
        return None
    tree: dict[str, Data] = {}
    if "meta" in messages[0].DESCRIPTOR.fields_by_name and messages[0].HasField("meta"):
        tree[META] = trees.tree(messages[0].meta)
    if len(messages) > 1:
        tree[CHUNK] = len(messages[0].bytes)
    tree[STATE] = _shown(data)
    if b"\n" not in data and data == _written({**tree, COMPACT: True}):
        tree[COMPACT] = True
    return tree


def _cut(cls: type[Message], tree: Mapping[str, Data], data: bytes) -> list[Message]:
    """The messages that bring ``data``."""
    size = max(1, int(tree.get(CHUNK) or len(data)))
    fields: Any = cls.DESCRIPTOR.fields_by_name
    messages: list[Any] = []
    for start in range(0, len(data), size):
        message: Any = cls(bytes=data[start : start + size], total_length=len(data))
        message.range.start, message.range.end = start, start + len(message.bytes) - 1
        messages.append(message)
    if META in tree and "meta" in fields:
        messages[0].meta.CopyFrom(trees.build(tree[META], type(messages[0].meta)))
    return messages


# States -----------------------------------------------------------------------------------------------------------------


def _shown(data: bytes) -> dict[str, Data]:
    """The state as data, with what it calls sensitive marked. What is no JSON object stays bytes."""
    try:
        state = json.loads(data, parse_float=_number, parse_int=_number, parse_constant=_refused, object_pairs_hook=_object)
    except UnreadableError:
        # It says what is sensitive, and where cannot be told: so all of it is.
        return {"json": {SENSITIVE: {BYTES: _base64(data)}}}
    except (ValueError, RecursionError):
        return {BYTES: _base64(data)}
    if not isinstance(state, dict):
        return {BYTES: _base64(data)}
    _mark(state)
    return {"json": state}


class UnreadableError(Exception):
    """JSON that data would not give back."""


def _number(digits: str) -> Data:
    with suppress(ValueError, OverflowError):
        number = int(digits) if digits.removeprefix("-").isdigit() else float(digits)
        if msgspec.json.encode(number) == digits.encode():
            return number
    return {NUMBER: digits}


def _refused(word: str) -> Data:
    raise UnreadableError(word)


def _object(pairs: list[tuple[str, Data]]) -> dict[str, Data]:
    members = dict(pairs)
    if len(members) != len(pairs) or not OURS.isdisjoint(members):
        raise UnreadableError
    return members


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _written(tree: Mapping[str, Data]) -> bytes:
    """The bytes of a state in a tree, as Terraform writes it. Raises ``MalformedError`` for what is none."""
    state = tree[STATE]
    shown: Any = state.get("json", state) if isinstance(state, dict) else None
    data = _unmarked(shown)
    if not isinstance(data, dict) or (shown is state and state.keys() != {BYTES}):
        raise MalformedError("A state is an object with 'json' or '$bytes'. Was the cassette edited by hand?")
    if data.keys() == {BYTES}:
        return b64decode(data[BYTES])
    if tree.get(COMPACT):
        return msgspec.json.encode(data, order="sorted")
    return _escape(msgspec.json.format(msgspec.json.encode(_arranged(data)), indent=2)) + b"\n"


ESCAPES = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026", "\u2028".encode(): b"\\u2028", "\u2029".encode(): b"\\u2029"}
"""What Go escapes in JSON, since it might stand in HTML."""


def _escape(text: bytes) -> bytes:
    for mark, escape in ESCAPES.items():
        text = text.replace(mark, escape)
    return text


def _unmarked(value: Data) -> Data:
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if not isinstance(value, dict):
        return value
    if SENSITIVE in value:
        return _unmarked(value[SENSITIVE])
    if NUMBER in value:
        return msgspec.Raw(str(value[NUMBER]).encode())
    return {key: _unmarked(item) for key, item in value.items()}


def _arranged(state: Data) -> Data:
    """The state with the members of each object in the order in which Terraform writes them."""
    top = _ordered(state, TOP)
    orders: Mapping[str, Sequence[str]] = {"resources": RESOURCE, "check_results": CHECK}
    for name, order in orders.items():
        if isinstance(top.get(name), list):
            top[name] = [_ordered(item, order) for item in top[name]]
    if isinstance(top.get("outputs"), dict):
        top["outputs"] = {name: _ordered(output, OUTPUT) for name, output in sorted(top["outputs"].items())}
    inner: Mapping[str, tuple[str, Sequence[str]]] = {
        "resources": ("instances", INSTANCE),
        "check_results": ("objects", CHECKED),
    }
    for part, (inside, order) in inner.items():
        for item in _objects(top.get(part)):
            if isinstance(item.get(inside), list):
                item[inside] = [_ordered(one, order) for one in item[inside]]
    return top


def _ordered(value: Data, order: Sequence[str]) -> Data:
    if not isinstance(value, dict):
        return _sorted(value)
    known = {name: _sorted(value[name]) for name in order if name in value}
    return known | {name: _sorted(value[name]) for name in sorted(value.keys() - known.keys())}


def _sorted(value: Data) -> Data:
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return {key: _sorted(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def _objects(value: Data) -> Iterator[dict[str, Data]]:
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


# What is sensitive --------------------------------------------------------------------------------------------------------


def _mark(state: dict[str, Data]) -> None:
    """Put the mark around each value that the state calls sensitive."""
    outputs = state.get("outputs")
    for output in _objects([*outputs.values()] if isinstance(outputs, dict) else None):
        if output.get("sensitive") is True and "value" in output:
            output["value"] = {SENSITIVE: output["value"]}
    for resource in _objects(state.get("resources")):
        for instance in _objects(resource.get("instances")):
            paths = instance.get("sensitive_attributes")
            for path in sorted(paths, key=len, reverse=True) if isinstance(paths, list) else ():
                _mark_at(instance, ["attributes", *_keys(path)])


def _keys(path: Data) -> list[Any]:
    """The keys of a path as a state file writes it: of ``get_attr`` a name, of ``index`` a key with its type."""
    keys = [step.get("value") for step in _objects(path)]
    return [key.get("value") if isinstance(key, dict) else key for key in keys]


def _mark_at(instance: dict[str, Data], keys: Sequence[Any]) -> None:
    """Put the mark at a path. Where it leads into a set, whose elements have no keys, the whole set is marked."""
    container: Any = instance
    at, *inside = keys
    for key in inside:
        value = container[at] if _holds(container, at) else None
        if not _holds(value, key):
            if isinstance(value, dict) and SENSITIVE not in value:
                return  # A map without this key has nothing to hide there.
            break
        container, at = value, key
    if _holds(container, at) and container[at] is not None:
        container[at] = {SENSITIVE: container[at]}


def _holds(container: Data, key: Any) -> bool:
    if isinstance(container, dict):
        return isinstance(key, str) and key in container
    return isinstance(container, list) and isinstance(key, int) and 0 <= key < len(container)
