"""The cassettes that the project keeps, without any engine's command line: each still says what it said when it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kept_aws
import pytest
from asking import Asker
from engine_toolbox import Thing
from kept_cassettes import CASSETTES, KEPT, SECRET, STATES, Kept, recorded

from mockprovider import tape
from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette import VERSION
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.engine import Stack
from mockprovider.errors import MissError
from mockprovider.redaction import numbers
from mockprovider.schema import Property, ResourceType

ALL = [pytest.param(kept, engine, id=f"{kept.name}-{engine}") for kept, engine in recorded()]
PULUMI = [each for each in ALL if each.values[0].protocol == "pulumi"]


@pytest.mark.parametrize(("kept", "engine"), ALL)
def test_each_recorded_request_gets_its_recorded_answer(kept: Kept, engine: str) -> None:
    """Every message of a kept cassette is answered by the equal of what was recorded, in the cassette's own order."""
    pairs = list(Asker(kept.path(engine)).pairs())
    assert len(pairs) > 10
    for expected, found in pairs:
        assert found == expected


@pytest.mark.parametrize(("kept", "engine"), PULUMI)
def test_the_embedded_engine_lives_a_kept_life_again(kept: Kept, engine: str, tmp_path: Path) -> None:
    """A Pulumi cassette, whichever engine recorded it, leads the embedded engine to the states of the recorded run."""
    assert kept.replay("embedded", kept.path(engine), tmp_path) == kept.states(engine)


def test_the_fake_still_says_what_was_recorded(tmp_path: Path) -> None:
    """The fake recorded anew under the embedded engine gives the kept cassette's interactions, one for one."""
    kept = KEPT["fake-pulumi"]
    path = tmp_path / "again.json"
    assert kept.record("embedded", path, tmp_path) == kept.states("embedded")
    assert tape.load(path).interactions == tape.load(kept.path("embedded")).interactions


def test_whoever_asks_for_identities_is_told_of_none() -> None:
    """OpenTofu's question for resource identities, which Terraform never asked while recording, has an empty answer."""
    double = Double(provider=replaying(KEPT["terraform-null"].path("terraform")))
    asked = Call(op=Op.GET_SCHEMA, method="GetResourceIdentitySchemas", session=double.open("tfplugin5"))
    assert double(asked) == Reply()
    with pytest.raises(MissError):
        Double(provider=replaying(KEPT["terraform-random"].path("tofu")))(
            Call(op=Op.READ, method="ReadResource", session=Session("tfplugin5"), type="random_pet")
        )


def test_cassettes_holds_what_the_script_makes() -> None:
    """There is no cassette that nobody can make again, and none is missing; each folder says how."""
    names = {path for kept, engine in recorded() for path in (kept.path(engine), kept.path(engine).with_suffix(STATES))}
    readmes = {CASSETTES / "README.md", *(CASSETTES / name / "README.md" for name in KEPT)}
    blobs = {each for each in CASSETTES.rglob("*.zst") if each.parent.name == tape.FOLDER}
    # Logs of engines are made by tests (tests/engine_logs.py).
    files = {each for each in CASSETTES.rglob("*") if each.is_file() and each.parent.name != "engine-logs"}
    assert files - blobs == names | readmes
    for name in KEPT:
        assert f"tools/record-cassettes {name}" in (CASSETTES / name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("kept", "engine"), ALL)
def test_headers_say_where_a_cassette_is_from(kept: Kept, engine: str) -> None:
    """A kept cassette is of this format's version, and names its provider and the command that makes it."""
    header = tape.load(kept.path(engine)).header
    assert header.version == VERSION
    assert header.created_by == f"tools/record-cassettes {kept.name}"
    if header.providers:
        assert (kept.name, {*header.providers}) == ("terraform-together", {"random", "null", "local"})
        return
    provider = kept.name.removeprefix(f"{kept.protocol}-").removesuffix("-names").removesuffix("-equal")
    assert header.provider == provider.replace("fake-", "").replace(kept.protocol, "cloud")


def test_a_cloud_service_fits_into_a_small_cassette() -> None:
    """A dozen resources of a large provider, over their whole life, are some hundred readable kilobytes, the schema a few."""
    path = KEPT["terraform-aws"].path("terraform")
    assert len({each.type for each in tape.load(path).interactions if each.type}) >= 8
    assert path.stat().st_size < 600_000
    assert all(each.stat().st_size < 20_000 for each in path.parent.rglob("*.zst"))


def test_no_kept_cassette_holds_a_secret() -> None:
    """What the recorded programs and configurations declared secret is in none of the files, and stands in its places."""
    secrets = (SECRET, kept_aws.ACCESS_KEY, kept_aws.SECRET_KEY, "BEGIN PRIVATE KEY")
    for path in CASSETTES.rglob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert not [secret for secret in secrets if secret in text]
    for name in ("fake-pulumi", "fake-terraform", "terraform-random", "terraform-tls", "terraform-tls-equal", "terraform-aws"):
        for engine in KEPT[name].under:
            interactions = tape.load(KEPT[name].path(engine)).interactions
            assert any(numbers(each.response) for each in interactions)


def test_a_password_of_a_program_stays_out_of_the_recording(tmp_path: Path) -> None:
    """A secret property under the embedded engine is recorded as a placeholder, and replayed as what the program has then."""
    import pulumi  # noqa: PLC0415 - slow

    user = ResourceType(
        "cloud:index:User", {"password": Property(str, secret=True), "login": Property(str, computed="x:{password}")}
    )
    path = tmp_path / "user.json"

    def states(double: Double, password: str) -> Any:
        def program() -> None:
            Thing(user.token, "user", password=pulumi.Output.secret(password))

        with double:
            stack = Stack(double)
            stack.up(program)
            found = stack.state["user"].outputs
            stack.destroy()
        double.raise_errors()
        return found

    live = states(Double(user, provider=recording(path, Wiring("cloud"))), SECRET)
    assert live["password"].value == SECRET
    assert not any(SECRET.encode() in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    assert states(Double(provider=replaying(path)), SECRET) == live
    other = states(Double(provider=replaying(path)), "another password")
    assert other["password"].value == "another password"
