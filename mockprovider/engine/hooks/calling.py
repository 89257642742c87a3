"""The hooks of a program: functions that the engine calls around creates, updates and deletes, and where these fail."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from msgspec.structs import replace

from mockprovider.engine.hooks.occasions import KINDS, Hook, Occasion
from mockprovider.engine.outcomes import CallbackFailedError
from mockprovider.engine.providers.instance import CallFailedError
from mockprovider.engine.providers.resource_calls import Outcome
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.wording import listed, quoted

ATTEMPTS = 100
"""How often an operation is tried in all, whatever error hooks ask for."""


class Teller(Protocol):
    """The operation, as far as hooks concern it."""

    preview: bool

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the user."""

    def blame(self, error: Exception, urn: str = "", *, after: bool = False) -> None:
        """Note what makes the operation fail in the end."""


class Hooks:
    """The hooks of one operation, by name. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._resource: dict[str, Hook] = {}
        self._error: dict[str, Hook] = {}

    def __bool__(self) -> bool:
        return bool(self._resource or self._error)

    def register(self, hook: Hook, *, on_error: bool = False) -> None:
        """Note a hook. Raises ``RefusedError`` for a name that is empty or taken."""
        with self._lock:
            if not hook.name:
                raise RefusedError("resource hook name cannot be empty")
            if hook.name in self._resource or hook.name in self._error:
                raise RefusedError(f"resource hook already registered for name {quoted(hook.name)}")
            (self._error if on_error else self._resource)[hook.name] = hook

    def before(self, run: Teller, occasion: Occasion) -> None:
        """Call what is bound before a step. Raises ``CallbackFailedError``, and then there is no step."""
        self._around(run, occasion, "before")

    def after(self, run: Teller, occasion: Occasion) -> None:
        """Call what is bound after a step that went well. What was done stays done: a failure is the operation's."""
        try:
            self._around(run, occasion, "after")
        except CallbackFailedError as error:
            run.blame(error, occasion.resource.urn, after=True)

    def _around(self, run: Teller, occasion: Occasion, when: str) -> None:
        kind, names = occasion.bound(when)
        for name in names:
            hook = self._resource.get(name)
            if hook is None:
                raise CallbackFailedError(f"hook {quoted(name)} was not registered")
            if run.preview and not hook.on_dry_run:
                continue
            try:
                _messages().call(hook, occasion, complete=when == "after")
            except CallbackFailedError as error:
                if not hook.ignore_errors:
                    raise CallbackFailedError(f"{when} hook {quoted(name)} failed: {error}") from error
                run.log("warning", f"{kind} hook {quoted(name)} failed: {error}", occasion.resource.urn)

    def tried(self, run: Teller, occasion: Occasion, attempt: Callable[[], Outcome | None]) -> Outcome:
        """What ``attempt`` comes to, a call of a provider. Where it fails, its error hooks say whether to try again.

        Raises ``CallFailedError``, and ``CallbackFailedError`` where a hook fails or there were too many attempts.
        """
        if KINDS["on_error"] not in occasion.resource.resource_hooks:
            return attempt() or Outcome()
        failures: list[str] = []
        half = Outcome()
        while True:
            outcome, failure = _attempted(attempt)
            if failure is None and not outcome.init_errors:
                # As in the real engine, which keeps in the state why an earlier attempt was only half a success.
                return replace(outcome, past_errors=half.init_errors)
            half = outcome if failure is None else half
            failures.insert(0, str(failure) if failure else listed(outcome.init_errors))
            if len(failures) >= ATTEMPTS:
                return self._given_up(run, occasion, half)
            if not self._again(run, occasion, failures, failure):
                if failure is not None:
                    raise failure
                return outcome

    def _given_up(self, run: Teller, occasion: Occasion, half: Outcome) -> Outcome:
        """What is left after too many attempts, one of which was ``half`` a success, or none."""
        run.log("warning", f"maximum number of error hook retries ({ATTEMPTS}) reached", occasion.resource.urn)
        if not half.init_errors:
            raise CallbackFailedError("maximum number of error hook retries reached")
        # The real engine also forgets the id of what was created, and crashes in the next run.
        return replace(half, outputs={}) if occasion.op == "update" else half

    def _again(self, run: Teller, occasion: Occasion, failures: list[str], failure: CallFailedError | None) -> bool:
        try:
            again = self._asked(occasion, failures)
        except CallbackFailedError as error:
            if failure is None or occasion.op == "delete":
                # That a hook failed is lost here, as in the real engine.
                return False
            raise CallbackFailedError(f"error hooks execution failed: {error}") from failure
        if again:
            run.log(
                "warning",
                f"retrying {occasion.op} due to on-error hook request ({len(failures)}/{ATTEMPTS})",
                occasion.resource.urn,
            )
        return again

    def _asked(self, occasion: Occasion, failures: list[str]) -> bool:
        """Whether one of the error hooks wants another attempt. All are asked."""
        again = False
        for name in occasion.resource.resource_hooks[KINDS["on_error"]]:
            hook = self._error.get(name)
            if hook is None:
                raise CallbackFailedError(f"error hook {quoted(name)} was not registered")
            try:
                again |= _messages().ask(hook, occasion, failures)
            except CallbackFailedError as error:
                raise CallbackFailedError(f"error hook {quoted(name)} failed: {error}") from error
        return again


def _attempted(attempt: Callable[[], Outcome | None]) -> tuple[Outcome, CallFailedError | None]:
    try:
        return attempt() or Outcome(), None
    except CallFailedError as failure:
        return Outcome(), failure


def _messages() -> Any:
    from mockprovider.engine.hooks import messages  # noqa: PLC0415 - imports protobuf, which few programs' hooks need

    return messages
