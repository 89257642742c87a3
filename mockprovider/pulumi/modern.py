"""Recordings of older engines, replayed to today's (reference 16.1).

Until 3.132 a request named its resource by the URN alone, until 3.154 Configure did not name the provider, until 3.143 there
was no handshake, and until 3.206 no function knew of previews. What an engine did not say is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import Cassette
from mockprovider.cassette.model import Interaction
from mockprovider.errors import MalformedError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.urn import Urn
from mockprovider.wire.status import failed, status

CONFIGURE, HANDSHAKE = Op.CONFIGURE.value, Op.HANDSHAKE.value
PARTS = frozenset({"urn", "name", "type"})
LATER: Mapping[Op, frozenset[str]] = {
    row.op: PARTS if row.op is Op.CONFIGURE else PARTS - {"urn"}
    for rpc, row in PROVIDER.methods.items()
    if set(PROVIDER.messages[rpc][0].DESCRIPTOR.fields_by_name) >= PARTS and row.op != Op.CONSTRUCT
}
"""Fields that came later, and say nothing that is not in the URN."""


def with_instances(cassette: Cassette) -> Cassette:
    """The recording, in which each Configure that names no provider is about the one that it was worked out to be for."""
    listed = cassette.interactions
    nameless = any(interaction.op == CONFIGURE and not interaction.urn for interaction in listed)
    return replace(cassette, interactions=[_about(interaction) for interaction in listed]) if nameless else cassette


def _about(interaction: Interaction) -> Interaction:
    if interaction.op != Op.CONFIGURE or interaction.urn:
        return interaction
    try:
        return replace(interaction, urn=interaction.instance, type=Urn.parse(interaction.instance).type)
    except MalformedError:
        # A digest: nobody knows which provider it was.
        return interaction


def unknown_fields(cassette: Cassette) -> dict[Op, frozenset[str]]:
    """The fields that the recorded engine did not know."""
    later: dict[str, frozenset[str]] = {op.value: fields for op, fields in LATER.items()}
    if _is_old(_ops(cassette)):
        later[Op.INVOKE.value] = frozenset({"preview"})
    for interaction in cassette.interactions:
        # One request that has such a field settles its op. Of the others, only what may be damaged is looked at.
        fields = later.get(interaction.op)
        if (fields or not interaction.asks_object) and (cassette.request(interaction) or {}).keys() & (fields or ()):
            del later[interaction.op]
    return {Op(op): fields for op, fields in later.items()}


def unrecorded(cassette: Cassette) -> Callable[[Call], Reply | None]:
    """What answers calls that need no recording: Attach, and of old engines a handshake, which gets the answer of a provider
    that has none, and Cancel where their log has none.
    """
    unknown = status("unimplemented", "The recorded provider was configured without a handshake.")
    old: Mapping[Op, Callable[[], Reply]] = {Op.HANDSHAKE: lambda: failed(unknown), Op.CANCEL: Reply}
    ops = _ops(cassette)
    answers = {Op.ATTACH: Reply, **{op: answer for op, answer in old.items() if _is_old(ops) and op not in ops}}
    return lambda call: answers[call.op]() if call.op in answers else None


def _is_old(ops: AbstractSet[str]) -> bool:
    return bool(ops) and HANDSHAKE not in ops


def _ops(cassette: Cassette) -> set[str]:
    return {interaction.op for interaction in cassette.interactions}
