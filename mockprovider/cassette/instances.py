"""Which provider instance a session speaks for, where the protocol does not say."""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Call
from mockprovider.matching import digest
from mockprovider.redaction import neutral

PREFIX, PART = "config-", "+"


def note_instance(call: Call, key: Any, type_: str) -> None:
    """Name the session's instance by a digest of what this call configures it with, unless the protocol has named it.

    ``key`` is the redacted request: no secret can be guessed from the digest, and a replay with other credentials finds the
    same instance. Instances that differ in credentials only share a name; where their answers differ, they are refused.
    ``type_`` is the type that the message names: a part of an instance, which is an instance, too, with a name of both.
    """
    instance = call.session.instance
    if type_ and instance.startswith(PREFIX):
        # A part of the provider that is configured after it, such as Terraform's state store.
        call.session.instance = f"{without_part(instance)}{PART}{digest(neutral(key))[:16]}"
    elif not instance or instance.startswith(PREFIX):
        call.session.instance = instance_name(key)


def instance_name(key: Any) -> str:
    """The name of the instance that a redacted request configures."""
    return f"{PREFIX}{digest(neutral(key))[:16]}"


def without_part(instance: str) -> str:
    """The name of a provider instance, given its own or that of one of its parts."""
    return instance.partition(PART)[0] if instance.startswith(PREFIX) else instance
