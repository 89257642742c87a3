"""Older providers: a layer removes or refuses the features that a generation lacks (reference 2.1, 5.4).

A generation is a set of flags. Its layer is directly in front of the fake, so journals, faults and cassettes see an older
provider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import STATUS_NAMES, Bag, Call, Change, ChangeKind, Failure, Handler, Op, Plan, Reply, Status
from mockprovider.errors import DefinitionError
from mockprovider.values import Output, Secret, Value, has_unknown, is_unknown, map_value


class Generation(Struct, frozen=True, kw_only=True):
    """The features of a provider of some age; by default all. It applies to Pulumi alone.

    Args:
        name: the name to choose it by.
        handshake: has Handshake; without it, Configure's answer has the flags of what is accepted.
        preview: previews Create and Update. Without it, a preview is done for real, since the provider does not know the
            request's field; engines therefore send it none.
        secrets, resources, outputs, byte_strings: accepts these kinds of value. Without them, it treats secrets and outputs
            as their bare values, and answers none.
        check_config, diff_config: has these RPCs.
        get_schema: has GetSchema.
        args: reads Configure's ``args``; otherwise the older ``variables``, which are all strings.
        detailed_diff: answers what changed; otherwise ``DIFF_UNKNOWN`` with the properties that force a replacement.
        read_inputs: Read answers inputs, too.
        names: follows the engine's options for automatic names, if some type has such names.
        adapters: answers CheckConfig, DiffConfig, and calls before Configure as Pulumi's adapters did for all providers in
            2018: configuration is strings or unknown values. An unknown value forces a replacement of the provider, and
            leaves it unconfigured; then Check, Read and Invoke answer nothing, and all else fails.

    Raises ``DefinitionError`` for a provider with Handshake and without previews, because engines would preview all the same.
    """

    name: str
    handshake: bool = True
    preview: bool = True
    secrets: bool = True
    resources: bool = True
    outputs: bool = True
    byte_strings: bool = True
    check_config: bool = True
    diff_config: bool = True
    get_schema: bool = True
    args: bool = True
    detailed_diff: bool = True
    read_inputs: bool = True
    names: bool = True
    adapters: bool = False

    def __post_init__(self) -> None:
        if self.handshake and not self.preview:
            raise DefinitionError(
                f"The generation {self.name!r} has a Handshake and no previews, which no provider can tell an engine: whoever"
                " answers Handshake is taken to have them. Give it handshake=False, too."
            )

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        """Answer ``call`` as a provider of this age: a layer directly in front of the fake."""
        if self == CURRENT:
            return proceed(call)
        if call.op in self.refuses:
            return _failed("unimplemented", f"The generation {self.name!r} of this provider has no {call.method or call.op}.")
        adapted = _adapted(call) if self.adapters else None
        return adapted or _answered(self, call, proceed(_asked(self, call)))

    @property
    def refuses(self) -> frozenset[Op]:
        """The ops that it answers as unimplemented."""
        return frozenset(op for name, op in RPCS.items() if not getattr(self, name))


RPCS: Mapping[str, Op] = {
    "handshake": Op.HANDSHAKE,
    "check_config": Op.CHECK_CONFIG,
    "diff_config": Op.DIFF_CONFIG,
    "get_schema": Op.GET_SCHEMA,
}
NAMING = "supports_autonaming_configuration"
"""The flag for automatic names in both answers; it is set only if a provider has them."""
HANDSHAKE_FLAGS: Mapping[str, str] = {
    "accept_secrets": "secrets",
    "accept_resources": "resources",
    "accept_outputs": "outputs",
    "accepts_byte_string": "byte_strings",
    "accepts_outputs_in_invoke": "outputs",
    "accepts_outputs_in_call": "outputs",
    "accepts_outputs_in_check": "outputs",
    NAMING: "names",
}
CONFIGURE_FLAGS: Mapping[str, str] = {
    "acceptSecrets": "secrets",
    "acceptResources": "resources",
    "acceptOutputs": "outputs",
    "supportsPreview": "preview",
}
"""The flags of a generation in the answers of Handshake and Configure, by the protocol's field names."""

CURRENT = Generation(name="current")
GENERATIONS: Mapping[str, Generation] = {
    generation.name: generation
    for generation in (
        CURRENT,
        Generation(name="no-handshake", handshake=False),
        Generation(name="no-preview", handshake=False, preview=False),
        Generation(name="no-secrets", secrets=False),
        Generation(name="no-resources", resources=False),
        Generation(name="no-outputs", outputs=False),
        Generation(name="no-byte-strings", byte_strings=False),
        Generation(name="no-config-checks", check_config=False, diff_config=False),
        Generation(name="no-detailed-diff", detailed_diff=False),
        Generation(name="variables-only", args=False),
        Generation(
            name="2018",
            handshake=False,
            preview=False,
            secrets=False,
            resources=False,
            outputs=False,
            byte_strings=False,
            get_schema=False,
            args=False,
            detailed_diff=False,
            read_inputs=False,
            names=False,
            adapters=True,
        ),
    )
}
"""The named generations."""


