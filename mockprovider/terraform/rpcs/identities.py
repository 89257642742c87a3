"""Resource identities: the few attributes that tell one object from all others, beside its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.calls import Call, Reply, Session
from mockprovider.schema import Kind, Property, ResourceType, snake_case
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.terraform.schema.objects import ID, IMPLICIT_ID, inward, outward, type_of_kind
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.terraform.values import packing, statejson
from mockprovider.terraform.values.types import Type, type_json
from mockprovider.values import Bag, Value, has_unknown, reveal

IDENTITY = "identity"
"""The key of ``Call.extra`` and ``Reply.extra`` under which an identity is told, in property names."""


def declared_type(session: Session, name: str) -> ResourceType | None:
    """The resource type that a session's package declares under a token or a Terraform name."""
    schema = schema_of(session)
    return schema.declared(name) if schema else None


def identity_of(declared: ResourceType | None) -> tuple[str, ...]:
    """The properties that identify the objects of a type; none of a type without identities."""
    return declared.trait(ResourceTraits).identity if declared is not None else ()


def fill_schemas(message: Any, types: Mapping[str, ResourceType]) -> None:
    """Fill a GetResourceIdentitySchemas answer."""
    for declared in types.values():
        if not identity_of(declared):
            continue
        schema = message.identity_schemas[declared.terraform]
        schema.version = 0
        for name, item in _properties(declared).items():
            made = schema.identity_attributes.add(name=_attribute(name, item), type=type_json(type_of_kind(item.kind)))
            made.required_for_import, made.description = True, item.description


def fill(into: Any, reply: Reply, call: Call, value: Bag | None, id_: Value) -> None:
    """Fill a ResourceIdentityData message, if the type has an identity and all of it is known.

    ``Reply.extra["identity"]`` wins over what the object's ``value`` and id say.
    """
    declared = declared_type(call.session, call.type)
    names = identity_of(declared)
    if declared is None or not names or value is None:
        return
    told = reply.extra.get(IDENTITY)
    found = told if told is not None else {name: id_ if name == ID else value.get(name) for name in names}
    if not has_unknown(dict(found)):
        into.identity_data.msgpack = packing.pack(
            outward(reveal(dict(found)), _kind(declared), declared.terraform), _type(declared)
        )


def read(data: Any, session: Session, name: str) -> dict[str, Any] | None:
    """The identity in a ResourceIdentityData message, in property names; ``None`` if there is none."""
    declared = declared_type(session, name)
    if declared is None or not identity_of(declared) or not data.identity_data.msgpack:
        return None
    found: dict[str, Any] = inward(packing.unpack(data.identity_data.msgpack, _type(declared)), _kind(declared))
    return found


def upgraded(into: Any, raw: bytes, declared: ResourceType) -> None:
    """Fill an UpgradeResourceIdentity answer: what the identity of today does not have is left out, what it lacks is null."""
    into.identity_data.msgpack = packing.pack(statejson.from_json(raw or b"null", _type(declared)), _type(declared))


def _properties(declared: ResourceType) -> dict[str, Property]:
    return {name: declared.properties.get(name, IMPLICIT_ID) for name in identity_of(declared)}


def _kind(declared: ResourceType) -> Kind:
    return Kind("object", properties=_properties(declared))


def _type(declared: ResourceType) -> Type:
    return Type(
        "object", attributes={_attribute(name, item): type_of_kind(item.kind) for name, item in _properties(declared).items()}
    )


def _attribute(name: str, item: Property) -> str:
    return item.terraform or snake_case(name)
