"""Messages that no engine would send: any fields, values that nearly fit, and bytes that were changed on their way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import msgpack

from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.pulumi.signatures import SIGNATURE
from mockprovider.schema import Child, Component, Function, Kind, Method, Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits

URN = "urn:pulumi:dev::shop::cloud:index:Thing::one"
RULE = Kind("object", properties={"port": Property(int), "open": Property(bool)})


def package() -> Package:
    """A package of everything that can be declared."""
    hostile = Package("cloud", config={"region": Property(str), "limits": Property(dict[str, int])})
    properties = {
        "name": Property(str, forces_new=True),
        "size": Property(int),
        "tags": Property(dict[str, str]),
        "ports": Property(list[int]),
        "rule": Property(RULE),
        "rules": Property(Kind("array", items=RULE)),
        "any": Property(Any),
        "pin": Property(str, secret=True),
        "arn": Property(str, computed="arn:{id}"),
    }
    hostile.add(
        ResourceType("cloud:index:Thing", properties, traits=[ResourceTraits(identity=("id", "name"))]),
        Component(
            "cloud:index:Site",
            inputs={"domain": Property(str, required=True)},
            outputs={"url": Property(str, computed="https://{domain}/")},
            children={"one": Child("cloud:index:Thing", {"name": "{domain}"})},
        ),
        Method("cloud:index:Thing/count", {"greeting": str}, {"text": "{greeting}"}),
        Function(
            "cloud:index:getZone", {"region": Property(str, required=True), "any": Property(Any)}, {"zone": "zone-{region}"}
        ),
        ProviderFunction(
            "cloud:index:join", {"first": str, "rest": Property(Any)}, implementation=lambda *_: "joined", variadic="rest"
        ),
        Ephemeral("cloud:index:Token", {"user": Property(str)}, {"secret": "s"}),
    )
    return hostile


NAMES = (
    "name",
    "size",
    "tags",
    "ports",
    "rule",
    "rules",
    "any",
    "pin",
    "arn",
    "id",
    "region",
    "user",
    "port",
    "open",
    SIGNATURE,
)
TEXTS = (
    *(
        "",
        "x",
        URN,
        "cloud:index:Thing",
        "cloud:index:getZone",
        "cloud",
        "cloud_thing",
        "cloud_token",
        "cloud_get_zone",
        "join",
    ),
    *("cloud_zone", "a::b", "urn:pulumi:x", "urn:pulumi:::::::", "é\u0301\u0000", "1e400", "-0", "{id}", "127.0.0.1:1", "NaN"),
    *(
        "4dabf18193072939515e22adb298388d",
        "1b47061264138c4ac30d75fd1eb44270",
        "c44067f5952c0a294b673a41bacd8c17",
        "1.0.0",
        "[" * 99,
    ),
    *("04da6b54-80e4-46f7-96ec-b56ff0331ba9", "5cf8f73096256a8f31e491e813e4eb8e", "d0e6a833031e9bbcd3f4e8bde6ca49a4"),
    *(
        '{"a":1}',
        "[[1,2],3]",
        '"string"',
        '["object",{"a":"number"}]',
        '["list"]',
        "[]",
        "null",
        "dynamic",
        '["map","dynamic"]',
    ),
)
NUMBERS = (0, 1, -1, 2, 7, 127, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1)
FLOATS = (0.0, -0.0, 1.0, 0.1, 2.0**53, 1e308, float("inf"), float("-inf"), float("nan"))


HINTS: Mapping[str, tuple[str, ...]] = {
    "urn": (URN,),
    "type": ("cloud:index:Thing", "cloud:index:Site"),
    "tok": ("cloud:index:getZone", "cloud:index:Thing/count"),
    "name": ("join", "one"),
    "id": ("thing-1",),
    "monitor_endpoint": ("127.0.0.1:1",),
}
"""What is mostly in fields of these names."""

THING: Mapping[str, Any] = {
    "id": "thing-1",
    "name": "one",
    "size": 3,
    "tags": {"a": "b"},
    "ports": [1, 2],
    "pin": None,
    "arn": "arn:1",
    "rule": {"port": 1, "open": True},
    "rules": [{"port": 1, "open": None}],
    "any": [b'"string"', "x"],
}
SHAPES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "Data": ("cloud_zone", {"region": "eu", "any": [b'"string"', "x"], "zone": None}),
    "Ephemeral": ("cloud_token", {"user": "me", "secret": None}),
    "Provider": ("cloud", {"region": "eu", "limits": {"a": 1}}),
    "Prepare": ("cloud", {"region": "eu", "limits": {"a": 1}}),
    "Configure": ("cloud", {"region": "eu", "limits": {"a": 1}}),
    "": ("cloud_thing", THING),
}
"""By a word of the message's name: the type that it is about, and a payload that fits."""


