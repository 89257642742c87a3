"""What a plugin process writes for the engine's log: lines on standard error, in the form that each engine reads."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

from mockprovider.calls import Call, Handler, Layer, Reply
from mockprovider.journal import Entry, Side


def line(protocol: str, level: str, message: str) -> str:
    """``message`` as one entry of the log: text for Pulumi; for Terraform JSON, of which it shows level and message.

    All of its values are strings, because another kind under one of these keys ends Terraform itself (reference 1.5).
    """
    if protocol == "pulumi":
        return message
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return json.dumps({"@level": level, "@message": message, "@module": "mockprovider", "@timestamp": stamp})


def say(protocol: str, level: str, message: str) -> None:
    """Write an entry of the log."""
    print(line(protocol, level, message), file=sys.stderr, flush=True)


def narrating(protocol: str) -> Layer:
    """A layer that writes each call and how it ended, so that ``TF_LOG=debug`` and ``pulumi -v=9`` show what the fake did."""

    def narrate(call: Call, proceed: Handler) -> Reply:
        entry = Entry(0, Side.PROVIDER, call)
        entry.reply = proceed(call)
        say(protocol, "debug", str(entry).split(maxsplit=2)[2])
        return entry.reply

    return narrate
