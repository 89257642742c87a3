"""What ``record`` and ``exec`` share: the recording that a command makes, and what becomes of it in the end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from mockprovider.calls import Layer
from mockprovider.cassette import RULES, Mode, Sent
from mockprovider.cassette.report import lines
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.options import naming
from mockprovider.cli.serving import QUIET, breaking, doubles_of, say_if_nobody, say_unplayed, serve, serve_replay
from mockprovider.double import Double, Wiring, attached, real
from mockprovider.double.cassettes import deciding, using, using_all
from mockprovider.double.clocks import CalendarClock
from mockprovider.double.inuse import drafted
from mockprovider.errors import CassetteError

if TYPE_CHECKING:
    from mockprovider.tape import Draft


class CommandRecording(Struct, frozen=True, kw_only=True):
    """A provider that ``command`` starts, or that listens at ``attach``, or several ``together``, to be recorded."""

    mode: Mode
    protocol: str
    command: Sequence[str] = ()
    attach: str = ""
    name: str = ""
    together: Mapping[str, Sequence[str]] = {}
    compact: bool = False
    places: Mapping[str, Sequence[str]] = {}
    prove: bool = False
    plans: Sequence[Path] = ()
    ignore: Sequence[str] = ()
    unplayed: str = "fail"
    aside: bool = False
    """Whether what is told goes to stderr, because stdout belongs to another command."""

    @property
    def options(self) -> str:
        """What names all this on a command line, without the paths of this machine."""
        words = ["--compact"] * self.compact + ["--prove"] * self.prove
        words += [shlex.join(naming(self.places))] if any(self.places.values()) else []
        words += [f"--ignore {shlex.quote(path)}" for path in self.ignore]
        words += [f"--faults {shlex.quote(portable(str(plan)))}" for plan in self.plans]
        words += [
            f"--provider {shlex.quote(f'{name}={shlex.join(map(portable, line))}')}" for name, line in self.together.items()
        ]
        words += ["--attach HOST:PORT"] if self.attach else []
        return " ".join([*words, *(["--", *map(portable, self.command)] if self.command else [])])

    def executing(self, cassette: Path, command: Sequence[str]) -> str:
        """The command line of an ``exec`` that records this."""
        line = shlex.join(map(portable, command))
        return f"mockprovider exec --cassette {cassette.name} --mode {self.mode.value} {self.options} -- {line}"

    @contextmanager
    def into(self, draft: Draft, made_by: str, layers: tuple[Layer, ...] | None = None) -> Iterator[list[Double]]:
        """A double for each provider, whose calls are recorded.

        Once the block ends, what was recorded is the cassette; a block that ends in an error leaves it beside the cassette.
        Raises ``CassetteError`` if nobody called, if a call got no answer, and where with ``prove`` a replay fails.
        """
        from mockprovider.tape import unanswered  # noqa: PLC0415 - zstandard is slow to import

        wirings: Sequence[Wiring] = ()
        try:
            wirings = self._wirings(draft, made_by)
            with doubles_of(wirings, layers) as doubles:
                yield doubles
            lost = unanswered(draft.file)
            if _stays(wirings):
                click.echo(f"Nothing was asked that {draft.path} does not hold: it stays as it is.", err=self.aside)
                draft.drop()
                return
            if not (_count(wirings) or lost):
                raise CassetteError(f"No engine called, so nothing was recorded into {draft.path}.")
            place = _kept(draft, lost)
        except BaseException:
            _left(draft, wirings)
            raise
        finally:
            draft.release()
        self._tell(place, wirings, lost, draft)

    @contextmanager
    def beside(self, cassette: Path, layers: tuple[Layer, ...] | None = None) -> Iterator[list[Double]]:
        """A double for each provider, whose answers are compared with those of the cassette.

        Raises ``DifferentAnswersError`` in the end, and what engines were told.
        """
        with doubles_of(self._wirings(cassette, ""), layers) as doubles:
            yield doubles
            for double in doubles:
                double.raise_errors()
        count = doubles[0].library.tally().played if doubles[0].library else 0
        click.echo(f"Each of {count} calls was answered as {cassette} holds it.", err=self.aside)

    def _wirings(self, draft: Draft | Path, made_by: str) -> list[Wiring]:
        options: dict[str, Any] = {"created_by": made_by, "compact": self.compact, "unplayed": self.unplayed}
        options |= {"redactor": deciding(**self.places), "matching": {"ignore": self.ignore}}
        options["clock"] = CalendarClock()
        if self.together:
            behind = {package: real(line, self.protocol, name=package) for package, line in self.together.items()}
            return [*using_all(self.mode, draft, behind, self.protocol, **options).values()]
        alone = attached(self.attach, self.protocol, name=self.name) if self.attach else self._started()
        return [using(self.mode, draft, alone, self.protocol, **options)]

    def _started(self) -> Wiring:
        return real(self.command, self.protocol, name=self.name)

    def _tell(self, place: Path, wirings: Sequence[Wiring], lost: Sequence[Sent], draft: Draft) -> None:
        from mockprovider.double.reporting import proved, reported  # noqa: PLC0415 - zstandard is slow to import

        recorder = wirings[0].recorder
        notices = recorder.notices if recorder else ()
        click.echo("Recorded " + "\n".join(lines(reported(place, notices=notices))), err=self.aside)
        if lost:
            listed = "\n".join(f"  {sent}" for sent in lost)
            raise CassetteError(
                f"It ended while these calls waited for an answer; what they made may exist in the cloud:\n{listed}\n"
                f"So what was recorded is {place}, and {draft.path} {'stays as it was' if draft.replaces else 'was not made'}."
            )
        if self.prove:
            with progress(f"Replaying {place}"):
                count = proved(place)
            click.echo(f"A replay of it answers all {count} calls as recorded.", err=self.aside)


def serve_recording(recording: CommandRecording, cassette: Path, *, host: str, port: int) -> None:
    """Serve what is recorded, until a signal. Where its mode does not record the cassette, the cassette is served instead.

    Raises ``CassetteError`` if nobody called, and the first error of ours that an engine was told in a provider's place: what
    was recorded before then stays. What was recorded now stays where with ``prove`` it raises ``CassetteError`` because a
    replay fails.
    """
    draft = drafted(recording.mode, cassette)
    if draft is None and RULES[recording.mode].asks(existed=True):
        with recording.beside(cassette) as doubles, breaking(doubles, recording.plans):
            serve(doubles, recording.protocol, host, port, quiet=QUIET)
            say_unplayed(cassette, doubles)
        return
    if draft is None:
        serve_replay(cassette, ignore=recording.ignore, plans=recording.plans, host=host, port=port, whole_schema=False)
        return
    made_by = f"mockprovider record {recording.protocol} --cassette {cassette.name} {recording.options}"
    with recording.into(draft, made_by) as doubles, breaking(doubles, recording.plans):
        if recording.attach:
            say_if_nobody(recording.attach)
        serve(doubles, recording.protocol, host, port, quiet=QUIET)
        for double in doubles:
            # What an engine was told in a provider's place is no answer, and lacks in the recording.
            double.raise_errors()
        say_unplayed(cassette, doubles)


def _stays(wirings: Sequence[Wiring]) -> bool:
    """Whether what was recorded adds nothing to the cassette that it was to be added to."""
    recorder = wirings[0].recorder
    return recorder is not None and recorder.unchanged


def _count(wirings: Sequence[Wiring]) -> int:
    recorder = wirings[0].recorder if wirings else None
    return recorder.recorded if recorder else 0


def _kept(draft: Draft, lost: Sequence[Sent]) -> Path:
    """Where the recording is now: what ended in the middle of a call is not put in the place of a cassette."""
    if lost:
        return draft.put_by()
    draft.keep()
    return draft.path


def _left(draft: Draft, wirings: Sequence[Wiring]) -> None:
    """Put by what was recorded until something failed, and forget a recording of nothing."""
    from mockprovider.tape import unanswered  # noqa: PLC0415 - zstandard is slow to import

    if not draft.file.exists():
        return
    if _count(wirings) or unanswered(draft.file):
        click.echo(f"What was recorded until then is {draft.put_by()}.", err=True)
    else:
        draft.drop()


def portable(part: str) -> str:
    """A word of a command line that is kept in a cassette, where paths of this machine are of no use."""
    return Path(part).name if "/" in part else part
