"""Cassettes in memory: recording and replaying the calls of a provider. Cassettes on disk are tapes (``mockprovider.tape``)."""

from __future__ import annotations

from mockprovider.cassette.deciding import CassetteLayer
from mockprovider.cassette.library import Library
from mockprovider.cassette.model import FORMAT, VERSION, Cassette, Header, Interaction, RecordedSession, RecordedStatus, Sent
from mockprovider.cassette.modes import DEFAULT, RULES, CassetteAction, LookResult, Mode, ModeRule, mode
from mockprovider.cassette.recorder import Recorder
from mockprovider.cassette.shelf import Reader
from mockprovider.cassette.sink import Memory, Sink
from mockprovider.cassette.transcriber import Transcriber

__all__ = [
    "DEFAULT",
    "FORMAT",
    "RULES",
    "VERSION",
    "Cassette",
    "CassetteAction",
    "CassetteLayer",
    "Header",
    "Interaction",
    "Library",
    "LookResult",
    "Memory",
    "Mode",
    "ModeRule",
    "Reader",
    "RecordedSession",
    "RecordedStatus",
    "Recorder",
    "Sent",
    "Sink",
    "Transcriber",
    "mode",
]
