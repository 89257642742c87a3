"""Cassettes in memory: recording and replaying the calls of a provider. Cassettes on disk are tapes (``mockprovider.tape``)."""

from __future__ import annotations

from mockprovider.cassette.model import FORMAT, VERSION, Cassette, Header, Interaction, RecordedSession, RecordedStatus, Sent
from mockprovider.cassette.modes import DECISIONS, DEFAULT, CassetteAction, Mode, ModeRule, mode
from mockprovider.cassette.recorder import Memory, Recorder, Sink
from mockprovider.cassette.replayer import Replayer
from mockprovider.cassette.transcriber import Transcriber

__all__ = [
    "DECISIONS",
    "DEFAULT",
    "FORMAT",
    "VERSION",
    "Cassette",
    "CassetteAction",
    "Header",
    "Interaction",
    "Memory",
    "Mode",
    "ModeRule",
    "RecordedSession",
    "RecordedStatus",
    "Recorder",
    "Replayer",
    "Sent",
    "Sink",
    "Transcriber",
    "mode",
]
