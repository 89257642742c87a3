"""What each call of a recording is, in plain fields, and what it came to, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from mockprovider.calls import Op
from mockprovider.cassette.gist import Gist, changed, worded
from mockprovider.cassette.model import DAMAGE, Cassette, Interaction, damaged
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.errors import MalformedError
from mockprovider.urn import Urn

UNIMPLEMENTED = "UNIMPLEMENTED"
"""The status of a method that a provider does not have: engines take it for an answer."""
GONE = "is gone"
NAMED = 4
"""So many properties are named; of more it is said how many."""


class CallFacts(Struct, frozen=True, kw_only=True):
    """A recorded call.

    ``name`` is what its user calls the resource: the last part of its URN, or its address; empty where nobody knows. ``result``
    says in a few words what the call came to, ``failed`` that it went wrong. ``changes`` are the properties that it would
    change, has changed, or found changed, and ``replaces`` those that need a new object. ``idle``: there was nothing to do.
    """

    n: int
    session: int
    op: str
    method: str
    provider: str = ""
    phase: str = ""
    direction: str = "provider"
    parent: int | None = None
    preview: bool = False
    type: str = ""
    urn: str = ""
    address: str = ""
    name: str = ""
    id: str = ""
    result: str = ""
    failed: bool = False
    changes: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    idle: bool = False

    @property
    def resource(self) -> str:
        """What the call is about, as briefly as it can be told from others."""
        return " ".join(filter(None, (self.type, self.name or self.id)))


class CallFilter(Struct, frozen=True):
    """Which calls are wanted: of one of these ops, with such a type and resource in them (a part will do), ``failed`` ones."""

    ops: Sequence[str] = ()
    types: Sequence[str] = ()
    resources: Sequence[str] = ()
    failed: bool = False

    def __call__(self, call: CallFacts) -> bool:
        """Whether a call is wanted."""
        about = (call.name, call.urn, call.address, call.id)
        return (
            (not self.ops or call.op in self.ops)
            and (not self.types or any(_within(wanted, (call.type,)) for wanted in self.types))
            and (not self.resources or any(_within(wanted, about) for wanted in self.resources))
            and (call.failed or not self.failed)
        )


def _within(wanted: str, texts: Iterable[str]) -> bool:
    return any(wanted.lower() in text.lower() for text in texts)


def facts(cassette: Cassette, transcribers: Mapping[str, Transcriber]) -> list[CallFacts]:
    """The calls of a cassette, in its order.

    ``transcribers`` are by the provider's name, ``""`` where there is one provider. Raises ``CassetteBrokenError`` for an
    interaction that is not what its protocol says, or whose blob cannot be read.
    """
    return [_facts(cassette, transcribers[interaction.provider], interaction) for interaction in cassette.interactions]


def _facts(cassette: Cassette, transcriber: Transcriber, interaction: Interaction) -> CallFacts:
    try:
        gist = _gist(cassette, transcriber, interaction)
        failed, result = outcome(interaction, gist)
    except DAMAGE as error:
        raise damaged(cassette.name, interaction, error) from error
    return CallFacts(
        n=interaction.n,
        session=interaction.session,
        op=interaction.op,
        method=interaction.method,
        provider=interaction.provider,
        phase=interaction.phase,
        direction=interaction.direction,
        parent=interaction.parent,
        preview=interaction.preview,
        type=interaction.type,
        urn=interaction.urn,
        address=interaction.address,
        name=_name(interaction) or interaction.address,
        id=interaction.id,
        result=result,
        failed=failed,
        changes=_changes(gist),
        replaces=gist.replaces,
        idle=_idle(interaction.op, gist),
    )


def _gist(cassette: Cassette, transcriber: Transcriber, interaction: Interaction) -> Gist:
    # A schema says nothing about objects, and may be a blob that takes a while to read.
    if interaction.op == Op.GET_SCHEMA or interaction.direction == "engine":
        return Gist()
    request, response = cassette.request(interaction), cassette.response(interaction)
    return transcriber.gist(interaction.op, request or {}, response or {})


def _name(interaction: Interaction) -> str:
    try:
        return Urn.parse(interaction.urn).name
    except MalformedError:
        return (interaction.id if interaction.op == Op.RAW else "") or interaction.urn


def _changes(gist: Gist) -> tuple[str, ...]:
    return changed(gist.before, gist.after) if gist.changes is None else gist.changes


def _idle(op: str, gist: Gist) -> bool:
    looks = op in (Op.READ, Op.DIFF, Op.DIFF_CONFIG, Op.PLAN)
    return looks and not (gist.gone or gist.failures or _changes(gist))


# What a call came to -----------------------------------------------------------------------------------------------------


def outcome(interaction: Interaction, gist: Gist) -> tuple[bool, str]:
    """Whether a call failed, and what it came to in a few words."""
    if interaction.withheld:
        return False, f"answer withheld: {interaction.withheld}"
    if interaction.status is not None:
        status = interaction.status
        if status.code == UNIMPLEMENTED:
            return False, "not implemented"
        return True, f"failed: {worded(status.message) or status.code}"
    if gist.failures:
        return True, f"failed: {'; '.join(gist.failures)}"
    result = RESULTS.get(interaction.op, _answered)(interaction, gist)
    return False, f"{result} (preview)" if interaction.preview and not result.startswith("would") else result


def listed(names: Sequence[str]) -> str:
    """``a, b``; of many, the first few."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _answered(_interaction: Interaction, _gist: Gist) -> str:
    return "answered"


