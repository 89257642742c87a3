"""The way back under the real ``pulumi`` and embedded: components by Construct, methods by Call, what providers log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from pprint import pformat
from typing import Any

import provider_methods
import pytest
from both_engines import Both, resources
from component_toolbox import HUSH, SITE, package, program
from engine_toolbox import BUCKET, Remote, engine_of, said
from msgspec.structs import replace

from mockprovider.calls import Call, Op
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.schema import Component
from mockprovider.urn import PROVIDERS
from mockprovider.values import ResourceReference, Value, map_value

pytestmark = pytest.mark.pulumi_cli

OF_A_RUN = {"monitorEndpoint", "stack_trace_handle", "parallel", "customTimeouts"}


def asked(double: Double) -> list[dict[str, Any]]:
    """What a double's components and methods were asked, without what is of one run and in an order of its own."""
    calls = (each.call for each in double.journal.entries() if each.call.op in (Op.CONSTRUCT, Op.CALL))
    return sorted(map(_asked, calls), key=pformat)


def _asked(call: Call) -> dict[str, Any]:
    extra = {name: value for name, value in call.extra.items() if name not in OF_A_RUN}
    for name in ("inputDependencies", "argDependencies"):
        extra[name] = {key: sorted(urns) for key, urns in extra.get(name, {}).items()}
    extra["dependencies"] = sorted(extra.get("dependencies", ()))
    # The id of a provider is of one stack.
    extra["providers"] = {key: each.rpartition("::")[0] for key, each in extra.get("providers", {}).items()}
    return {"type": call.type, "name": call.name, "inputs": map_value(call.inputs, _of_any_stack), "extra": extra}


def _of_any_stack(value: Value) -> Value:
    if isinstance(value, ResourceReference) and (value.type or "").startswith(PROVIDERS):
        return replace(value, id=None)
    return value


def test_both_engines_construct_and_call_alike(make_both: Callable[..., Both]) -> None:
    """Preview, up, up with a replaced child, destroy: the same calls, with the same options, and the same states."""
    both = make_both(package=package, cloud__token="x")
    wanted = {"domain": "a.org"}
    for operation, domain in (("preview", "a.org"), ("up", "a.org"), ("up", "b.org")):
        wanted["domain"] = domain
        methods = both.run(operation, partial(program, wanted))
        assert asked(both.doubles[0]) == asked(both.doubles[1]) != []
    assert methods["first-logs"] == ["Check", "Diff", "Check", "Create", "Delete"]
    both.run("destroy")


def test_both_engines_call_a_providers_method_alike(make_both: Callable[..., Both]) -> None:
    """A method of a provider itself is asked of that provider's own instance, with itself as the receiver."""
    both = make_both(package=provider_methods.package)
    both.run("up", provider_methods.program)
    calls = asked(both.doubles[0])
    assert calls == asked(both.doubles[1])
    assert [call["type"] for call in calls] == [provider_methods.METHOD] * 2
    both.run("destroy")


@pytest.fixture
def double() -> Iterator[Double]:
    """A double that serves sites, whose own errors fail the test."""
    with Double(package()) as found:
        yield found
        found.raise_errors()


def test_a_yaml_program_uses_a_component(cli: PulumiCli, double: Double) -> None:
    """Declared in YAML, after the fake's own schema: preview, up, update that replaces a child, destroy."""

    def site(domain: str) -> dict[str, Any]:
        properties = {"domain": domain, "token": {"fn::secret": HUSH}}
        return {"resources": {"home": {"type": SITE, "properties": properties}}, "outputs": {"arn": "${home.arn}"}}

    assert cli.preview(site("a.org")).summary == {"create": 3}
    first = cli.up(site("a.org"))
    found = {each["urn"].rpartition("::")[2]: each for each in cli.export()["deployment"]["resources"]}
    assert found["home-logs"]["parent"] == found["home-more"]["parent"] == found["home"]["urn"]
    assert first.outputs == {"arn": found["home-logs"]["outputs"]["arn"]} == {"arn": found["home"]["outputs"]["arn"]}
    assert HUSH not in str(cli.export(show_secrets=False))
    assert cli.up(site("b.org")).summary == {"update": 2, "replace": 1}
    assert cli.destroy().summary == {"delete": 3}
    assert double.cloud.objects() == []


def test_what_a_component_logs_is_shown(cli: PulumiCli, double: Double) -> None:
    """What the fake logs while it constructs is among what the CLI shows."""
    double.define(Component(SITE, construct=lambda site: site.log("building the site", "warning")))
    assert ("warning", "building the site") in said(cli.up(partial(_site, {})))


def test_a_construct_that_fails_aborts(cli: PulumiCli, double: Double) -> None:
    """Wrong inputs are shown with their property; a child that fails ends the run, and the component is in the state."""
    wrong = cli.up(partial(_site, {"token": "x"}), expect_failure=True)
    assert any("missing required property 'domain'" in message for _, message in said(wrong))
    double.faults.on.create(BUCKET).partial(reasons=["no space"])
    failed = cli.up(partial(_site, {"domain": "a.org"}), expect_failure=True)
    assert any("no space" in message for _, message in said(failed))
    assert SITE in [each["type"] for each in cli.export()["deployment"]["resources"]]


def _site(inputs: dict[str, Any]) -> None:
    Remote(SITE, "home", **inputs)


@pytest.mark.parametrize("recorded_by", ["embedded", "pulumi"])
def test_what_one_engine_recorded_the_other_replays(recorded_by: str, tmp_path: Path) -> None:
    """A recording made under one engine registers the same children under the other, and leads to the same states."""
    path = tmp_path / "sites.json"
    with Double(package(), provider=recording(path, Wiring("cloud"))) as recorder:
        states = _life(recorded_by, recorder, tmp_path / "recorded")
    assert HUSH not in path.read_text(encoding="utf-8")
    other = "pulumi" if recorded_by == "embedded" else "embedded"
    with Double(provider=replaying(path), name="cloud") as replay:
        assert _life(other, replay, tmp_path / "replayed") == states


def _life(engine: str, double: Double, folder: Path) -> list[Any]:
    stack: Any = engine_of(engine, double, folder)
    states = []
    for domain in ("a.org", "b.org"):
        stack.preview(partial(program, {"domain": domain}))
        stack.up(partial(program, {"domain": domain}))
        states.append(resources(stack.export()))
    stack.destroy()
    double.raise_errors()
    return states
