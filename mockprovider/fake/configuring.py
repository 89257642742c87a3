"""The fake before its first resource: what it is, what it accepts, and how it is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Reply
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.planning import plan_update
from mockprovider.schema import ResourceType

CONFIGURED = ("acceptSecrets", "acceptResources", "acceptOutputs", "supportsPreview")
"""What Configure answers to engines that make no Handshake."""
ACCEPTED = ("accept_secrets", "accept_resources", "accept_outputs", "accepts_byte_string")


class Configuring:
    """The calls that are about the provider itself."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.HANDSHAKE: lambda _: Reply(extra=dict.fromkeys(ACCEPTED, True)),
            Op.ATTACH: lambda _: Reply(),
            Op.GET_PLUGIN_INFO: lambda call: Reply(extra={"version": catalogue.package(call).version}),
            Op.GET_SCHEMA: lambda call: Reply(extra={"package": catalogue.package(call)}),
            Op.CANCEL: lambda _: Reply(),
            Op.CHECK_CONFIG: self._check_config,
            Op.DIFF_CONFIG: self._diff_config,
            Op.CONFIGURE: self._configure,
        }

    def _check_config(self, call: Call) -> Reply:
        declared = self._catalogue.package(call).config
        inputs = call.inputs or {}
        found = tuple(failures(declared, inputs)) if declared else ()
        return Reply(inputs=with_defaults(declared, inputs), failures=found)

    def _diff_config(self, call: Call) -> Reply:
        declared = ResourceType("mock:index:Provider", self._catalogue.package(call).config)
        return Reply(plan=plan_update(declared, call.prior or {}, call.prior_inputs, call.inputs or {}, ""))

    def _configure(self, call: Call) -> Reply:
        call.session.config = call.inputs or {}
        return Reply(extra=dict.fromkeys(CONFIGURED, True))
