"""Which calls that change the cloud have been sent: noted before they go out, so that a killed recorder leaves a list of them.

A note is a line ``+N {...}``, and ``-N`` once the answer is in the recording. The file lies beside the recording until that is
finished.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from mockprovider.cassette import Sent

NOTE = re.compile(rb"\+(\d+) (\{.*\})|-(\d+)")


def sent_file(recording: Path) -> Path:
    """Where the notes of a recording are."""
    return recording.with_name(f".{recording.name}.sent")


class SentFile:
    """The notes of one recording; the file is made with the first."""

    def __init__(self, recording: Path) -> None:
        self._path = sent_file(recording)
        self._file = -1

    def write(self, line: bytes) -> None:
        """Add a line. Raises ``OSError``."""
        if self._file < 0:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o666)
        rest = line + b"\n"
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        """Close the file, and leave it where it is."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def unanswered(recording: str | os.PathLike[str]) -> list[Sent]:
    """The calls that a recording had sent and not answered when it broke off: what they made may exist in the cloud."""
    try:
        lines = sent_file(Path(recording)).read_bytes().split(b"\n")
    except OSError:
        return []
    sent: dict[bytes, Sent] = {}
    for line in lines:
        # The last line may be half a line.
        if match := NOTE.fullmatch(line):
            number, note, answered = match.groups()
            if answered:
                sent.pop(answered, None)
            else:
                sent[number] = msgspec.json.decode(note, type=Sent)
    return list(sent.values())
