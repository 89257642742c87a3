"""Resources from elsewhere: states of other types, and objects that exist already."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Reply
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.fake.catalogue import Catalogue, failed, not_importable
from mockprovider.fake.moving import converted
from mockprovider.payloads import StoredState
from mockprovider.schema import ResourceType
from mockprovider.values import Bag, reveal, same


class Adopting:
    """Move and import: an engine starts to manage an object as this type. ``read`` answers the object."""

    def __init__(self, catalogue: Catalogue, cloud: Cloud, read: Callable[[Call], Reply]) -> None:
        self._catalogue = catalogue
        self._cloud = cloud
        self._read = read
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.UPGRADE_IDENTITY: lambda _: Reply(),
            Op.MOVE: self._move,
            Op.IMPORT: self._import,
        }

    def _move(self, call: Call) -> Reply:
        declared = self._catalogue.type(call)
        source = call.stored or StoredState()
        if declared is None:
            return self._catalogue.unknown_type(call)
        former = self._catalogue.former(declared, source.type, source.provider or None)
        if former is None:
            return self._not_from(declared, source.type, source.provider)
        if former.convert is None or not isinstance(source.attributes, Mapping):
            return Reply(value=call.prior, id=call.id, private=call.private)
        attributes = converted(declared, former.convert, source.attributes, source.type)
        return Reply(stored=attributes, id=str(attributes.get("id") or call.id), private=call.private)

    def _not_from(self, declared: ResourceType, source: str, address: str) -> Reply:
        other = self._catalogue.former(declared, source)
        advice = f"Declare it: ResourceType({declared.token!r}, ..., moved_from=({source!r},))."
        if other is not None:
            advice = f"This one is of the provider {address}, and moved_from wants one of {other.provider}."
        return failed(f"An object of {source} cannot become one of {declared.terraform}. {advice}", "invalid_argument")

    def _import(self, call: Call) -> Reply:
        declared = self._catalogue.type(call)
        refused = not_importable(declared, declared.terraform) if declared is not None else None
        if refused is not None:
            return refused
        identity = call.identity
        if identity is not None and not call.id:
            call.id = next((existing.id for existing in self._cloud.listed(call.type) if _is(existing, identity)), "")
        return self._read(call) if call.id else Reply()


def _is(existing: CloudObject, identity: Bag) -> bool:
    return all(
        same(existing.id if name == "id" and name not in existing else existing.get(name), reveal(value))
        for name, value in identity.items()
    )
