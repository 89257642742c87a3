"""The pytest plugin: a double as a fixture, and engines that are led to it.

Every fixture has a collision-proof name (``mockprovider_provider``) beside its short one. Nothing slow is imported before a
fixture is used: pytest loads this module in every run, also in those that never meet a provider.
"""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from mockprovider.errors import CassetteBusyError, CassetteError, DefinitionError, MockProviderError, extra_hint
from mockprovider.pytest_marks import ALLOW, MARKS, allow_breaches, break_doubles, check_allowed
from mockprovider.pytest_orphans import ORPHANS, only_look, pytest_collection_finish, pytest_itemcollected, pytest_sessionfinish
from mockprovider.pytest_reports import (
    MAX_AGE,
    RECORD,
    SEED,
    USED,
    check_max_age,
    fail_broken,
    fail_unplayed,
    from_here,
    note_used,
    pytest_make_collect_report,
    pytest_runtest_call,
    pytest_runtest_makereport,
    pytest_terminal_summary,
    warn_expired,
)
from mockprovider.pytest_workers import pytest_configure_node

if TYPE_CHECKING:
    from mockprovider.double import Double, FrozenTime
    from mockprovider.double.marked import CassetteUse
    from mockprovider.double.used import Used
    from mockprovider.drivers.pulumi import PulumiCli
    from mockprovider.drivers.terraform import Terraform
    from mockprovider.engine import Stack

HOOKS = (
    *(pytest_itemcollected, pytest_make_collect_report, pytest_collection_finish, pytest_sessionfinish),
    *(pytest_runtest_call, pytest_runtest_makereport, pytest_terminal_summary, pytest_configure_node),
)
"""pytest finds these by their names in this module."""
RECORDED = pytest.StashKey[dict[Path, str]]()
"""Which test of this run records which cassette."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options."""
    group = parser.getgroup("mockprovider", "mockprovider: doubles of infrastructure-as-code providers")
    group.addoption(
        RECORD,
        metavar="MODE",
        help="cassette mode of tests marked 'cassette', whatever they are marked with: none replays only (the default), once "
        "records what has no cassette, new adds what it does not hold, all and rewrite record anew, verify compares",
    )
    group.addoption(SEED, metavar="N", type=int, default=0, help="seed of everything that doubles generate (default: 0)")
    group.addoption(MAX_AGE, metavar="AGE", help="how old a cassette may be, such as 90d: a test with an older one warns")
    parser.addini(
        ALLOW, type="linelist", help="rules of the contract that may be broken, a line each, as ID: reason", default=[]
    )
    group.addoption(
        ORPHANS, action="store_true", help="run nothing; list the cassettes beside the tests that none of them uses"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Our marker; and gRPC's chatter about closed connections, which helps nobody who reads a test's output, is off."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    # Below the root's level, but useful in the report of a failed test.
    logging.getLogger("mockprovider.provider").setLevel(logging.INFO)
    only_look(config)
    _known_mode(config.getoption(RECORD))
    check_max_age(config)
    check_allowed(config)
    for mark in MARKS:
        config.addinivalue_line("markers", mark)


def _known_mode(name: str | None) -> None:
    if name is None:
        return
    from mockprovider.cassette.modes import mode  # noqa: PLC0415 - slow to import, and only needed where a mode is given

    try:
        mode(name)
    except MockProviderError as error:
        raise pytest.UsageError(f"{RECORD}={name}: {error}") from error


# The double ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def mockprovider_cassette(request: pytest.FixtureRequest) -> CassetteUse | None:
    """How this test uses a cassette; ``None`` if it is not marked with one."""
    from mockprovider.double import cassette_path  # noqa: PLC0415 - slow to import
    from mockprovider.double.marked import PLACES, CassetteUse, arguments  # noqa: PLC0415 - as above

    marker = request.node.get_closest_marker("cassette")
    if marker is None:
        return None
    try:
        options = arguments(marker.args, marker.kwargs)
    except DefinitionError as error:
        _give_up(error)
    default_path = cassette_path(request.node.path, request.node.name)
    return CassetteUse(
        request.node.path.parent / options["path"] if options["path"] else default_path,
        request.config.getoption(RECORD) or options["mode"] or "none",
        command=options["command"],
        protocol=options["protocol"],
        env=options["env"] or {},
        name=options["name"] or "",
        providers=options["providers"],
        places={name: options[name] for name in PLACES},
        prove=bool(options["prove"]),
        unplayed=options["unplayed"] or "fail",
        max_age=request.config.getoption(MAX_AGE) or options["max_age"] or "",
        matching=options["matching"],
        beyond=options["beyond"] or "miss",
        http=bool(options["http"]),
    )


@pytest.fixture
def mockprovider_providers(
    request: pytest.FixtureRequest, mockprovider_cassette: CassetteUse | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Double]]:
    """The test's doubles by the names of their providers: one, unless it is marked with a cassette of several.

    Errors of ours that an engine was told fail the test, also if the engine or the program swallowed them.
    """
    from mockprovider.double import Double  # noqa: PLC0415 - slow to import
    from mockprovider.double.behind import ByName  # noqa: PLC0415 - as above
    from mockprovider.double.used import Used  # noqa: PLC0415 - as above

    __tracebackhide__ = True
    use = mockprovider_cassette
    try:
        _records_alone(request, use)
        wirings = use.wirings(_remake(request.node.nodeid)) if use else {"": None}
    except MockProviderError as error:
        _give_up(error, *([f"For this test that is: {_remake(from_here(request.node))}"] if _can_record(error) else []))
    name, seed = use.name if use else "", request.config.getoption(SEED)
    doubles = [Double(provider=wiring, seed=seed, name=name) for wiring in wirings.values()]
    try:
        break_doubles(request.node, doubles)
        allow_breaches(request.node, doubles)
    except MockProviderError as error:
        _give_up(error)
    used = Used({double.name: double for double in doubles}, tmp_path_factory, use.recording if use else None)
    note_used(request.node, used)
    try:
        warn_expired(used, use.max_age if use else "", _remake(from_here(request.node)))
        yield ByName(used.doubles)
    finally:
        used.close()
    try:
        used.prove()
    except CassetteError as error:
        _give_up(error)
    used.raise_errors()
    if used.complete:
        fail_broken(used)
    fail_unplayed(used, _remake(from_here(request.node)))


