"""Logs of real providers, replayed to the real engine; and a log that the real engine writes, imported and replayed to it."""

from __future__ import annotations

from contextlib import ExitStack

import pulumi
import pytest
from foreign_logs import LoggedRun, ids_of, published

from mockprovider.double import Double, joint_environment, replaying, replaying_all
from mockprovider.double.foreign import import_log
from mockprovider.double.reporting import proved
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli


@published
def test_published_logs_are_replayed_to_pulumi(log, tmp_path):
    """The program of each published log gets from its cassette, under today's engine, what it got from the cloud."""
    import_log(log, tmp_path / "it.json")
    run = LoggedRun(log)

    with ExitStack() as ending:
        wirings = replaying_all(tmp_path / "it.json", unplayed="allow")
        doubles = [ending.enter_context(Double(provider=wiring)) for wiring in wirings.values()]
        servings = [double.serve("pulumi") for double in doubles]
        cli = PulumiCli(tmp_path / "cli", lambda: joint_environment(*servings), project=run.project, stack=run.stack)
        cli.config(**{key.replace(":", "__"): value for key, value in run.config.items()})
        assert ids_of(cli.up(run.program, preview=run.previews).state) == run.ids
        if run.destroys:
            cli.destroy()
        for double in doubles:
            double.raise_errors()


BUCKET = ResourceType("cloud:index:Bucket", {"acl": Property(str), "key": Property(str, secret=True)})


def program():
    """Two buckets, one of them with a secret."""
    first = pulumi.CustomResource("cloud:index:Bucket", "logs", {"acl": "private"})
    secret = pulumi.Output.secret("correct horse battery")
    pulumi.CustomResource("cloud:index:Bucket", "data", {"acl": first.id, "key": secret})


def test_a_log_that_pulumi_writes(tmp_path):
    """What today's pulumi writes of a run becomes a cassette, without its secret, that answers the same run to the end."""
    log, cassette = tmp_path / "grpc.json", tmp_path / "it.json"
    with Double(BUCKET) as double:
        served = double.serve("pulumi")
        cli = PulumiCli(tmp_path / "first", lambda: {**served.environment, "PULUMI_DEBUG_GRPC": str(log)})
        ids = ids_of(cli.up(program, preview=True).state)
        cli.refresh()
        cli.destroy()

    said = import_log(log, cassette)
    assert said.left_out["of programs to the engine's monitor"] > 0
    assert "correct horse battery" in log.read_text()
    assert "correct horse battery" not in cassette.read_text()
    assert proved(cassette) == said.calls

    with Double(provider=replaying(cassette)) as double:
        served = double.serve("pulumi")
        cli = PulumiCli(tmp_path / "again", lambda: served.environment)
        assert ids_of(cli.up(program, preview=True).state) == ids
        cli.refresh()
        cli.destroy()
        double.raise_errors()
        assert double.unplayed == []
