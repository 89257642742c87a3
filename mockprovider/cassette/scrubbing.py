"""Recorded calls without secrets that were declared only after they were written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from mockprovider.cassette.model import Interaction, Sent
from mockprovider.cassette.order import DESCRIBING, rewritten
from mockprovider.redaction import Hidden, Policy, Redactor

WITHHELD = "the answer holds a secret in bytes or in the key of a map, where it cannot be redacted"
Note = TypeVar("Note", Interaction, Sent)


class Scrubber:
    """Takes the secrets that ``redactor`` knows out of whole interactions, whose large trees are in ``blobs``."""

    def __init__(self, redactor: Redactor, blobs: Mapping[str, Any]) -> None:
        self._redactor = redactor
        self._blobs = blobs
        self._clean: dict[tuple[str, Policy], Hidden | None] = {}

    def scrubbed(self, interaction: Interaction, names: Policy) -> Interaction:
        """The interaction without secrets, and without places that ``names`` declares. An answer may be withheld then."""
        broken = False

        def clean(tree: Any) -> Any:
            nonlocal broken
            hidden = self._redactor.hide(tree, names, again=True)
            broken = broken or hidden.broken
            return hidden.tree

        if interaction.op in DESCRIBING and interaction.status is None:
            return replace(interaction, request=clean(interaction.request))
        request, response = (self._clean_blob(blob, names) for blob in (interaction.request_blob, interaction.response_blob))
        scrubbed = self.nameless(rewritten(interaction, clean))
        scrubbed = replace(scrubbed, id=self.text(interaction.id), address=self.address(interaction.address))
        if request:
            scrubbed = replace(scrubbed, request=request.tree, request_blob="")
        if response:
            scrubbed = replace(scrubbed, response=response.tree, response_blob="")
        if broken or (response and response.broken):
            return replace(scrubbed, response=None, response_blob="", status=None, withheld=WITHHELD)
        return scrubbed

    def text(self, text: str) -> str:
        """A text that stands beside the trees; empty where it holds a secret."""
        return text if self._redactor.hide(text).tree == text else ""

    def address(self, text: str) -> str:
        """As ``text``, of the address of a resource."""
        # Engines write keys as HCL does, with the beginning of a template escaped; other escapes are JSON's.
        spellings = (text, text.replace("$${", "${").replace("%%{", "%{")) if text else ()
        return text if all(map(self.text, spellings)) else ""

    def nameless(self, note: Note) -> Note:
        """An interaction or a note without the secrets in the URNs that it repeats."""
        name = self._redactor.name
        return replace(note, urn=name(note.urn), instance=name(note.instance))

    def _clean_blob(self, blob: str, names: Policy) -> Hidden | None:
        """What is to be kept instead of this blob, if it holds secrets."""
        if not blob:
            return None
        if (blob, names) not in self._clean:
            tree = self._blobs[blob]
            hidden = self._redactor.hide(tree, names, again=True)
            self._clean[blob, names] = hidden if hidden.tree != tree else None
        return self._clean[blob, names]
