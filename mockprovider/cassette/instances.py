"""Which provider instance a session speaks for, where the protocol does not say."""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Call
from mockprovider.matching import digest
from mockprovider.redaction import neutral

PREFIX = "config-"


def note_instance(call: Call, key: Any) -> None:
    """Name the session's instance by a digest of what this call configures it with, unless the protocol has named it.

    ``key`` is the redacted request: no secret can be guessed from the digest, and a replay with other credentials finds the
    same instance. Instances that differ in credentials only share a name; where their answers differ, they are refused.
    """
    if not call.session.instance or call.session.instance.startswith(PREFIX):
        call.session.instance = f"{PREFIX}{digest(neutral(key))[:16]}"
