"""How a test that is marked with a cassette uses it: what the marker may say, and what it puts behind the double."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockprovider.cassette import Mode, Recorder, mode
from mockprovider.double.cassettes import Wiring, real, recording, replaying
from mockprovider.double.launchers import named
from mockprovider.errors import DefinitionError
from mockprovider.protocols import of_family

if TYPE_CHECKING:
    from mockprovider.tape import Draft

ARGUMENTS: dict[str, tuple[type, ...]] = {
    "path": (str, Path),
    "command": (str, list, tuple),
    "protocol": (str,),
    "env": (dict,),
    "name": (str,),
}
"""The arguments of the marker, in order, and what they are; ``None`` stands for the default of each."""
WANTED = {
    "path": "give the file's path, relative to the test's folder",
    "command": "give a command line, or a list of the executable and its arguments",
    "protocol": "give the name of one",
    "env": "give a dict of environment variables",
    "name": "give the package's name",
}


class Recording:
    """What one test records."""

    def __init__(self, draft: Draft, recorder: Recorder) -> None:
        self._draft = draft
        self._recorder = recorder

    def settle(self, *, passed: bool) -> None:
        """Make the recording the cassette, unless the test failed and there is one. Call it after closing the double."""
        if passed:
            self._draft.keep()
        elif self._recorder.recorded:
            self._draft.put_by()
        else:
            self._draft.drop()

    @property
    def told(self) -> str:
        """What becomes of it if the test fails, in a line."""
        draft = self._draft
        if not self._recorder.recorded:
            return "Nothing was recorded."
        if draft.replaces:
            return f"Recorded into {draft.refuge}: the test failed, so {draft.path} stays as it was."
        return f"Recorded into {draft.path}, up to where the test failed."


class CassetteUse:
    """How one test uses a cassette: where it lies, in which mode, and what is recorded under which name."""

    def __init__(self, path: Path, mode: str, *, command: list[str], protocol: str, env: dict[str, str], name: str) -> None:
        self.path = path
        self.mode = mode
        self.recording: Recording | None = None
        """What is being recorded; ``None`` on replay, and before ``wiring``."""
        self.command = command
        self.protocol = protocol
        self.env = env
        self.name = name

    def wiring(self, remake: str) -> Wiring:
        """What to put behind the double. ``remake`` is the command line that makes the cassette again."""
        if mode(self.mode) is Mode.NONE:
            return replaying(self.path)
        fake = Wiring(self.name or "mock", protocol=of_family(self.protocol))
        behind = real(self.command, self.protocol, name=self.name, env=self.env) if self.command else fake
        from mockprovider.tape import Draft  # noqa: PLC0415 - zstandard is slow to import

        draft = Draft(self.path)
        wiring = recording(draft, behind, self.protocol, created_by=remake)
        if wiring.recorder:
            self.recording = Recording(draft, wiring.recorder)
        return wiring


def arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The marker's arguments by name, all of them. Raises ``DefinitionError`` for what is none."""
    has = f"it has {', '.join(ARGUMENTS)}"
    if len(args) > len(ARGUMENTS):
        raise DefinitionError(f"@pytest.mark.cassette has no {len(args)} arguments; {has}.")
    options: dict[str, Any] = {**dict(zip(ARGUMENTS, args, strict=False)), **kwargs}
    for name, value in options.items():
        if name not in ARGUMENTS:
            raise DefinitionError(f"@pytest.mark.cassette has no {name!r}; {has}.")
        if value is not None and not isinstance(value, ARGUMENTS[name]):
            raise DefinitionError(f"@pytest.mark.cassette: {name}={value!r} is a {type(value).__name__}; {WANTED[name]}.")
    command = _command(options.get("command") or [])
    try:
        protocol = of_family(options.get("protocol") or named(command)[0]).family
    except DefinitionError as error:
        raise DefinitionError(f"@pytest.mark.cassette: {error}") from error
    return {**dict.fromkeys(ARGUMENTS), **options, "command": command, "protocol": protocol}


def _command(command: str | Sequence[str]) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DefinitionError(f"@pytest.mark.cassette: command={command!r} is no command line: {error}.") from error
