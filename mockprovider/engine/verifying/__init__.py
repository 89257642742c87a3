"""The embedded engine beside the log of a real one.

The program asks the same and the providers answer the same, so the embedded engine must make the same calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from mockprovider.engine.operations.importing import Importing
from mockprovider.engine.plans.planning import Planning
from mockprovider.engine.programs.ready import Ready
from mockprovider.engine.providers.instance import CallFailedError
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.stack import Stack
from mockprovider.engine.verifying.answers import LoggedProvider
from mockprovider.engine.verifying.comparing import EngineComparison, EngineDifference, compared
from mockprovider.engine.verifying.generations import EngineGeneration, generation
from mockprovider.engine.verifying.hindsight import note_eager, note_previews, partial_objects
from mockprovider.engine.verifying.mutating import mutated_logs
from mockprovider.engine.verifying.operations import STATE_COMMANDS, LoggedOperation, operations
from mockprovider.engine.verifying.replaying import LoggedProgram, renaming
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.pulumi.stacks.imports import Import
from mockprovider.pulumi.stacks.plans import expected
from mockprovider.pulumi.values import from_plain
from mockprovider.urn import PREFIX
from mockprovider.values import Secret, Value

__all__ = ["EngineDifference", "EngineVerdict", "mutated_logs", "verify_log"]

OWN_WORDS = frozenset({"operation", "preview", "refresh", "names", "imports", "plan", "save_plan"})
"""What a line of our own says beside the options of an operation."""

CUT_OFF = "operations without an end, of which what they would still have asked is not compared"

TIMEOUT = 600.0
"""Seconds that one operation may take. Nothing waits, so a longer one hangs."""


class EngineVerdict(Struct):
    """How the embedded engine compared with one log.

    ``calls`` are the log's calls of providers, ``fields`` those of their requests that were compared, ``excused`` those
    that the log's generation of engines, or chance, accounts for. ``since`` is
    the version of the first feature that its engine lacked.
    """

    operations: int = 0
    calls: int = 0
    fields: int = 0
    excused: int = 0
    since: str = ""
    differences: list[EngineDifference] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, comparison: EngineComparison) -> None:
        """Count one operation."""
        self.operations += 1
        self.calls += comparison.calls
        self.fields += comparison.fields
        self.excused += comparison.excused
        self.differences += comparison.differences


def verify_log(data: bytes) -> EngineVerdict:
    """Compare the calls of a ``PULUMI_DEBUG_GRPC`` log with those of the embedded engine whose program asks the same.

    Such a log does not have the command line, so operations with ``--target``, ``--exclude``, ``--replace`` or
    ``--continue-on-error`` differ, unless a line of our own says so (``operations``), and so do stacks that began before it.

    Raises ``MalformedError`` for what is no such log, has no operation, or is of several stacks.
    """
    verdict = EngineVerdict()
    logged = operations(data, verdict.left_out)
    if not logged:
        raise MalformedError(
            "this is no log of an engine's calls. A run of pulumi writes one to the file in PULUMI_DEBUG_GRPC."
        )
    _refuse_several_stacks(logged)
    engine = generation(call for operation in logged for call in operation.provider)
    verdict.since = engine.since
    note_previews(logged)
    note_eager(logged)
    partial = partial_objects(logged)
    stack = _stack(logged, engine)
    for number, operation in enumerate(logged, 1):
        provider = LoggedProvider(operation, partial, stack.renamed)
        program = LoggedProgram(operation, stack.renamed)
        ended = stack.carry_out(operation, provider, program)
        verdict.left_out[CUT_OFF] += operation.cut_off
        verdict.add(compared(number, provider, [*program.problems, *ended], engine))
    return verdict


class _ReplayedStack(Stack):
    """A stack whose operations are those of a log, each with the providers of that one."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.renamed: dict[str, str] = {}
        """What the log calls differently, by its name there: references to providers and to packages."""

    def carry_out(self, operation: LoggedOperation, provider: LoggedProvider, program: LoggedProgram) -> list[str]:
        """Carry out one operation. That a step fails is no error: its log's may, too. The answer is what ended all of it."""
        self._provider = provider
        asked: Mapping[str, Any] = operation.asked or {}
        try:
            if operation.kind in STATE_COMMANDS:
                getattr(self, operation.kind)(*asked.get("names", ()))
                return []
            imports = [_imported(given) for given in asked.get("imports", ())]
            plan = renaming(asked.get("plan"), self.renamed)
            self._operate(
                "import" if imports else operation.kind,
                Ready(program.speak) if operation.runs_program else None,
                preview=operation.preview,
                refresh=operation.refreshes,
                work=(lambda deployment: Importing(deployment, imports, self.config).carry_out()) if imports else None,
                plans=Planning(expected(plan), making=bool(asked.get("save_plan"))),
                **{name: value for name, value in asked.items() if name not in OWN_WORDS},
            )
        except (CallFailedError, RefusedError, MockProviderError, TypeError) as error:
            return [f"the embedded engine ended the operation: {error}"]
        return []


def _refuse_several_stacks(logged: Sequence[LoggedOperation]) -> None:
    urns = (str(call.request.get("urn", "")) for operation in logged for call in operation.provider)
    stacks = {" of ".join(urn.removeprefix(PREFIX).split("::")[:2]) for urn in urns if urn.startswith(PREFIX)}
    if len(stacks) > 1:
        raise MalformedError(
            f"it is a log of several stacks: {', '.join(sorted(stacks))}. Have each stack's runs write to a file of their own."
        )


def _imported(given: Any) -> Import:
    if not isinstance(given, Mapping):
        raise MalformedError(f"{given!r} is no import: give its type, name and id.")
    bags = {name: from_plain(given.get(name, {})) for name in ("inputs", "outputs")}
    return Import(**{**given, **bags})


def _stack(logged: Sequence[LoggedOperation], engine: EngineGeneration) -> _ReplayedStack:
    run = next((operation.run for operation in logged if operation.run is not None), {})
    secret = set(run.get("configSecretKeys", ()))
    config: dict[str, Value] = {key: Secret(text) if key in secret else text for key, text in run.get("config", {}).items()}
    references = {
        name: {key: from_plain(value) for key, value in outputs.items()}
        for operation in logged
        for name, outputs in operation.references.items()
    }
    stack = _ReplayedStack(
        LoggedProvider(logged[0]),
        project=str(run.get("project", "project")),
        name=str(run.get("stack", "dev")),
        organization=str(run.get("organization", "organization")),
        config=config,
        references=references,
        timeout=TIMEOUT,
    )
    stack._named_by_version = engine.names_by_version  # noqa: SLF001 - no user has a reason to change it
    return stack
