"""The embedded engine's front: a stack, and the operations on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from msgspec import structs

from mockprovider.cloud import Cloud
from mockprovider.engine.autonaming import Autonaming
from mockprovider.engine.cancelling import OperationAtWork
from mockprovider.engine.decision import RefusedError
from mockprovider.engine.deployment import Deployment
from mockprovider.engine.instance import ProviderSource
from mockprovider.engine.operation import Operation
from mockprovider.engine.program import Ended, Environment
from mockprovider.engine.ready import Given, Ready, leading_to, of_command, of_function, of_project
from mockprovider.engine.targets import Scope
from mockprovider.errors import DefinitionError, MockProviderError, ProgramError
from mockprovider.pulumi import deployments
from mockprovider.pulumi.exporting import dangling, export_state, import_state
from mockprovider.pulumi.languages import Project, read_project
from mockprovider.pulumi.options import Options, named
from mockprovider.pulumi.result import FAILED, Result
from mockprovider.pulumi.state import ResourceStates, State
from mockprovider.values import Secret, Value, reveal


class Stack:
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
        parallel: how many steps may run at once. With 1 (the default) everything happens in one thread in the order of
            registration, and a run repeats exactly; the CLI's own default is four for each core.
        timeout: seconds that an operation may take.
    """

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
        parallel: int = 1,
        timeout: float = 60.0,
    ) -> None:
        self.name = name
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
        self._at_work: OperationAtWork | None = None
        for key, value in self.config.items():
            if not isinstance(reveal(value), str):
                raise DefinitionError(
                    f"The configuration {key!r} is {value!r}; configuration values are strings (JSON for others)."
                )

    @property
    def state(self) -> ResourceStates:
        """The resources in the state, by name or URN."""
        return ResourceStates(self._state.resources)

    @property
    def outputs(self) -> dict[str, Value]:
        """The outputs that the last operation left, secrets wrapped."""
        return next((dict(resource.outputs) for resource in self._state.resources if resource.is_stack), {})

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
            expect_failure: return the result of a failure, and raise ``ProgramError`` for a success.
            parallel: instead of the stack's own.
            timeout: seconds, instead of the stack's own.
            options: targets, exclusions, replacements and ``continue_on_error``: see ``Options``.

        Raises:
            DefinitionError: ``program`` or ``command`` is none.
            MalformedError, UnsupportedError, PluginError: a project's folder is none, or its language cannot be run here.
            ProgramError: it failed, or succeeded in spite of ``expect_failure``; the message holds the diagnostics.
            MockProviderError: an error of ours, such as a miss; ``expect_failure`` does not catch it.
        """
        ready = self._ready(program, command, cwd, interpreter)
        if preview:
            looked = self._operate(ready, preview=True, refresh=refresh, parallel=parallel, timeout=timeout, **options)
            if not looked.succeeded:
                return self._judged(looked, "preview", expect_failure=expect_failure)
        result = self._operate(ready, refresh=refresh, parallel=parallel, timeout=timeout, **options)
        return self._judged(result, "up", expect_failure=expect_failure)

    def preview(
        self,
        program: Given | None = None,
        *,
        command: Sequence[str] | None = None,
        cwd: Path | str | None = None,
        interpreter: Path | str | None = None,
        refresh: bool = False,
        expect_failure: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Show what ``up`` would do, and change nothing. Arguments and errors as for ``up``."""
        ready = self._ready(program, command, cwd, interpreter)
        result = self._operate(ready, preview=True, refresh=refresh, parallel=parallel, timeout=timeout, **options)
        return self._judged(result, "preview", expect_failure=expect_failure)

    def refresh(
        self,
        *,
        preview: bool = False,
        expect_failure: bool = False,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Read what exists into the state; with ``preview``, only show it. Other arguments and errors as for ``up``."""
        result = self._operate(None, only_refresh=True, preview=preview, timeout=timeout, **options)
        return self._judged(result, "refresh", expect_failure=expect_failure)

    def destroy(
        self,
        *,
        preview: bool = False,
        refresh: bool = False,
        expect_failure: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Delete everything; with ``preview``, only show it. No program runs. Other arguments and errors as for ``up``."""
        result = self._operate(None, preview=preview, refresh=refresh, parallel=parallel, timeout=timeout, **options)
        return self._judged(result, "destroy", expect_failure=expect_failure)

    def cancel(self) -> None:
        """Interrupt the operation that another thread, or a layer of a double, has under way; the second time, end it at once.

        As Ctrl-C under ``pulumi``: providers are asked to stop, and what is under way is waited for and remembered; the second
        time nothing is, and what was under way is pending in the state. Does nothing between operations.
        """
        if self._at_work is not None:
            self._at_work.interrupt()

    # State -----------------------------------------------------------------------------------------------------------

    def export(self, *, secrets_providers: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The state in Pulumi's deployment format, as ``pulumi stack import`` takes it, secrets in plain text.

        ``secrets_providers`` says how the importing CLI is to encrypt: the key of that name in an export of the stack that
        imports (also of an empty one). Without it a CLI cannot import a state with secrets; an imported state has its own.
        """
        return export_state(structs.replace(self._state, secrets_providers=secrets_providers or self._state.secrets_providers))

    def import_(self, deployment: Mapping[str, Any] | Path, *, cloud: Cloud | Mapping[str, Cloud] | None = None) -> None:
        """Continue an exported stack, under the exported names of project and stack.

        Args:
            deployment: what ``pulumi stack export --show-secrets`` printed, or the file that it was written to.
            cloud: where to create the objects of the state (``double.cloud``), or a mapping from packages to clouds; packages
                that it leaves out are left alone. ``pulumi.deployments.adopt`` says what becomes an object.

        Raises:
            MalformedError: it is no deployment, or refers to what is not in it.
            UnsupportedError: it is of a newer version, or its secrets are encrypted.
            MockProviderError: ``cloud`` has one of its objects already.
        """
        exported = deployments.load(deployment)
        deployments.refuse_ciphertext(exported)
        state = import_state(exported)
        if cloud is not None:
            deployments.adopt(exported, cloud)
        self._state = state
        deployments.announce(exported, self._provider.values() if isinstance(self._provider, Mapping) else [self._provider])
        self._named = True
        self.project, self.name = deployments.identity(exported) or (self.project, self.name)

    # Running ---------------------------------------------------------------------------------------------------------

    def _identify(self, project: Project | str) -> None:
        """Be the stack of a project, with its configuration where none was given."""
        self.project = project if isinstance(project, str) else project.name
        given = {key if ":" in key else f"{self.project}:{key}": value for key, value in self._given.items()}
        self.config = {**({} if isinstance(project, str) else project.config(self.name, given)), **given}

    def _ready(
        self, program: Given | None, command: Sequence[str] | None, cwd: Path | str | None, interpreter: Path | str | None
    ) -> Ready:
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

    def _operate(
        self,
        program: Ready | None,
        *,
        preview: bool = False,
        refresh: bool = False,
        only_refresh: bool = False,
        parallel: int | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Result:
        names = named(options, "refresh" if only_refresh else "destroy" if program is None else "preview" if preview else "up")
        dependents = options.get("exclude_dependents" if names["exclude"] else "target_dependents", False)
        self._operations += 1
        operation = Operation(
            project=self.project,
            stack=self.name,
            preview=preview,
            only_refresh=only_refresh,
            scope=Scope(names["target"], bool(dependents), names["exclude"], names["replace"]),
            continue_on_error=options.get("continue_on_error", False),
            seed=self._seed,
            number=self._operations,
        )
        workers, seconds = parallel or self.parallel, timeout or self.timeout
        deployment = Deployment(
            operation,
            self._state,
            self._provider,
            config=self.config,
            parallel=workers,
            references=self._references,
            autonaming=Autonaming(self.config, organization=self.organization, project=self.project, stack=self.name),
        )

        def carry_out() -> None:
            deployment.refresh(flagged_only=not (refresh or only_refresh), program_follows=program is not None)
            if not deployment.failed and not deployment.stopped and not only_refresh:
                if program is not None:
                    self._run(program, deployment, workers)
                deployment.delete_leftovers()
            at_work.close()

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
                complaint = dangling(state.resources)
                if complaint:
                    # As in the real engine, what was done is remembered all the same.
                    deployment.object(RefusedError(f"failed to verify snapshot: {complaint}"))
        return _result(deployment, state)

    def _run(self, program: Ready, deployment: Deployment, parallel: int) -> None:
        from mockprovider.engine.monitor import Engine, EngineMonitor  # noqa: PLC0415 - imports pulumi, which is slow

        config = {key: reveal(value) for key, value in self.config.items()}
        secret_keys = frozenset(key for key, value in self.config.items() if isinstance(value, Secret))
        environment = Environment(
            monitor=EngineMonitor(deployment, config, secret_keys, self.organization, program.directory),
            engine=Engine(deployment),
            project=self.project,
            stack=self.name,
            organization=self.organization,
            preview=deployment.operation.preview,
            parallel=parallel,
            config=config,
            secret_keys=secret_keys,
            over=lambda: deployment.stopped,
            providers=lambda: leading_to(self._provider),
        )
        ended = program.run(environment)
        if ended.output:
            deployment.log("info", ended.output)
        if ended.error is not None and not (ended.quiet and deployment.failed):
            deployment.fail(_blamed(ended), shown=ended.shown)

    def _judged(self, result: Result, what: str, *, expect_failure: bool) -> Result:
        if isinstance(result.error, MockProviderError) and not isinstance(result.error, ProgramError):
            raise result.error
        if result.succeeded and expect_failure:
            raise ProgramError(f"The {what} of {self.project}/{self.name} was expected to fail, and succeeded: {result}")
        if result.error is not None and not expect_failure:
            cause = result.error.__cause__ if isinstance(result.error, ProgramError) else result.error
            raise ProgramError(f"The {what} of {self.project}/{self.name} {result}") from cause
        return result


def _outputs_of(source: Stack | Mapping[str, Value]) -> Callable[[], Mapping[str, Value]]:
    return (lambda: source.outputs) if isinstance(source, Stack) else (lambda: source)


def _blamed(ended: Ended) -> ProgramError:
    if isinstance(ended.error, ProgramError):
        return ended.error
    error = ProgramError(f"The program raised {type(ended.error).__name__}: {ended.error}\n{ended.trace}")
    error.__cause__ = ended.error
    return error


def _result(deployment: Deployment, state: State) -> Result:
    outputs = next((resource.outputs for resource in state.resources if resource.is_stack), {})
    ours = [
        error for error in deployment.errors if isinstance(error, MockProviderError) and not isinstance(error, ProgramError)
    ]
    error = next(iter([*ours, *deployment.errors]), None)
    result = Result(
        outputs=reveal(outputs),
        secret_outputs=frozenset(name for name, value in outputs.items() if isinstance(value, Secret)),
        summary=dict(deployment.counted),
        steps=[(op.value, urn) for op, urn in deployment.steps],
        state=ResourceStates(state.resources),
        pending_operations=list(state.pending),
        diagnostics=list(deployment.diagnostics),
        error=error,
        exit_code=FAILED if error else 0,
    )
    result.output = str(result)
    return result
