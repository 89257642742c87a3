"""A fake's answers to Pulumi alone: the handshake, Configure's flags, mappings, and components with their methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.fake.catalogue import Catalogue, failed
from mockprovider.ondemand import held
from mockprovider.pulumi.components import Components
from mockprovider.pulumi.table import MISSING_KEYS
from mockprovider.schema import Package
from mockprovider.values import Bag

CONFIGURED = ("acceptSecrets", "acceptResources", "acceptOutputs", "supportsPreview")
"""Configure's flags for engines that make no Handshake."""
ACCEPTED = ("accept_secrets", "accept_resources", "accept_outputs", "accepts_byte_string")


class PulumiRoom:
    """The calls that only Pulumi makes, and Pulumi's additions to the answers of the others (``ops``)."""

    def __init__(self, catalogue: Catalogue, ops: Mapping[Op, Callable[[Call], Reply]]) -> None:
        self._catalogue = catalogue
        self._neutral = ops
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            **Components(catalogue).ops,
            Op.HANDSHAKE: self._handshake,
            Op.ATTACH: lambda _: Reply(),
            Op.CONFIGURE: self._configure,
            Op.GET_MAPPING: self._mapping,
            Op.GET_MAPPINGS: self._mappings,
        }

    def _handshake(self, call: Call) -> Reply:
        call.session.engine_offers = dict(call.extra)
        return Reply(extra=dict.fromkeys(ACCEPTED, True) | _naming(self._catalogue.package(call)))

    def _configure(self, call: Call) -> Reply:
        package = self._catalogue.package(call)
        # Keys as users set them, since the engine shows them in a command for its user.
        missing = {f"{package.name}:{name}": description for name, description in _missing(package, call.inputs or {}).items()}
        if missing:
            wrong = tuple(Failure(f"missing configuration key {key!r}", key, "invalid_argument") for key in missing)
            return Reply(failures=wrong, extra={MISSING_KEYS: missing})
        reply = self._neutral[Op.CONFIGURE](call)
        reply.extra = dict.fromkeys(CONFIGURED, True) | _naming(package)
        return reply

    # Mappings: how converters find the package for another ecosystem's provider ----------------------------------------

    def _mapping(self, call: Call) -> Reply:
        package, key = self._catalogue.package(call), call.extra.get("key", "")
        if not package.mappings:
            return _no_mappings(package)
        wanted = call.extra.get("provider", "")
        mapping = package.mappings.get(key) if wanted in ("", package.name) else None
        # An empty provider means that there is no mapping for this key.
        return Reply(extra={} if mapping is None else {"provider": package.name, "data": mapping})

    def _mappings(self, call: Call) -> Reply:
        package = self._catalogue.package(call)
        if not package.mappings:
            return _no_mappings(package)
        return Reply(extra={"providers": (package.name,) if call.extra.get("key", "") in package.mappings else ()})


def _naming(package: Package) -> dict[str, bool]:
    """The flag for the engine's options for automatic names, if some type has such names."""
    named = any(item.auto_name for resource in held(package.resources).values() for item in resource.properties.values())
    return {"supports_autonaming_configuration": True} if named else {}


def _missing(package: Package, inputs: Bag) -> dict[str, str]:
    return {name: item.description for name, item in package.config.items() if item.required and inputs.get(name) is None}


def _no_mappings(package: Package) -> Reply:
    return failed(
        f"The package {package.name!r} has no mappings: Package(..., mappings={{'terraform': ...}}).", "unimplemented"
    )
