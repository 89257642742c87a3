"""Programs in Go under the embedded engine, built where they stand."""

from __future__ import annotations

import pytest
from engine_toolbox import said
from language_stage import PROGRAMS, SECONDS, random_package

from mockprovider import Double, Secret, Stack

pytestmark = pytest.mark.go_cli


@pytest.fixture
def double(request):
    """The package ``random`` as a fake."""
    with Double(random_package(request.config)) as double:
        yield double
        double.raise_errors()


@pytest.fixture
def at_hand(double):
    """Gives a stack for a program, which is built outside of the checkout."""
    return lambda name: Stack(double, project=PROGRAMS / "go" / name, timeout=SECONDS)


def pets(result):
    assert result.state["pet"].inputs["length"] == 3
    assert result.secret_outputs == {"password"}
    assert result.state["password"].inputs["keepers"] == {"pet": result.outputs["pet"]}


def servers(result):
    assert len(result.outputs["names"]) == 3
    assert result.outputs["preview"] is False
    assert result.state["rack-1"].parent.endswith("acme:index:Rack::rack")
    assert result.outputs["address"].startswith("host:")


def vault(result):
    assert result.outputs == {"place": "vault-dev", "sealed": {"token": "hush", "length": 8}}
    assert result.secret_outputs == {"sealed"}
    assert "::own::" in result.state["salt"].provider
    assert result.state["salt"].inputs["keepers"] == {"token": Secret("hush")}
    assert isinstance(result.state["salt"].outputs["result"], Secret)
    assert result.state["key"].dependencies == (result.state["salt"].urn,)


@pytest.mark.parametrize(("check", "created"), [(pets, 2), (servers, 5), (vault, 2)], ids=["pets", "servers", "vault"])
def test_life_of_a_program(at_hand, double, check, created):
    """A program is brought up, does nothing the second time, has nothing to refresh, and leaves nothing behind."""
    stack = at_hand(check.__name__)
    stack.config |= {f"{check.__name__}:token": Secret("hush")} if check is vault else {}
    check(stack.up())
    assert stack.up().summary == {}
    assert stack.refresh().summary == {}
    assert stack.destroy().summary["delete"] == created
    assert double.cloud.objects() == []


def test_a_program_that_fails(at_hand):
    """An error that a program returns is that of the run, once, and what it has made is remembered."""
    failed = at_hand("failing").up(expect_failure=True)
    assert "failed on purpose" in str(failed.error)
    assert [severity for severity, _ in said(failed)].count("error") == 1
    assert "pet" in failed.state


def test_a_program_that_does_not_compile(double, tmp_path):
    """The compiler's words are the error of a failed run."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: go\n")
    (tmp_path / "go.mod").write_text("module example.com/shop\n\ngo 1.26\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() { missing() }\n")
    failed = Stack(double, project=tmp_path, timeout=SECONDS).up(expect_failure=True)
    assert "undefined: missing" in str(failed.error)