def _created(interaction: Interaction, _gist: Gist) -> str:
    return "would be created" if interaction.preview else f"created {interaction.id}".rstrip()


def _updated(interaction: Interaction, gist: Gist) -> str:
    verb = "would be updated" if interaction.preview else "updated"
    return f"{verb}: {listed(_changes(gist))}" if _changes(gist) else verb


def _deleted(interaction: Interaction, _gist: Gist) -> str:
    return f"deleted {interaction.id}".rstrip()


def _read(interaction: Interaction, gist: Gist) -> str:
    if gist.gone:
        return GONE
    if _changes(gist):
        return f"has changed: {listed(_changes(gist))}"
    return "as remembered" if gist.before else f"read {interaction.id}".rstrip()


def _planned(_interaction: Interaction, gist: Gist) -> str:
    if not _changes(gist):
        return "no change"
    if gist.replaces:
        return f"replace because of {listed(gist.replaces)}"
    if gist.after is not None and gist.before is None:
        return "create"
    return "delete" if gist.before is not None and gist.after is None else f"update: {listed(_changes(gist))}"


RESULTS: Mapping[str, Callable[[Interaction, Gist], str]] = {
    Op.CHECK_CONFIG: lambda _interaction, _gist: "valid",
    Op.CONFIGURE: lambda _interaction, _gist: "configured",
    Op.CHECK: lambda _interaction, _gist: "valid",
    Op.DIFF_CONFIG: _planned,
    Op.DIFF: _planned,
    Op.PLAN: _planned,
    Op.CREATE: _created,
    Op.READ: _read,
    Op.UPDATE: _updated,
    Op.DELETE: _deleted,
    Op.RAW: lambda interaction, _gist: f"{interaction.method} answered",
    Op.IMPORT: lambda interaction, _gist: f"imported {interaction.id}".rstrip(),
}
"""What an answer without a failure came to, by op."""


def whole(cassette: Cassette, interaction: Interaction) -> dict[str, Any]:
    """A call's request and what became of it, with nothing left out. Secrets are the placeholders that they are on disk."""
    tree: dict[str, Any] = {"request": cassette.request(interaction)}
    http = {"http": to_builtins(interaction.http)} if interaction.http else {}
    if interaction.status is not None:
        status = interaction.status
        return {**tree, "status": {"code": status.code, "message": status.message, "details": status.details}, **http}
    if interaction.withheld:
        return {**tree, "withheld": interaction.withheld, **http}
    return {**tree, "response": cassette.response(interaction), **http}
