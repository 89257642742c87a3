"""What reports call the parts of a log that are no answered calls of a provider. Each follows a number."""

from __future__ import annotations

from collections.abc import Mapping

PROVIDER_SERVICE = "pulumirpc.ResourceProvider"
MONITOR_SERVICE = "pulumirpc.ResourceMonitor"

CUT = "broken off in the middle of a line"
STRANGE = "lines that are no call"
DUPLICATES = "that both sides wrote down, kept once"
UNANSWERED = "without an answer"
UNKNOWN_RPCS = "of RPCs that this version does not know"
UNREADABLE = "with messages that cannot be read"
NEWER = "with fields that this version does not know; kept without these"
NOBODYS = "that do not say which provider they are for"
WITH_WAY_BACK = "of components and methods: nothing tells what their provider asked the engine meanwhile"
NOT_CHOSEN = "of other providers"
"""Of a log."""

WAY_BACK = "from a provider to its engine"
RAW_CALLS = "of unknown RPCs, which are kept as bytes"
WITHHELD_CALLS = "whose answer was withheld"
DETAILS = "that failed with details, of which the log keeps the message"
"""Of a cassette."""

SERVICES: Mapping[str, str] = {
    MONITOR_SERVICE: "of programs to the engine's monitor",
    "pulumirpc.LanguageRuntime": "of the language host",
    "pulumirpc.Engine": "to the engine's own service",
    "pulumirpc.Analyzer": "of policy packs",
    "pulumirpc.ResourceStatus": "about resource views",
    "pulumirpc.Callbacks": "of callbacks",
    "pulumirpc.Converter": "of converters",
}


def of_service(service: str) -> str:
    """What the calls of a service are called."""
    return SERVICES.get(service) or f"of {service}"
