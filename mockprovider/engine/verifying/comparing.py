"""How the embedded engine's calls of one operation differ from the log's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from msgspec import Struct

from mockprovider.engine.verifying.answers import UNORDERED, LoggedProvider, normal
from mockprovider.engine.verifying.generations import EngineGeneration
from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.pulumi.signatures import RESOURCE, SIGNATURE

MISSING = object()
EMPTY: tuple[bool, Any] = (False, {})
REFERENCE = (False, RESOURCE)
"""Leaves: of an empty object, and of the signature of a resource reference."""


class EngineDifference(Struct, frozen=True):
    """One difference: the call, the field of its request (empty for the call as a whole), and what each side has."""

    operation: int
    call: str
    field: str
    said: str

    def __str__(self) -> str:
        field = f" {self.field}:" if self.field else ":"
        return f"operation {self.operation}, {self.call}{field} {self.said}"


class EngineComparison(Struct):
    """How one operation compared: the log's calls of providers, the fields that were compared, and those that were excused."""

    calls: int = 0
    fields: int = 0
    excused: int = 0
    differences: list[EngineDifference] = []


def compared(number: int, provider: LoggedProvider, problems: Iterable[str], generation: EngineGeneration) -> EngineComparison:
    """Compare what was asked of ``provider`` with its log. ``number`` counts the operations of a log from 1."""
    comparison = EngineComparison(differences=[EngineDifference(number, "the program", "", problem) for problem in problems])
    for asked in provider.asked:
        name = f"{asked.rpc} of {asked.urn or asked.request.get('tok') or asked.package}"
        if asked.logged is not None:
            comparison.calls += 1
            _compare_fields(EngineDifference(number, name, "", ""), asked.logged, asked.request, generation, comparison)
        elif not (provider.cut_off or generation.excuses_new(asked.rpc)):
            comparison.differences.append(EngineDifference(number, name, "", "the log's engine does not make this call"))
    for call in provider.unasked:
        comparison.calls += 1
        if not generation.excuses_old(call.rpc):
            said = "only the log's engine makes this call"
            comparison.differences.append(EngineDifference(number, f"{call.rpc} of {_subject(call)}", "", said))
    comparison.differences += _disorder(number, provider)
    return comparison


def _compare_fields(
    of: EngineDifference,
    logged: FinishedCall,
    request: Mapping[str, Any],
    generation: EngineGeneration,
    comparison: EngineComparison,
) -> None:
    theirs, ours = dict(leaves(normal(logged.rpc, logged.request))), dict(leaves(request))
    for path in sorted(theirs.keys() | ours.keys()):
        one, other = theirs.get(path, MISSING), ours.get(path, MISSING)
        referring = one is MISSING and ours.get(f"{path.rpartition('.')[0]}.{SIGNATURE}") == REFERENCE
        if generation.excuses_field(logged.rpc, path, emptied=one == EMPTY and other is MISSING, referring=referring):
            comparison.excused += 1
            continue
        comparison.fields += 1
        if one != other:
            said = f"the log has {_shown(one)}, and the embedded engine sends {_shown(other)}"
            comparison.differences.append(EngineDifference(of.operation, of.call, path, said))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in a request by their paths. An empty object or list is a value, too."""
    parts: Iterable[tuple[str, Any]] = ()
    if isinstance(value, Mapping):
        parts = [(f"{path}.{key}" if path else str(key), item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    if not parts:
        # JSON tells true from 1, and Python does not.
        yield path, (type(value) is bool, value)
    for inner, item in parts:
        yield from leaves(item, inner)


def _disorder(number: int, provider: LoggedProvider) -> Iterator[EngineDifference]:
    """Calls about one resource that come in another order."""
    of_urn: dict[str, list[FinishedCall]] = defaultdict(list)
    for asked in provider.asked:
        if asked.logged is not None and asked.urn:
            of_urn[asked.urn].append(asked.logged)
    for urn, calls in of_urn.items():
        if not _is_ordered(calls, provider):
            theirs = ", ".join(call.rpc for call in sorted(calls, key=provider.place))
            said = f"the log has {theirs}, and the embedded engine asks {', '.join(call.rpc for call in calls)}"
            yield EngineDifference(number, f"the order of calls about {urn}", "", said)


def _is_ordered(calls: Iterable[FinishedCall], provider: LoggedProvider) -> bool:
    """Whether calls about one resource stand in the log in this order, but for what is chance there.

    The real engine deletes the objects of one resource in the order of a map of Go's, and so it asks what would replace one
    of the dependents of a destroy's targets. It does not wait for a Configure, whose end a log may have after that of later
    calls.
    """
    latest = -1
    for rpc, following in groupby(calls, key=lambda call: call.rpc):
        places = [provider.place(call) for call in following]
        for place in sorted(places) if rpc in UNORDERED else places:
            if place < latest:
                return False
            latest = latest if rpc == "Configure" else place
    return True


def _shown(leaf: Any) -> str:
    if leaf is MISSING:
        return "nothing"
    text = repr(leaf[1])
    return text if len(text) <= 200 else f"{text[:200]}..."


def _subject(call: FinishedCall) -> str:
    return str(call.request.get("urn") or call.request.get("tok") or call.name or "a provider")
