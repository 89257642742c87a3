"""A provider's own HTTP under the real pulumi, which asks for many resources at once over gRPC."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest
from engine_toolbox import cli_of
from http_stage import NOWHERE, Buckets, Objects, exchanges, listening

from mockprovider.double import Double, recording, replaying

pytestmark = pytest.mark.pulumi_cli
MANY = 12


class Bucket(pulumi.CustomResource):
    """A bucket."""

    def __init__(self, name: str) -> None:
        super().__init__("cloud:index:Bucket", name, {"of": name})


def program() -> None:
    """Many buckets that do not depend on each other."""
    for number in range(MANY):
        pulumi.export(f"n{number:02}", Bucket(f"n{number:02}").id)


def test_under_pulumi(tmp_path: Path) -> None:
    """Each of many parallel calls has its own exchanges, and gets them again when the code runs without its cloud."""
    path = tmp_path / "it.json"
    with listening(Objects()) as url, Double(provider=recording(path, Buckets(url), http=True), name="cloud") as double:
        cli = cli_of(double, tmp_path / "recorded")
        recorded = cli.up(program).outputs
        cli.destroy()
        double.raise_errors()
    creates = [line for line in exchanges(path) if line.startswith("create")]
    assert creates == [f"create n{number:02}: POST http://localhost/buckets 201" for number in range(MANY)]
    assert len({*recorded.values()}) == MANY

    provider = Buckets(NOWHERE)
    with Double(provider=replaying(path, http=provider), name="cloud") as double:
        cli = cli_of(double, tmp_path / "replayed")
        assert cli.up(program).outputs == recorded
        cli.destroy()
        double.raise_errors()
        assert double.unplayed == []
    assert provider.runs > 3 * MANY


def test_a_changed_provider_under_pulumi(tmp_path: Path) -> None:
    """The engine is told what differs, and the double keeps it."""
    path = tmp_path / "it.json"
    with listening(Objects()) as url, Double(provider=recording(path, Buckets(url), http=True), name="cloud") as double:
        cli_of(double, tmp_path / "recorded").up(program)

    class Newer(Buckets):
        def ask(self, method: str, path: str, **options: object) -> object:
            return super().ask(method, f"/v2{path}", **options)

    with Double(provider=replaying(path, http=Newer(NOWHERE)), name="cloud") as double:
        failed = cli_of(double, tmp_path / "replayed").up(program, expect_failure=True)
        with pytest.raises(Exception, match='path: recorded "/buckets", now "/v2/buckets"'):
            double.raise_errors()
    assert "/v2/buckets" in "".join(diagnostic.message for diagnostic in failed.diagnostics)
