"""Resource identities: the few attributes that identify an object, separate from its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.calls import Reply
from mockprovider.schema import ResourceType
from mockprovider.terraform.rpcs.requests import Codec
from mockprovider.terraform.schema.declared import compiled
from mockprovider.terraform.schema.objects import ID, IMPLICIT_ID, inward, outward
from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.terraform.values import packing, statejson
from mockprovider.terraform.values.types import type_json
from mockprovider.values import Bag, Value, has_unknown, reveal


def identity_of(declared: ResourceType | None) -> tuple[str, ...]:
    """The properties that identify the objects of a type; none of a type without identities."""
    return declared.trait(ResourceTraits).identity if declared is not None else ()


def fill_schemas(message: Any, types: Mapping[str, ResourceType]) -> None:
    """Fill a GetResourceIdentitySchemas answer."""
    for declared in types.values():
        if not identity_of(declared):
            continue
        schema = message.identity_schemas[declared.terraform]
        for name, member in _tree(declared, 6).members.items():
            attribute = schema.identity_attributes.add(name=name, type=type_json(member.type))
            attribute.required_for_import, attribute.description = True, member.description


def fill(into: Any, reply: Reply, coder: Codec, value: Bag | None, id_: Value) -> None:
    """Fill a ResourceIdentityData message, if the type has an identity and all of it is known.

    ``Reply.identity`` takes precedence over the object's ``value`` and id.
    """
    declared = coder.declared
    names = identity_of(declared)
    if not names or value is None:
        return
    identity = (
        dict(reply.identity) if reply.identity is not None else {name: id_ if name == ID else value.get(name) for name in names}
    )
    if not has_unknown(identity):
        tree = _tree(declared)
        into.identity_data.msgpack = packing.pack(outward(reveal(identity), tree, declared.terraform), tree.type)


def read(data: Any, coder: Codec) -> dict[str, Any] | None:
    """The identity in a ResourceIdentityData message, in property names; ``None`` if there is none."""
    declared = coder.declared
    if not identity_of(declared) or not data.identity_data.msgpack:
        return None
    tree = _tree(declared)
    identity = packing.unpack(data.identity_data.msgpack, tree.type)
    # As with states, what is null or unknown as a whole is none.
    return dict(inward(identity, tree)) if isinstance(identity, dict) else None


def upgraded(into: Any, raw: bytes, declared: ResourceType) -> None:
    """Fill an UpgradeResourceIdentity answer: attributes that the type no longer has are dropped, missing ones are null."""
    of = _tree(declared).type
    into.identity_data.msgpack = packing.pack(statejson.from_json(raw or b"null", of), of)


def _tree(declared: ResourceType, major: int = 0) -> Place:
    return compiled({name: declared.properties.get(name, IMPLICIT_ID) for name in identity_of(declared)}, major)
