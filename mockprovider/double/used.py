"""What one test used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from mockprovider.cassette.tally import Tally
from mockprovider.contract import Breach
from mockprovider.double.double import Double
from mockprovider.double.marked import Recording

if TYPE_CHECKING:
    from mockprovider.double.masking import RunSecrets
    from mockprovider.engine import Stack


class Folders(Protocol):
    """Makes folders that the user can look into afterwards, as pytest's ``tmp_path_factory`` does."""

    def mktemp(self, basename: str) -> Path:
        """A new folder."""


class Driver(Protocol):
    """A real engine in a folder of its own: a ``PulumiCli`` or a ``Terraform``."""

    folder: Path

    def close(self) -> None:
        """End what it still runs."""


D = TypeVar("D", bound=Driver)


class Used:
    """What one test used, to explain its failure: its doubles by name, where their artefacts go, and what it records."""

    def __init__(self, doubles: Mapping[str, Double], folders: Folders, recording: Recording | None) -> None:
        self.doubles = doubles
        self.folders = folders
        self.recording = recording
        self.summary: list[str] = []
        """What is to be known of what it recorded, once that is settled."""
        self.stack: Stack | None = None
        self._engines: list[Driver] = []
        self.passed = False
        """Whether the test passed, or failed as it was expected to."""
        self.complete = False
        """Whether it passed to its end, as a test does that is not expected to fail."""
        self._told: list[BaseException] = []
        """The doubles' errors that were reported already."""

    @property
    def families(self) -> set[str]:
        """The families of the protocols that the test's recorded providers speak."""
        return {double.speaks.family for double in self.doubles.values() if double.speaks}

    @property
    def errors(self) -> list[BaseException]:
        """Our own errors, which engines were told."""
        every = (error for double in self.doubles.values() for error in double.errors)
        # Doubles that share a cassette may share what is told of it.
        return [*{id(error): error for error in every}.values()]

    @property
    def news(self) -> list[BaseException]:
        """Those of them that have not been reported yet."""
        return [error for error in self.errors if not any(error is one for one in self._told)]

    def tell(self) -> None:
        """All errors until now have been reported."""
        self._told = self.errors

    def raise_errors(self) -> None:
        """Raise the first of our errors that has not been reported yet, so that each is reported once."""
        __tracebackhide__ = True
        news = self.news
        self.tell()
        if news:
            # It was raised in a thread of ours, so its traceback says nothing about the test.
            raise news[0].with_traceback(None)

    def ending(self, engine: D) -> D:
        """The real engine, which ends with the test."""
        self._engines.append(engine)
        return engine

    def close(self) -> None:
        """End the engines and close the doubles, and say what becomes of what they recorded."""
        with ExitStack() as ending:
            # One that cannot be closed must not keep the others open. The last one here is the first.
            closing = [*(double.close for double in self.doubles.values()), *(engine.close for engine in self._engines)]
            for close in closing:
                ending.callback(close)
        if self.recording:
            self.recording.settle(passed=self.passed and not self.news and not self.unplayed)
            self.summary = self.recording.summary()

    @property
    def tally(self) -> Tally:
        """How many calls of its cassettes it has played and recorded until now; several doubles may share a cassette."""
        libraries = {id(double.library): double.library for double in self.doubles.values() if double.library}
        played = sum((library.tally() for library in libraries.values()), Tally())
        invented = sum(len(double.made_up) for double in self.doubles.values())
        return played + Tally(recorded=self.recording.recorded if self.recording else 0, made_up=invented)

    @property
    def unplayed(self) -> list[str]:
        """The recorded changes that a test which came to its end never asked for, a line each."""
        return [line for double in self.doubles.values() for line in double.unplayed] if self.complete else []

    @property
    def breaches(self) -> list[Breach]:
        """What was broken of the contract until now, and fails a test that passes."""
        return [breach for breach in self._judged() if breach.is_error]

    @property
    def doubts(self) -> list[str]:
        """Lines about what its programs probably misspelt."""
        return [line for double in self.doubles.values() for line in double.doubts]

    @property
    def unchecked(self) -> dict[str, list[str]]:
        """Types that it used, by package, of which a schema alone is known."""
        types: dict[str, list[str]] = {}
        for double in self.doubles.values():
            for package, tokens in double.unchecked.items():
                types.setdefault(package, []).extend(tokens)
        return types

    @property
    def warned(self) -> list[tuple[str, str]]:
        """The ids of the rules that were broken, and fail no test, one for each breach, with the call and what was wrong."""
        return [
            (breach.rule.id, double.contract.scrub(f"{breach.call}: {breach.how}"))
            for double in self.doubles.values()
            for breach in double.contract.breaches
            if not breach.is_error
        ]

    def _judged(self) -> list[Breach]:
        return [breach for double in self.doubles.values() for breach in double.contract.breaches]

    @property
    def permissions(self) -> dict[tuple[str, str], bool]:
        """What the test allows to be broken, by id and reason, and whether it was."""
        needed: dict[tuple[str, str], bool] = {}
        for contract in (double.contract for double in self.doubles.values()):
            unneeded = contract.unneeded
            for permission in contract.allowed.items():
                needed[permission] = needed.get(permission, False) or permission[0] not in unneeded
        return needed

    def prove(self) -> None:
        """Replay what was recorded, if the test asks for that. Raises ``CassetteError`` where that fails."""
        __tracebackhide__ = True
        if self.recording:
            self.recording.prove()

    # Failures --------------------------------------------------------------------------------------------------------

    def explained(self, raised: str, again: str, *, settled: bool) -> Iterator[str]:
        """Lines about a failure: what the test ``raised``, how to run it ``again``, whether the recording is ``settled``."""
        # Engines break lines anew, and ask again for what failed.
        known = " ".join(raised.split())
        lines = (f"{type(error).__name__}: {error}" for error in self.errors if " ".join(str(error).split()) not in known)
        yield from (f"The engine was told: {line}" for line in dict.fromkeys(lines))
        yield from self._seen()
        if self.recording and not settled:
            yield self.recording.told
        yield again
        yield self.kept()
        yield from (f"The engine's folder, with its state and output.txt: {engine}" for engine in self._ran())

    def _seen(self) -> Iterator[str]:
        from mockprovider.double.explaining import explain  # noqa: PLC0415 - only when a test has failed

        secrets = self._secrets()
        for name, double in self.doubles.items():
            yield from explain(double, secrets, name=name if len(self.doubles) > 1 else "")

    def _ran(self) -> list[Path]:
        return [engine.folder for engine in self._engines if (engine.folder / "output.txt").exists()]

    def kept(self) -> str:
        """Keep everything of a failed test, and say where."""
        try:
            folder = self.folders.mktemp("mockprovider")
            return f"Kept in {folder}: {', '.join(self._keep(folder))}"
        except Exception as error:  # noqa: BLE001 - a report must never break off the whole run; it says what is missing
            return f"Nothing could be kept: {type(error).__name__}: {error}"

    def _keep(self, folder: Path) -> list[str]:
        from mockprovider.double.artefacts import keep  # noqa: PLC0415 - only when a test has failed

        secrets = self._secrets()
        if len(self.doubles) == 1:
            return [file for double in self.doubles.values() for file in keep(folder, double, self.stack, secrets)]
        return [
            f"{name}/{file}" for name, double in self.doubles.items() for file in keep(folder / name, double, None, secrets)
        ]

    def scrub(self, text: str) -> str:
        """A text about the test's calls, without the secrets in them."""
        scrubbed: str = self._secrets().scrub(text)
        return scrubbed

    def _secrets(self) -> RunSecrets:
        """The secrets of all doubles: what one provider made in secret, another one is given."""
        from mockprovider.double.masking import RunSecrets  # noqa: PLC0415 - only when a test has failed

        doubles = list(self.doubles.values())
        packages = {name: package for double in doubles for name, package in double.schemas.items()}
        return RunSecrets(packages, chain.from_iterable(double.journal for double in doubles), doubles[0].redactor)