@pytest.fixture
def mockprovider_provider(request: pytest.FixtureRequest, mockprovider_providers: dict[str, Double]) -> Double:
    """A ``Double``: define resource types on it, break it, and look at its cloud and journal.

    Of a test marked ``cassette`` it is the recorded provider.
    """
    if len(mockprovider_providers) > 1:
        names = ", ".join(mockprovider_providers)
        error = f"This test has several providers, {names}, and {request.fixturename} is for one. Use the fixture providers"
        _give_up(
            DefinitionError(f"{error}, which has a double for each, and pulumi_cli or terraform, which run with all of them.")
        )
    return next(iter(mockprovider_providers.values()))


@pytest.fixture
def mockprovider_frozen_time(request: pytest.FixtureRequest, mockprovider_providers: dict[str, Double]) -> Iterator[FrozenTime]:
    """The test's own ``datetime`` and ``time``, frozen at the start of 2025 (UTC), and the clock of its doubles.

    Needs the extra ``mockprovider[time]``, which brings freezegun. Skips the test without it.
    """
    from mockprovider.double import FrozenTime  # noqa: PLC0415 - slow to import

    with _or_skip():
        clock = FrozenTime()
    for double in _led_to(request, mockprovider_providers):
        double.clock = clock
    with clock:
        yield clock


def _led_to(request: pytest.FixtureRequest, doubles: dict[str, Double]) -> list[Double]:
    """The doubles that an engine is led to. A single one comes from its own fixture, which a test may have overridden."""
    return [*doubles.values()] if len(doubles) > 1 else [request.getfixturevalue("mockprovider_provider")]


def _engine_of(request: pytest.FixtureRequest, protocol: str) -> Used:
    """What the test used so far, for the fixture of an engine. Fails the setup if its cassette is of the other protocol."""
    used: Used = request.node.stash[USED]
    other = used.families - {protocol}
    if other:
        _give_up(
            DefinitionError(
                f"This test's cassette is of a {other.pop()} provider, and {request.fixturename} asks {protocol} ones. "
                f"Use another engine, or another cassette: @pytest.mark.cassette(protocol={protocol!r}) records one."
            )
        )
    return used


