"""How a test that is marked with a cassette uses it: what the marker may say, and what it puts behind the double."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mockprovider.cassette import DEFAULT, RULES, Mode, Recorder, mode
from mockprovider.cassette.beyond import Beyond, beyond_policy
from mockprovider.cassette.matching import Matching, matching_of
from mockprovider.cassette.report import CassetteReport, lines
from mockprovider.cassette.unplayed import Unplayed, unplayed_policy
from mockprovider.double.behind import Wiring, real
from mockprovider.double.cassettes import deciding, using, using_all
from mockprovider.double.clocks import CalendarClock
from mockprovider.double.inuse import drafted
from mockprovider.double.launchers import named
from mockprovider.durations import age
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.protocols import of_family
from mockprovider.redaction import Names

if TYPE_CHECKING:
    from mockprovider.tape import Draft

ARGUMENTS: dict[str, tuple[type, ...]] = {
    "path": (str, Path),
    "command": (str, list, tuple),
    "protocol": (str,),
    "env": (dict,),
    "name": (str,),
    "secrets": (list, tuple),
    "public": (list, tuple),
    "masks": (list, tuple),
    "prove": (bool,),
    "providers": (dict,),
    "mode": (str,),
    "unplayed": (str,),
    "max_age": (str,),
    "matching": (dict, Matching),
    "beyond": (str,),
    "http": (bool,),
}
"""The arguments of the marker, in order, and what they are; ``None`` stands for the default of each."""
PLACES = ("secrets", "public", "masks")
"""The arguments that name places in messages."""
WANTED = {
    "path": "give the file's path, relative to the test's folder",
    "command": "give a command line, or a list of the executable and its arguments",
    "protocol": "give the name of one",
    "env": "give a dict of environment variables",
    "name": "give the package's name",
    **dict.fromkeys(("prove", "http"), "say True or False"),
    "mode": "give the name of one, such as 'once'",
    "unplayed": "say 'fail' or 'allow'",
    "beyond": "say 'miss' or 'fake'",
    "max_age": "give an age, such as '90d'",
    "matching": "give a dict such as {'ignore': ['news.tags.owner']}, or a Matching",
    "providers": "give a dict with a command line, or None for the fake, by the name of each package",
    **dict.fromkeys(PLACES, "give a list of property names, such as 'password' or 'aws_ssm_parameter.value'"),
}


EARLIER = "is of an earlier recording, and lists calls without an answer: mockprovider cassette recover"


class Left(Struct, frozen=True):
    """The recording of a test that was interrupted: of the cassette ``path``, and at ``place`` once it is its draft no more.

    Whoever tells of it looks where it is: the process that recorded it may have been killed at any time.
    """

    path: str
    place: str
    replaces: bool
    """Whether there was a cassette before."""

    @property
    def lines(self) -> list[str]:
        """Where it is, what may exist in the cloud, and what to do."""
        from mockprovider.tape import draft_of, unanswered  # noqa: PLC0415 - zstandard is slow to import

        draft = draft_of(Path(self.path))
        place = draft if draft.exists() else Path(self.place)
        if not place.exists():
            return ["Nothing was recorded."]
        stays = f", and {self.path} stays as it was" if self.replaces and str(place) != self.path else ""
        lines = [f"What it recorded until then is {place}{stays}."]
        waiting = unanswered(place)
        if waiting:
            lines += ["These calls were waiting for an answer; what they made may exist in the cloud:"]
            lines += [f"  {sent}" for sent in waiting]
            lines += [f"mockprovider cassette recover {place} lists them again."]
        elif place == draft:
            lines += [f"mockprovider cassette recover {self.path} makes it a cassette."]
        return lines


class Recording:
    """What one test records. ``noting`` is called before it is moved, when ``left`` says where to."""

    def __init__(self, draft: Draft, recorder: Recorder, *, prove: bool = False) -> None:
        self._draft = draft
        self._recorder = recorder
        self._place = draft.file
        """Where it is, or is about to be."""
        self._settled = False
        self._proving = prove
        self.noting: Callable[[], object] = lambda: None

    def settle(self, *, passed: bool) -> None:
        """Make the recording the cassette, unless the test failed and there is one. Call it after closing the double."""
        from mockprovider.tape import unanswered  # noqa: PLC0415 - zstandard is slow to import

        self._settled = True
        self._proving = self._proving and passed
        if passed or self._recorder.unchanged:
            self._place = self._draft.path
        elif self._recorder.recorded or unanswered(self._draft.file):
            self._place = self._draft.refuge
        self.noting()
        if self._recorder.unchanged or self._place == self._draft.file:
            self._draft.drop()
        elif passed:
            self._draft.keep()
        else:
            self._draft.put_by()

    @property
    def report(self) -> CassetteReport:
        """What has been recorded until now, and what only the recorder knows of it once that is settled."""
        from mockprovider.double.reporting import reported  # noqa: PLC0415 - zstandard is slow to import

        if not self._settled:
            return reported(self._place, broken_off=True)
        return reported(self._place, notices=self._recorder.notices)

    @property
    def recorded(self) -> int:
        """How many calls have been recorded until now."""
        return self._recorder.recorded

    def summary(self) -> list[str]:
        """The report in words, once the recording is settled; nothing if nothing was recorded."""
        from mockprovider.double.reporting import from_here  # noqa: PLC0415 - zstandard is slow to import

        if not self._recorder.recorded:
            return []
        left = self._draft.left
        earlier = f"{from_here(left)} {EARLIER} {from_here(self._draft.path)}" if left and left != self._place else ""
        return [*lines(self.report), *([earlier] if earlier else [])]

    def prove(self) -> None:
        """Replay what a passed test recorded, if that is wanted. Raises ``CassetteError`` that says what fails."""
        from mockprovider.double.reporting import proved  # noqa: PLC0415 - zstandard is slow to import

        if self._proving:
            proved(self._place)

    @property
    def left(self) -> Left:
        """What is to be said of it if the test is interrupted now."""
        return Left(str(self._draft.path), str(self._place), self._draft.replaces)

    @property
    def told(self) -> str:
        """What becomes of it if the test fails, in a line."""
        draft = self._draft
        if not self._recorder.recorded:
            return "Nothing was recorded."
        if draft.refuge != draft.path:
            stays = "stays as it was" if draft.replaces else "is not made"
            return f"Recorded into {draft.refuge}: the test failed, so {draft.path} {stays}."
        return f"Recorded into {draft.path}, up to where the test failed."


class CassetteUse:
    """How one test uses a cassette: where it lies, in which mode, and what is recorded under which name."""

    def __init__(
        self,
        path: Path,
        mode: str,
        *,
        command: list[str],
        protocol: str,
        env: dict[str, str],
        name: str,
        providers: Mapping[str, list[str]] = MappingProxyType({}),
        places: Mapping[str, Names] = MappingProxyType({}),
        prove: bool = False,
        unplayed: str = Unplayed.FAIL,
        max_age: str = "",
        matching: Matching | None = None,
        beyond: str = Beyond.MISS,
        http: bool = False,
    ) -> None:
        self.path = path
        self.mode = mode
        self.recording: Recording | None = None
        """What is being recorded; ``None`` on replay, and before ``wirings``."""
        self.command = command
        self.protocol = protocol
        self.env = env
        self.name = name
        self.prove = prove
        """Whether what is recorded is replayed at once."""
        self.matching = matching
        """What is decided about which calls match."""
        self.unplayed = unplayed
        """Whether recorded changes that the test never asked for fail it, ``fail`` or ``allow``."""
        self.max_age = max_age
        """How old a cassette may be that the test replays, such as ``90d``; empty where it may be of any age."""
        self.beyond = beyond
        """What answers calls that a replayed cassette does not hold: nobody (``miss``) or a ``fake``."""
        self.http = http
        """Whether the provider is Python code in this process, whose HTTP is recorded and whose code runs on replay."""
        self.providers = providers
        """The commands of several providers, by the names of their packages."""
        self.places = places
        """Which properties are secret, public and masked, by the marker's argument."""

    @property
    def replaces(self) -> bool:
        """Whether a cassette that is there gives way to what the test records."""
        return RULES[mode(self.mode)].replaces

    @property
    def report(self) -> CassetteReport:
        """What the cassette holds; while the test records, what has been recorded until now."""
        from mockprovider.double.reporting import reported  # noqa: PLC0415 - zstandard is slow to import

        return self.recording.report if self.recording else reported(self.path)

    def wirings(self, remake: str) -> dict[str, Wiring]:
        """What to put behind the double of each provider, by name.

        ``remake`` is the command line that makes the cassette again.
        """
        chosen = mode(self.mode)
        draft = drafted(chosen, self.path)
        if draft is None and RULES[chosen].asks(existed=True):
            return self._live(chosen, self.path, remake)
        if draft is None:
            redactor = deciding(masks=self.places.get("masks", ()))
            behind = dict.fromkeys(self.providers)
            return using_all(chosen, self.path, behind, redactor=redactor, **self._policies)
        try:
            wirings = self._live(chosen, draft, remake)
        except BaseException:
            draft.release()
            raise
        recorder = next(iter(wirings.values())).recorder
        if recorder:
            self.recording = Recording(draft, recorder, prove=self.prove)
        return wirings

    @property
    def _policies(self) -> dict[str, Any]:
        return {"unplayed": self.unplayed, "beyond": self.beyond, "matching": self.matching, "http": self.http}

    def _live(self, chosen: Mode, place: Draft | Path, remake: str) -> dict[str, Wiring]:
        redactor = deciding(**self.places)
        behind = {name: self._behind(command, name) for name, command in self.providers.items()}
        options: dict[str, Any] = {"created_by": remake, "redactor": redactor, **self._policies}
        options["clock"] = CalendarClock()
        if behind:
            return using_all(chosen, place, behind, self.protocol, **options)
        wiring = using(chosen, place, self._behind(self.command, self.name), self.protocol, **options)
        return {wiring.name: wiring}

    def _behind(self, command: list[str], name: str) -> Wiring:
        fake = Wiring(name or "mock", protocol=of_family(self.protocol))
        return real(command, self.protocol, name=name, env=self.env) if command else fake


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
        if (
            isinstance(value, dict)
            and name == "env"
            and not all(isinstance(text, str) for pair in value.items() for text in pair)
        ):
            raise DefinitionError(f"@pytest.mark.cassette: env={value!r} holds more than texts; {WANTED[name]}.")
        if name in PLACES and not all(isinstance(place, str) and place for place in _listed(value)):
            raise DefinitionError(f"@pytest.mark.cassette: {name}={value!r} holds more than names; {WANTED[name]}.")
    command = _command("command", options.get("command") or [])
    providers = _providers(options)
    if options.get("http") and any((command, *providers.values())):
        raise DefinitionError(
            "@pytest.mark.cassette: http=True hears a provider that is Python code in this process, and a command starts a "
            "process, whose HTTP nobody hears. Leave the command out, and give the code: provider.use(provider=handler)."
        )
    try:
        spoken = {named(line)[0] for line in (command, *providers.values())} - {""}
        protocol = of_family(options.get("protocol") or next(iter(sorted(spoken)), "")).family
    except DefinitionError as error:
        raise DefinitionError(f"@pytest.mark.cassette: {error}") from error
    places: dict[str, Names] = {name: options.get(name) or () for name in PLACES}
    try:
        deciding(**places)
        beyond_policy(options.get("beyond") or Beyond.MISS, mode(options.get("mode") or DEFAULT))
        unplayed_policy(options.get("unplayed") or Unplayed.FAIL)
        matching = matching_of(options.get("matching"))
        age(options.get("max_age") or "1d")
    except (DefinitionError, MalformedError) as error:
        raise DefinitionError(f"@pytest.mark.cassette: {error}") from error
    kept = {**dict.fromkeys(ARGUMENTS), **options, **places}
    return {**kept, "command": command, "protocol": protocol, "providers": providers, "matching": matching}


def _providers(options: Mapping[str, Any]) -> dict[str, list[str]]:
    if options.get("providers") == {}:
        raise DefinitionError(f"@pytest.mark.cassette: providers={{}} names none; leave it out, or {WANTED['providers']}.")
    given: dict[Any, Any] = options.get("providers") or {}
    clash = next((name for name in ("command", "name") if given and options.get(name)), None)
    if clash:
        raise DefinitionError(f"@pytest.mark.cassette: providers says what {clash} says of one provider; give one of both.")
    for name, command in given.items():
        if not isinstance(name, str) or not name or not isinstance(command, (str, list, tuple, NoneType)):
            raise DefinitionError(f"@pytest.mark.cassette: providers={given!r}: {WANTED['providers']}.")
    return {name: _command("providers", command or []) for name, command in given.items()}


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _command(argument: str, command: str | Sequence[str]) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DefinitionError(f"@pytest.mark.cassette: {argument}={command!r} is no command line: {error}.") from error
