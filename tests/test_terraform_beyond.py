"""List resources, actions and state stores: forwarded, recorded without secrets, replayed as equal messages, broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner
from depot_stage import (
    BOX,
    KEY,
    TOKEN,
    Depot,
    Engine,
    begin,
    chunks,
    engine,
    life,
    listed,
    make,
    message,
    read,
    session,
    stamp,
    state_file,
    text_of,
    value,
    wrong,
)
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply, Status
from mockprovider.cli import main
from mockprovider.double import Double, Wiring, attached, recording, replaying
from mockprovider.double.verifying import verify
from mockprovider.errors import MissError, UnsupportedError
from mockprovider.tape import load


def recorded(cassette: Path, depot: Depot | None = None, **given: Any) -> list[Any]:
    """The answers of a recorded life."""
    with session(recording(cassette, (depot or Depot()).wiring())) as (asking, _):
        return life(asking, **given)


@contextmanager
def refusing(wiring: Wiring) -> Iterator[tuple[Engine, list[BaseException]]]:
    """An engine whose double refuses some of what it asks, and the errors that it refuses with."""
    errors: list[BaseException] = []
    with Double(provider=wiring) as double, engine(double) as asking:
        asking.patient = True
        yield asking, errors
        errors += double.errors


def calls(cassette: Path, method: str) -> list[Any]:
    """The recorded calls of an RPC."""
    return [one for one in load(cassette).interactions if one.method == method]


@pytest.mark.parametrize("chunk", [7, 64, 1 << 20])
def test_a_life_is_replayed(tmp_path: Path, chunk: int) -> None:
    """Every answer of a life with lists, an action and a state store is replayed as an equal message, whatever its chunks."""
    cassette = tmp_path / "depot.json"
    seen = recorded(cassette, chunk=chunk)
    with session(replaying(cassette)) as (asking, _):
        assert life(asking, chunk=chunk) == seen


def test_a_provider_gets_what_the_engine_sent(tmp_path: Path) -> None:
    """Through a double, recorded or not, the provider sees every message of a stream, and the call says what it is about."""
    for name in ("", "depot.json"):
        depot = Depot()
        with session(recording(tmp_path / name, depot.wiring()) if name else depot.wiring()) as (asking, _):
            begin(asking)
            sent = chunks(state_file(), 7)
            asking.ask("WriteStateBytes", sent)
            make(asking, "one")
            stamp(asking, "b-1")
        assert depot.states == {"main/default": state_file()}
        write = next(call for call in depot.calls if call.method == "WriteStateBytes")
        assert [native.data for native in write.stream or ()] == [part.SerializeToString() for part in sent]
        assert (write.type, write.id, write.native) == ("depot_store", "default", None)
        invoked = next(call for call in depot.calls if call.method == "InvokeAction")
        assert (invoked.type, invoked.inputs and invoked.inputs["text"]) == ("depot_stamp", "sealed")


@pytest.mark.parametrize("chunk", [7, 64, 1 << 20])
def test_no_secret_of_a_state_is_kept(tmp_path: Path, chunk: int) -> None:
    """What a state or a schema calls sensitive is in no recording, also where it begins in one chunk and ends in the next."""
    cassette = tmp_path / "depot.json"
    recorded(cassette, chunk=chunk)
    text = text_of(cassette)
    assert "serial" in text
    for secret in (KEY, TOKEN, KEY[:9], KEY[-9:]):
        assert secret not in text
    [first, _] = calls(cassette, "WriteStateBytes")
    state = first.request["state"]["json"]
    hidden = state["resources"][0]["instances"][0]["attributes"]["key"]
    assert hidden["(sensitive)"] == state["outputs"]["key"]["value"]["(sensitive)"][0]
    assert hidden["(sensitive)"].keys() == {"$secret"}


def test_a_replay_has_its_own_secrets(tmp_path: Path) -> None:
    """A replay with a longer secret gets back a state with that, in chunks that fit it."""
    cassette = tmp_path / "depot.json"
    recorded(cassette)
    other = KEY * 9
    with session(replaying(cassette)) as (asking, _):
        seen = life(asking, key=other)
    states = [b"".join(part.bytes for part in answer) for rpc, answer in seen if rpc == "ReadStateBytes"]
    assert states == [b"", state_file(1, key=other), state_file(2, key=other)]
    [box] = [event for rpc, answer in seen if rpc == "ListResource" for event in answer if event.HasField("resource_object")]
    assert value(box.resource_object)["key"] == other


def test_a_lineage_is_new_in_each_run(tmp_path: Path) -> None:
    """An engine makes up the lineage of a new state, so that a replay does not compare it; anything else it does."""
    cassette = tmp_path / "depot.json"
    recorded(cassette)
    with session(replaying(cassette)) as (asking, _):
        life(asking, lineage="00000000-1111-2222-3333-444444444444")
    with refusing(replaying(cassette)) as (asking, errors):
        begin(asking)
        asking.ask("WriteStateBytes", chunks(state_file(7), 64))
    assert [type(error) for error in errors] == [MissError]
    assert "serial" in str(errors[0])


def test_what_changes_something_answers_once(tmp_path: Path) -> None:
    """A recorded lock, write, deletion and stamp is given out as often as it was recorded, and a look as often as one likes."""
    cassette, states = tmp_path / "depot.json", {"type_name": "depot_store", "state_id": "default"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("LockState", {**states, "operation": "apply"}),
        ("WriteStateBytes", {"request": chunks(state_file(), 64)}),
        ("InvokeAction", {"action_type": "depot_stamp", "config": {"box": "b-0", "text": "sealed"}}),
        ("UnlockState", {**states, "lock_id": "x"}),
        ("DeleteState", states),
    ]
    looks = [("PlanAction", asked[2][1]), ("GetStates", {"type_name": "depot_store"})]
    with session(recording(cassette, Depot().wiring())) as (asking, _):
        begin(asking)
        for rpc, fields in asked + looks:
            asking.ask(rpc, **fields)
    with refusing(replaying(cassette)) as (asking, errors):
        begin(asking)
        for rpc, fields in (asked + looks) * 2:
            asking.ask(rpc, **fields)
    assert [next(rpc for rpc, _ in asked if rpc in str(error)) for error in errors] == [rpc for rpc, _ in asked]


def test_two_stores_are_not_mixed_up(tmp_path: Path) -> None:
    """States of one name in two stores, which differ in their configuration or their provider's, are told apart."""
    cassette = tmp_path / "depot.json"
    stores = [("here", "main"), ("here", "attic"), ("there", "main")]
    depots = {folder: Depot() for folder, _ in stores}

    def provider(call: Any) -> Reply:
        folders[call.session.number] = folders.get(call.session.number, "here")
        if call.method == "ConfigureProvider":
            folders[call.session.number] = value(call.native.message.config)["folder"]
        return depots[folders[call.session.number]](call)

    folders: dict[int, str] = {}
    with Double(provider=recording(cassette, replace(Depot().wiring(), provider=provider))) as double:
        for serial, (folder, shelf) in enumerate(stores):
            with engine(double) as asking:
                begin(asking, folder, shelf=shelf)
                asking.ask("WriteStateBytes", chunks(state_file(serial), 64))
                assert json.loads(read(asking))["serial"] == serial
        double.raise_errors()
    assert len({one.instance for one in calls(cassette, "ReadStateBytes")}) == 3
    with Double(provider=replaying(cassette)) as double:
        for serial, (folder, shelf) in reversed([*enumerate(stores)]):
            with engine(double) as asking:
                begin(asking, folder, shelf=shelf)
                asking.ask("WriteStateBytes", chunks(state_file(serial), 64))
                assert json.loads(read(asking))["serial"] == serial
        double.raise_errors()


