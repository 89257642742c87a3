"""What the double that records declares secret is in no file, whatever the provider behind it marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockprovider import Double, Property, ResourceType, recording, replaying
from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Wiring
from mockprovider.schema import Package

INNER = {"token": Property(str, secret=True), "size": Property(int)}
DATABASE = ResourceType(
    "cloud:index:Database",
    {
        "password": Property(str, secret=True),
        "conf": Property(INNER),
        "users": Property({"root": Property(INNER)}),
    },
)
SECRETS = ("hunter2-very-secret", "nested-token-77", "deeper-token-88", "provider-key-99")
INPUTS = {"password": SECRETS[0], "conf": {"token": SECRETS[1], "size": 1}, "users": {"root": {"token": SECRETS[2], "size": 2}}}


def provider(call: Call) -> Reply:
    """A provider that marks nothing, and repeats a secret in a text of its own."""
    if call.op is Op.CREATE:
        return Reply(id="db-1", value={**(call.inputs or {}), "url": f"sql://root:{SECRETS[0]}@host"})
    return Reply(inputs=call.inputs)


def package() -> Package:
    """The type, and a configuration with a secret."""
    declared = Package("cloud", config={"key": Property(str, secret=True)})
    declared.add(DATABASE)
    return declared


def life(double: Double) -> Reply:
    """Configure, check and create."""
    session = double.open()
    urn = "urn:pulumi:dev::p::cloud:index:Database::a"
    about = {"type": DATABASE.token, "name": "a", "urn": urn}
    instance = "urn:pulumi:dev::p::pulumi:providers:cloud::x"
    double(Call(op=Op.CONFIGURE, session=session, urn=instance, inputs={"key": SECRETS[3]}))
    double(Call(op=Op.CHECK, session=session, inputs=INPUTS, **about))
    return double(Call(op=Op.CREATE, session=session, inputs=INPUTS, **about))


def leaked(folder: Path) -> list[str]:
    """The secrets that some file holds."""
    data = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    return [secret for secret in SECRETS if secret.encode() in data]


@pytest.mark.parametrize("definitions", ["package", "define"])
def test_what_the_double_declares_is_nowhere(tmp_path: Path, definitions: str) -> None:
    """Secrets of a type's properties, nested ones and those of the configuration are gone from draft, notes and cassette."""
    path = tmp_path / "it.json"
    given = (package(),) if definitions == "package" else ()
    with Double(*given, provider=recording(path, Wiring("cloud", provider))) as double:
        if not given:
            double.define(package())
        life(double)
        assert leaked(tmp_path) == []
    assert leaked(tmp_path) == []

    with Double(provider=replaying(path)) as replayed:
        again = life(replayed)
        replayed.raise_errors()
    assert again.value == {**INPUTS, "url": f"sql://root:{SECRETS[0]}@host"}


def test_what_is_declared_later_is_taken_out_at_the_end(tmp_path: Path) -> None:
    """A type that is defined only after its calls still keeps its secrets out of the finished cassette."""
    path = tmp_path / "it.json"
    with Double(provider=recording(path, Wiring("cloud", provider))) as double:
        life(double)
        double.define(package())
        life(double)
    assert leaked(tmp_path) == []
