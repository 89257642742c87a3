"""Places that are declared secret: by name, by the end of a path, by a whole path in a value."""

from __future__ import annotations

import pytest

from mockprovider.redaction import ANY, DEEP, UNMARKED, Marks, Redactor, declared, of_secret

IN_VALUES = Marks(
    wrappers=frozenset({"msgpack", "json"}), words=frozenset({"type_name"}), is_word=lambda text: text == "InN0cmluZyI="
)


@pytest.mark.parametrize(
    ("name", "path", "secret"),
    [
        ("config", ("config",), False),
        ("config", ("config", "msgpack"), False),
        ("config", ("config", "msgpack", "config"), True),
        ("msgpack", ("config", "msgpack"), False),
        ("msgpack", ("config", "msgpack", "msgpack"), True),
        ("db.pin", ("state", "json", "a", "db", "pin"), True),
        ("db.pin", ("state", "json", "pin"), False),
        (("state", "pin"), ("state", "json", "pin"), True),
        (("state", "pin"), ("in", "state", "json", "pin"), True),
        (("state", "pin"), ("config", "json", "pin"), False),
        (("state", "pin"), ("state", "json", "a", "pin"), False),
        (("state", "pin"), ("json", "pin"), False),
        (("state", "pin"), ("state", "pin"), False),
        (("state", "a", "pin"), ("state", "json", "b", "pin"), False),
        (("state", ANY, "pin"), ("state", "json", "b", "pin"), True),
        (("state", ANY, "pin"), ("state", "json", "b", "c", "pin"), True),
        (("state", ANY, "pin"), ("state", "json", "", "pin"), True),
        (("state", ANY, "pin"), ("state", "json", "pin"), False),
        (("state", "x.y", ANY, "pin"), ("state", "json", "xzy", "b", "pin"), False),
        (("state", DEEP, "pin"), ("state", "json", "pin"), True),
        (("state", DEEP, "pin"), ("state", "json", "b", "c", "pin"), True),
        (("state", DEEP, "pin"), ("config", "json", "b", "pin"), False),
        ("other", ("state", "json", "pin"), False),
    ],
)
def test_which_places_are_declared(name, path, secret):
    """Names count inside of values; a whole path counts in the values of its field."""
    assert bool(declared(frozenset({name}), IN_VALUES.wrappers).of(path)) is secret


def test_without_values_names_count_everywhere():
    """Where a protocol does not say what its values are, names are looked for in whole messages, and whole paths fit none."""
    finder = declared(frozenset({"pin", ("a", "pin")}), UNMARKED.wrappers)
    assert finder.of(("pin",))
    assert finder.of(("a", "b", "pin"))
    assert not declared(frozenset({("a", "pin")}), UNMARKED.wrappers).of(("a", "pin"))


def test_words_outside_of_values_stay():
    """A secret that a message's own word equals is taken out of the values and texts, and the word stays."""
    tree = {
        "type_name": "cloud_thing",
        "config": {"msgpack": {"pin": "cloud_thing", "type_name": "cloud_thing"}},
        "summary": "a cloud_thing",
    }
    redactor = Redactor(["pin"], marks=IN_VALUES)
    redactor.learn([tree], redactor.names(""))
    for again in (False, True):
        assert redactor.hide(tree, redactor.names(""), again=again).tree == {
            "type_name": "cloud_thing",
            "config": {"msgpack": {"pin": {"$secret": 1}, "type_name": {"$secret": 1}}},
            "summary": {"$text": ["a ", {"$secret": 1}]},
        }


def test_the_type_before_a_dynamic_value_stays():
    """Bytes that are a word of the schema stay, in a declared place and where a secret equals the word."""
    tree = {
        "config": {"msgpack": {"pin": [{"$bytes": "InN0cmluZyI="}, "string"], "other": [{"$bytes": "InN0cmluZyI="}, "string"]}}
    }
    redactor = Redactor(["pin"], marks=IN_VALUES)
    redactor.learn([tree], redactor.names(""))
    hidden = [{"$bytes": "InN0cmluZyI="}, {"$secret": 1}]
    assert redactor.hide(tree, redactor.names("")).tree == {"config": {"msgpack": {"pin": hidden, "other": hidden}}}
    plain = Redactor(["pin"], marks=Marks(wrappers=IN_VALUES.wrappers))
    assert plain.hide(tree, plain.names("")).tree["config"]["msgpack"]["pin"][0] != {"$bytes": "InN0cmluZyI="}


def test_what_may_be_said_of_an_unknown_secret():
    """Whether it is null, and nothing that is a part of it."""
    assert of_secret({"null": False, "prefix": "hunt", "min": 3}) == {"null": False}
    assert of_secret({"prefix": "hunt"}) == ""
    assert of_secret("Z2VuZXJhdGVk") == ""


@pytest.mark.parametrize("key", ["", ".", "a.b", "x\0y"])
def test_a_map_may_have_any_key(key):
    """What is declared under any key of a map is hidden under a strange one, too."""
    tree = {"state": {"msgpack": {"users": {key: {"pin": 127}}}}}
    hidden = Redactor(marks=IN_VALUES).hide(tree, {("state", "users", ANY, "pin")}).tree
    assert hidden["state"]["msgpack"]["users"][key] == {"pin": {"$secret": 1, "kind": "number"}}