@pytest.mark.parametrize("rpc", ["ListResource", "InvokeAction", "ReadStateBytes"])
def test_what_broke_off_is_not_replayed(tmp_path: Path, rpc: str) -> None:
    """A stream that ended in a failure after some of its messages reaches the engine so, and a replay refuses it."""
    cassette, depot = tmp_path / "depot.json", Depot()

    def breaking(call: Any) -> Reply:
        reply = depot(call)
        if call.method != rpc:
            return reply
        return replace(reply, stream=(reply.stream or ())[:1], status=Status(14, "the provider is gone"))

    asked = {"ListResource": lambda e: listed(e, "o"), "InvokeAction": lambda e: stamp(e, "b-1"), "ReadStateBytes": read}[rpc]

    def play(asking: Any) -> str:
        begin(asking)
        make(asking, "one")
        asking.ask("WriteStateBytes", chunks(state_file(), 64))
        with pytest.raises(grpc.RpcError) as error:
            asked(asking)
        return str(error.value.details())  # type: ignore[attr-defined]

    with session(recording(cassette, replace(depot.wiring(), provider=breaking))) as (asking, _):
        assert play(asking) == "the provider is gone"
    [kept] = calls(cassette, rpc)
    assert (kept.response, kept.status, "broke off" in kept.withheld) == (None, None, True)
    with refusing(replaying(cassette)) as (asking, errors):
        begin(asking)
        make(asking, "one")
        asking.ask("WriteStateBytes", chunks(state_file(), 64))
        with suppress(AssertionError):
            asked(asking)
    assert [type(error) for error in errors] == [UnsupportedError]
    assert "broke off" in str(errors[0])


