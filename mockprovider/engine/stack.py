"""The embedded engine's front: a stack, and the operations on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from mockprovider.clock import Clock
from mockprovider.engine.cancelling import OperationAtWork
from mockprovider.engine.memory import StackMemory
from mockprovider.engine.operation import Operation
from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.operations.events import EventTeller, OnEvent
from mockprovider.engine.operations.importing import Importing
from mockprovider.engine.operations.removal import finish_plan
from mockprovider.engine.packs import policed
from mockprovider.engine.plans.planning import Planning
from mockprovider.engine.programs.ending import judged, result_of
from mockprovider.engine.programs.ready import Given, Ready, of_command, of_function, of_project, refuse_several
from mockprovider.engine.programs.running import run_to_its_end
from mockprovider.engine.providers.instance import ProviderSource
from mockprovider.engine.registrations.autonaming import Autonaming
from mockprovider.engine.targets import Scope
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.arguments import check, check_settings
from mockprovider.pulumi.languages import Project, read_project
from mockprovider.pulumi.policies import PolicyPack
from mockprovider.pulumi.result import Result
from mockprovider.pulumi.stacks.imports import Import
from mockprovider.pulumi.stacks.options import Options, named, unmatched
from mockprovider.pulumi.stacks.plans import UpdatePlan, expected, save, written
from mockprovider.pulumi.stacks.state import State
from mockprovider.values import Value


class Stack(StackMemory):
    """The embedded engine: a Pulumi stack that runs unmodified programs through the real SDK, without the CLI.

    Args:
        provider: a ``Double`` for every package, or a mapping from package names to doubles.
        project: the project's name, or its folder: then its name and the plain values of ``Pulumi.<name>.yaml`` are taken from
            there, where ``config`` gives none, and its program is what ``up()`` runs. A stack that is told neither takes them
            from the first folder that it runs.
        name: the stack's name.
        organization: the organization's name, which programs may ask for.
        config: the stack's configuration. Keys are full (``aws:region``) or bare (the project's own); values are strings, or
            ``Secret`` of them.
        references: the stacks that a program may refer to (``StackReference``), by the names that it uses: other ``Stack``
            objects, whose outputs are read when they are asked for, or outputs as a mapping, with ``Secret`` where they are.
        seed: the seed of generated ids and random seeds; equal seeds make equal runs.
        parallel: how many steps may run at once. By default, and with 1, everything happens in one thread in the order of
            registration, and a run repeats exactly. A deletion that fails holds back those beside it with 1 alone.
        timeout: seconds that an operation may take.
        on_event: called with each ``EngineEvent`` while an operation goes on, one at a time, in the thread in which it happens.
        clock: what the times in the state are read from. By default they count the operations, a second each from 2000 on, so
            that equal runs make equal states.
        policies: what ``up`` and ``preview`` keep to: policy packs, as Python objects or as the folders of ``pulumi policy``.
    """

    _named_by_version = True
    _ends_providers = False

    def __init__(
        self,
        provider: ProviderSource | Mapping[str, ProviderSource],
        *,
        project: str | Path | None = None,
        name: str = "dev",
        organization: str = "organization",
        config: Mapping[str, Value] | None = None,
        references: Mapping[str, Stack | Mapping[str, Value]] | None = None,
        seed: int = 0,
        parallel: int | None = None,
        timeout: float = 60.0,
        on_event: OnEvent | None = None,
        clock: Clock | None = None,
        policies: Sequence[PolicyPack | Path | str] = (),
    ) -> None:
        check(provider=provider, name=name, organization=organization, config=config, references=references, policies=policies)
        check(parallel=parallel, timeout=timeout, on_event=on_event, project=None if isinstance(project, Path) else project)
        self.policies = policies
        self.name = name
        self.on_event = on_event
        self.organization = organization
        self.parallel = parallel
        self.timeout = timeout
        self._given = dict(config or {})
        self._folder = project if isinstance(project, Path) else None
        self._named = project is not None
        self.project = ""
        self.config: dict[str, Value] = {}
        self._identify(read_project(project) if isinstance(project, Path) else project or "project")
        self._provider = provider
        self._references = {stack: _outputs_of(reference) for stack, reference in (references or {}).items()}
        self._seed = seed
        self._state = State()
        self._operations = 0
        self._clock = clock
        self._at_work: OperationAtWork | None = None
        check_settings(self.config)

    # Operations ------------------------------------------------------------------------------------------------------

    def up(
        self,
        program: Given | None = None,
        *,
        command: Sequence[str] | None = None,
        cwd: Path | str | None = None,
        interpreter: Path | str | None = None,
        preview: bool = False,
        refresh: bool = False,
        run_program: bool = False,
        plan: Mapping[str, Any] | Path | str | None = None,
        expect_failure: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Run ``program``; create, update and delete what it asks for.

        Args:
            program: a function without arguments, as ``pulumi.automation`` takes it (it may be ``async``), or the folder of a
                project in any language of ``pulumi.languages``, which is run in a process of its own; by default the stack's
                own project.
            command: instead of a program, the words of a command that starts one. It finds monitor and engine by the variables
                ``PULUMI_MONITOR``, ``PULUMI_ENGINE`` and so on, as the SDKs for Go, .NET and Java read them.
            cwd: the folder that ``command`` is run in.
            interpreter: what runs a project's Python or JavaScript, instead of what the project names.
            preview: preview first, in sessions of its own, as the CLI does; an error in the preview fails the up.
            refresh: refresh first, in the same sessions.
            run_program: refresh what the program registers as it does, with the provider that it has there, instead of first.
            plan: an update plan that a preview made, as data or its file; what would do something else fails.
            expect_failure: return the result of a failure, and raise ``ProgramError`` for a success.
            parallel: instead of the stack's own.
            timeout: seconds, instead of the stack's own.
            options: targets, exclusions, replacements and ``continue_on_error``: see ``Options``. Where the state does not
                have what is excluded, a preview finds out whether the program has.

        Raises:
            DefinitionError: ``program`` or ``command`` is none.
            MalformedError, UnsupportedError, PluginError: a project's folder is none, or its language cannot be run here;
                ``plan`` is none, or its secrets are encrypted.
            ProgramError: it failed, or succeeded in spite of ``expect_failure``; the message holds the diagnostics.
            MockProviderError: an error of ours, such as a miss; ``expect_failure`` does not catch it.
        """
        ready, held = self._ready(program, command, cwd, interpreter), expected(plan)
        how: Any = {"refresh": refresh, "run_program": run_program, "parallel": parallel, "timeout": timeout, **options}
        # If neither the state nor the program has what is excluded, the up would change what that was meant to be.
        if preview or unmatched({"exclude": named(options, "up")["exclude"]}, [old.urn for old in self._state.resources]):
            looked = self._operate("up", ready, preview=True, plans=Planning(held), **how)
            if not looked.succeeded:
                return self._judged(looked, "preview", expect_failure=expect_failure)
        result = self._operate("up", ready, plans=Planning(held), **how)
        return self._judged(result, "up", expect_failure=expect_failure)

    def preview(
        self,
        program: Given | None = None,
        *,
        command: Sequence[str] | None = None,
        cwd: Path | str | None = None,
        interpreter: Path | str | None = None,
        refresh: bool = False,
        run_program: bool = False,
        plan: Mapping[str, Any] | Path | str | None = None,
        save_plan: Path | str | bool = False,
        expect_failure: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Show what ``up`` would do, and change nothing. Arguments and errors as for ``up``.

        With ``save_plan`` the result has a ``plan`` to which an ``up`` can be held; if it is a path, the plan is saved there,
        as ``pulumi preview --save-plan --show-secrets`` does.
        """
        ready = self._ready(program, command, cwd, interpreter)
        plans = Planning(expected(plan), making=bool(save_plan))
        how: Any = {"refresh": refresh, "run_program": run_program, "parallel": parallel, "timeout": timeout, **options}
        result = self._operate("preview", ready, preview=True, plans=plans, **how)
        if isinstance(save_plan, (str, Path)) and result.plan is not None:
            save(result.plan, Path(save_plan))
        return self._judged(result, "preview", expect_failure=expect_failure)

    def refresh(
        self,
        program: Given | None = None,
        *,
        run_program: bool = False,
        command: Sequence[str] | None = None,
        cwd: Path | str | None = None,
        interpreter: Path | str | None = None,
        preview: bool = False,
        expect_failure: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Read what exists into the state; with ``preview``, only show it. Other arguments and errors as for ``up``.

        With ``run_program``, the program runs, and what it registers is read with the options and the provider that it has
        there. Components and providers are registered as in ``up``, and nothing else is created, updated or deleted.
        """
        ready = self._revisiting("refresh", run_program, program, command, cwd, interpreter)
        how: Any = {"preview": preview, "run_program": run_program, "parallel": parallel, "timeout": timeout, **options}
        return self._judged(self._operate("refresh", ready, **how), "refresh", expect_failure=expect_failure)

    def destroy(
        self,
        program: Given | None = None,
        *,
        run_program: bool = False,
        command: Sequence[str] | None = None,
        cwd: Path | str | None = None,
        interpreter: Path | str | None = None,
        preview: bool = False,
        refresh: bool = False,
        expect_failure: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Delete everything; with ``preview``, only show it. Other arguments and errors as for ``up``.

        With ``run_program``, the program runs first, and what it registers is deleted with the options, hooks and provider that
        it has there. Components and providers are registered as in ``up``, and deleted in the end, too.
        """
        ready = self._revisiting("destroy", run_program, program, command, cwd, interpreter)
        how: Any = {"preview": preview, "refresh": refresh, "run_program": run_program, "parallel": parallel, **options}
        return self._judged(self._operate("destroy", ready, timeout=timeout, **how), "destroy", expect_failure=expect_failure)

    def import_resources(
        self,
        imports: Sequence[Import],
        *,
        preview: bool = False,
        expect_failure: bool = False,
        timeout: float | None = None,
    ) -> Result:
        """The command ``pulumi import``: read what exists into the state, as resources that no program has yet.

        Nothing is changed at the provider. An import whose object is in the state already does nothing. Arguments and errors
        as for ``up``; ``DefinitionError`` for imports that cannot be, or whose parent or provider is nowhere.
        """

        def importing(deployment: Deployment) -> None:
            Importing(deployment, imports, self.config).carry_out()

        result = self._operate("import", None, work=importing, preview=preview, timeout=timeout)
        return self._judged(result, "import", expect_failure=expect_failure)

    def import_resource(self, type_: str, name: str, id_: str, *, protect: bool = True, expect_failure: bool = False) -> Result:
        """``import_resources`` of one resource, with the defaults of ``Import``."""
        one = Import(type=type_, name=name, id=id_, protect=protect)
        return self.import_resources([one], expect_failure=expect_failure)

    def cancel(self) -> None:
        """Interrupt the operation that another thread, or a layer of a double, has under way; the second time, end it at once.

        As Ctrl-C under ``pulumi``: providers are asked to stop, and what is under way is waited for and remembered; the second
        time nothing is, and what was under way is pending in the state. Does nothing between operations.
        """
        if self._at_work is not None:
            self._at_work.interrupt()

    # Running ---------------------------------------------------------------------------------------------------------

    def _identify(self, project: Project | str) -> None:
        """Be the stack of a project, with its configuration where none was given."""
        self.project = project if isinstance(project, str) else project.name
        given = {key if ":" in key else f"{self.project}:{key}": value for key, value in self._given.items()}
        self.config = {**({} if isinstance(project, str) else project.config(self.name, given)), **given}

    def _ready(
        self, program: Given | None, command: Sequence[str] | None, cwd: Path | str | None, interpreter: Path | str | None
    ) -> Ready:
        refuse_several(program, command, cwd, interpreter)
        if command is not None:
            return of_command(command, cwd)
        program = self._folder if program is None else program
        if not isinstance(program, (str, Path)):
            return of_function(program)
        project = read_project(program, interpreter=interpreter)
        if not self._named:
            self._named = True
            self._identify(project)
        return of_project(project)

    def _revisiting(self, operation: str, run_program: bool, *given: Any) -> Ready | None:
        """The program of a refresh or destroy. Raises ``DefinitionError`` for one that would not be run."""
        if run_program:
            return self._ready(*given)
        if any(part is not None for part in given):
            raise DefinitionError(f"A {operation} runs no program, unless it is told run_program=True.")
        return None

    def _operate(
        self,
        what: str,
        program: Ready | None,
        *,
        preview: bool = False,
        refresh: bool = False,
        run_program: bool = False,
        work: Callable[[Deployment], None] | None = None,
        plans: Planning | None = None,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        check(parallel=parallel, timeout=timeout)
        names = named(options, what)
        only_refresh, program_refreshes = what == "refresh", run_program and what != "destroy"
        dependents = options.get("exclude_dependents" if names["exclude"] else "target_dependents", False)
        plans = plans or Planning()
        self._operations += 1
        operation = Operation(
            project=self.project,
            stack=self.name,
            preview=preview,
            only_refresh=only_refresh,
            program_refreshes=program_refreshes,
            refreshing=program_refreshes and (refresh or only_refresh),
            destroying=run_program and what == "destroy",
            scope=Scope(names["target"], bool(dependents), names["exclude"], names["replace"]),
            continue_on_error=options.get("continue_on_error", False),
            ignore_protect=options.get("ignore_protect", False),
            moment=self._moment(),
            seed=self._seed,
            number=self._operations,
            named_by_version=self._named_by_version,
            ends_providers=self._ends_providers,
        )
        telling = EventTeller(self.on_event)
        telling.begin("up" if what == "preview" else what, operation)
        wanted, seconds = parallel or self.parallel, timeout or self.timeout
        deployment = Deployment(
            operation,
            self._state,
            self._provider,
            config=self.config,
            parallel=wanted,
            references=self._references,
            autonaming=Autonaming(self.config, organization=self.organization, project=self.project, stack=self.name),
            plans=plans,
            telling=telling,
        )

        def carry_out() -> None:
            if work is not None:
                work(deployment)
            else:
                whole()
            at_work.close()

        def whole() -> None:
            if what != "destroy" or not deployment.refuse_destroy(runs_program=program is not None):
                deployment.refresh(flagged_only=not (refresh or only_refresh), program_follows=program is not None)
            if deployment.failed or deployment.stopped or (program is None and only_refresh):
                return
            policies = self.policies if what in ("up", "preview") else ()
            with policed(deployment, policies, self.config, self.organization):
                if program is not None:
                    run_to_its_end(
                        program,
                        deployment,
                        parallel=deployment.parallel,
                        config=self.config,
                        organization=self.organization,
                        provider=self._provider,
                    )
                deployment.wind_up()
                finish_plan(deployment)

        self._at_work = at_work = OperationAtWork(deployment)
        try:
            with at_work.entered(self._provider):
                at_work.attend(carry_out, seconds)
        finally:
            self._at_work = None
            # Whatever happens, also Ctrl-C, what was done is remembered.
            deployment.finish_stack()
            state = at_work.state
            if not preview:
                self._state = state
        result = result_of(deployment, state)
        if plans.making and result.succeeded:
            result.plan = written(UpdatePlan(plans.resources, dict(self.config)))
        telling.end(result)
        return result

    def _judged(self, result: Result, what: str, *, expect_failure: bool) -> Result:
        return judged(result, f"{what} of {self.project}/{self.name}", expect_failure=expect_failure)


def _outputs_of(source: Stack | Mapping[str, Value]) -> Callable[[], Mapping[str, Value]]:
    return (lambda: source.outputs) if isinstance(source, Stack) else (lambda: source)
