"""Secrets for providers that accept none: only the engine knows them, and it tells whoever records."""

from __future__ import annotations

import json
from pathlib import Path

import pulumi
import pytest
from engine_toolbox import Cloud

from mockprovider import Double, Property, ResourceType, Stack, recording, replaying
from mockprovider.calls import Call, Op
from mockprovider.cassette.decided import OPENLY
from mockprovider.double import Wiring
from mockprovider.engine.providers.outgoing import secret_names
from mockprovider.paths import show, walk
from mockprovider.pulumi.generations import Generation
from mockprovider.values import Output, Secret

DATABASE = ResourceType(
    "cloud:index:Database", {"password": str, "conf": dict, "users": list, "name": str, "pin": int, "url": Property(str)}
)
THING = ResourceType("cloud:index:Thing", {"name": str, "value": str, "note": str, "url": Property(str, computed="q://{id}/x")})


class Thing(pulumi.CustomResource):
    """One of them, whose URL others may use."""

    url: pulumi.Output[str]

    def __init__(self, name_: str, **inputs: object) -> None:
        super().__init__(THING.token, name_, {"url": None, **inputs})


OPEN = [
    Generation(name="open", secrets=False, outputs=False),
    Generation(name="old", handshake=False, preview=False, secrets=False, outputs=False, check_config=False, diff_config=False),
]


def words(run: str) -> dict[str, str]:
    """The secrets of a run, by where they go."""
    return {name: f"{run}-{name}-very-secret" for name in ("password", "token", "user", "key")}


def program(secret: dict[str, str], name: str = "db"):
    """A database and its provider with secrets everywhere, and a text that holds one of them."""

    def declare() -> None:
        cloud = Cloud("c", key=pulumi.Output.secret(secret["key"]))
        inputs = {
            "password": pulumi.Output.secret(secret["password"]),
            "conf": {"token": pulumi.Output.secret(secret["token"]), "size": 3},
            "users": [{"name": "root", "key": pulumi.Output.secret(secret["user"])}],
            "pin": pulumi.Output.secret(4711),
            "name": name,
            "url": f"sql://root:{secret['password']}@host",
        }
        pulumi.CustomResource(DATABASE.token, "db", inputs, pulumi.ResourceOptions(provider=cloud))

    return declare


def shown(stack: Stack) -> dict[str, str]:
    """What the database has, and what of it is secret, by path."""
    return {show(path): str(value) for path, value in walk(stack.state["db"].outputs)}


def life(double: Double, secret: dict[str, str]) -> list[dict[str, str]]:
    """Up, a change, a refresh and a destroy, and what the state had in plain text meanwhile."""
    stack = Stack(double)
    stack.up(program(secret))
    outputs = [shown(stack)]
    stack.up(program(secret, "other"))
    stack.refresh()
    outputs.append(shown(stack))
    stack.destroy()
    return outputs


@pytest.mark.parametrize("generation", OPEN, ids=lambda generation: generation.name)
def test_what_the_engine_knows_is_in_no_file(tmp_path: Path, generation: Generation) -> None:
    """Secrets that the provider gets openly are in no file, and come back on replay, today's as well as the recorded ones."""
    path, secret = tmp_path / "it.json", words("recorded")
    with Double(DATABASE, provider=recording(path, Wiring("cloud")), generation=generation) as double:
        recorded = life(double, secret)
        assert double._recorder.notices == []
    for file in [file for file in tmp_path.rglob("*") if file.is_file()]:
        assert [word for word in secret.values() if word in file.read_text()] == []
    assert '"pin": 4711' not in path.read_text()
    assert recorded[0]["password"] == str(Secret(secret["password"]))

    for run in ("recorded", "another"):
        with Double(provider=replaying(path)) as replayed:
            replaced = [{path: text.replace("recorded-", f"{run}-") for path, text in bag.items()} for bag in recorded]
            assert life(replayed, words(run)) == replaced
            replayed.raise_errors()