def test_a_fault_at_one_rpc(tmp_path: Path) -> None:
    """A rule may name an RPC: it breaks that one, before or after the provider has done it, and no other that asks the like."""
    depot, state = Depot(), {"type_name": "depot_store", "state_id": "default"}
    with Double(provider=depot.wiring()) as double, engine(double) as asking:
        double.faults.on.raw("depot_store", method="LockState").error("somebody else has it")
        double.faults.on.raw(method="WriteStateBytes", id="default").lose_reply()
        double.faults.on.raw(method="InvokeAction").error("out of ink")
        double.faults.on.list("depot_box").error("no list today")
        begin(asking)
        box = make(asking, "one")
        assert not asking.ask("GetStates", type_name="depot_store").diagnostics
        assert asking.ask("LockState", **state).diagnostics[0].summary == "somebody else has it"
        assert asking.ask("LockState", **state).lock_id
        with pytest.raises(grpc.RpcError):
            asking.ask("WriteStateBytes", chunks(state_file(), 64))
        assert read(asking) == state_file()
        assert stamp(asking, box)[-1].completed.diagnostics[0].summary == "out of ink"
        assert depot.stamps == []
        assert listed(asking, "o")[0].diagnostic[0].summary == "no list today"
        assert double.errors == []


def test_a_fault_leaves_the_rest_of_an_answer(tmp_path: Path) -> None:
    """An answer to which a fault adds a warning has all else that the provider said: a lock's id, a stream's messages."""
    state = {"type_name": "depot_store", "state_id": "default"}
    with Double(provider=Depot().wiring()) as double, engine(double) as asking:
        for rpc in ("LockState", "InvokeAction", "ReadStateBytes", "GetStates"):
            double.faults.on.raw(method=rpc).warning("that is old")
        double.faults.on.list("depot_box").warning("that is old")
        begin(asking)
        box = make(asking, "one")
        asking.ask("WriteStateBytes", chunks(state_file(), 64))
        lock = asking.ask("LockState", **state)
        assert (lock.lock_id != "", lock.diagnostics[0].severity, lock.diagnostics[0].summary) == (True, 2, "that is old")
        assert list(asking.ask("GetStates", type_name="depot_store").state_id) == ["default"]
        *parts, warned = asking.ask("ReadStateBytes", **state)
        assert (b"".join(part.bytes for part in parts), warned.diagnostics[0].summary) == (state_file(), "that is old")
        told, done = stamp(asking, box)
        assert (told.progress.message, done.completed.diagnostics[0].summary) == (f"stamp 1 on {box}", "that is old")
        one, warned = listed(asking, "o")
        assert (one.display_name, warned.diagnostic[0].summary) == ("one", "that is old")


def test_a_rule_that_missed_its_rpc() -> None:
    """A rule for an RPC that was not asked says which one of that op was."""
    with Double(provider=Depot().wiring()) as double, engine(double) as asking:
        rule = double.faults.on.raw(method="LockStates").error("no")
        begin(asking)
        asking.ask("GetStates", type_name="depot_store")
    assert "the method is 'GetStates', not 'LockStates'" in rule.unfired


def in_store(asking: Engine) -> None:
    """Make a box, and use the store."""
    make(asking, "one")
    asking.ask("GetStates", type_name="depot_store")
    lock = asking.ask("LockState", type_name="depot_store", state_id="default").lock_id
    for serial in (1, 2):
        asking.ask("WriteStateBytes", chunks(state_file(serial), 64))
        read(asking)
    asking.ask("GetStates", type_name="depot_store")
    assert not asking.ask("UnlockState", type_name="depot_store", state_id="default", lock_id=lock).diagnostics


