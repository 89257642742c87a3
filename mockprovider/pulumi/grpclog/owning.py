"""Which provider each call of a log is for, where its line does not say: logs of 2022 and 2023 have no ``metadata``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mockprovider.errors import MalformedError
from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.urn import PROVIDERS, Urn


def owners(calls: Sequence[FinishedCall]) -> list[str]:
    """The package of each call; empty where nothing tells.

    What starts a provider names none. It goes to the provider whose configuration is checked next; a configuration goes to the
    one whose checked configuration it is.
    """
    names = [call.name or _package(call) for call in calls]
    known = set(filter(None, names))
    if len(known) == 1:
        return [next(iter(known))] * len(calls)
    waiting: list[int] = []
    checked: dict[str, str] = {}
    for place, call in enumerate(calls):
        if call.rpc == "CheckConfig":
            _claim(waiting, calls, names, names[place])
            checked |= {_inputs(response.get("inputs")): names[place] for response in call.responses}
        elif not names[place]:
            names[place] = checked.get(_inputs(call.request.get("args")), "") if call.rpc == "Configure" else ""
            waiting += [place] if not names[place] else []
    return names


def _claim(waiting: list[int], calls: Sequence[FinishedCall], names: list[str], package: str) -> None:
    """Give a provider the last of each call that waits for one."""
    latest = {calls[place].rpc: place for place in waiting}
    for place in latest.values():
        names[place] = package
        waiting.remove(place)


def _inputs(bag: Any) -> str:
    # Configure has the version, too, and the check of a default provider does not.
    known = bag if isinstance(bag, dict) else {}
    return json.dumps({key: item for key, item in known.items() if key != "version"}, sort_keys=True)


def _package(call: FinishedCall) -> str:
    request = call.request
    token = type_of(request.get("urn")) or _first(request, "type", "tok", "token")
    if token.startswith(PROVIDERS):
        return token.removeprefix(PROVIDERS).partition("::")[0]
    variables = request.get("variables")
    keys: Iterable[Any] = variables if isinstance(variables, dict) else ()
    return (token or next(iter(keys), "")).partition(":")[0]


def _first(request: Mapping[str, Any], *fields: str) -> str:
    return next((request[field] for field in fields if isinstance(request.get(field), str)), "")


def type_of(urn: Any) -> str:
    """The type in a URN; empty for what is none."""
    try:
        return Urn.parse(urn).type if isinstance(urn, str) and urn else ""
    except MalformedError:
        return ""
