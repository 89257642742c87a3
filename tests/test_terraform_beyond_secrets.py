"""What is secret in lists, actions and states, where nothing else of the recording says so; and states beside equal objects."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from depot_stage import BOX, Depot, begin, chunks, listed, make, message, read, session, state_file, text_of, value

from mockprovider.double import recording, replaying

SECRET = "nobody-else-has-seen-this"


def state(type_: str = "other_thing", **attributes: Any) -> bytes:
    """A state of one resource, in which nothing but the attribute ``marked`` is called sensitive."""
    paths = [[{"type": "get_attr", "value": "marked"}]] if "marked" in attributes else []
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": paths}
    whole = json.loads(state_file())
    whole["outputs"] = {}
    whole["resources"] = [{"mode": "managed", "type": type_, "name": "x", "provider": "p", "instances": [instance]}]
    return json.dumps(whole, indent=2).encode() + b"\n"


STATES: dict[str, bytes] = {
    "what the state calls sensitive": state(marked=SECRET),
    "what the state calls sensitive, inside": state(marked={"a": [SECRET]}),
    "a sensitive output": json.dumps({"outputs": {"o": {"value": [{"a": SECRET}], "sensitive": True}}}).encode(),
    "what the schema calls sensitive": state("depot_box", key=SECRET),
    "the name of a credential": state(inner=[{"password": SECRET}]),
    "what cannot be told": json.dumps({"a": SECRET}).replace("{", '{"a": 1, ').encode(),
}


@pytest.mark.parametrize("way", ["read", "written"])
@pytest.mark.parametrize("data", STATES.values(), ids=STATES)
def test_a_secret_of_a_state_alone(tmp_path: Path, data: bytes, way: str) -> None:
    """A secret that only a state has is not in the recording, whether the state was read or written."""
    cassette, depot = tmp_path / "depot.json", Depot()
    depot.states["main/default"] = data if way == "read" else b""
    with session(recording(cassette, depot.wiring())) as (asking, _):
        begin(asking)
        if way == "written":
            asking.ask("WriteStateBytes", chunks(data, 16))
            assert depot.states["main/default"] == data
        assert read(asking) == data
    text = text_of(cassette)
    assert "secret" in text
    for part in (SECRET, SECRET[:12], SECRET[-12:], b64encode(data).decode()[:40]):
        assert part not in text
    with session(replaying(cassette)) as (asking, _):
        begin(asking)
        if way == "written":
            asking.ask("WriteStateBytes", chunks(data, 16))
            assert json.loads(read(asking)) == json.loads(data)


def test_a_secret_that_a_list_finds(tmp_path: Path) -> None:
    """What a list resource finds has the secrets of the resource's schema, which are none of the list's own configuration."""
    cassette, depot = tmp_path / "depot.json", Depot()
    depot.boxes["b-9"] = {**BOX, "id": "b-9", "name": "one", "content": "readable", "key": SECRET}
    with session(recording(cassette, depot.wiring())) as (asking, _):
        begin(asking)
        assert value(listed(asking, "o")[0].resource_object)["key"] == SECRET
    text = text_of(cassette)
    assert (SECRET in text, "readable" in text) == (False, True)


def test_a_secret_that_an_actions_schema_declares(tmp_path: Path) -> None:
    """An attribute that the schema of an action calls sensitive is hidden in its calls, and found in what the action tells."""

    class Telling(Depot):
        def get_provider_schema(self, _: Any) -> Any:
            answer = super().get_provider_schema(_)
            answer.action_schemas["depot_stamp"].schema.block.attributes[1].sensitive = True
            return answer

        def invoke_action(self, request: Any) -> list[Any]:
            told = message("InvokeAction.Event")
            told.progress.message = f"stamping {value(request.config)['text']} on it"
            return [told]

    cassette, config = tmp_path / "depot.json", {"box": "b-1", "text": SECRET}
    with session(recording(cassette, Telling().wiring())) as (asking, _):
        begin(asking)
        [told] = asking.ask("InvokeAction", action_type="depot_stamp", config=config)
        assert SECRET in told.progress.message
    assert SECRET not in text_of(cassette)
    with session(replaying(cassette)) as (asking, _):
        begin(asking)
        [told] = asking.ask("InvokeAction", action_type="depot_stamp", config={**config, "text": "another secret"})
        assert told.progress.message == "stamping another secret on it"


def test_equal_objects_beside_a_store(tmp_path: Path) -> None:
    """Equal creates of one session are told apart by what they generated, also where the recording has calls about a store."""
    cassette = tmp_path / "depot.json"
    for wiring in (lambda: recording(cassette, Depot().wiring()), lambda: replaying(cassette)):
        with session(wiring()) as (asking, _):
            begin(asking)
            lock = asking.ask("LockState", type_name="depot_store", state_id="default").lock_id
            assert {make(asking, "one"), make(asking, "one")} == {"b-1", "b-2"}
            asking.ask("WriteStateBytes", chunks(state_file(), 64))
            asking.ask("UnlockState", type_name="depot_store", state_id="default", lock_id=lock)
            again = asking.ask("LockState", type_name="depot_store", state_id="default").lock_id
            assert again not in ("", lock)
