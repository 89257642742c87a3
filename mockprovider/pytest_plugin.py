"""The pytest plugin: a double as a fixture, and engines that are led to it.

Every fixture has a collision-proof name (``mockprovider_provider``) beside its short one. Nothing slow is imported before a
fixture is used: pytest loads this module in every run, also in those that never meet a provider.
"""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from mockprovider.errors import DefinitionError, MockProviderError

if TYPE_CHECKING:
    from mockprovider.double import Double, Wiring
    from mockprovider.drivers.pulumi import PulumiCli
    from mockprovider.drivers.terraform import Terraform
    from mockprovider.engine import Stack

HERE = f"{Path(__file__).parent}{os.sep}"
RECORD = "--provider-record"
SEED = "--provider-seed"
PROTOCOLS = ("pulumi", "terraform")
ARGUMENTS: dict[str, tuple[type, ...]] = {
    "path": (str, Path),
    "command": (str, list, tuple),
    "protocol": (str,),
    "env": (dict,),
    "name": (str,),
}
"""The arguments of the marker, in order, and what they are; ``None`` stands for the default of each."""
WANTED = {
    "path": "give the file's path, relative to the test's folder",
    "command": "give a command line, or a list of the executable and its arguments",
    "protocol": "give 'pulumi' or 'terraform'",
    "env": "give a dict of environment variables",
    "name": "give the package's name",
}
USED = pytest.StashKey["Used"]()


