"""A project's folder, unmodified, under the embedded engine and the real ``pulumi``: equal calls for each resource."""

from __future__ import annotations

import shutil

import pytest
from engine_toolbox import cli_of
from language_stage import PROGRAMS, SECONDS, cloud_package, nodejs_project, random_package

from mockprovider import Double, Stack

pytestmark = [pytest.mark.pulumi_cli]


def calls_of(double):
    """The ops for each resource, in order."""
    calls: dict[str, list[str]] = {}
    for entry in double.journal:
        if entry.call.urn:
            calls.setdefault(entry.call.urn, []).append(entry.call.op.value)
    double.journal.clear()
    return calls


def same(project, request, tmp_path, **options):
    """Run a project's life under both, and compare them after each operation."""
    packages = (random_package(request.config), cloud_package())
    with Double(*packages) as ours, Double(*packages) as theirs:
        stack, cli = Stack(ours, timeout=SECONDS), cli_of(theirs, tmp_path / "pulumi")
        for name, value in options.items():
            stack.config[name], _ = value, cli.config(**{name: value})
        for operation in ("preview", "up", "up", "refresh", "destroy"):
            given = [project] if operation in ("preview", "up") else []
            embedded, real = getattr(stack, operation)(*given), getattr(cli, operation)(*given)
            assert (operation, embedded.summary, calls_of(ours)) == (operation, real.summary, calls_of(theirs))
            if operation == "up":
                assert embedded.outputs == real.outputs
                assert embedded.secret_outputs == real.secret_outputs
        assert (stack.project, theirs.cloud.objects()) == (cli.project, [])


@pytest.mark.node_cli
@pytest.mark.parametrize("name", ["fleet", "site"])
def test_a_program_in_typescript(name, request, tmp_path):
    """The real engine has no language host for it here, is given ours, and does what the embedded one does."""
    same(nodejs_project(name, tmp_path, request.config), request, tmp_path)


@pytest.mark.yaml_host
def test_a_program_in_yaml(request, tmp_path):
    """The real engine finds the language's own host."""
    same(shutil.copytree(PROGRAMS / "yaml" / "network", tmp_path / "network"), request, tmp_path)


@pytest.mark.go_cli
def test_a_program_in_go(request, tmp_path):
    """The real engine is given our host, and reads the settings beside the project."""
    same(PROGRAMS / "go" / "pets", request, tmp_path)
