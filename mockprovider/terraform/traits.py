"""Features of a resource type that only Terraform has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import field

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import World
from mockprovider.payloads import StoredState
from mockprovider.schema import ResourceType, Traits


class ResourceTraits(Traits, frozen=True):
    """Features that only Terraform has: ``ResourceType(..., traits=[ResourceTraits(identity=("name",))])``.

    Args:
        version: the version of the state schema.
        upgrades: functions that upgrade a state of their version to the next one: the state file's attributes in, and out.
        identity: properties (or ``id``) that identify the object: the resource identity.
        legacy_type_system: have the engine tolerate what the old SDK's providers get wrong.
        schema: the type's published schema (``terraform providers schema -json``), if it was read from there: engines get it,
            and values travel as its types.

    Raises ``DefinitionError`` for upgrades that no state needs, and in a type without the properties.
    """

    version: int = 0
    upgrades: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    legacy_type_system: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)

    def check(self, declared: ResourceType) -> None:
        """Raise ``DefinitionError`` for upgrades that no state needs, and for an identity of unknown properties."""
        if self.version < 0:
            raise DefinitionError(f"{declared.token}: version is {self.version}, and the first one is 0.")
        for version, function in self.upgrades.items():
            if version not in range(self.version) or not callable(function):
                raise DefinitionError(
                    f"{declared.token}: upgrades has {function!r} for {version!r}. Give a function for a version before "
                    f"today's, which is {self.version}: upgrades={{0: ...}} brings states of version 0 to version 1 and needs "
                    "version=1 or more."
                )
        if self.schema and not isinstance(self.schema.get("block"), Mapping):
            raise DefinitionError(
                f"{declared.token}: this is no published schema: it has no block. Take the type's part of what "
                "`terraform providers schema -json` shows."
            )
        for name in self.identity:
            if name != "id" and name not in declared.properties:
                known = ", ".join(["id", *declared.properties])
                raise DefinitionError(f"{declared.token}: the identity has {name!r}, which is no property. There are {known}.")

    def upgrades_from(self, version: int) -> bool:
        """Whether functions upgrade states of a version."""
        return bool(self.upgrades) and version < self.version

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Upgrade a state of an older version to today's."""
        stored = call.stored or StoredState()
        attributes = stored.attributes
        if call.op is not Op.UPGRADE or not self.upgrades_from(stored.version) or not isinstance(attributes, Mapping):
            return proceed(call)
        return Reply(stored=self._upgraded(world.declared, dict(attributes), stored.version), id=call.id)

    def _upgraded(self, declared: ResourceType, raw: dict[str, Any], version: int) -> dict[str, Any]:
        """``raw`` after the functions of each version from ``version`` on; a version without one changes nothing."""
        for before in range(version, self.version):
            step = self.upgrades.get(before)
            raw = step(raw) if step else raw
            if not isinstance(raw, dict):
                raise DefinitionError(
                    f"{declared.token}: the function that upgrades version {before} returned a {type(raw).__name__}. "
                    "Return the attributes of the next version in a dict."
                )
        return raw