def test_the_provider_of_today_is_verified(tmp_path: Path) -> None:
    """A recording with all of it is asked again of a provider of today: it answers as recorded, and a change of it is found."""
    cassette = tmp_path / "depot.json"
    with Double(provider=recording(cassette, Depot().wiring())) as double:
        for ask in (in_store, lambda asking: listed(asking, "o"), lambda asking: stamp(asking, "b-1")):
            with engine(double) as asking:
                begin(asking)
                ask(asking)
    # What an engine writes into a state of itself is not recorded.
    given = {"secrets": {1: TOKEN, 2: KEY}, "masks": ["terraform_version"]}
    same = verify(cassette, Depot().wiring(), **given)
    assert [str(one) for one in same.differing] == []

    class Louder(Depot):
        def invoke_action(self, request: Any) -> list[Any]:
            events = super().invoke_action(request)
            for event in events:
                event.completed.diagnostics.extend(wrong("too loud"))
            return events

    louder = verify(cassette, Louder().wiring(), **given)
    assert {one.method for one in louder.differing} == {"InvokeAction"}


@pytest.mark.parametrize("messages", [[], [b"\xff\x01"], [b"one", b"", b"\x00two"]])
def test_an_rpc_that_nobody_knows_may_stream(tmp_path: Path, messages: list[bytes]) -> None:
    """An RPC that the table does not know is recorded and replayed as the bytes of all its messages, in both directions."""
    cassette, depot, seen = tmp_path / "depot.json", Depot(), []

    def newer(call: Any) -> Reply:
        if call.method != "Upload":
            return depot(call)
        seen.append([native.data for native in ([call.native] if call.native else call.stream)])
        return Reply(stream=tuple(map(Native, (b"a", b"b"))))

    with session(recording(cassette, replace(depot.wiring(), provider=newer))) as (asking, _):
        begin(asking)
        assert asking.raw("Upload", messages) == [b"a", b"b"]
    assert seen == [messages]
    with refusing(replaying(cassette)) as (asking, errors):
        begin(asking)
        assert asking.raw("Upload", messages) == [b"a", b"b"]
        with pytest.raises(grpc.RpcError):
            asking.raw("Upload", [*messages, b"more"])
    assert [type(error) for error in errors] == [MissError]


def test_credentials_in_configurations_that_have_no_word_for_secrets(tmp_path: Path) -> None:
    """In the configuration of a list, an action or a store, whose schemas mark nothing, names of credentials are secrets."""
    cassette, config = tmp_path / "depot.json", {"password": "hunter2-and-more", "open": "readable"}
    with session(recording(cassette, Depot().wiring())) as (asking, _):
        begin(asking)
        asking.ask("ValidateListResourceConfig", type_name="depot_box", config={**config, "inner": {"api_key": "k3y-of-list"}})
        asking.ask("ValidateActionConfig", type_name="depot_stamp", config=config)
        asking.ask("ValidateStateStoreConfig", type_name="depot_store", config=config)
    text = text_of(cassette)
    assert ("hunter2" in text, "k3y-of-list" in text, text.count('"readable"')) == (False, False, 3)


def test_a_compact_recording_of_several_sessions(tmp_path: Path) -> None:
    """Sessions whose configuration a compact recording has once are each configured when verified: provider, then store."""
    cassette = tmp_path / "depot.json"
    with Double(provider=recording(cassette, Depot().wiring(), compact=True)) as double:
        with engine(double) as asking:
            asking.ask("ConfigureProvider", terraform_version="1.17.0", config={"folder": "here"})
            asking.ask("PlanAction", action_type="depot_stamp", config={"text": "x"})
        for serial in (1, 2, 3):
            with engine(double) as asking:
                begin(asking)
                asking.ask("WriteStateBytes", chunks(state_file(serial), 64))
        double.raise_errors()
    assert [len(calls(cassette, rpc)) for rpc in ("ConfigureProvider", "ConfigureStateStore", "WriteStateBytes")] == [1, 1, 3]
    depot = Depot()
    assert verify(cassette, depot.wiring(), secrets={1: TOKEN, 2: KEY}).differing == []
    asked = [call.method for call in depot.calls if call.method.startswith("Configure") or call.method == "WriteStateBytes"]
    assert asked == ["ConfigureProvider", *["ConfigureProvider", "ConfigureStateStore", "WriteStateBytes"] * 3]
    with Double(provider=replaying(cassette)) as double:
        for serial in (1, 2, 3):
            with engine(double) as asking:
                begin(asking)
                asking.ask("WriteStateBytes", chunks(state_file(serial), 64))
        double.raise_errors()


