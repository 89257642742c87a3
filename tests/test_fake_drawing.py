"""What presets draw for the random provider."""

from __future__ import annotations

import base64
import string
from uuid import UUID

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockprovider import Double, Stack, from_schema
from mockprovider.fake.inventing.drawing import DRAWINGS, SPECIAL

FLAGS = st.none() | st.booleans()


def drawn(kind, point="it", **inputs):
    return DRAWINGS[f"random {kind}"]({name: value for name, value in inputs.items() if value is not None}, point)


@pytest.mark.parametrize("kind", ["bytes", "id", "integer", "password", "pet", "shuffle", "string", "uuid"])
def test_each_resource_draws_its_own(kind):
    """The same resource draws the same, another one something else, and other keepers draw anew."""
    inputs = {"length": 12, "byteLength": 12, "min": 0, "max": 10**9, "inputs": [*range(40)]}
    one, same, other, kept, anew = (
        drawn(kind, point, **inputs, keepers=keepers)
        for point, keepers in [("a", None), ("a", None), ("b", None), ("a", {"at": "1"}), ("a", {"at": "2"})]
    )

    assert one == same
    assert all(one != another for another in (other, kept, anew))
    assert kept != anew


KINDS = {"lower": string.ascii_lowercase, "upper": string.ascii_uppercase, "numeric": string.digits, "special": SPECIAL}


@given(st.integers(0, 40), st.fixed_dictionaries(dict.fromkeys(KINDS, FLAGS)), st.sampled_from([None, "", "_%"]))
def test_a_password_has_what_was_asked_for(length, wanted, own):
    """Its length, and characters of the wanted kinds alone."""
    result = drawn("password", length=length, **wanted, overrideSpecial=own)["result"]
    kinds = {**KINDS, "special": own or SPECIAL}
    allowed = "".join(alphabet for name, alphabet in kinds.items() if wanted[name] is not False)

    assert len(result) == (length if allowed else 0)
    assert set(result) <= set(allowed)


LEAST = {"minLower": str.islower, "minUpper": str.isupper, "minNumeric": str.isdigit}


@given(st.fixed_dictionaries(dict.fromkeys(LEAST, st.integers(0, 4))))
def test_a_password_has_at_least_so_many(least):
    """As many lower and upper case letters and digits as were asked for at least."""
    result = drawn("password", length=16, **least)["result"]

    assert all(sum(map(of_kind, result)) >= least[name] for name, of_kind in LEAST.items())
    assert len(result) == 16


@given(st.integers(-50, 50), st.integers(0, 50), st.text(max_size=3))
def test_an_integer_is_within_its_bounds(least, more, point):
    """Both bounds count, and numbers may come as floats, as Pulumi sends them."""
    result = drawn("integer", point, min=float(least), max=float(least + more))["result"]

    assert least <= result <= least + more
    assert isinstance(result, int)


@given(st.lists(st.text(max_size=2), max_size=6, unique=True), st.none() | st.integers(0, 15))
def test_a_shuffle_is_of_its_items(items, count):
    """All of them if nobody says how many, else so many, with repetitions only where there are not enough."""
    results = drawn("shuffle", inputs=items, resultCount=count)["results"]
    wanted = len(items) if count is None else count

    assert len(results) == (wanted if items else 0)
    assert set(results) <= set(items)
    assert len(set(results)) == min(len(results), len(items))


@given(st.integers(1, 80), st.sampled_from([None, "p-"]))
def test_an_id_is_the_same_bytes_in_each_spelling(size, prefix):
    """Hexadecimal, decimal and both kinds of base64."""
    answer = drawn("id", byteLength=size, prefix=prefix)
    bare = {name: text.removeprefix(prefix or "") for name, text in answer.items()}
    number = bytes.fromhex(bare["hex"])

    assert len(number) == size
    assert int(bare["dec"]) == int.from_bytes(number)
    assert base64.b64decode(bare["b64Std"]) == number
    assert base64.urlsafe_b64decode(bare["b64Url"] + "=" * (-len(bare["b64Url"]) % 4)) == number
    assert answer["id"] == bare["b64Url"]


@pytest.mark.parametrize(
    ("inputs", "parts"), [({}, 2), ({"length": 1}, 1), ({"length": 4.0}, 4), ({"prefix": "p", "separator": "-"}, 3)]
)
def test_a_pet_has_so_many_words(inputs, parts):
    """Two, if nobody says how many, behind a prefix, if there is one."""
    words = drawn("pet", **inputs)["id"].split("-")

    assert len(words) == parts
    assert all(words)


@pytest.mark.parametrize(("kind", "version"), [("uuid", 4), ("uuid 7", 7)])
def test_a_uuid_is_one(kind, version):
    """Of the version that the random provider makes."""
    assert UUID(drawn(kind)["result"]).version == version


@pytest.mark.parametrize(
    ("kind", "inputs"), [("string", {"length": 0}), ("id", {"byteLength": -1}), ("id", {"byteLength": 5000})]
)
def test_what_is_out_of_bounds_has_an_id_all_the_same(kind, inputs):
    """Of nothing no id is drawn, so that the fake makes one; what is too long for a number has no decimal digits."""
    assert drawn(kind, **inputs).get("id") != ""


def test_a_program_has_passwords_of_its_length():
    """Under an engine, two passwords of one program differ, stay in the next run, and are secret."""
    number, text = {"type": "integer"}, {"type": "string", "secret": True}
    token = "random:index/randomPassword:RandomPassword"
    resource = {
        "inputProperties": {"length": number},
        "requiredInputs": ["length"],
        "properties": {"length": number, "result": text},
    }
    schema = {
        "name": "random",
        "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
        "resources": {token: {**resource, "required": ["result"]}},
    }

    def program():
        for name in ("first", "second"):
            password = pulumi.CustomResource(token, name, {"length": 20, "result": None})
            pulumi.export(name, password.result)

    with Double(from_schema(schema)) as double:
        stack = Stack(double)
        first, second = (stack.up(program) for _ in range(2))
        assert [len(str(first.outputs[name])) for name in ("first", "second")] == [20, 20]
        assert first.outputs["first"] != first.outputs["second"]
        assert first.outputs == second.outputs
        assert second.summary == {}


@pytest.mark.parametrize("change", [{"length": 21}, {"keepers": {"at": "2"}}])
def test_another_password_is_another_resource(change):
    """Whatever changes, a password is replaced, and so it is where that is asked for; what is drawn then is not the same."""
    token = "random:index/randomPassword:RandomPassword"
    known = {"length": {"type": "integer"}, "keepers": {"type": "object", "additionalProperties": {"type": "string"}}}
    resource = {"inputProperties": known, "properties": {**known, "result": {"type": "string"}}, "required": ["result"]}
    schema = {"name": "random", "meta": {"moduleFormat": "(.*)(?:/[^/]*)"}, "resources": {token: resource}}
    inputs = {"length": 20, "keepers": {"at": "1"}}

    def program():
        pulumi.export("it", pulumi.CustomResource(token, "it", {**inputs, "result": None}).result)

    with Double(from_schema(schema)) as double:
        stack = Stack(double)
        results = [stack.up(program).outputs["it"], stack.up(program, replace=["it"]).outputs["it"]]
        inputs.update(change)
        assert stack.preview(program).summary == {"replace": 1}
        results.append(stack.up(program).outputs["it"])

    assert len(set(results)) == 3
