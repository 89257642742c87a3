"""The story, told once and played on every stage: record, replay with the provider gone, break, mend, clean up."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mockprovider.demo.program import real_program
from mockprovider.demo.stages import FILE, STAGES, Stage
from mockprovider.double import Double, recording, replaying
from mockprovider.double.artefacts import keep, write
from mockprovider.errors import MockProviderError

Say = Callable[[str], Any]
INTRODUCTION = """A provider is what makes the things that a Pulumi program or a Terraform configuration asks for; the engine
decides what to ask, and remembers what was made. This takes a real program through its life without a cloud; then it records,
replays and breaks a provider under real engines."""
REASON = "timed out waiting"


def run(folder: Path, engines: Sequence[str], say: Say) -> bool:
    """Play the story under the engines named, or under all that are on ``PATH``; whether everything held.

    ``folder`` is emptied of what an earlier demo left there, and holds the artefacts afterwards.
    """
    folder = folder.resolve()
    wanted = [name for name in STAGES if name in engines or (not engines and (name == "embedded" or shutil.which(name)))]
    say(INTRODUCTION)
    held = real_program(folder / "program", say) if "embedded" in wanted else True
    for name in wanted:
        mine = folder / name
        shutil.rmtree(mine, ignore_errors=True)
        mine.mkdir(parents=True)
        title = "the embedded engine" if name == "embedded" else f"the real {name}"
        say(f"\n=== Under {title} {'=' * (60 - len(title))}")
        held = _Telling(STAGES[name](mine), mine, say).tell() and held
    if not engines:
        for name in STAGES:
            if name not in wanted:
                say(f"\n({name} is not on PATH, so its part is left out.)")
    say(f"\nArtefacts (cassettes, states, journals) are in {folder}")
    say("All of it held." if held else "NOT all of it held: see the lines marked FAILED.")
    return held


class _Telling:
    """The story on one stage."""

    def __init__(self, stage: Stage, folder: Path, say: Say) -> None:
        self.stage = stage
        self.folder = folder
        self.cassette = folder / "cassette.json"
        self.held = True
        self._say = say

    def tell(self) -> bool:
        """Play all three acts; whether everything held."""
        try:
            recorded = self.record()
            self.replay(recorded)
            self.break_and_mend()
        except MockProviderError as error:
            self.check(f"no error, but: {error}", held=False)
        return self.held

    def record(self) -> list[Any]:
        """Act one: a real run goes into a cassette."""
        self._say(f"\n1. RECORD: create, update, refresh and destroy on {self.stage.provider}")
        wiring = recording(self.cassette, self.stage.behind(), self.stage.protocol, created_by="mockprovider demo")
        with Double(provider=wiring) as double:
            self.stage.begin(double, self.folder / "record")
            states = self.live()
            keep(self.folder / "record", double)
        calls = len(wiring.recorder.close().interactions) if wiring.recorder else 0
        write(self.folder / "state-recorded.json", states[-1])
        self.check(f"{calls} calls of the provider are in {self.cassette.name}", held=calls > 0)
        return states

    def replay(self, recorded: list[Any]) -> None:
        """Act two: the same run, answered from the cassette."""
        self._say("\n2. REPLAY: the same, with the provider gone: only the cassette answers")
        with Double(provider=replaying(self.cassette)) as double:
            self.stage.begin(double, self.folder / "replay")
            states = self.live()
            keep(self.folder / "replay", double)
        write(self.folder / "state-replayed.json", states[-1])
        same = states == recorded
        self.check(f"the state after each of {len(states)} steps equals the recorded one", held=same)
        self.check("nothing was made this time", held=not self.stage.existing())

    def live(self) -> list[Any]:
        """Create, change, refresh and destroy; returns the states before the destroy."""
        states = []
        for greeting in ("hello", "goodbye"):
            self.stage.up(greeting)
            states.append(self.stage.state())
        self.stage.refresh()
        states.append(self.stage.state())
        self.stage.destroy()
        return states

    def break_and_mend(self) -> None:
        """Act three: a create that half fails; does the engine lose the object?"""
        self._say(f"\n3. BREAK: the first create makes its object, then reports {REASON!r}")
        with Double(provider=self.stage.behind()) as double:
            self.stage.begin(double, self.folder / "break")
            double.faults.on.create(FILE, name="" if self.stage.protocol == "terraform" else "hello").partial(reasons=[REASON])
            self.stage.up("hello", fails=True)
            self.compare("after the failure")
            marked = [id_ for id_, wrong in self.stage.remembered().items() if wrong]
            self.check(f"the engine knows that {', '.join(marked) or 'nothing'} is half-made", held=len(marked) == 1)
            self.stage.up("hello")
            self.compare("after the next run")
            self.check("the run mended it", held=not any(self.stage.remembered().values()))
            self.stage.destroy()
            self.compare("after destroy")
            self.check("nothing is left over", held=not self.stage.existing() and not self.stage.remembered())
            keep(self.folder / "break", double)

    def compare(self, when: str) -> None:
        """Show what is remembered beside what exists; they must be the same things."""
        remembered, existing = self.stage.remembered(), self.stage.existing()
        shown = ", ".join(f"{id_} ({wrong})" if wrong else id_ for id_, wrong in sorted(remembered.items())) or "nothing"
        self._say(f"   {when}: the engine remembers {shown}; there exists {', '.join(existing) or 'nothing'}")
        same = sorted(remembered) == existing
        self.check("what exists is what is remembered: nothing orphaned, nothing imagined", held=same)

    def check(self, what: str, *, held: bool) -> None:
        """Print whether a check held."""
        self.held = self.held and held
        self._say(f"   {'ok    ' if held else 'FAILED'} {what}")
