"""A hint for a configuration that asks for a provider address that is not served: the addresses that are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from mockprovider.hints import near

REATTACH = "TF_REATTACH_PROVIDERS"
"""The variable that leads an engine to running providers."""

MISSING = re.compile(
    r"provider (?P<source>[^\s:,]+/[^\s:,]+)(?:: required by this configuration|, but that provider isn't available)"
)
"""How engines say that they miss a provider, while planning and while validating."""

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
    pairs = [(source, near(source, known, 0.8)) for source in missing]
    meant = "".join(f" Instead of {source}, did you mean {other}?" for source, other in pairs if other)
    return (
        f"\nThere is nothing to init: this run is led to {', '.join(known)}, and to no other provider.{meant} A resource type "
        "begins with its provider's name, and what is not under hashicorp needs its source in required_providers."
    )


def _led_to(environment: Mapping[str, str]) -> set[str]:
    settings = environment.get("TF_CLI_CONFIG_FILE")
    text = Path(settings).read_text(encoding="utf-8") if settings and Path(settings).is_file() else ""
    return {*json.loads(environment.get(REATTACH) or "{}"), *(match["source"] for match in OVERRIDE.finditer(text))}
