"""What engines of several years did not send or do yet, by signs in the log itself (reference 16.1).

A row excuses what its sign is missing for, and nothing else: a field that only today's engine sends, or a call of one of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.pulumi.signatures import RESOURCE, SIGNATURE

Calls = Iterable[FinishedCall]


class Newer(Struct, frozen=True):
    """A feature of engines: since which version, its sign in a log, and what a log without the sign has not.

    Args:
        since: the version that brought it.
        shown: whether a log's calls show that its engine had it.
        fields: fields of requests (``Rpc.field``, or ``*.field`` for every RPC that has it) that older engines do not send.
        emptied: fields of requests that older engines send empty, where today's send none.
        references: what older engines do not say of the resources that values refer to.
        rpcs: calls that older engines do not make.
        again: calls that older engines make more often.
    """

    since: str
    shown: Callable[[Calls], bool]
    fields: frozenset[str] = frozenset()
    emptied: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
    rpcs: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()


def _has(rpc: str, *fields: str) -> Callable[[Calls], bool]:
    """Whether a request of ``rpc`` has one of ``fields``; without fields, whether there is one."""

    def shown(calls: Calls) -> bool:
        return any(call.rpc == rpc and (not fields or call.request.keys() & set(fields)) for call in calls)

    return shown


def _reads_nothing(calls: Calls) -> bool:
    return any(call.rpc == "Read" and "properties" not in call.request for call in calls)


def _names_references(calls: Calls) -> bool:
    return any("name" in reference for call in calls for reference in _references(call.request))


def _references(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping) and value.get(SIGNATURE) == RESOURCE:
        yield value
    for part in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _references(part)


def _has_names(calls: Calls) -> bool:
    return any("name" in call.request and "urn" in call.request and call.rpc != "Configure" for call in calls)


NAMES = Newer(since="3.132", shown=_has_names, fields=frozenset({"*.name", "*.type"}))
"""Older engines also left a version that only the state tells out of the name of a default provider."""

NEWER = (
    Newer(
        since="3.74",
        shown=_has("Configure", "sendsOldInputs"),
        fields=frozenset({"Configure.sendsOldInputs"} | {f"{rpc}.oldInputs" for rpc in ("DiffConfig", "Diff", "Update")}),
    ),
    Newer(
        since="3.89",
        shown=_has("Configure", "sendsOldInputsToDelete"),
        fields=frozenset({"Configure.sendsOldInputsToDelete", "Delete.oldInputs"}),
        again=frozenset({"GetPluginInfo", "CheckConfig"}),
    ),
    NAMES,
    Newer(since="3.143", shown=_has("Handshake"), rpcs=frozenset({"Handshake"})),
    Newer(
        since="3.154",
        shown=_has("Handshake", "configureWithUrn"),
        fields=frozenset({f"Configure.{name}" for name in ("id", "urn", "name", "type")} | {"Handshake.configureWithUrn"}),
    ),
    Newer(since="3.168", shown=_has("Handshake", "supportsViews"), fields=frozenset({"Handshake.supportsViews"})),
    Newer(
        since="3.172",
        shown=_has("Handshake", "supportsRefreshBeforeUpdate"),
        fields=frozenset({"Handshake.supportsRefreshBeforeUpdate"}),
    ),
    Newer(
        since="3.206",
        shown=_has("Handshake", "invokeWithPreview"),
        fields=frozenset({"Handshake.invokeWithPreview", "Invoke.preview"}),
    ),
    Newer(
        since="3.225",
        shown=_has("Handshake", "acceptsByteString"),
        fields=frozenset({"Handshake.acceptsByteString"}),
    ),
)
"""In the order of their versions. Their signs are in each log of an engine that had them."""

OCCASIONAL = (
    Newer(since="3.198", shown=_reads_nothing, emptied=frozenset({"Read.properties"})),
    Newer(since="3.227", shown=_names_references, references=frozenset({"name", "type"})),
    Newer(since="3.233", shown=_has("Construct", "organization"), fields=frozenset({"Construct.organization"})),
)
"""What shows only where a log has such a call: of a log that has none nobody can tell, and there is nothing to excuse."""

LOADING = Newer(
    since="",
    shown=lambda calls: not any(call.rpc == "GetSchema" for call in calls),
    again=frozenset({"Handshake", "GetPluginInfo"}),
)
"""A language that loads schemas starts providers for that alone (reference 16.2)."""

NEVER = Newer(
    since="",
    shown=lambda _: True,
    fields=frozenset(
        {
            "*.resourceStatusAddress",
            "*.resourceStatusToken",
            "Check.randomSeed",
            "Check.autonaming.proposedName",
            "Configure.id",
        }
        | {f"Handshake.{name}" for name in ("engineAddress", "rootDirectory", "programDirectory")}
        | {f"Handshake.{name}" for name in ("mapperTarget", "loaderTarget", "resolverTarget")}
        | {f"{rpc}.{name}" for rpc in ("Construct", "Call") for name in ("monitorEndpoint", "parallel", "stackTraceHandle")}
    ),
    rpcs=frozenset({"Attach", "GetSchema", "GetMapping", "GetMappings", "Cancel"}),
)
"""What no engine sends twice alike: addresses, tokens, folders, chance. And calls that say nothing of an engine: those for
schemas, which a program's language needs, and Cancel, which ends a process and which logs of most versions leave out.
"""


class EngineGeneration(Struct, frozen=True):
    """What a log's engine is excused from: the rows whose sign it does not show."""

    excused: tuple[Newer, ...]
    """What the log's engine did not know."""

    @property
    def since(self) -> str:
        """The version of the first feature that it does not show; empty for an engine that shows all."""
        return next((row.since for row in NEWER if row in self.excused), "")

    @property
    def names_by_version(self) -> bool:
        """Whether a default provider whose version only the state tells has it in its name."""
        return NAMES not in self.excused

    def excuses_field(self, rpc: str, path: str, *, emptied: bool = False, referring: bool = False) -> bool:
        """Whether a field may differ, since only today's engine sends it, or no two runs send it alike.

        ``emptied`` says that it is an empty object in the log and nothing today, ``referring`` that only today's engine has it,
        inside of a resource reference.
        """
        head = path.split(".", 1)[0].split("[", 1)[0]
        wanted = {f"{rpc}.{head}", f"*.{head}", f"{rpc}.{path}"}
        name = path.rpartition(".")[2]
        return any(
            wanted & row.fields or (emptied and f"{rpc}.{path}" in row.emptied) or (referring and name in row.references)
            for row in (*self.excused, NEVER)
        )

    def excuses_new(self, rpc: str) -> bool:
        """Whether a call that only today's engine makes is no difference."""
        return any(rpc in row.rpcs for row in (*self.excused, NEVER))

    def excuses_old(self, rpc: str) -> bool:
        """Whether a call that only the log's engine made is no difference."""
        return rpc in NEVER.rpcs or any(rpc in row.again for row in self.excused)


def generation(calls: Calls) -> EngineGeneration:
    """The generation of the engine that made a log's calls."""
    calls = list(calls)
    return EngineGeneration(tuple(row for row in (*NEWER, *OCCASIONAL, LOADING) if not row.shown(calls)))
