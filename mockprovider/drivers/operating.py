"""Operations of the real ``pulumi``: one run each, its event log read, and names that mean nothing told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct

from mockprovider.drivers.command import Breakable, Finished, UnexpectedEndError
from mockprovider.drivers.events import read_log, take_log
from mockprovider.drivers.flags import flags, scope
from mockprovider.drivers.outcome import PulumiResult, outcome
from mockprovider.drivers.policing import policed
from mockprovider.drivers.registered import noting
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.pulumi.policies import PolicyPack
from mockprovider.pulumi.policies.permitting import permit
from mockprovider.pulumi.result import FAILED
from mockprovider.pulumi.stacks.options import NOT_TAKEN, Options, named, unmatched

if TYPE_CHECKING:
    from mockprovider.drivers.projects import ProjectProgram

Opened: TypeAlias = "Mapping[str, Any] | Callable[[], Any] | ProjectProgram"
"""A program that was checked."""

MISSING = "could not be found in the stack"
"""What the CLI says of a URN that no resource has."""


class Operating(Protocol):
    """Operations as methods of the driver."""

    folder: Path
    project: str
    stack: str
    policies: Sequence[PolicyPack | Path | str]
    _doubles: Sequence[Breakable]
    _runs: int

    def export(self, *, show_secrets: bool = True) -> dict[str, Any]:
        """``pulumi stack export``."""

    def _run(self, command: tuple[str, ...], program: Opened, *, expect_failure: bool) -> Finished:
        """Run the command line, with the program where it finds it."""

    def _operate(self, arguments: tuple[str, ...], program: Opened, options: Options, *, expect_failure: bool) -> PulumiResult:
        if not callable(program) and not isinstance(program, (Mapping, Struct)):
            raise DefinitionError(
                f"{program!r} is no program: give a function without arguments, a YAML program as a dict, or a project's "
                "folder."
            )
        operation, names = arguments[0], named(options, arguments[0])
        if operation in ("refresh", "destroy") and (problems := self._unmatched(names, ())):
            # Only the state can have these resources, and a destroy would delete what was to be excluded.
            said = "\n".join([f"pulumi {operation} was not run:", *problems])
            if not expect_failure:
                raise ProgramError(said)
            return outcome(operation, Finished((), FAILED, "", said), read_log(()), self.export(), problems)
        self._runs += 1
        program, registered = noting(program, self.stack, self.project)
        events = self.folder / f"events-{self._runs}.json"
        command = (*arguments, *flags(**scope(options, names)), "--event-log", str(events))
        surprise = None
        try:
            with policed(operation, self.policies, self.folder / "policies") as packs:
                finished = self._run((*command, *packs), program, expect_failure=expect_failure)
        except UnexpectedEndError as error:
            finished, surprise = error.finished, error
        finally:
            log = take_log(events)
        permit(log.remediations, self._doubles)
        looking = finished.exit_code == 0 or MISSING in finished.stdout + finished.stderr
        problems = self._unmatched(names, log.urns | registered) if looking else []
        if surprise and not problems:
            raise surprise
        if surprise and not expect_failure:
            raise ProgramError("\n".join([*problems, str(surprise)])) from surprise
        if problems and not expect_failure:
            raise ProgramError("\n".join([f"pulumi {operation} succeeded, and did not do all that it was asked:", *problems]))
        return outcome(operation, finished, log, self.export(), problems)

    def _excludes_something_new(self, options: Options) -> bool:
        """Whether the state does not have what is excluded: if the program has not either, an up would change that."""
        return bool(self._unmatched({"exclude": named(options, "up")["exclude"]}, ()))

    def _refused(self, program: Opened, options: Options, preview: tuple[str, ...]) -> PulumiResult | None:
        """The ``preview`` of an up, if it fails."""
        looking: Any = {option: given for option, given in options.items() if option not in NOT_TAKEN["preview"]}
        try:
            return self._operate(preview, program, looking, expect_failure=True)
        except UnexpectedEndError:
            return None

    def _unmatched(self, names: Mapping[str, Sequence[str]], urns: Collection[str]) -> list[str]:
        """Names in options that match no resource. Names become globs, and the CLI reports only missing URNs."""
        if not unmatched(names, urns):
            return []
        # Resources that this run did not touch are only in the state.
        remembered = (resource["urn"] for resource in self.export(show_secrets=False)["deployment"].get("resources", ()))
        return unmatched(names, {*urns, *remembered})
