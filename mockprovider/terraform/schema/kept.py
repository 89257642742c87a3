"""Terraform provider schemas that were read before: documents whose types are decoded when they are used."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from mockprovider.ondemand import OnDemand
from mockprovider.slices import LEAST, Slices, find, keep, key_of

KIND = "terraform providers"
PARTS = (
    "resource_schemas",
    "data_source_schemas",
    "ephemeral_resource_schemas",
    "list_resource_schemas",
    "resource_identity_schemas",
)
"""The sections of a provider that are kept a type at a time."""

ALL, ONLY = "*", ""
"""What of a document is wanted, instead of a provider's name: all providers, and the only one."""

PROVIDERS = "provider_schemas"
ANSWER = "answer"


def kept_document(text: str, which: str) -> tuple[str, dict[str, Any]] | None:
    """The key and the document of a text that was kept, with ``OnDemand`` sections; ``None`` if it was not."""
    key = key_of(KIND, which, text) if len(text) >= LEAST else ""
    kept = find(key) if key else None
    if kept is None:
        return None
    document: dict[str, Any] = kept.root
    for address, provider in _providers(document).items():
        provider |= {part: _lazy(kept, section) for part in PARTS if (section := f"{address} {part}") in kept.sections}
    return key, document


def _lazy(kept: Slices, section: str) -> OnDemand[Any]:
    return OnDemand(kept.sections[section], lambda key: kept.decoded(section, key))


def keep_document(text: str, which: str, document: Mapping[str, Any], checked: Sequence[Any]) -> None:
    """Keep the providers of a document that were ``checked``: nobody who asks for these needs the others."""
    if len(text) < LEAST:
        return
    sections: dict[str, Mapping[str, Any]] = {}
    providers = {name: provider for name, provider in _providers(document).items() if any(provider is one for one in checked)}
    whole = {name: {key: value for key, value in provider.items() if key not in PARTS} for name, provider in providers.items()}
    for address, provider in providers.items():
        sections |= {f"{address} {part}": provider[part] for part in PARTS if provider.get(part)}
    root = {**document, PROVIDERS: whole} if PROVIDERS in document else whole[""]
    keep(key_of(KIND, which, text), root, sections)


class KeptAnswers:
    """Encoded answers about all types of a package that was kept: large, always the same, and asked for in every process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[str, Slices] = {}

    def answer(self, facts: Sequence[str], build: Callable[[], bytes]) -> bytes:
        """The answer of these ``facts``, which decide it; ``build`` makes one that is not kept."""
        key = key_of("terraform answer", *facts)
        # Engines ask several times at once.
        with self._lock:
            kept = self._open.get(key) or find(key)
            if kept is None:
                data = build()
                keep(key, None, {ANSWER: {"": data}})
                return data
            self._open[key] = kept
        return b64decode(kept.decoded(ANSWER, ""))


def _providers(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The providers of a document by address; one provider's part alone has none."""
    providers: Mapping[str, Any] = document.get(PROVIDERS, {"": document})
    return providers
