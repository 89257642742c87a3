"""Doubles of several providers that record into one cassette, and replay from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mockprovider import tape
from mockprovider.calls import Call, Op
from mockprovider.cli.types import read_types
from mockprovider.double import Double, Wiring, recording, recording_all, replaying, replaying_all
from mockprovider.errors import CassetteBusyError, CassetteError, DefinitionError, MissError
from mockprovider.protocols import of_family
from mockprovider.schema import ResourceType

SPOKEN = {"cloud": of_family("terraform", 5), "mail": of_family("terraform", 6)}


def fakes() -> dict[str, Wiring]:
    """Two fakes, of different majors."""
    return {name: Wiring(name, protocol=protocol) for name, protocol in SPOKEN.items()}


def asked(double: Double, *names: str) -> list[Any]:
    """The properties of the objects of these names, which the double plans."""
    session = double.open(double.speaks or "terraform")
    token = f"{double.name}:index:Thing"
    calls = [Call(op=Op.PLAN, session=session, type=token, inputs={"name": name}) for name in names]
    return [double(call).plan for call in calls]


def doubles_of(wirings: Mapping[str, Wiring], ending: ExitStack) -> dict[str, Double]:
    return {name: ending.enter_context(Double(provider=wiring)) for name, wiring in wirings.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "both.json"


def test_terraforms_majors_may_be_mixed(path: Path) -> None:
    """A provider of protocol 5 and one of protocol 6 share a cassette, and each is replayed in its own."""
    with ExitStack() as ending:
        live = {name: asked(double, "a") for name, double in doubles_of(recording_all(path, fakes()), ending).items()}
    assert json.loads(path.read_text())[0]["providers"] == {"cloud": "tfplugin5", "mail": "tfplugin6"}

    wirings = replaying_all(path)
    assert {name: wiring.protocol for name, wiring in wirings.items()} == SPOKEN
    with ExitStack() as ending:
        doubles = doubles_of(wirings, ending)
        assert [double.name for double in doubles.values()] == ["cloud", "mail"]
        assert {name: asked(double, "a") for name, double in reversed(doubles.items())} == live


def test_the_last_double_ends_the_recording(path: Path) -> None:
    """The cassette is there when the last double that recorded into it is closed, and not before; then others may record."""
    with ExitStack() as ending:
        one, other = doubles_of(recording_all(path, fakes()), ending).values()
        asked(one, "a")
        one.close()
        with pytest.raises(CassetteBusyError):
            recording_all(path, fakes())
        asked(other, "b")
        one.close()
        assert not path.exists()
    assert len(tape.load(path).interactions) == 2
    recording(path).recorder.close()  # type: ignore[union-attr]


def test_the_faults_of_each_double(path: Path) -> None:
    """The header has the fault plan of each double, by its provider's name."""
    with ExitStack() as ending:
        one, _ = doubles_of(recording_all(path, fakes()), ending).values()
        one.faults.on.create("cloud:index:Thing").partial()
    assert list(tape.load(path).header.faults) == ["cloud"]


def test_a_recording_of_several_that_broke_off(path: Path) -> None:
    """What several providers had answered when the recorder was killed is recovered, and replays."""
    with ExitStack() as ending:
        wirings = recording_all(path, fakes())
        one, other = doubles_of(wirings, ending).values()
        live = asked(one, "a"), asked(other, "b")
        broken_off = tape.draft_of(path).read_bytes()
    path.unlink()
    tape.draft_of(path).write_bytes(broken_off)
    tape.recover(path)

    with ExitStack() as ending:
        one, other = doubles_of(replaying_all(path), ending).values()
        assert (asked(one, "a"), asked(other, "b")) == live


def test_one_provider_is_asked_for_by_either_name(path: Path) -> None:
    """A cassette of one provider is replayed by either function; one of several needs the one for several."""
    with Double(provider=recording(path, Wiring("cloud"))):
        pass
    assert list(replaying_all(path)) == ["cloud"]

    with ExitStack() as ending:
        doubles_of(recording_all(path, fakes()), ending)
    with pytest.raises(CassetteError, match=r"holds several providers \(cloud, mail\)\. Replay them together: replaying_all"):
        replaying(path)


def test_what_cannot_share_a_cassette(path: Path) -> None:
    """Providers of two engines, providers without a name, and no providers are refused, and leave no trace."""
    engines = {"cloud": Wiring("cloud", protocol=of_family("pulumi")), "mail": Wiring("mail", protocol=of_family("terraform"))}
    with pytest.raises(DefinitionError, match=r"cloud \(pulumi\) and mail \(terraform\) cannot share one"):
        recording_all(path, engines)
    for nobody in ({}, {"": None}):
        with pytest.raises(DefinitionError, match="each by the name of its package"):
            recording_all(path, nobody)
    assert list(path.parent.iterdir()) == []


def test_a_miss_names_the_provider_that_was_asked(path: Path) -> None:
    """What one provider was asked is no answer of another one's."""
    with ExitStack() as ending:
        for double in doubles_of(recording_all(path, fakes(), compact=True), ending).values():
            asked(double, double.name)
    with ExitStack() as ending:
        double = doubles_of(replaying_all(path), ending)["mail"]
        with pytest.raises(MissError, match=r'name: recorded "mail", now "cloud"'):
            asked(double, "cloud")


def test_the_types_of_all_are_declared_by_the_cassette(path: Path) -> None:
    """A cassette in which the engine asked each provider for its schema declares the types of each."""
    with ExitStack() as ending:
        for name, double in doubles_of(recording_all(path, fakes()), ending).items():
            double.define(ResourceType(f"{name}:index:Thing", {"size": int}))
            double(Call(op=Op.GET_SCHEMA, session=double.open(double.speaks or "")))
    packages = read_types([path])
    assert [(package.name, *package.resources) for package in packages] == [
        ("cloud", "cloud:index:Thing"),
        ("mail", "mail:index:Thing"),
    ]
