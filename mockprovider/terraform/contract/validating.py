"""What a provider's validation owes: it lets what is not known yet pass where the provider may choose a value itself."""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Op
from mockprovider.contract import ContractRule, Party, Severity
from mockprovider.errors import MockProviderError
from mockprovider.terraform.contract.asking import LIFE
from mockprovider.terraform.contract.history import answered
from mockprovider.terraform.contract.providers import ProviderMoment
from mockprovider.terraform.rpcs.replies import ERROR
from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.values import packing
from mockprovider.values import Unknown, Value

VALIDATES = frozenset({"ValidateResourceConfig", "ValidateResourceTypeConfig"})


def _blames_the_unknown(moment: ProviderMoment) -> str:
    call, reply = moment.call, moment.reply
    message = answered(call, reply) if reply is not None and call.method in VALIDATES else None
    if message is None:
        return ""
    errors = [diagnostic.attribute.steps for diagnostic in message.diagnostics if diagnostic.severity == ERROR]
    try:
        tree = moment.history.tree(call, "resource", moment.message.type_name)
        if not errors or tree is None:
            return ""
        config = packing.unpack(moment.message.config.msgpack, tree.type)
    except MockProviderError:
        # It does not fit the schema, which is another mistake.
        return ""
    blamed = next((path for steps in errors if (path := _undecided(steps, tree, config))), "")
    return f"it has an error about {blamed}, which is optional, computed, and not known yet." if blamed else ""


def _undecided(steps: Any, place: Place, value: Value) -> str:
    """The path, if it leads to an unknown value that the provider may choose."""
    path = ""
    for step in steps:
        selector = step.WhichOneof("selector")
        key: Any = getattr(step, selector) if selector else None
        inner = place.members.get(key) if selector == "attribute_name" else place.element
        if inner is None:
            return ""
        place, value = inner, _item(value, key)
        path = f"{path}.{key}" if path and selector == "attribute_name" else f"{path}[{key!r}]" if path else f"{key}"
        if isinstance(value, Unknown):
            return path if place.optional and place.computed else ""
    return ""


def _item(value: Value, key: Any) -> Value:
    if isinstance(value, dict):
        return value.get(key)
    return value[key] if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value) else None


RULES: tuple[ContractRule, ...] = (
    ContractRule(
        id="TF-VALIDATION-LETS-THE-UNKNOWN-PASS",
        party=Party.PROVIDER,
        says="A provider that chooses a default where an attribute is null must tolerate that the attribute is unknown.",
        source=f"{LIFE}, ValidateResourceConfig",
        mend="Wait for a configuration in which the attribute is known: the engine validates that one, too.",
        ops=frozenset({Op.CHECK}),
        broken=_blames_the_unknown,
        # Whether a provider intends to choose a default, its schema allows, and does not say.
        severity=Severity.WARNING,
    ),
)
