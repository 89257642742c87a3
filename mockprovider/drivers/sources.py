"""A hint for a configuration that asks for a provider address that is not served: the addresses that are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from mockprovider.hints import near

ALIKE = 0.8
"""How alike two addresses, and two names of providers, must be for one to be a misspelling of the other."""

REATTACH = "TF_REATTACH_PROVIDERS"
"""The variable that leads an engine to running providers."""

MISSING = re.compile(
    r"provider (?P<source>[^\s:,]+/[^\s:,]+)(?:: required by this configuration|, but that provider isn't available)"
)
"""How engines say that they miss a provider, while planning and while validating."""

UNSUPPORTED = re.compile(r'does not support (?:resource type|data source|ephemeral resource(?: type)?) "(?P<type>\w+)"')
"""How engines say that a provider's schema does not have a type."""

REGISTRY = re.compile(r"^registry\.(?:terraform\.io|opentofu\.org)/")
"""What engines add to an address without a host."""

OVERRIDE = re.compile(r'^\s*"(?P<source>[^"\s]+/[^"\s]+)"\s*=\s*"', re.MULTILINE)
"""A provider's address in the ``dev_overrides`` of a settings file."""


def hint(output: str, environment: Mapping[str, str]) -> str:
    """What to do where an engine that printed ``output`` misses a provider; empty if that is not what went wrong.

    ``environment`` is what the engine ran with.
    """
    missing = sorted({match["source"] for match in MISSING.finditer(output)})
    if not missing:
        return ""
    known = sorted(_led_to(environment))
    if not known:
        return "\nThis run is led to no provider: give the driver the environment of what you serve, Serving.environment."
    pairs = [(source, _meant(source, known)) for source in missing]
    meant = "".join(f" Instead of {source}, did you mean {other}?" for source, other in pairs if other)
    undeclared = [source for source, other in pairs if not other]
    define = (
        f" Nobody defines {' and '.join(undeclared)}: define each with provider.define(...), for example as "
        "from_terraform_schema(SCHEMA, NAME) of what `providers schema -json` printed."
    )
    return (
        f"\nThere is nothing to init: this run is led to {_listed(known)}, and to no other provider.{meant}"
        f"{define if undeclared else ''} A resource type "
        "begins with its provider's name, and what is not under hashicorp needs its source in required_providers."
    )


def unasked(environment: Mapping[str, str]) -> str:
    """What to do where an engine failed before it asked a provider for anything; empty if ``environment`` leads it to none."""
    known = sorted(json.loads(environment.get(REATTACH) or "{}"))
    if not known:
        return ""
    return (
        f"No provider was asked for anything. The engine was led to {_listed(known)}, and to no other provider: "
        "--types FILE declares others. It needs no init; its command get installs modules.\n"
    )


def _listed(known: Iterable[str]) -> str:
    """The addresses; the names of those that are found in the same places, and the places once."""
    places: dict[str, dict[str, None]] = {}
    for place, _, name in (REGISTRY.sub("", address).rpartition("/") for address in known):
        places.setdefault(name, {})[place] = None
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, among in places.items():
        groups.setdefault(tuple(among), []).append(name)
    return ", ".join(
        ", ".join(f"{among[0]}/{name}" for name in names)
        if len(among) == 1
        else f"{', '.join(names)} (as {' or '.join(f'{place}/NAME' for place in among)})"
        for among, names in groups.items()
    )


def _meant(source: str, known: Iterable[str]) -> str:
    """The known address that ``source`` may be a misspelling of; to have the same namespace is not enough for that."""
    name = source.rpartition("/")[2]
    return near(source, [other for other in known if near(name, [other.rpartition("/")[2]], ALIKE)], ALIKE)


class Absent(Protocol):
    """Says why a provider does not have a type: a ``Double``."""

    def absent(self, type_: str) -> str:
        """Why not; empty if that is nothing of ours."""


def absent(output: str, doubles: Iterable[Absent]) -> str:
    """Why a provider does not have the types that an engine which printed ``output`` asked for, where it is replayed.

    An engine looks types up in the schema, which has the recorded ones alone, so no call reaches the replay.
    """
    types = dict.fromkeys(match["type"] for match in UNSUPPORTED.finditer(output))
    # Doubles of providers that were recorded together say the same.
    reasons = dict.fromkeys(double.absent(type_) for double in doubles for type_ in types)
    return "".join(f"\n{why}" for why in reasons if why)


def _led_to(environment: Mapping[str, str]) -> set[str]:
    settings = environment.get("TF_CLI_CONFIG_FILE")
    text = Path(settings).read_text(encoding="utf-8") if settings and Path(settings).is_file() else ""
    return {*json.loads(environment.get(REATTACH) or "{}"), *(match["source"] for match in OVERRIDE.finditer(text))}
