"""``Choices`` by itself: what a default becomes, what of last time is kept inside, and what Check chooses by."""

from __future__ import annotations

import pytest
from builders import URN, call

from mockprovider.calls import Op, Session
from mockprovider.fake.choosing import Choices, drawn, of_check
from mockprovider.payloads import DISABLE, ENFORCE, PROPOSE, NamingOptions
from mockprovider.schema import Property, Random, Template
from mockprovider.values import UNKNOWN, Secret

HEX = "0123456789abcdef"
SEED = b"seed"
PIN = Property(default=Random(4, prefix="p-", alphabet=HEX))
TEMPLATE = Property(default=Template("{a}-{b}"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((b"seed", "name", 7, HEX), "0e4abde"),
        ((b"seed", "other", 7, HEX), "ca80f69"),
        ((b"other", "name", 7, HEX), "483b66f"),
        ((b"seed", "name", 70, "ab"), "aaaabbabbbbaaaabbbabaaaabbabbabbbbaaababbababbaabbbaaaabbbbaabbabbbabb"),
        ((b"seed", "name", 0, HEX), ""),
    ],
)
def test_what_is_drawn_never_changes(given, expected):
    """The same seed and point draw the same in every version: names in states and kept clouds hang on it."""
    assert drawn(*given) == expected


def named(length, *at):
    """So many digits as they are drawn for a property ``name`` at this place."""
    return drawn(SEED, ".".join((*at, "name")), length, HEX)


@pytest.mark.parametrize(
    ("choices", "item", "expected"),
    [
        (Choices(SEED), PIN, f"p-{named(4)}"),
        (Choices(SEED, at=("rule",)), PIN, f"p-{named(4, 'rule')}"),
        (Choices(), PIN, None),
        (Choices(left_open=True), PIN, UNKNOWN),
        (Choices(SEED, left_open=True), PIN, f"p-{named(4)}"),
        (Choices(SEED, prior={"name": "old"}), PIN, "old"),
        (Choices(left_open=True, prior={"name": "old"}), PIN, "old"),
        (Choices(SEED, prior={"name": None, "other": "old"}), PIN, f"p-{named(4)}"),
        (Choices(SEED, prior={"name": ""}), PIN, ""),
        # A proposal is about names alone.
        (Choices(SEED, proposed="proposed"), PIN, f"p-{named(4)}"),
    ],
)
def test_what_is_made_up(choices, item, expected):
    """A random default is that of last time, else drawn for its place; without a seed it is absent, or left open."""
    assert choices.default("name", item, {}) == expected


@pytest.mark.parametrize(
    ("template", "max_length", "expected"),
    [
        (True, None, f"logs-{named(7)}"),
        ("{name}", None, "logs"),
        ("{random:3}", None, named(3)),
        ("{random}", None, named(7)),
        ("a-{random:3}-{name}-z", None, f"a-{named(3)}-logs-z"),
        (True, 12, f"logs-{named(7)}"),
        (True, 11, f"log-{named(7)}"),
        (True, 8, f"-{named(7)}"),
        (True, 3, f"-{named(7)}"),
        ("{name}", 2, "lo"),
        ("a-{name}-{random:3}-z", 9, f"a-l-{named(3)}-z"),
        ("a-{name}-{random:3}-z", 10, f"a-lo-{named(3)}-z"),
    ],
)
def test_a_name_of_the_type_s_own(template, max_length, expected):
    """A name is made by the type's template; where it is too long the resource's name gives way, and nothing else does."""
    item = Property(auto_name=template, max_length=max_length)

    assert Choices(SEED, "logs").default("name", item, {}) == expected