class Hostile:
    """What a seed makes; equal seeds make equal messages."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.type, self.shape = SHAPES[""]

    def data(self, cls: type[Any]) -> bytes:
        """The bytes of a message, of which some are no message."""
        about = cls.DESCRIPTOR.full_name  # type: ignore[attr-defined]
        self.type, self.shape = next(shape for word, shape in SHAPES.items() if word in about)
        if self.dice.random() < 0.02:
            return self.dice.randbytes(self.dice.randrange(200))
        data = self.message(cls).SerializeToString()
        return self.mutated(data) if self.dice.random() < 0.4 else bytes(data)

    def mutated(self, data: bytes) -> bytes:
        """The bytes with some changed, missing, doubled or more."""
        for _ in range(self.dice.randint(1, 4)):
            start, end = sorted(self.dice.randrange(len(data) + 1) for _ in range(2))
            end = min(end, start + self.dice.randrange(12))
            new = self.dice.choice((b"", self.dice.randbytes(end - start), data[start:end] * 2, self.dice.randbytes(3)))
            data = data[:start] + new + data[end:]
        return data

    def message(self, cls: type[Any], depth: int = 0) -> Any:
        """A message, most of whose fields are there."""
        message = cls()
        likely = (0.75, 0.6, 0.4, 0.25)[min(depth, 3)]
        for field in cls.DESCRIPTOR.fields:  # type: ignore[attr-defined]
            known = field.name == "type_name" or field.name in HINTS
            chance = 0.1 if field.name == "json" else 0.97 if known and depth == 0 else likely
            if self.dice.random() < chance and depth < 6:
                self._fill(message, field, depth)
        return message

    def _fill(self, message: Any, field: Any, depth: int) -> None:
        target = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            value = field.message_type.fields_by_name["value"]
            for _ in range(self.dice.randrange(4)):
                key = self.dice.choice(NAMES)
                if value.message_type is None:
                    target[key] = self._scalar(value)
                else:
                    target[key].MergeFrom(self._nested(value, depth))
        elif field.is_repeated:
            for _ in range(self.dice.randrange(4)):
                target.append(self._scalar(field) if field.message_type is None else self._nested(field, depth))
        elif field.message_type is None:
            setattr(message, field.name, self._scalar(field))
        else:
            target.CopyFrom(self._nested(field, depth))

    def _nested(self, field: Any, depth: int) -> Any:
        from google.protobuf.message_factory import GetMessageClass  # noqa: PLC0415 - as slow as the protocols

        return self.message(GetMessageClass(field.message_type), depth + 1)

    def _scalar(self, field: Any) -> Any:
        if field.enum_type is not None:
            return self.dice.choice([value.number for value in field.enum_type.values])
        if field.cpp_type == field.CPPTYPE_BOOL:
            return self.dice.random() < 0.5
        if field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
            return self.dice.choice((*FLOATS, *map(float, NUMBERS)))
        if field.cpp_type == field.CPPTYPE_STRING:
            return self._bytes(field.name) if field.type == field.TYPE_BYTES else self._text(field.name)
        low, high = (0, 2**64) if "UINT" in _cpp(field) else (-(2**63), 2**63)
        if "32" in _cpp(field):
            low, high = low >> 32, high >> 32
        return self.dice.choice([number for number in NUMBERS if low <= number < high])

    def _text(self, name: str) -> str:
        likely = (self.type,) if name == "type_name" else HINTS.get(name, TEXTS)
        return self.dice.choice(likely if self.dice.random() < 0.85 else TEXTS)

    def _bytes(self, name: str) -> bytes:
        kinds: tuple[Callable[[], bytes], ...] = (
            lambda: bytes(msgpack.packb(self.tree())),
            lambda: bytes(msgpack.packb(self.thing())),
            lambda: json.dumps(self.tree(text=True)).encode(),
            lambda: self.mutated(bytes(msgpack.packb(self.thing()))),
            lambda: self.dice.choice(TEXTS).encode(),
            lambda: b"",
            lambda: b"\x91" * self.dice.choice((10, 500, 2000)) + b"\xc0",
        )
        weights = (2, 8, 6 if name == "json" else 1, 3, 1, 1, 0.3)
        return self.dice.choices(kinds, weights)[0]()

    def thing(self) -> Any:
        """The payload of a declared type, of which some attributes are of another."""
        whole = dict(self.shape)
        for name in list(whole):
            if self.dice.random() < 0.1:
                whole[name] = self.tree()
            elif self.dice.random() < 0.05:
                del whole[name]
        if "any" in whole and self.dice.random() < 0.3:
            whole["any"] = [self.dice.choice(TEXTS).encode(), self.tree()][: self.dice.choice((1, 2, 2, 2, 2))]
        return whole

    def tree(self, depth: int = 0, *, text: bool = False) -> Any:
        """Any value: of msgpack, also with keys that no map of Terraform's has, or ``text``, of JSON."""
        kind = self.dice.randrange(9 if depth < 4 else 6)
        if kind < 6:
            leaves: list[Any] = [None, True, self.dice.choice(NUMBERS), self.dice.choice(FLOATS), self.dice.choice(TEXTS), "x"]
            if not text:
                leaves[5] = self.dice.choice(
                    (b"", b'"string"', b"\xff", msgpack.ExtType(0, b"\0"), msgpack.ExtType(12, self.dice.randbytes(5)))
                )
            return leaves[kind]
        items = [self.tree(depth + 1, text=text) for _ in range(self.dice.randrange(4))]
        if kind == 6:
            return items
        return {self._key(text=text): item for item in items}

    def _key(self, *, text: bool) -> Any:
        if text or self.dice.random() < 0.8:
            return self.dice.choice(NAMES)
        return self.dice.choice((1, None, True, 0.5, b"\xff", b"name", (1, 2), (), (("a",),), msgpack.ExtType(0, b"\0")))


def _cpp(field: Any) -> str:
    names: Mapping[int, str] = {
        getattr(field, name): name for name in ("CPPTYPE_INT32", "CPPTYPE_INT64", "CPPTYPE_UINT32", "CPPTYPE_UINT64")
    }
    return names[field.cpp_type]
