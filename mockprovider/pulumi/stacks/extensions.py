"""Extensions: packages beside a base package, whose configured provider is parameterized with them, too (reference 2.2)."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from mockprovider.errors import MalformedError


class Extension(Struct, frozen=True):
    """An extension: ``value`` adds the package ``name`` in ``version`` to what a base package's provider manages."""

    name: str
    version: str
    value: bytes

    @property
    def reference(self) -> str:
        """What resources of it are marked with in a state; equal extensions have equal ones."""
        return hashlib.sha256(b"\0".join((self.name.encode(), self.version.encode(), self.value))).hexdigest()


def plain(extension: Extension) -> dict[str, str]:
    """How deployments and the files of ``pulumi import`` write it."""
    return {"name": extension.name, "version": extension.version, "value": base64.b64encode(extension.value).decode()}


def read(written: Mapping[str, Any]) -> dict[str, Extension]:
    """The extensions of a deployment by their references. Raises ``MalformedError`` for one whose value is no base64."""
    extensions = {}
    for reference, entry in written.items():
        try:
            value = base64.b64decode(entry.get("value") or "", validate=True)
        except (binascii.Error, TypeError, ValueError) as error:
            raise MalformedError(f"The value of the extension {entry.get('name')!r} is no base64: {error}.") from error
        extensions[reference] = Extension(entry.get("name", ""), entry.get("version", ""), value)
    return extensions
