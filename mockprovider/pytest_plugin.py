"""The pytest plugin: a double as a fixture, and engines that are led to it.

Every fixture has a collision-proof name (``mockprovider_provider``) beside its short one. Nothing slow is imported before a
fixture is used: pytest loads this module in every run, also in those that never meet a provider.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockprovider.errors import DefinitionError

if TYPE_CHECKING:
    from mockprovider.double import Double, Wiring
    from mockprovider.drivers.pulumi import PulumiCli
    from mockprovider.drivers.terraform import Terraform
    from mockprovider.engine import Stack

RECORD = "--provider-record"
SEED = "--provider-seed"
USED = pytest.StashKey["Used"]()


class Used:
    """What one test used, to explain its failure."""

    def __init__(self) -> None:
        self.double: Double | None = None
        self.stack: Stack | None = None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options."""
    group = parser.getgroup("mockprovider", "doubles of infrastructure-as-code providers")
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
    config.addinivalue_line(
        "markers",
        "cassette(path=None, command=None, protocol='pulumi', env=None): replay the provider from a cassette "
        "(cassettes/<module>/<test>.json beside the test, unless path is given); with --provider-record=all, record it: "
        "the real provider that `command` starts, or the fake if there is none",
    )


# The double ----------------------------------------------------------------------------------------------------------


class CassetteUse:
    """How one test uses a cassette: where it lies, in which mode, and what is recorded."""

    def __init__(self, path: Path, mode: str, command: list[str], protocol: str, env: dict[str, str]) -> None:
        self.path = path
        self.mode = mode
        self.command = command
        self.protocol = protocol
        self.env = env

    def wiring(self, remake: str) -> Wiring:
        """What to put behind the double. ``remake`` is the command line that makes the cassette again."""
        from mockprovider.cassette import Mode, mode  # noqa: PLC0415 - only where a test has a cassette
        from mockprovider.double import Wiring, real, recording, replaying  # noqa: PLC0415 - as above

        if mode(self.mode) is Mode.NONE:
            return replaying(self.path)
        behind = real(self.command, self.protocol, env=self.env) if self.command else Wiring("mock")
        return recording(self.path, behind, self.protocol, created_by=remake)


@pytest.fixture
def mockprovider_cassette(request: pytest.FixtureRequest) -> CassetteUse | None:
    """How this test uses a cassette; ``None`` if it is not marked with one."""
    from mockprovider.double import cassette_path  # noqa: PLC0415 - slow to import

    marker = request.node.get_closest_marker("cassette")
    if marker is None:
        return None
    given = dict(zip(("path", "command", "protocol", "env"), marker.args, strict=False)) | marker.kwargs
    unknown = given.keys() - {"path", "command", "protocol", "env"}
    if unknown:
        raise DefinitionError(f"@pytest.mark.cassette has no {unknown.pop()!r}; it has path, command, protocol and env.")
    own = cassette_path(request.node.path, request.node.name)
    path = request.node.path.parent / given["path"] if given.get("path") else own
    command = given.get("command") or []
    return CassetteUse(
        path,
        request.config.getoption(RECORD),
        shlex.split(command) if isinstance(command, str) else list(command),
        given.get("protocol", "pulumi"),
        given.get("env") or {},
    )


@pytest.fixture
def mockprovider_provider(request: pytest.FixtureRequest, mockprovider_cassette: CassetteUse | None) -> Iterator[Double]:
    """A ``Double``: define resource types on it, break it, and look at its cloud and journal.

    Of a test marked ``cassette`` it is the recorded provider. Errors of ours that an engine was told fail the test at its end.
    """
    from mockprovider.double import Double  # noqa: PLC0415 - slow to import

    remake = f"pytest {RECORD}=all {request.node.nodeid}"
    behind = mockprovider_cassette.wiring(remake) if mockprovider_cassette else None
    double = Double(provider=behind, seed=request.config.getoption(SEED))
    _used(request.node).double = double
    try:
        yield double
    finally:
        double.close()
    double.raise_errors()


# Engines -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def mockprovider_pulumi_stack(request: pytest.FixtureRequest, mockprovider_provider: Double) -> Stack:
    """An empty stack of the embedded engine, with the double as the provider of every package."""
    from mockprovider.engine import Stack  # noqa: PLC0415 - slow to import

    stack = Stack(mockprovider_provider, seed=request.config.getoption(SEED))
    _used(request.node).stack = stack
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


@pytest.fixture(params=["terraform"])
def mockprovider_terraform(request: pytest.FixtureRequest, mockprovider_provider: Double, tmp_path: Path) -> Terraform:
    """A folder under the real ``terraform``, reattached to the double. Skips the test where there is no such engine.

    Parametrize it indirectly with ``tofu`` to run the test under OpenTofu too.
    """
    from mockprovider.drivers.terraform import Terraform  # noqa: PLC0415 - slow to import
    from mockprovider.errors import PluginError  # noqa: PLC0415 - as above

    serving = mockprovider_provider.serve("terraform")
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
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test that used a double says what the double saw, how to run it again, and where everything is kept."""
    report = yield
    used = item.stash.get(USED, None)
    if report.failed and call.when in ("call", "teardown") and used is not None and used.double is not None:
        report.sections.append(("mockprovider", _explained(item, used)))
    return report


def _used(item: pytest.Item) -> Used:
    return item.stash.setdefault(USED, Used())


def _explained(item: pytest.Item, used: Used) -> str:
    from mockprovider.double.artefacts import keep  # noqa: PLC0415 - only when a test has failed

    double = used.double
    if double is None:
        return ""
    seed = item.config.getoption(SEED)
    factory: pytest.TempPathFactory = item.config._tmp_path_factory  # type: ignore[attr-defined] # noqa: SLF001
    folder = factory.mktemp("mockprovider")
    kept = keep(folder, double, used.stack)
    lines = [
        "What the engine asked:",
        str(double.journal) or "  nothing",
        "What exists:",
        *([f"  {each}" for each in double.cloud.objects()] or ["  nothing"]),
        f"Seed {seed}. To run it again: pytest {SEED}={seed} '{item.nodeid}'",
        f"Kept in {folder}: {', '.join(kept)}",
    ]
    return "\n".join(lines)
