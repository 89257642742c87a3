"""States that travel in chunks: as trees, with what is sensitive marked, and as the same messages again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from depot_stage import KEY, SERVICE, Depot, begin, chunks, message, read, session, state_file, text_of
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from mockprovider.calls import Native, Reply
from mockprovider.double import recording, replaying
from mockprovider.errors import MalformedError
from mockprovider.tape import load
from mockprovider.terraform.recorded.statebytes import again, build, compared, show

SENT, READ = SERVICE.messages["WriteStateBytes"][0], SERVICE.messages["ReadStateBytes"][1]
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def joined(messages: Any) -> bytes:
    """The state that messages bring."""
    return b"".join(part.bytes for part in messages)


def tree_of(data: bytes) -> Any:
    """The tree of a state that is one chunk."""
    return show(chunks(data, len(data)))["state"]


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_a_state_of_terraforms_comes_back_as_its_bytes(size: int) -> None:
    """A state in the form in which Terraform writes it is data in a recording, and the very messages when it is read again."""
    sent = chunks(state_file(more={"a": [{}, [], 2.5, "é\u2028<"], "b": 1}), size)
    tree = show(sent)
    assert tree["state"]["json"]["serial"] == 1
    assert build(json.loads(json.dumps(tree, sort_keys=True)), SENT) == sent


@given(data=st.dictionaries(st.text(), DATA, max_size=4), size=st.integers(1, 50))
@example(data={"": None}, size=10)
def test_any_json_comes_back_as_equal_json(data: dict[str, Any], size: int) -> None:
    """Whatever the objects, numbers and texts of a state are, and however it is cut, what comes back says the same."""
    state = json.dumps(data).encode()
    messages = build(json.loads(json.dumps(show(chunks(state, size)))), SENT)
    written = joined(messages)
    assert json.loads(written) == json.loads(state)
    # What came in one message goes in one, although Terraform's own form of it may be longer.
    assert messages == chunks(written, size if size < len(state) else len(written))


@pytest.mark.parametrize("digits", ["1.10", "1e3", "-0", "0.1", "12345678901234567890123", "1.00000000000000000001", "1e400"])
def test_a_number_keeps_its_digits(digits: str) -> None:
    """A number that no float or integer of ours holds has its digits when it comes back."""
    state = f'{{"outputs":{{"n":{{"value":{digits}}}}}}}'.encode()
    tree = json.loads(json.dumps(show(chunks(state, 8))))
    assert joined(build(tree, SENT)) == state


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        (["key"], {"key": "k"}),
        (["map", {"value": "a", "type": "string"}], {"map": {"a": "k", "b": 1}}),
        (["list", {"value": 1, "type": "number"}, "key"], {"list": [{"key": 0}, {"key": "k"}]}),
        (["set", {"value": {"key": "k"}, "type": ["object", {"key": "string"}]}, "key"], {"set": [{"key": "k"}]}),
        ([], {"key": "k"}),
        (["list", {"value": 9, "type": "number"}], {"list": ["k"]}),
    ],
)
def test_what_a_state_calls_sensitive_is_marked(path: list[Any], hidden: dict[str, Any]) -> None:
    """A sensitive path is marked where it leads; where it leads into a set, or past the end of a list, the whole of that is."""
    steps = [{"type": "index" if isinstance(one, dict) else "get_attr", "value": one} for one in path]
    state = {"resources": [{"instances": [{"attributes": {**hidden, "open": "o"}, "sensitive_attributes": [steps]}]}]}
    data = json.dumps(state).encode()
    tree = tree_of(data)
    attributes = tree["json"]["resources"][0]["instances"][0]["attributes"]
    shown = json.dumps(without_marked(attributes))
    assert '"k"' not in shown
    assert ('"o"' in shown) == bool(path)
    assert json.loads(joined(build({"state": tree}, SENT))) == state


def without_marked(value: Any) -> Any:
    """A tree without what is marked in it."""
    if isinstance(value, list):
        return [without_marked(item) for item in value]
    if isinstance(value, dict):
        return {} if "(sensitive)" in value else {key: without_marked(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("path", [["absent"], ["map", {"value": "absent"}], ["null", "key"], ["text", "key"]])
def test_a_path_to_nothing_marks_nothing_else(path: list[Any]) -> None:
    """Where nothing is at a sensitive path, its neighbours stay readable, but for a value that it was to lead into."""
    steps = [{"type": "get_attr", "value": one} for one in path]
    attributes = {"map": {"b": 1}, "null": None, "text": "t", "open": "o"}
    state = {"resources": [{"instances": [{"attributes": attributes, "sensitive_attributes": [steps]}]}]}
    [shown] = tree_of(json.dumps(state).encode())["json"]["resources"][0]["instances"]
    text = {"(sensitive)": "t"} if path[0] == "text" else "t"
    assert shown["attributes"] == {**attributes, "text": text}


@pytest.mark.parametrize(
    "state",
    [
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"outputs": {"x": {"sensitive": true, "value": {"$unknown": {"prefix": "k"}}}}}',
        '{"a": {"(sensitive)": "k"}}',
        '{"a": {"(number)": "k"}}',
    ],
)
def test_a_state_that_cannot_be_shown_is_a_secret(state: str) -> None:
    """Of JSON that data would not give back nobody knows where its secrets are, so that all of it is one."""
    tree = tree_of(state.encode())
    assert tree["json"].keys() == {"(sensitive)"}
    assert joined(build({"state": tree}, SENT)) == state.encode()


@pytest.mark.parametrize("state", [b"\x00\x01", b"text", b"[1]", b'"k"', b"{", b"[" * 100_000])
def test_what_is_no_state_stays_bytes(state: bytes) -> None:
    """What is no JSON object is kept as the bytes that it is."""
    assert tree_of(state).keys() == {"$bytes"}
    assert show(chunks(state, 3)) == json.loads(json.dumps(show(chunks(state, 3))))
    assert build(show(chunks(state, 3)), SENT) == chunks(state, 3)


def odd(change: Any) -> list[Any]:
    """Three chunks of a state, changed."""

    def part(chunk: Any) -> Any:
        return message("ReadStateBytes.Response", bytes=chunk.bytes, total_length=chunk.total_length, range=chunk.range)

    messages = [*map(part, chunks(state_file(), 300))]
    return change(messages) or messages


ODD: dict[str, Any] = {
    "nothing": lambda parts: [part for part in parts if not part],
    "a total that is wrong": lambda parts: setattr(parts[0], "total_length", 5),
    "no ranges": lambda parts: [part.ClearField("range") for part in parts][:0],
    "a range elsewhere": lambda parts: setattr(parts[1].range, "start", 7),
    "a chunk that is empty": lambda parts: [parts[0], READ(), *parts[1:]],
    "chunks of any size": lambda parts: setattr(parts[1], "bytes", b"short"),
    "a warning beside": lambda parts: parts[0].diagnostics.add(severity=2, summary="slow") and None,
    "only a diagnostic": lambda parts: [message("ReadStateBytes.Response", diagnostics=[message("Diagnostic", summary="no")])],
    "a field that nobody knows": lambda parts: parts[2].MergeFromString(b"\xfa\x7f\x05extra") and None,
    "another order": lambda parts: parts[::-1],
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_chunks_that_terraform_would_not_send(change: Any) -> None:
    """Messages in any other form than Terraform's come back as equal messages."""
    messages = odd(change)
    assert build(json.loads(json.dumps(show(messages))), READ) == messages


