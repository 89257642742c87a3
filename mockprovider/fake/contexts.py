"""What templates of answers and outputs may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from mockprovider.calls import Call
from mockprovider.fake.inventing.arns import arn, partition_of
from mockprovider.fake.inventing.forms import Invention, whereabouts
from mockprovider.values import Bag, Value, has_unknown, reveal


def known_of(inputs: Bag) -> dict[str, Any]:
    """What a program says by now."""
    return {name: value for name, value in inputs.items() if value is not None and not has_unknown(value)}


def context_of(call: Call, known: Mapping[str, Any], point: str) -> dict[str, Any]:
    """What templates of outputs may use: places, what the program says, and what is generated for this point."""
    invention, where = Invention(call.type, "uuid", point), places(call)
    if isinstance(known.get("region"), str):
        # What is elsewhere than its provider says so itself.
        where |= {"region": known["region"], "partition": partition_of(known["region"])}
    hashed = invention.hex()
    # The name of the thing itself, where it has one.
    name = str(known.get("name") or call.name or invention.label)
    generated = {
        "name": name,
        "arn": arn("", invention.owner, where["region"], where["account"], name),
        "hash": hashed,
        "uuid": str(UUID(invention.hex(32))),
        "number": str(int(hashed, 16)),
    }
    return {**where, **known, **generated}


def places(call: Call) -> dict[str, Value]:
    """What templates may use of the provider: its configuration, and where everything is by default."""
    config = {name: value for name, value in reveal(dict(call.session.config or {})).items() if value is not None}
    return {**whereabouts(call.type, config), **config}