def test_sets_in_what_a_list_finds_have_no_order(tmp_path: Path) -> None:
    """Answers of a list that differ in the order of a set's elements are equal answers, by the schema of the resource."""

    class Tagged(Depot):
        def get_provider_schema(self, _: Any) -> Any:
            answer = super().get_provider_schema(_)
            answer.resource_schemas["depot_box"].block.attributes.add(name="tags", type=b'["set","string"]', optional=True)
            return answer

        def list_resource(self, request: Any) -> list[Any]:
            tags = sorted("ab", reverse=len(self.calls) % 2 == 0)
            return [message("ListResource.Event", display_name="one", resource_object={**BOX, "tags": tags})]

    cassette = tmp_path / "depot.json"
    with session(recording(cassette, Tagged().wiring())) as (asking, _):
        begin(asking)
        for _ in range(2):
            asking.ask("ListResource", type_name="depot_box", config={"prefix": "o"})
            asking.ask("PlanAction", action_type="depot_stamp", config={"text": "x"})
            asking.ask("GetStates", type_name="depot_store")
    assert len({json.dumps(one.response) for one in calls(cassette, "ListResource")}) == 2
    with session(replaying(cassette)) as (asking, _):
        begin(asking)
        for _ in range(3):
            [event] = asking.ask("ListResource", type_name="depot_box", config={"prefix": "o"})
            assert value(event.resource_object)["tags"] in (["a", "b"], ["b", "a"])


def test_a_call_in_neutral_words(tmp_path: Path) -> None:
    """A call that was made in Python says its type, state, limit and configuration in the message that its RPC has for them."""
    depot = Depot()
    with (
        Double(provider=depot.wiring()) as double,
        double.serve("terraform", major=6) as serving,
        Double(provider=attached(serving.address, "terraform", major=6)) as between,
    ):
        called = between.open("tfplugin6")
        for method, op, words in (
            ("LockState", Op.RAW, {"type": "depot_store", "id": "default", "extra": {"operation": "apply"}}),
            ("WriteStateBytes", Op.RAW, {"type": "depot_store", "id": "default"}),
            ("PlanAction", Op.RAW, {"type": "depot_stamp", "inputs": {"text": "x"}}),
            ("ListResource", Op.LIST, {"type": "depot_box", "inputs": {"prefix": "zzz"}, "limit": 3}),
        ):
            reply = between(Call(op=op, session=called, method=method, **words))
            assert reply.status is None, method
    lock, write, plan, listing = [call.native.message if call.native else call.stream[0].message for call in depot.calls]
    assert (lock.type_name, lock.state_id, lock.operation) == ("depot_store", "default", "apply")
    assert (write.meta.type_name, write.meta.state_id) == ("depot_store", "default")
    assert (plan.action_type, value(plan.config)) == ("depot_stamp", {"text": "x"})
    assert (listing.type_name, value(listing.config), listing.limit) == ("depot_box", {"prefix": "zzz"}, 3)
    assert [failure.reason for failure in reply.failures] == ["no such boxes"]


def test_what_a_cassette_says_of_them(tmp_path: Path) -> None:
    """A call that no other op fits is shown by its RPC and its state, and what went wrong in a stream is told."""
    cassette = tmp_path / "depot.json"
    recorded(cassette)
    shown = CliRunner().invoke(main, ["cassette", "show", str(cassette)]).output
    assert "LockState answered" in shown
    assert "failed: no such boxes: No box begins with 'zzz'." in shown
    assert "failed: no such box: There is no box b-0 to stamp." in shown
    assert "failed: Workspace Already Locked" in shown
    [line] = [line for line in shown.splitlines() if "DeleteState" in line]
    assert line.split()[2:] == ["raw", "depot_store", "default", "DeleteState", "answered"]
    report = CliRunner().invoke(main, ["cassette", "report", str(cassette)])
    assert (report.exit_code, "refuses" in report.output) == (0, False), report.output
