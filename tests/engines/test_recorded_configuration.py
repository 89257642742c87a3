"""Components and methods that read the stack's configuration, recorded and replayed under both engines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
import pytest
from engine_toolbox import Remote, cli_of

from mockprovider.double import Double, recording, replaying
from mockprovider.engine import Stack
from mockprovider.errors import MissError, MockProviderError
from mockprovider.pulumi.components import Called, Site
from mockprovider.schema import Component, Method, Package
from mockprovider.values import Secret

pytestmark = pytest.mark.pulumi_cli

SITE = "cloud:index:Site"
HUSH = "correct horse"
SHORT = "p:w"
CONFIG = {"project:region": "eu", "other:key": Secret(HUSH), "project:pin": Secret(SHORT)}
ENGINES = ["embedded", "pulumi"]


def configured(way: Site | Called) -> dict[str, Any]:
    """What component and method tell: where they are by the configuration."""
    return {"region": way.call.extra["config"]["project:region"]}


def package() -> Package:
    """A component and a method."""
    made = Package("cloud")
    made.add(Component(SITE, construct=configured), Method(f"{SITE}/where", returns=configured))
    return made


def constructing() -> None:
    """A site, which is asked where it is."""
    site = Remote(SITE, "home")
    where = pulumi.runtime.call(f"{SITE}/where", {"__self__": site}, site)
    pulumi.export("region", where.apply(lambda told: told["region"]))


def calling() -> None:
    """The method alone: no component tells which keys are secret."""
    where = pulumi.runtime.call(f"{SITE}/where", {})
    pulumi.export("region", where.apply(lambda told: told["region"]))


def up(engine: str, double: Double, folder: Path, config: Mapping[str, Any], run: Any) -> str:
    """The region that an up under this configuration shows."""
    if engine == "embedded":
        stack: Any = Stack(double, config=config)
    else:
        stack = cli_of(double, folder)
        stack.config(**{key.replace(":", "__"): value for key, value in config.items()})
    region: str = stack.up(run).outputs["region"]
    return region


@pytest.mark.parametrize("run", [constructing, calling])
@pytest.mark.parametrize("recorded_by", ENGINES)
def test_under_the_same_configuration_alone(recorded_by: str, run: Any, tmp_path: Path) -> None:
    """What one engine recorded both replay under the same configuration, and neither under another; no secret is kept."""
    path = tmp_path / "configured.json"
    with Double(package(), provider=recording(path)) as double:
        assert up(recorded_by, double, tmp_path / "live", CONFIG, run) == "eu"
    assert not any(secret in path.read_text(encoding="utf-8") for secret in (HUSH, SHORT))

    for engine in ENGINES:
        with Double(provider=replaying(path), name="cloud") as double:
            assert up(engine, double, tmp_path / f"{engine}-same", CONFIG, run) == "eu"
            double.raise_errors()
        with Double(provider=replaying(path), name="cloud") as double:
            with pytest.raises(MockProviderError) as failed:
                up(engine, double, tmp_path / f"{engine}-other", {**CONFIG, "project:region": "us"}, run)
            missed = next(each for each in (failed.value, *double.errors) if isinstance(each, MissError))
            assert 'config.project:region: recorded "eu", now "us"' in str(missed)
