"""The provider's own calls: what it is, and how it is configured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Reply
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.planning import plan_update
from mockprovider.schema import Property, ResourceType
from mockprovider.values import Secret, Value, has_secret, reveal


class Configuring:
    """The calls about the provider itself."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.GET_PLUGIN_INFO: lambda call: Reply(version=catalogue.base(call).version),
            Op.CANCEL: lambda _: Reply(),
            Op.CHECK_CONFIG: self._check_config,
            Op.DIFF_CONFIG: self._diff_config,
            Op.CONFIGURE: self._configure,
        }

    def _check_config(self, call: Call) -> Reply:
        declared = self._catalogue.package(call).config
        inputs = call.inputs or {}
        meant = {name: _parsed(declared[name], value) if name in declared else value for name, value in inputs.items()}
        wrong = tuple(failures(declared, meant)) if declared else ()
        return Reply(inputs=with_defaults(declared, inputs), failures=wrong)

    def _diff_config(self, call: Call) -> Reply:
        declared = ResourceType("mock:index:Provider", self._catalogue.package(call).config)
        return Reply(plan=plan_update(declared, call.prior or {}, call.prior_inputs, call.inputs or {}, ""))

    @staticmethod
    def _configure(call: Call) -> Reply:
        call.session.config = call.inputs or {}
        return Reply()


def _parsed(item: Property, value: Value) -> Value:
    """What a setting means: Pulumi's SDKs hand over to providers as JSON what is no text.

    The other way about, an object stands for a document: so a program gives its cluster's kubeconfig.
    """
    plain = reveal(value)
    if item.kind.name == "string" and isinstance(plain, Mapping):
        return json.dumps(plain, default=str)
    if item.kind.name in ("string", "any") or not isinstance(plain, str):
        return value
    try:
        parsed = json.loads(plain)
    except ValueError:
        return value
    return Secret(parsed) if has_secret(value) else parsed