def test_an_engine_that_does_not_say_what_is_secret(tmp_path: Path) -> None:
    """Whoever records such an engine with such a provider is told to name the secrets, unless some are named."""
    asked = {"type": DATABASE.token, "name": "db", "urn": f"urn:pulumi:dev::p::{DATABASE.token}::db"}
    for secrets, notices in (((), [OPENLY]), (("password",), [])):
        wiring = recording(tmp_path / "it.json", Wiring("cloud"), secrets=secrets)
        with Double(DATABASE, provider=wiring, generation=OPEN[0]) as double, double.serve().client() as client:
            session = client.open()
            client(Call(op=Op.HANDSHAKE, session=session))
            client(Call(op=Op.CHECK, session=session, inputs={"password": "very-secret-1"}, **asked))
        assert wiring.recorder.notices == notices


def test_a_provider_that_accepts_secrets_needs_no_notice(tmp_path: Path) -> None:
    """Where the provider accepts secrets, marks tell them, and nobody is told to name any."""
    wiring = recording(tmp_path / "it.json", Wiring("cloud"))
    with Double(DATABASE, provider=wiring) as double, double.serve().client() as client:
        session = client.open()
        client(Call(op=Op.HANDSHAKE, session=session))
        client(Call(op=Op.CHECK, session=session, type=DATABASE.token, urn="urn:pulumi:dev::p::a:b:C::d", inputs={"name": "x"}))
    assert wiring.recorder.notices == []


def test_a_configuration_is_checked_without_marks(tmp_path: Path) -> None:
    """Also a short secret of a configuration is gone from CheckConfig and DiffConfig, whose messages have no marks."""
    path = tmp_path / "it.json"
    secret = words("x") | {"key": "pw1"}
    with Double(DATABASE, provider=recording(path, Wiring("cloud"))) as double:
        stack = Stack(double)
        stack.up(program(secret))
        stack.up(program(secret | {"key": "pw2"}))
    methods = {interaction["method"] for interaction in json.loads(path.read_text())[1:]}
    assert {"CheckConfig", "DiffConfig", "Configure"} <= methods
    assert '"pw' not in path.read_text()


def test_a_public_value_that_a_program_marks(tmp_path: Path) -> None:
    """What the provider made and showed openly stays readable where a program marks it, and replays as it was."""
    path = tmp_path / "it.json"

    def lend() -> None:
        queue = Thing("queue", name="jobs", url=None)
        Thing("parameter", value=pulumi.Output.secret(queue.url))
        Thing("policy", value=queue.url, note=pulumi.Output.concat("see ", queue.url))

    def up(double: Double) -> dict[str, object]:
        state = Stack(double).up(lend).state
        double.raise_errors()
        return {name: dict(state[name].outputs) for name in ("queue", "parameter", "policy")}

    with Double(THING, provider=recording(path, Wiring("cloud"))) as double:
        live = up(double)
    assert json.loads(path.read_text())[0]["undecided"] == {THING.token: ["value"]}
    with Double(provider=replaying(path)) as double:
        assert up(double) == live


def test_where_secrets_are() -> None:
    """Places are paths through objects; lists have no steps, and what is inside of a secret has no name of its own."""
    bag = {
        "a": Secret("x"),
        "b": {"c": [1, {"d": Output("x", secret=True)}], "e": Secret({"f": Secret("x")})},
        "g": Output({"h": Secret("x")}),
        "i": Output("x"),
    }
    assert secret_names(bag, None, {"z": Secret(1)}) == ("a", "b.c.d", "b.e", "g.h", "z")


def test_no_diagnostic_shows_a_secret_of_the_configuration():
    """What the configuration keeps secret is hidden in what a program logs and a provider complains of, as under ``pulumi``."""
    config = {"proj:token": Secret("hunter-two"), "proj:short": Secret("ab")}
    with Double(THING) as double:
        double.faults.on.create().error("no access with hunter-two")
        stack = Stack(double, project="proj", config=config)

        def program() -> None:
            pulumi.log.warn("hunter-two, and ab")
            Thing("t", note="hunter-two")

        result = stack.up(program, expect_failure=True)
    told = [diagnostic.message for diagnostic in result.diagnostics]
    assert "[secret], and ab" in told
    assert "hunter-two" not in " ".join(told)
    assert "no access with [secret]" in str(result)
