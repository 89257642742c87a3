"""The real ``terraform`` and ``tofu`` command lines: one isolated root module, results as data."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field

from mockprovider.calls import Call
from mockprovider.cassette.misses import ONE_AT_A_TIME
from mockprovider.cloud import Cloud
from mockprovider.drivers import addresses, rootmodule
from mockprovider.drivers.command import Breakable, Environment, Finished, RunningCommands, resolved, run
from mockprovider.drivers.diagnostics import CliDiagnostic, diagnostics, events
from mockprovider.drivers.output import Printed
from mockprovider.drivers.progress import WALKING, Progress, announces
from mockprovider.drivers.sources import REATTACH, absent, hint
from mockprovider.errors import PluginError, ProgramError
from mockprovider.files import make_folder
from mockprovider.schema import Package

SECONDS = 300.0
"""A run that takes longer hangs; its processes are then ended. Engines themselves wait a minute for a plugin to start."""

SERVED_SECONDS = 10.0
"""How long a double of this process may take to accept a connection."""

OPERATIONS = ("validate", "plan", "apply", "destroy", "import", "test")
"""The commands whose output is kept; what is sensitive they do not print."""

CHANGES = 2
"""The exit code of ``plan -detailed-exitcode`` where there is something to do."""


class TerraformResult(Struct):
    """What one run did.

    ``diagnostics`` are in order. ``summary`` counts ``add``, ``change``, ``remove`` and ``import`` where there were any.
    ``state`` is the state file afterwards, empty if there is none. ``plan`` is ``show -json`` of the plan, for ``plan`` alone.
    ``tests`` says how each run of a test file ended, for ``test`` alone: ``{"tests/main.tftest.hcl": {"first": "pass"}}``, in
    the engine's words (``pass``, ``fail``, ``error``, ``skip``). ``events`` are all lines of the engine's JSON stream.
    """

    exit_code: int
    stdout: str
    stderr: str
    diagnostics: list[CliDiagnostic] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, int] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    tests: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def output(self) -> str:
        """Everything that was printed."""
        return self.stdout + self.stderr

    @property
    def errors(self) -> list[CliDiagnostic]:
        """The diagnostics that are errors."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.severity == "error"]

    @property
    def outputs(self) -> dict[str, Any]:
        """The root module's outputs by name, from the state."""
        return {name: output["value"] for name, output in self.state.get("outputs", {}).items()}

    @property
    def actions(self) -> dict[str, list[str]]:
        """What the plan does to each address, in plan JSON's words: ``["create"]``, ``["delete", "create"]``, ``["no-op"]``."""
        return {change["address"]: change["change"]["actions"] for change in self.plan.get("resource_changes", [])}

    def export(self) -> dict[str, Any]:
        """The state, as ``Double.audit`` takes it."""
        return self.state

    @property
    def instances(self) -> dict[str, dict[str, Any]]:
        """The objects in the state by address, as the engine writes it: ``module.net["a"].cloud_subnet.main[0]``."""
        return addresses.instances(self.state)

    def resource(self, address: str) -> dict[str, Any]:
        """The object at ``address`` in the state: ``attributes``, ``status`` ….

        An address without the last index (``module.net.cloud_subnet.main``) is the first instance. Raises ``KeyError``.
        """
        __tracebackhide__ = True
        return addresses.instance(self.state, address)


class Adopter(Protocol):
    """What takes the objects of a state into its cloud: a ``Double``."""

    packages: dict[str, Package]
    cloud: Cloud


class Addressable(Breakable, Protocol):
    """What the engine of a driver is led to: a ``Double``."""

    has_cassette: bool

    def addressed(self, address_of: Callable[[Call], str]) -> AbstractContextManager[None]:
        """Have ``address_of`` tell the address of each call while a block runs."""

    def absent(self, type_: str) -> str:
        """Why the engine is told that the provider does not have a type, where that is because it is replayed."""