def _can_record(error: MockProviderError) -> bool:
    """Whether recording is what our message tells to do."""
    return isinstance(error, CassetteError) and not isinstance(error, CassetteBusyError)


def _remake(nodeid: str) -> str:
    return f"pytest {RECORD}=all {shlex.quote(nodeid)}"


def _records_alone(request: pytest.FixtureRequest, use: CassetteUse | None) -> None:
    """Raise ``DefinitionError`` if another test of this run recorded the same cassette, which would then be lost."""
    if use is None or not use.replaces:
        return
    recorded = request.config.stash.setdefault(RECORDED, {})
    other = recorded.setdefault(use.path.resolve(), request.node.nodeid)
    if other != request.node.nodeid:
        raise DefinitionError(
            f"{use.path} is what {other} has just recorded, and a cassette holds what one test recorded. Leave path= out, "
            "and each test has a cassette of its own."
        )


@contextmanager
def _or_skip(module: str = "") -> Iterator[None]:
    """Skip the test where ``module``, or another optional dependency, is missing, with the command that installs it."""
    try:
        if module and module not in sys.modules and find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)
        yield
    except ModuleNotFoundError as error:
        if hint := extra_hint(error):
            pytest.skip(hint)
        raise


def _give_up(error: MockProviderError, *more: str) -> NoReturn:
    """Fail the test's setup with our message alone, without a traceback of our own frames."""
    message = "\n".join([f"{type(error).__name__}: {error}", *more])
    # Outside of the handler's context, so that pytest shows no chain.
    failure = pytest.fail.Exception(message, pytrace=False)
    failure.__suppress_context__ = True
    raise failure


# Engines -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def mockprovider_pulumi_stack(request: pytest.FixtureRequest, mockprovider_provider: Double) -> Stack:
    """An empty stack of the embedded engine, with the double as the provider of every package."""
    with _or_skip("pulumi"):
        from mockprovider.engine import Stack  # noqa: PLC0415 - slow to import

    used = _engine_of(request, "pulumi")
    used.stack = Stack(mockprovider_provider, seed=request.config.getoption(SEED))
    return used.stack


@pytest.fixture
def mockprovider_pulumi_cli(
    request: pytest.FixtureRequest, mockprovider_providers: dict[str, Double], tmp_path: Path
) -> PulumiCli:
    """A project and a stack under the real ``pulumi``, attached to the doubles. Skips the test where there is no ``pulumi``."""
    with _or_skip("pulumi"):
        from mockprovider.double import joint_environment  # noqa: PLC0415 - slow to import
        from mockprovider.drivers.pulumi import PulumiCli  # noqa: PLC0415 - as above
        from mockprovider.errors import PluginError  # noqa: PLC0415 - as above

    used = _engine_of(request, "pulumi")
    doubles = _led_to(request, mockprovider_providers)
    with _or_skip():
        servings = [double.serve("pulumi") for double in doubles]
    try:
        return used.ending(PulumiCli(tmp_path / "pulumi", lambda: joint_environment(*servings), doubles=doubles))
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
    mockprovider_providers: dict[str, Double],
    mockprovider_terraform_protocol: int | None,
    tmp_path: Path,
) -> Terraform:
    """A folder under the real ``terraform``, reattached to the doubles. Skips the test where there is no such engine.

    Parametrize it indirectly with ``tofu`` to run the test under OpenTofu too.
    """
    from mockprovider.double import joint_environment  # noqa: PLC0415 - slow to import
    from mockprovider.drivers.terraform import Terraform  # noqa: PLC0415 - as above
    from mockprovider.errors import PluginError  # noqa: PLC0415 - as above

    used = _engine_of(request, "terraform")
    doubles, folder, binary = _led_to(request, mockprovider_providers), tmp_path / "terraform", request.param
    with _or_skip():
        servings = [double.serve("terraform", major=mockprovider_terraform_protocol) for double in doubles]
    try:
        return used.ending(Terraform(folder, lambda: joint_environment(*servings), binary=binary, doubles=doubles))
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
def providers(mockprovider_providers: dict[str, Double]) -> dict[str, Double]:
    """The short name of ``mockprovider_providers``."""
    return mockprovider_providers


@pytest.fixture
def frozen_time(mockprovider_frozen_time: FrozenTime) -> FrozenTime:
    """The short name of ``mockprovider_frozen_time``."""
    return mockprovider_frozen_time


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
