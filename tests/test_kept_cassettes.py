"""The cassettes that the project keeps, without any engine's command line: each still says what it said when it was made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_toolbox import Thing
from kept_cassettes import CASSETTES, KEPT, SECRET, STATES, Kept, recorded

from mockprovider import tape
from mockprovider.calls import Call, Native, Op, Reply, Session, Status
from mockprovider.cassette import VERSION, Cassette, Interaction
from mockprovider.cassette.model import code_number
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.double.cassettes import transcriber
from mockprovider.engine import Stack
from mockprovider.errors import MissError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.redaction import fill, numbers, stand_in
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform import views
from mockprovider.terraform.methods import SERVICES
from mockprovider.wire.methods import Service
from mockprovider.wire.views import build

ALL = [pytest.param(kept, engine, id=f"{kept.name}-{engine}") for kept, engine in recorded()]
PULUMI = [each for each in ALL if each.values[0].protocol == "pulumi"]


class Asker:
    """Asks a replay what a cassette says was asked, message by message."""

    def __init__(self, path: Path) -> None:
        self.cassette: Cassette = tape.load(path)
        self.protocol = self.cassette.header.protocol
        self._handler = replaying(path).provider
        self._transcriber = transcriber(self.protocol)
        self._sessions = {each.number: Session(self.protocol, each.number) for each in self.cassette.header.sessions}
        for each in self.cassette.header.sessions:
            self._sessions[each.number].preview = each.preview

    @property
    def _service(self) -> Service:
        return PROVIDER if self.protocol == "pulumi" else SERVICES[int(self.protocol.removeprefix("tfplugin"))]

    def _message(self, method: str, tree: Any) -> Any:
        cls = self._service.messages[method][0]
        return build(cls, tree) if self.protocol == "pulumi" else views.build(tree, cls)

    def _call(self, each: Interaction) -> Call:
        message = self._message(each.method, fill(self.cassette.request(each), stand_in))
        session = self._sessions[each.session]
        call = self._service.methods[each.method].call(message, session)
        # The cassette's order is not the session's: it has Configure before what was asked ahead of it.
        session.instance = each.instance
        call.method = each.method
        call.native = Native(message.SerializeToString(), message)
        return call

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """What the cassette says was answered, stand-ins for secrets in it, and what the replay answers."""
        for each in self.cassette.interactions:
            call = self._call(each)
            assert self._handler is not None
            yield self._expected(each), self._answer(self._handler(call), call)

    def _expected(self, each: Interaction) -> Any:
        if each.status is None:
            return fill(self.cassette.response(each), stand_in)
        return code_number(each.status.code), fill(each.status.message, stand_in)

    def _answer(self, reply: Reply, call: Call) -> Any:
        found = reply.status or self._transcriber.reply(reply, call)
        return (found.code, found.message) if isinstance(found, Status) else found


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
    assert {each for each in CASSETTES.rglob("*") if each.is_file()} - blobs == names | readmes
    for name in KEPT:
        assert f"tools/record-cassettes {name}" in (CASSETTES / name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("kept", "engine"), ALL)
def test_headers_say_where_a_cassette_is_from(kept: Kept, engine: str) -> None:
    """A kept cassette is of this format's version, and names its provider and the command that makes it."""
    header = tape.load(kept.path(engine)).header
    assert header.version == VERSION
    assert header.created_by == f"tools/record-cassettes {kept.name}"
    assert header.provider == kept.name.removeprefix(f"{kept.protocol}-").replace("fake-", "").replace(kept.protocol, "cloud")


def test_no_kept_cassette_holds_a_secret() -> None:
    """What the recorded programs and configurations declared secret is in none of the files, and stands in its places."""
    for path in CASSETTES.rglob("*.json"):
        assert SECRET.encode() not in path.read_bytes()
    for name in ("fake-pulumi", "fake-terraform", "terraform-random"):
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