@pytest.mark.parametrize(
    ("proposed", "mode", "seed", "expected"),
    [
        ("proposed", PROPOSE, SEED, "propos"),
        ("proposed", PROPOSE, b"", "propos"),
        ("proposed", ENFORCE, SEED, "proposed"),
        ("proposed", ENFORCE, b"", "proposed"),
        ("proposed", DISABLE, SEED, None),
        ("", PROPOSE, SEED, named(3)),
        ("", ENFORCE, SEED, named(3)),
        ("", DISABLE, SEED, None),
        ("", PROPOSE, b"", None),
    ],
)
def test_what_the_engine_wants_of_names(proposed, mode, seed, expected):
    """A proposal is taken, shortened unless enforced; disabled names are none; else the type's template counts, with a seed."""
    item = Property(auto_name="{random:3}", max_length=6)
    choices = Choices(seed, proposed=proposed, mode=mode)

    assert choices.default("name", item, {}) == expected
    assert Choices(seed, proposed=proposed, mode=mode, left_open=True).default("name", item, {}) == (expected or UNKNOWN)
    assert Choices(seed, proposed=proposed, mode=mode, prior={"name": "old"}).default("name", item, {}) == "old"


@pytest.mark.parametrize(
    ("filled", "expected"),
    [
        ({"a": "x", "b": "y"}, "x-y"),
        ({"a": "x", "b": 0}, "x-0"),
        ({"a": "x", "b": ""}, "x-"),
        ({"a": "x", "b": None}, None),
        ({"a": "x"}, None),
        ({}, None),
        ({"a": "x", "b": UNKNOWN}, UNKNOWN),
        ({"a": "x", "b": Secret("y")}, Secret("x-y")),
    ],
)
def test_a_template_needs_all_that_it_names(filled, expected):
    """A default made of others follows them, whatever it was last time, and is absent where one of them is."""
    choices = Choices(SEED, prior={"name": "old"}, left_open=True)

    assert choices.default("name", TEMPLATE, filled) == expected


@pytest.mark.parametrize(
    ("prior", "segment", "expected"),
    [
        ({"a": 1}, "a", 1),
        (Secret({"a": 1}), "a", 1),
        ({"a": 1}, "b", None),
        ({"a": 1}, 0, None),
        ({0: 1}, 0, None),
        (["x", "y"], 0, "x"),
        (("x", "y"), 1, "y"),
        (Secret(["x"]), 0, "x"),
        (["x", "y"], 2, None),
        (["x"], "a", None),
        ("text", "a", None),
        ("text", 0, None),
        (None, "a", None),
        (None, 0, None),
    ],
)
def test_what_was_there_before(prior, segment, expected):
    """Inside of an object or a list the choices know what stood there last time, and nothing where nothing did."""
    choices = Choices(SEED, "logs", prior, left_open=True, proposed="p", mode=ENFORCE, at=("rule",))

    assert choices.inside(segment) == Choices(
        SEED, "logs", expected, left_open=True, proposed="p", mode=ENFORCE, at=("rule", segment)
    )


@pytest.mark.parametrize(
    ("protocol", "given", "expected"),
    [
        ("tfplugin6", {"urn": URN, "name": "logs", "prior_inputs": {"a": 1}, "seed": b"s"}, Choices()),
        ("pulumi", {"urn": URN, "name": "logs"}, Choices(URN.encode(), "logs", {})),
        ("pulumi", {"urn": URN, "seed": b"s"}, Choices(b"s", "", {})),
        ("pulumi", {"urn": URN, "prior_inputs": {"a": 1}}, Choices(URN.encode(), "", {"a": 1})),
        ("pulumi", {}, Choices(b"", "", {}, proposed="", mode=PROPOSE)),
        (
            "pulumi",
            {"autonaming": NamingOptions("p", DISABLE)},
            Choices(b"", "", {}, proposed="p", mode=DISABLE),
        ),
    ],
)
def test_what_check_chooses_by(protocol, given, expected):
    """Pulumi's Check chooses by its seed, or by the URN, by what there was, and as the engine wants; Terraform's by nothing."""
    assert of_check(call(Op.CHECK, session=Session(protocol), **given)) == expected