@pytest.mark.parametrize("name", ["no ranges", "chunks of any size", "a warning beside"])
def test_a_secret_in_odd_chunks_is_not_kept(tmp_path: Path, name: str) -> None:
    """A known secret that lies in such chunks is in no recording, and the answer is withheld where it had to be cut out."""
    cassette, depot = tmp_path / "depot.json", Depot()

    def provider(call: Any) -> Reply:
        if call.method != "ReadStateBytes":
            return depot(call)
        return Reply(stream=tuple(Native(one.SerializeToString(), one) for one in odd(ODD[name])))

    with session(recording(cassette, replace(depot.wiring(), provider=provider))) as (asking, _):
        begin(asking)
        asking.ask("WriteStateBytes", chunks(state_file(), 64))
        asking.ask("ReadStateBytes", type_name="depot_store", state_id="default")
    text = text_of(cassette)
    assert KEY not in text
    [answer] = [one for one in load(cassette).interactions if one.method == "ReadStateBytes"]
    assert answer.withheld
    assert answer.response is None


def test_a_state_that_the_provider_keeps_encrypted(tmp_path: Path) -> None:
    """A store's state that is no JSON is recorded and replayed as its bytes."""
    cassette, data = tmp_path / "depot.json", bytes(range(256)) * 3
    depot = Depot()
    depot.states["main/default"] = data
    with session(recording(cassette, depot.wiring())) as (asking, _):
        begin(asking)
        assert read(asking) == data
    with session(replaying(cassette)) as (asking, _):
        begin(asking)
        assert read(asking) == data


def test_what_is_new_in_each_run_is_not_compared() -> None:
    """A request is compared without lineage and version, and one that is asked again has some."""
    tree = show(chunks(state_file(), 64))
    kept = compared(tree)
    assert {"lineage", "terraform_version"} & kept["state"]["json"].keys() == set()
    assert compared(show(build(again(kept), SENT))) == kept
    assert compared({"messages": []}) == again({"messages": []}) == {"messages": []}


@pytest.mark.parametrize("state", [{}, {"json": 5}, {"json": ["a"]}, "text", None])
def test_a_state_that_was_spoilt_by_hand(state: Any) -> None:
    """A tree of no state is refused with words, as a cassette that was edited by hand may have one."""
    with pytest.raises(MalformedError, match="A state is an object"):
        build({"state": state}, SENT)


def test_a_large_state_costs_what_its_size_costs() -> None:
    """Showing and building a state of twice as many chunks takes about twice as many steps, not four times as many."""
    steps = [counted(chunks(state_file(more=["x" * 40] * count), 64)) for count in (500, 1000)]
    assert steps[1] < 2.3 * steps[0]


def counted(messages: list[Any]) -> int:
    """How many functions are called for a stream's tree and its messages."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        build(show(messages), SENT)
    finally:
        sys.setprofile(None)
    return count