class Used:
    """What one test used, to explain its failure: the double, where its artefacts go, and the stack, if there is one."""

    def __init__(self, double: Double, folders: pytest.TempPathFactory) -> None:
        self.double = double
        self.folders = folders
        self.stack: Stack | None = None
        self.told = 0
        """How many of the double's errors the test's reports have told already."""

    def raise_errors(self) -> None:
        """Raise the first of our errors that nobody was told of, so that none is lost and none is told twice."""
        __tracebackhide__ = True
        news, self.told = self.double.errors[self.told :], len(self.double.errors)
        if news:
            # Where it was raised is a thread of ours, which says nothing about the test.
            raise news[0].with_traceback(None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options."""
    group = parser.getgroup("mockprovider", "mockprovider: doubles of infrastructure-as-code providers")
    group.addoption(
        RECORD,
        metavar="MODE",
        default="none",
        help="cassette mode of tests marked 'cassette': none replays only (the default), all records anew",
    )
    group.addoption(SEED, metavar="N", type=int, default=0, help="seed of everything that doubles generate (default: 0)")


def pytest_configure(config: pytest.Config) -> None:
    """Our marker; and gRPC's chatter about closed connections, which helps nobody who reads a test's output, is off."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    # Beneath the root's level, and yet what one wants to read when a test has failed.
    logging.getLogger("mockprovider.provider").setLevel(logging.INFO)
    _known_mode(config.getoption(RECORD))
    config.addinivalue_line(
        "markers",
        "cassette(path=None, command=None, protocol='pulumi', env=None, name=None): replay the provider from a cassette "
        "(cassettes/<module>/<test>.json beside the test, unless path is given); with --provider-record=all, record it: "
        "the real provider that `command` starts, or the fake if there is none. name is the package that real engines know "
        "it by; without it, the one that the executable's name tells",
    )


def _known_mode(name: str) -> None:
    if name == "none":
        # The default is known to be right, and what knows the others takes time to import.
        return
    from mockprovider.cassette.modes import mode  # noqa: PLC0415 - only where a mode is given

    try:
        mode(name)
    except MockProviderError as error:
        raise pytest.UsageError(f"{RECORD}={name}: {error}") from error


# The double ----------------------------------------------------------------------------------------------------------


class CassetteUse:
    """How one test uses a cassette: where it lies, in which mode, and what is recorded under which name."""

    def __init__(self, path: Path, mode: str, *, command: list[str], protocol: str, env: dict[str, str], name: str) -> None:
        self.path = path
        self.mode = mode
        self.command = command
        self.protocol = protocol
        self.env = env
        self.name = name

    def wiring(self, remake: str) -> Wiring:
        """What to put behind the double. ``remake`` is the command line that makes the cassette again."""
        from mockprovider.cassette import Mode, mode  # noqa: PLC0415 - only where a test has a cassette
        from mockprovider.double import Wiring, real, recording, replaying  # noqa: PLC0415 - as above

        if mode(self.mode) is Mode.NONE:
            return replaying(self.path)
        fake = Wiring(self.name or "mock")
        behind = real(self.command, self.protocol, name=self.name, env=self.env) if self.command else fake
        return recording(self.path, behind, self.protocol, created_by=remake)


@pytest.fixture
def mockprovider_cassette(request: pytest.FixtureRequest) -> CassetteUse | None:
    """How this test uses a cassette; ``None`` if it is not marked with one."""
    from mockprovider.double import cassette_path  # noqa: PLC0415 - slow to import

    marker = request.node.get_closest_marker("cassette")
    if marker is None:
        return None
    try:
        given = _arguments(marker)
    except DefinitionError as error:
        _give_up(error)
    command = given["command"] or []
    own = cassette_path(request.node.path, request.node.name)
    return CassetteUse(
        request.node.path.parent / given["path"] if given["path"] else own,
        request.config.getoption(RECORD),
        command=shlex.split(command) if isinstance(command, str) else list(command),
        protocol=given["protocol"] or "pulumi",
        env=given["env"] or {},
        name=given["name"] or "",
    )


def _arguments(marker: pytest.Mark) -> dict[str, Any]:
    """The marker's arguments by name, all of them. Raises ``DefinitionError`` for what is none."""
    has = f"it has {', '.join(ARGUMENTS)}"
    if len(marker.args) > len(ARGUMENTS):
        raise DefinitionError(f"@pytest.mark.cassette has no {len(marker.args)} arguments; {has}.")
    given: dict[str, Any] = {**dict(zip(ARGUMENTS, marker.args, strict=False)), **marker.kwargs}
    for name, value in given.items():
        if name not in ARGUMENTS:
            raise DefinitionError(f"@pytest.mark.cassette has no {name!r}; {has}.")
        if value is not None and not isinstance(value, ARGUMENTS[name]):
            raise DefinitionError(f"@pytest.mark.cassette: {name}={value!r} is a {type(value).__name__}; {WANTED[name]}.")
    if given.get("protocol") not in (None, *PROTOCOLS):
        raise DefinitionError(f"@pytest.mark.cassette: there is no protocol {given['protocol']!r}; {WANTED['protocol']}.")
    return {**dict.fromkeys(ARGUMENTS), **given}


@pytest.fixture
def mockprovider_provider(
    request: pytest.FixtureRequest, mockprovider_cassette: CassetteUse | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Double]:
    """A ``Double``: define resource types on it, break it, and look at its cloud and journal.

    Of a test marked ``cassette`` it is the recorded provider. Errors of ours that an engine was told fail the test, also if
    the engine or the program swallowed them.
    """
    from mockprovider.double import Double  # noqa: PLC0415 - slow to import

    __tracebackhide__ = True
    remake = f"pytest {RECORD}=all {shlex.quote(request.node.nodeid)}"
    use = mockprovider_cassette
    try:
        behind = use.wiring(remake) if use else None
    except MockProviderError as error:
        _give_up(error, f"For this test that is: {remake}")
    double = Double(provider=behind, seed=request.config.getoption(SEED), name=use.name if use else "")
    used = request.node.stash[USED] = Used(double, tmp_path_factory)
    try:
        yield double
    finally:
        double.close()
    used.raise_errors()


def _give_up(error: MockProviderError, *more: str) -> NoReturn:
    """Fail the test's setup with our message alone: where in us it was raised helps nobody."""
    told = "\n".join([f"{type(error).__name__}: {error}", *more])
    # Outside of the handler's context, so that pytest shows no chain.
    failure = pytest.fail.Exception(told, pytrace=False)
    failure.__suppress_context__ = True
    raise failure


# Engines -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def mockprovider_pulumi_stack(request: pytest.FixtureRequest, mockprovider_provider: Double) -> Stack:
    """An empty stack of the embedded engine, with the double as the provider of every package."""
    from mockprovider.engine import Stack  # noqa: PLC0415 - slow to import

    stack = Stack(mockprovider_provider, seed=request.config.getoption(SEED))
    request.node.stash[USED].stack = stack
    return stack


@pytest.fixture
def mockprovider_pulumi_cli(mockprovider_provider: Double, tmp_path: Path) -> PulumiCli:
    """A project and a stack under the real ``pulumi``, attached to the double. Skips the test where there is no ``pulumi``."""
    from mockprovider.drivers.pulumi import PulumiCli  # noqa: PLC0415 - slow to import
    from mockprovider.errors import PluginError  # noqa: PLC0415 - as above

    serving = mockprovider_provider.serve("pulumi")
    try:
        return PulumiCli(tmp_path / "pulumi", lambda: serving.environment)
    except PluginError as error:
        pytest.skip(str(error))


@pytest.fixture
def mockprovider_terraform_protocol() -> int | None:
    """Which of Terraform's protocols ``mockprovider_terraform`` is served, 5 or 6; ``None`` is the double's own.

    Parametrize it to run a test over both, or override it for a module or a folder.
    """
    return None


@pytest.fixture(params=["terraform"])
def mockprovider_terraform(
    request: pytest.FixtureRequest,
    mockprovider_provider: Double,
    mockprovider_terraform_protocol: int | None,
    tmp_path: Path,
) -> Terraform:
    """A folder under the real ``terraform``, reattached to the double. Skips the test where there is no such engine.

    Parametrize it indirectly with ``tofu`` to run the test under OpenTofu too.
    """
    from mockprovider.drivers.terraform import Terraform  # noqa: PLC0415 - slow to import
    from mockprovider.errors import PluginError  # noqa: PLC0415 - as above

    serving = mockprovider_provider.serve("terraform", major=mockprovider_terraform_protocol)
    try:
        return Terraform(tmp_path / "terraform", lambda: serving.environment, binary=request.param)
    except PluginError as error:
        pytest.skip(str(error))


@pytest.fixture
def cassette(mockprovider_cassette: CassetteUse | None) -> CassetteUse | None:
    """The short name of ``mockprovider_cassette``."""
    return mockprovider_cassette


@pytest.fixture
def provider(mockprovider_provider: Double) -> Double:
    """The short name of ``mockprovider_provider``."""
    return mockprovider_provider


@pytest.fixture
def pulumi_stack(mockprovider_pulumi_stack: Stack) -> Stack:
    """The short name of ``mockprovider_pulumi_stack``."""
    return mockprovider_pulumi_stack


@pytest.fixture
def pulumi_cli(mockprovider_pulumi_cli: PulumiCli) -> PulumiCli:
    """The short name of ``mockprovider_pulumi_cli``."""
    return mockprovider_pulumi_cli


@pytest.fixture
def terraform(mockprovider_terraform: Terraform) -> Terraform:
    """The short name of ``mockprovider_terraform``."""
    return mockprovider_terraform


# Failures ------------------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test that passed fails with what an engine was told by us and kept to itself, such as a miss."""
    __tracebackhide__ = True
    try:
        result = yield
    except BaseException:
        used = item.stash.get(USED, None)
        if used is not None:
            # It has failed, and its section tells these errors: a second failure would say nothing new.
            used.told = len(used.double.errors)
        raise
    used = item.stash.get(USED, None)
    if used is not None:
        used.raise_errors()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test that used a double says what the double saw, how to run it again, and where everything is kept."""
    if call.excinfo is not None and not item.config.getoption("fulltrace"):
        _shorten(call.excinfo, item)
    report = yield
    used = item.stash.get(USED, None)
    if report.failed and call.excinfo is not None and used is not None:
        report.sections.append(("mockprovider", _explained(item, used, str(call.excinfo.value))))
    return report


def _shorten(excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> None:
    """Cut our own frames off an error that we raised on purpose: its message says it all, and ``--full-trace`` has them."""
    entry: TracebackType | None = excinfo.tb
    while entry is not None and entry.tb_frame.f_code.co_filename != str(item.path):
        entry = entry.tb_next
    if not isinstance(excinfo.value, MockProviderError) or entry is None:
        return
    while entry.tb_next is not None and not entry.tb_next.tb_frame.f_code.co_filename.startswith(HERE):
        entry = entry.tb_next
    entry.tb_next = None


def _explained(item: pytest.Item, used: Used, told: str) -> str:
    from mockprovider.double.masking import mask  # noqa: PLC0415 - only when a test has failed

    double = used.double
    mode = item.config.getoption(RECORD)
    options = f"{SEED}={double.seed}" + (f" {RECORD}={mode}" if mode != "none" else "")
    untold = [each for each in double.errors if str(each) not in told]
    lines = [
        *(f"The engine was told: {type(each).__name__}: {each}" for each in untold),
        "What the engine asked:",
        str(double.journal) or "  nothing",
        "What exists:",
        *(
            [f"  {each.type} {each.id} {mask(double.packages, each.type, each)}" for each in double.cloud.objects()]
            or ["  nothing"]
        ),
        *(f"Injected: {each}" for each in double.faults.rules),
        f"Seed {double.seed}. To run it again: pytest {options} {shlex.quote(item.nodeid)}",
        _kept(used),
    ]
    return "\n".join(lines)


def _kept(used: Used) -> str:
    from mockprovider.double.artefacts import keep  # noqa: PLC0415 - only when a test has failed

    try:
        folder = used.folders.mktemp("mockprovider")
        return f"Kept in {folder}: {', '.join(keep(folder, used.double, used.stack))}"
    except Exception as error:  # noqa: BLE001 - a report must never break off the whole run; it says what is missing
        return f"Nothing could be kept: {type(error).__name__}: {error}"
