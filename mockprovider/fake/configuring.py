"""The fake before its first resource: what it is, what it accepts, and how it is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.fake.catalogue import Catalogue, failed
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.planning import plan_update
from mockprovider.schema import Package, ResourceType
from mockprovider.values import Bag

CONFIGURED = ("acceptSecrets", "acceptResources", "acceptOutputs", "supportsPreview")
"""What Configure answers to engines that make no Handshake."""
ACCEPTED = ("accept_secrets", "accept_resources", "accept_outputs", "accepts_byte_string")

MISSING_KEYS = "missing_keys"
"""Where a reply to Configure has the required configuration that is not there: descriptions by key (reference 5.2)."""


class Configuring:
    """The calls that are about the provider itself."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.HANDSHAKE: self._handshake,
            Op.ATTACH: lambda _: Reply(),
            Op.GET_PLUGIN_INFO: lambda call: Reply(extra={"version": catalogue.base(call).version}),
            Op.CANCEL: lambda _: Reply(),
            Op.CHECK_CONFIG: self._check_config,
            Op.DIFF_CONFIG: self._diff_config,
            Op.CONFIGURE: self._configure,
            Op.GET_MAPPING: self._mapping,
            Op.GET_MAPPINGS: self._mappings,
        }

    def _handshake(self, call: Call) -> Reply:
        call.session.engine_offers = dict(call.extra)
        return Reply(extra=dict.fromkeys(ACCEPTED, True) | _naming(self._catalogue.package(call)))

    def _check_config(self, call: Call) -> Reply:
        declared = self._catalogue.package(call).config
        inputs = call.inputs or {}
        found = tuple(failures(declared, inputs)) if declared else ()
        return Reply(inputs=with_defaults(declared, inputs), failures=found)

    def _diff_config(self, call: Call) -> Reply:
        declared = ResourceType("mock:index:Provider", self._catalogue.package(call).config)
        return Reply(plan=plan_update(declared, call.prior or {}, call.prior_inputs, call.inputs or {}, ""))

    def _configure(self, call: Call) -> Reply:
        package = self._catalogue.package(call)
        # By the names that users set them by, since the engine shows these in what it tells users to run.
        missing = _missing(package, call.inputs or {})
        if missing and call.session.protocol.lists_missing_configuration:
            keys = {f"{package.name}:{name}": description for name, description in missing.items()}
            wrong = tuple(Failure(f"missing configuration key {key!r}", key, "invalid_argument") for key in keys)
            return Reply(failures=wrong, extra={MISSING_KEYS: keys})
        call.session.config = call.inputs or {}
        return Reply(extra=dict.fromkeys(CONFIGURED, True) | _naming(package))

    # Mappings: how a converter from another ecosystem learns what of it this package is --------------------------------

    def _mapping(self, call: Call) -> Reply:
        package, key = self._catalogue.package(call), call.extra.get("key", "")
        if not package.mappings:
            return _no_mappings(package)
        wanted = call.extra.get("provider", "")
        found = package.mappings.get(key) if wanted in ("", package.name) else None
        # An empty provider is how the protocol says that there is none for this key.
        return Reply(extra={} if found is None else {"provider": package.name, "data": found})

    def _mappings(self, call: Call) -> Reply:
        package = self._catalogue.package(call)
        if not package.mappings:
            return _no_mappings(package)
        return Reply(extra={"providers": (package.name,) if call.extra.get("key", "") in package.mappings else ()})


def _naming(package: Package) -> dict[str, bool]:
    """That the engine's options for automatic names count here, where some type has such names."""
    named = any(item.auto_name for each in package.resources.values() for item in each.properties.values())
    return {"supports_autonaming_configuration": True} if named else {}


def _missing(package: Package, inputs: Bag) -> dict[str, str]:
    return {name: item.description for name, item in package.config.items() if item.required and inputs.get(name) is None}


def _no_mappings(package: Package) -> Reply:
    return failed(
        f"The package {package.name!r} has no mappings: Package(..., mappings={{'terraform': ...}}).", "unimplemented"
    )
