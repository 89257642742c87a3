"""An operation that somebody may interrupt, once and twice: by ``Stack.cancel()``, or as a fault does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.threads import Work
from mockprovider.errors import ProgramError
from mockprovider.faults import EnginesAtWork
from mockprovider.pulumi.stacks.state import State

GRACE = 0.5
"""Seconds that each stage of calling an operation off may take."""
ADVICE = 5.0
"""Seconds that providers have to answer Cancel at the end of an operation."""


class OperationAtWork:
    """One operation while it lasts.

    As ``pulumi`` has it: at the first interrupt all providers are sent Cancel, calls in flight are not aborted, queued steps
    never start. At the second it ends at once; no further state is written, and pending operations remain.
    """

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._written: State | None = None
        self._interrupted = False
        self._killed = threading.Event()
        self._known: tuple[EnginesAtWork, ...] = ()
        self._lock = threading.Lock()

    @contextmanager
    def entered(self, providers: Any) -> Iterator[None]:
        """While the block runs, the doubles among ``providers`` know this as the engine that works with them."""
        sources = providers.values() if isinstance(providers, Mapping) else [providers]
        known = {id(engines): engines for source in sources if (engines := getattr(source, "engines", None)) is not None}
        self._known = tuple(known.values())
        with ExitStack() as ending:
            for engines in self._known:
                ending.enter_context(engines.entered(self))
            yield

    @property
    def hanging(self) -> str:
        """Which calls hang at the doubles, and why, as the end of a message."""
        return "".join(engines.hanging for engines in self._known)

    def attend(self, carry_out: Callable[[], None], seconds: float) -> None:
        """Have the operation carried out. If it is ended, time runs out, or at Ctrl-C, what is under way is called off."""
        work = Work(carry_out)
        try:
            if work.start().wait(seconds, self._killed) or (self._killed.is_set() and work.wait(GRACE)):
                work.result()
                return
        except BaseException:
            self._deployment.stop()
            self._call_off(work)
            raise
        if not self._killed.is_set():
            self._deployment.fail(_overdue(self._deployment, seconds, self.hanging))
        self._call_off(work)

    def close(self) -> None:
        """Cancel all providers, as at the end of any operation. What never answers is not waited for: Cancel is only advice."""
        closing = Work(self._deployment.close).start()
        if closing.wait(ADVICE, self._killed):
            closing.result()

    def _call_off(self, work: Work[None]) -> None:
        """Cancel all providers, give what is under way a moment to end as providers see fit, then stop the rest."""
        for engines in self._known:
            engines.forget()
        Work(self._deployment.close).start().wait(GRACE)
        self._deployment.ledger.settle(GRACE)
        # What ends by itself is not shot: the exception would come up wherever its thread is just then, in a finalizer too.
        if not work.wait(GRACE):
            work.stop()
            work.wait(GRACE)

    def interrupt(self, signal: str = "interrupt") -> None:  # noqa: ARG002 - a stack knows one kind
        """Ask all providers to stop, and begin nothing new; the second time, end at once."""
        with self._lock:
            again, self._interrupted = self._interrupted, True
        if again:
            self.kill()
            return
        self._deployment.fail(ProgramError("The operation was cancelled. What was under way at the providers was waited for."))
        # In a thread, since a provider may hang in Cancel, too.
        Work(self._deployment.close).start()

    def kill(self) -> None:
        """Write no state any more: what is under way stays pending, whatever becomes of it."""
        self._write_last("The engine was killed. What was under way is pending in the state.")
        self._killed.set()

    def lose_state(self) -> None:
        """Write no state any more, and begin nothing new."""
        self._write_last("The state could not be written: the disk is full. What was under way is pending in the one before.")

    def _write_last(self, why: str) -> None:
        with self._lock:
            if self._written is not None:
                return
            self._written = self._deployment.ledger.snapshot()
        self._deployment.fail(ProgramError(why))

    @property
    def state(self) -> State:
        """The state that was written last."""
        return self._written or self._deployment.ledger.snapshot()


def _overdue(deployment: Deployment, seconds: float, hanging: str) -> ProgramError:
    under_way = ", ".join(f"{operation.kind} {operation.resource.urn}" for operation in deployment.ledger.pending) or "nothing"
    return ProgramError(
        f"The operation did not end within {seconds:g} s; under way at the providers was: {under_way}. "
        f"It is stopped. If it only needs longer, give timeout= more seconds.{hanging}"
    )
