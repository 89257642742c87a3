"""Recordings of older engines, as today's engines would have made them (reference 16.1).

Until 3.132 a request named its resource by the URN alone, until 3.154 Configure did not name the provider, until 3.143 there
was no handshake, and until 3.206 no function knew of previews. The file stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import Cassette
from mockprovider.cassette.model import Interaction
from mockprovider.errors import MalformedError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.urn import Urn
from mockprovider.wire.status import failed, status

NAMED = frozenset(
    rpc
    for rpc, (request, _, _) in PROVIDER.messages.items()
    if {"urn", "name", "type"} <= set(request.DESCRIPTOR.fields_by_name)
)
"""The RPCs whose requests have the URN, and its parts."""


def as_of_today(cassette: Cassette) -> Cassette:
    """The recording, with what its engine left out of requests because a URN has it."""
    return replace(cassette, interactions=[_named(interaction) for interaction in cassette.interactions])


def _named(interaction: Interaction) -> Interaction:
    request = interaction.request
    if (
        interaction.method not in NAMED
        or interaction.direction != "provider"
        or not isinstance(request, dict)
        or "type" in request
    ):
        return interaction
    urn = request.get("urn") or (interaction.instance if interaction.op == Op.CONFIGURE else "")
    parts = _parts(urn) if isinstance(urn, str) else {}
    if interaction.op == Op.CONFIGURE and parts:
        return replace(interaction, request={**parts, **request}, urn=urn, type=parts["type"])
    return replace(interaction, request={**parts, **request}) if parts else interaction


def _parts(urn: str) -> dict[str, Any]:
    try:
        parsed = Urn.parse(urn)
    except MalformedError:
        return {}
    return {"urn": urn, "name": parsed.name, "type": parsed.type}


def unasked(cassette: Cassette) -> Callable[[Call], bool]:
    """Which calls need no recording: Attach, and Cancel of a provider that was never recorded at its end."""
    ended = any(interaction.op == Op.CANCEL for interaction in cassette.interactions)
    return lambda call: call.op is Op.ATTACH or (call.op is Op.CANCEL and not ended)


def without_handshake(cassette: Cassette) -> Callable[[Call], Reply | None]:
    """What answers a handshake with a provider that was recorded without one: as a provider does that has none."""
    unknown = status("unimplemented", "The recorded provider was configured without a handshake.")
    old = _is_old(cassette)
    return lambda call: failed(unknown) if old and call.op is Op.HANDSHAKE else None


def unknown_fields(cassette: Cassette) -> dict[Op, frozenset[str]]:
    """The fields that its engine did not know: until 3.206 a function was not told that it serves a preview."""
    said = any("preview" in (cassette.request(call) or {}) for call in cassette.interactions if call.op == Op.INVOKE)
    return {Op.INVOKE: frozenset({"preview"})} if _is_old(cassette) and not said else {}


def _is_old(cassette: Cassette) -> bool:
    return bool(cassette.interactions) and not any(interaction.op == Op.HANDSHAKE for interaction in cassette.interactions)