def named(wanted: str | Generation) -> Generation:
    """The generation of this name, or ``wanted`` itself if it is one. Raises ``DefinitionError`` for an unknown name."""
    if isinstance(wanted, Generation):
        return wanted
    generation = GENERATIONS.get(wanted)
    if generation is None:
        raise DefinitionError(
            f"There is no generation {wanted!r}. There are: {', '.join(GENERATIONS)}; or make one: Generation(name=..., ...)."
        )
    return generation


def _failed(status: str, reason: str) -> Reply:
    number = STATUS_NAMES.index(status)
    return Reply(status=Status(number, reason), failures=(Failure(reason, status=status),))


# What it is asked ----------------------------------------------------------------------------------------------------


def _asked(played: Generation, call: Call) -> Call:
    bags = {name: _bare(played, getattr(call, name)) for name in ("inputs", "prior", "prior_inputs")}
    if call.op is Op.CONFIGURE and not played.args:
        bags["inputs"] = {name.rpartition(":")[2]: value for name, value in call.extra.get("variables", {}).items()}
    return replace(call, preview=call.preview and played.preview, native=None, **bags)


def _bare(played: Generation, bag: Bag | None) -> Bag | None:
    """``bag`` without the wrappers that ``played`` does not accept."""
    if bag is None or (played.secrets and played.outputs):
        return bag

    def change(value: Value) -> Value:
        if isinstance(value, Output) and not played.outputs:
            value = Secret(value.value) if value.secret else value.value
        return value.value if isinstance(value, (Secret, Output)) and not played.secrets else value

    return {name: map_value(value, change) for name, value in bag.items()}


# What it answers -----------------------------------------------------------------------------------------------------


def _answered(played: Generation, call: Call, reply: Reply) -> Reply:
    extra = ANSWERS.get(call.op, _unchanged)(played, reply)
    inputs = None if call.op is Op.READ and not played.read_inputs else _bare(played, reply.inputs)
    return replace(reply, value=_bare(played, reply.value), inputs=inputs, extra=extra)


def _unchanged(_: Generation, reply: Reply) -> Mapping[str, object]:
    return reply.extra


def _accepted(played: Generation, reply: Reply) -> Mapping[str, object]:
    return {name: said and getattr(played, HANDSHAKE_FLAGS.get(name, "handshake")) for name, said in reply.extra.items()}


def _configured(played: Generation, reply: Reply) -> Mapping[str, object]:
    if not reply.ok:
        return reply.extra
    naming = {NAMING: True} if played.names and reply.extra.get(NAMING) else {}
    return {name: getattr(played, flag) for name, flag in CONFIGURE_FLAGS.items()} | naming


def _unknown_diff(played: Generation, reply: Reply) -> Mapping[str, object]:
    return reply.extra if played.detailed_diff else {**reply.extra, "changes": 0}


ANSWERS: Mapping[Op, Callable[[Generation, Reply], Mapping[str, object]]] = {
    Op.HANDSHAKE: _accepted,
    Op.CONFIGURE: _configured,
    Op.DIFF: _unknown_diff,
    Op.DIFF_CONFIG: _unknown_diff,
}
"""How a generation changes the extra fields of answers."""


# The adapters of 2018 ------------------------------------------------------------------------------------------------

NEEDLESS = frozenset({Op.GET_PLUGIN_INFO, Op.ATTACH, Op.CANCEL})
"""The ops of an unconfigured provider."""


def _adapted(call: Call) -> Reply | None:
    """The adapter's answer; ``None`` for a call that goes to the provider."""
    if call.op is Op.CHECK_CONFIG:
        return _check_config(call.inputs or {})
    if call.op is Op.DIFF_CONFIG:
        return _diff_config(call.inputs or {})
    if call.op is Op.CONFIGURE:
        return _unconfigure(call) if has_unknown(call.inputs or {}) else None
    return None if call.op in NEEDLESS or call.session.config is not None else _unconfigured(call)


def _check_config(inputs: Bag) -> Reply:
    wrong = tuple(
        Failure(f"The configuration {name!r} is no string, and this provider takes nothing else.", name)
        for name, value in inputs.items()
        if not isinstance(value, (str, Secret, Output)) and not is_unknown(value)
    )
    return Reply(inputs=inputs, failures=wrong)


def _diff_config(inputs: Bag) -> Reply:
    replacing = tuple(Change(name, ChangeKind.UPDATE, replaces=True) for name, value in inputs.items() if has_unknown(value))
    return Reply(plan=Plan(inputs, replacing), extra={"changes": 0})


def _unconfigure(call: Call) -> Reply:
    call.session.config = None
    return Reply(extra=dict.fromkeys(CONFIGURE_FLAGS, False))


def _unconfigured(call: Call) -> Reply:
    if call.op is Op.CHECK:
        return Reply(inputs={})
    if call.op is Op.READ:
        # An answer without an id means that there is no such object.
        return Reply(id=call.id, value={})
    if call.op is Op.INVOKE:
        return Reply(value={})
    return _failed("failed_precondition", f"{call}: this provider is not configured, so it can only check, read and invoke.")
