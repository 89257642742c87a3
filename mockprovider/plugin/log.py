"""What a plugin process writes for the engine's log: entries on standard error, in the form that each engine reads."""

from __future__ import annotations

import sys

from mockprovider.calls import Call, Handler, Layer, Reply
from mockprovider.journal import Entry, Side
from mockprovider.wire.starter import Starter


def say(starter: Starter, level: str, message: str) -> None:
    """Write an entry of the log."""
    print(starter.log_line(level, message), file=sys.stderr, flush=True)


def narrating(starter: Starter) -> Layer:
    """A layer that writes each call and how it ended, so that ``TF_LOG=debug`` and ``pulumi -v=9`` show what the fake did."""

    def narrate(call: Call, proceed: Handler) -> Reply:
        entry = Entry(0, Side.PROVIDER, call)
        entry.reply = proceed(call)
        say(starter, "debug", str(entry).split(maxsplit=2)[2])
        return entry.reply

    return narrate