class Terraform:
    """One root module under a real CLI, in a folder of its own, without user settings, network, plugin cache and ``init``.

    Args:
        folder: the working folder; made if it is not there. The first run starts from a ``terraform.tfstate`` in it.
        environment: the variables that lead the CLI to its providers (``Serving.environment``), or a function that gives them.
        binary: ``terraform`` or ``tofu``, looked up on ``PATH``.
        variables: values of the root module's variables, strings or JSON.
        settings: HCL for the CLI's configuration file, such as a ``provider_installation`` block.
        seconds: how long one run may take.
        doubles: the doubles of this process that ``environment`` leads to. Their calls have addresses (``Call.address``) while
            an engine works on one resource at a time.
        parallelism: how many resources the engine works on at a time. Unless given, it is one where a double records or
            replays a cassette, else the engine's own number. It may be set later.

    Raises ``PluginError`` if there is no such CLI, ``MockProviderError`` if the folder cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        environment: Environment = dict,
        *,
        binary: str = "terraform",
        variables: Mapping[str, Any] | None = None,
        settings: str = "",
        seconds: float = SECONDS,
        doubles: Sequence[Addressable] = (),
        parallelism: int | None = None,
    ) -> None:
        executable = shutil.which(binary)
        if executable is None:
            raise PluginError(f"There is no {binary!r} on PATH. Install it, or build OpenTofu with tools/build-engines.")
        self.binary = executable
        self.folder = folder.absolute()
        self.seconds = seconds
        self.parallelism = parallelism
        self.variables = dict(variables or {})
        self._environment = environment
        self._doubles = doubles
        self._running = RunningCommands(doubles)
        self._settings = self.folder / ".mockprovider"
        make_folder(self._settings)
        # The CLI warns about a missing settings file, and must not read the user's own.
        (self._settings / "cli.tfrc").write_text(settings, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        """The CLI's environment: without user settings and prompts."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TF_", "TOFU_", "TERRAFORM_"))},
            "TF_CLI_CONFIG_FILE": str(self._settings / "cli.tfrc"),
            "TF_DATA_DIR": str(self._settings / "data"),
            "TF_IN_AUTOMATION": "1",
            "TF_INPUT": "0",
            "CHECKPOINT_DISABLE": "1",
            **{
                f"TF_VAR_{name}": value if isinstance(value, str) else json.dumps(value)
                for name, value in self.variables.items()
            },
            **resolved(self._environment),
        }

    def write(self, configuration: str, name: str = "main.tf") -> None:
        """Write a file of the root module, in HCL; with a ``name`` that ends in ``.json``, in JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(configuration, encoding="utf-8")

    def use(self, root: str | Path) -> None:
        """Run a root module that you have: a folder with its modules, variables and test files, as it is.

        It is copied, and the copy becomes ``folder``. The original, its state and its backend are left alone: the state is this
        driver's, and stays over a second ``use``. Links lead to what is beside the original in its repository, so that
        ``../modules`` are found. Modules nearby are installed; remote ones that ``terraform get`` fetched into the original
        are taken from there, others are fetched now.

        Raises ``MockProviderError`` if there is no configuration, ``ProgramError`` if its modules cannot be installed.
        """
        state = self.state()
        self.folder = rootmodule.copied(Path(root), self._settings.parent / "root", self._settings / "data")
        if state:
            self.write(json.dumps(state, indent=2), rootmodule.STATE)
        if rootmodule.keeps_state_elsewhere(self.folder):
            self.write(rootmodule.LOCAL, rootmodule.OVERRIDE)
            # It fails where a provider is not attached, after the backend is there; which one is for the run to say.
            self.command("init", "-get=false", f"-plugin-dir={self._settings}", accept=(0, 1))
        if rootmodule.has_modules(self.folder):
            self._get_modules(Path(root).absolute())

    def load_state(self, state: Mapping[str, Any] | Path, *, double: Adopter | None = None) -> None:
        """Start from this state file, instead of the folder's own.

        Args:
            state: what ``terraform state pull`` printed, or the file.
            double: creates the objects of the state in its cloud; ``terraform.tfstate.adopt`` says what becomes an object.

        Raises:
            MalformedError: it is no state file, or an instance does not fit its type.
            MockProviderError: the cloud has one of its objects already.
        """
        from mockprovider.terraform.recorded import tfstate  # noqa: PLC0415 - an optional dependency

        loaded = tfstate.load(state)
        if double is not None:
            tfstate.adopt(loaded, double.packages, double.cloud)
        self.write(json.dumps(loaded, indent=2), rootmodule.STATE)

    # Operations ------------------------------------------------------------------------------------------------------

    def validate(self, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``validate``."""
        return self._operate("validate", *arguments, expect_failure=expect_failure)

    def plan(self, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``plan``, with the plan as data. Its exit code is 2 where there is something to do, 0 where not."""
        path = self._settings / "plan.bin"
        options = ("-detailed-exitcode", f"-out={path}")
        finished = self.command(*self._told("plan", *options, *arguments), expect_failure=expect_failure, accept=(0, CHANGES))
        result = self._result(finished)
        if finished.exit_code in (0, CHANGES):
            result.plan = json.loads(self.command("show", "-json", str(path)).stdout)
        return result

    def apply(self, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``apply`` without asking."""
        return self._operate("apply", "-auto-approve", *arguments, expect_failure=expect_failure)

    def apply_plan(self, *, expect_failure: bool = False) -> TerraformResult:
        """``apply`` of what ``plan`` planned last."""
        return self._operate("apply", str(self._settings / "plan.bin"), expect_failure=expect_failure)

    def refresh(self, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``apply -refresh-only``: read what exists into the state."""
        return self._operate("apply", "-refresh-only", "-auto-approve", *arguments, expect_failure=expect_failure)

    def destroy(self, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``destroy`` without asking."""
        return self._operate("destroy", "-auto-approve", *arguments, expect_failure=expect_failure)

    def import_(self, address: str, id_: str, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``import`` of an existing object. This command has no JSON output, so its diagnostics are in ``output`` alone."""
        command = ("import", "-no-color", *arguments, address, id_)
        return self._result(self.command(*command, expect_failure=expect_failure))

    def test(self, *arguments: str, expect_failure: bool = False) -> TerraformResult:
        """``test``: the runs of the ``*.tftest.hcl`` files here and under ``tests``. The root module's state is left alone."""
        return self._operate("test", *arguments, expect_failure=expect_failure)

    def show(self) -> dict[str, Any]:
        """``show -json`` of the state."""
        shown: dict[str, Any] = json.loads(self.command("show", "-json").stdout)
        return shown

    def state(self) -> dict[str, Any]:
        """The state file as data, empty if there is none."""
        path = self.folder / rootmodule.STATE
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        # The engine leaves an empty file behind where the first run saved nothing.
        state: dict[str, Any] = json.loads(text) if text.strip() else {}
        return state

    def export(self) -> dict[str, Any]:
        """The same, under the name that every engine's state has for ``Double.audit``."""
        return self.state()

    def command(self, *arguments: str, expect_failure: bool = False, accept: tuple[int, ...] = (0,)) -> Finished:
        """Any command of the CLI.

        Raises ``ProgramError`` with its output if it fails unexpectedly or hangs, ``PluginError`` if the double that it would
        connect to is in this process and not served any more.
        """
        environment = self.environment
        _check_served(environment)
        try:
            return run(
                [self.binary, *arguments],
                cwd=self.folder,
                env=environment,
                seconds=self.seconds,
                expect_failure=expect_failure,
                accept=accept,
                keep=arguments[0] in OPERATIONS,
                following=partial(self._followed, arguments),
                running=self._running,
            )
        except ProgramError as error:
            said = str(error)
            error.args = (f"{said}{hint(said, environment)}{absent(said, self._doubles)}{self._in_parallel(said, arguments)}",)
            raise

    def close(self) -> None:
        """End the engine, with all that it started, where a thread still runs one. Safe to call again."""
        self._running.close()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _get_modules(self, root: Path) -> None:
        try:
            self.command("get")
        except ProgramError as error:
            fetch = f"`{Path(self.binary).name} get` there, and use() takes what it finds in .terraform/modules."
            error.args = (f"{error}\nA module is not to be had. Fetch it once in {root}: {fetch}",)
            raise

    def _operate(self, *arguments: str, expect_failure: bool) -> TerraformResult:
        return self._result(self.command(*self._told(*arguments), expect_failure=expect_failure))

    def _told(self, operation: str, *arguments: str) -> tuple[str, ...]:
        """The command line of an operation: with JSON output, and with the driver's parallelism before the caller's own."""
        parallelism = self.parallelism
        if parallelism is None and any(double.has_cassette for double in self._doubles):
            parallelism = 1
        options = () if parallelism is None or operation not in WALKING else (f"-parallelism={parallelism}",)
        return operation, "-json", *options, *arguments

    def _in_parallel(self, output: str, arguments: Sequence[str]) -> str:
        """What to say to whoever is told to work on one resource at a time, and has said otherwise; empty if that is nobody."""
        given = [argument.partition("=")[2] for argument in arguments if argument.startswith("-parallelism=")]
        # Engines break the lines of what providers say.
        if ONE_AT_A_TIME not in " ".join(output.split()) or not given or given[-1] == "1":
            return ""
        return (
            f"\nThis run had -parallelism={given[-1]}, which hides the addresses. Leave that out: the fixture sets 1 by itself."
        )

    @contextmanager
    def _followed(self, arguments: Sequence[str], printed: Printed) -> Iterator[None]:
        """Tell the doubles the addresses of their calls while the engine runs, where it announces these one at a time."""
        address_of = Progress(printed).address_of if announces(arguments) else unknown
        with ExitStack() as runs:
            for double in self._doubles:
                runs.enter_context(double.addressed(address_of))
            yield

    def _result(self, finished: Finished) -> TerraformResult:
        result = TerraformResult(finished.exit_code, finished.stdout, finished.stderr, state=self.state())
        result.events, result.diagnostics = events(finished.stdout), diagnostics(finished.stdout)
        for event in result.events:
            if event.get("type") == "change_summary":
                counts = event["changes"]
                result.summary = {name: count for name, count in counts.items() if isinstance(count, int) and count}
            elif event.get("type") == "test_run" and "status" in (run_ := event["test_run"]):
                result.tests.setdefault(run_["path"], {})[run_["run"]] = run_["status"]
        return result


def unknown(_: Call) -> str:
    """The address of a call that nothing announces."""
    return ""


def _check_served(environment: Mapping[str, str]) -> None:
    """Refuse to run if the double is not served: the engine would then kill the double's process, which is this one."""
    for source, led in json.loads(environment.get(REATTACH) or "{}").items():
        host, _, port = led["Addr"]["String"].rpartition(":")
        if led["Pid"] != os.getpid() or led["Addr"]["Network"] != "tcp":
            continue
        try:
            socket.create_connection((host, int(port)), timeout=SERVED_SECONDS).close()
        except OSError as error:
            raise PluginError(
                f"Nobody serves {source} at {host}:{port} any more ({error}). Run the engine while its double is being served, "
                "and give the driver a function that asks for the environment: Terraform(folder, lambda: serving.environment)."
            ) from error
