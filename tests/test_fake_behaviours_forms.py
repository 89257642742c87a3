"""Forms of values: what is canonical, and which form goes inward and outward at each call."""

from __future__ import annotations

import pytest
from behaving import seen_by
from builders import call

from mockprovider.calls import Op, Reply
from mockprovider.fake.behaviours import FORMS, Normalised
from mockprovider.values import UNKNOWN, Output, Secret


@pytest.mark.parametrize(
    ("form", "value", "kept"),
    [
        ("lower", "AbC", "abc"),
        ("upper", "AbC", "ABC"),
        ("trimmed", " a b ", "a b"),
        ("no-trailing-dot", "a.b.", "a.b"),
        ("no-trailing-dot", "a.b", "a.b"),
        ("json", '{"b": [1,  2], "a": {}}', '{"a":{},"b":[1,2]}'),
        ("json", "no json", "no json"),
        ("json", "[" * 3, "[" * 3),
        ("sorted", ["b", "a"], ["a", "b"]),
        ("sorted", [{"b": 2, "a": 1}, 3, None, "x"], ["x", 3, None, {"b": 2, "a": 1}]),
        ("sorted", [{"a": 2, "b": 1}, {"b": 2, "a": 1}], [{"b": 2, "a": 1}, {"a": 2, "b": 1}]),
        ("sorted", [b"b", b"a"], [b"a", b"b"]),
        ("sorted", ("b", "a"), ["a", "b"]),
    ],
)
def test_forms(form, value, kept):
    """Each form makes one text or list of the many that mean the same, and leaves alone what it cannot read."""
    kind, canonical = FORMS[form]

    assert isinstance(value, kind)
    assert canonical(value) == kept


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("AB", "ab"),
        (Secret("AB"), Secret("ab")),
        (Output("AB", True, ("u",)), Output("ab", True, ("u",))),
        (Output(Secret("AB")), Output(Secret("ab"))),
        (None, None),
        (UNKNOWN, UNKNOWN),
        (Output(UNKNOWN), Output(UNKNOWN)),
        (7, 7),
        (["AB"], ["AB"]),
    ],
)
def test_what_is_kept_in_a_form(value, kept):
    """Inward the property is canonical behind its wrappers; what is unknown, null or of another kind is as it came."""
    for op in (Op.CREATE, Op.UPDATE):
        onward, _ = seen_by(Normalised("p", "lower"), call(op, inputs={"p": value, "q": "Q"}))
        assert onward.inputs == {"p": kept, "q": "Q"}


def test_a_form_that_is_a_function():
    """A form of one's own is asked for all that is known, whatever its kind."""
    onward, _ = seen_by(Normalised("p", lambda value: [value]), call(Op.CREATE, inputs={"p": 7}))
    assert onward.inputs == {"p": [7]}
    unknown, _ = seen_by(Normalised("p", lambda value: [value]), call(Op.CREATE, inputs={"p": UNKNOWN}))
    assert unknown.inputs == {"p": UNKNOWN}


@pytest.mark.parametrize(
    ("asked", "inputs"),
    [
        # A plan, and a preview of an update, compare with what is known, in its form.
        (call(Op.DIFF, inputs={"p": "AB"}, prior={"p": "x"}, prior_inputs={"p": "ab"}), {"p": "ab"}),
        (call(Op.PLAN, inputs={"p": "AB"}, prior={"p": "ab"}), {"p": "ab"}),
        (call(Op.PLAN, inputs={"p": "AB"}, prior={"p": "ab"}, prior_inputs={}), {"p": "AB"}),
        (call(Op.PLAN, inputs={"p": "AB"}, prior={"p": "ac"}), {"p": "AB"}),
        (call(Op.PLAN, inputs={"p": "AB"}, prior={"p": UNKNOWN}), {"p": "AB"}),
        (call(Op.PLAN, inputs={"p": UNKNOWN}, prior={"p": "ab"}), {"p": UNKNOWN}),
        (call(Op.PLAN, inputs={"p": None}, prior={"p": "ab"}), {"p": None}),
        (call(Op.PLAN, inputs={"q": "Q"}, prior={"p": "ab"}), {"q": "Q"}),
        (call(Op.PLAN, inputs={"q": "Q"}, prior={"q": "x"}), {"q": "Q"}),
        (call(Op.PLAN, inputs={"p": "AB"}), {"p": "AB"}),
        (call(Op.PLAN, prior={"p": "ab"}), None),
        (call(Op.UPDATE, inputs={"p": "AB"}, prior={"p": "ab"}, preview=True), {"p": "ab"}),
        # What is done is done in the canonical form.
        (call(Op.UPDATE, inputs={"p": "AB"}, prior={"p": "AB"}), {"p": "ab"}),
        (call(Op.CREATE, inputs={"p": "AB"}), {"p": "ab"}),
        (call(Op.CREATE, inputs={"q": "Q"}), {"q": "Q"}),
        (call(Op.CREATE, inputs={}), {}),
        (call(Op.CREATE), None),
        # The rest is none of its business.
        (call(Op.CREATE, inputs={"p": "AB"}, preview=True), {"p": "AB"}),
        (call(Op.CHECK, inputs={"p": "AB"}, prior={"p": "ab"}), {"p": "AB"}),
        (call(Op.READ, inputs={"p": "AB"}, prior={"p": "ab"}), {"p": "AB"}),
    ],
)
def test_what_a_form_does_inward(asked, inputs):
    """A property of one meaning is no difference to a plan, and is canonical in the cloud."""
    onward, _ = seen_by(Normalised("p", "lower"), asked)

    assert onward.inputs == inputs


@pytest.mark.parametrize(
    ("asked", "reply", "expected"),
    [
        (call(Op.CREATE, inputs={"p": "AB"}), Reply(value={"p": "ab"}), Reply(value={"p": "AB"})),
        (call(Op.UPDATE, inputs={"p": "AB"}, planned={"p": "Ab"}), Reply(value={"p": "ab"}), Reply(value={"p": "Ab"})),
        (call(Op.CREATE, inputs={"p": "AB"}), Reply(value={"p": "xy"}), Reply(value={"p": "xy"})),
        (call(Op.CREATE, inputs={"p": "AB"}), Reply(), Reply()),
        (call(Op.CREATE, inputs={"p": "AB"}, preview=True), Reply(value={"p": "ab"}), Reply(value={"p": "ab"})),
        (
            call(Op.READ, prior={"p": "AB"}, prior_inputs={"p": "aB"}),
            Reply(value={"p": "ab"}, inputs={"p": "ab"}),
            Reply(value={"p": "AB"}, inputs={"p": "aB"}),
        ),
        (call(Op.IMPORT, prior={"p": "AB"}), Reply(value={"p": "ab"}), Reply(value={"p": "AB"})),
        (call(Op.READ, prior={"p": "AB"}, preview=True), Reply(value={"p": "ab"}), Reply(value={"p": "AB"})),
        (call(Op.READ), Reply(value={"p": "ab"}, inputs={"p": "ab"}), Reply(value={"p": "ab"}, inputs={"p": "ab"})),
        (call(Op.CHECK, prior={"p": "AB"}), Reply(value={"p": "ab"}), Reply(value={"p": "ab"})),
    ],
)
def test_what_a_form_does_outward(asked, reply, expected):
    """An engine is told the form that it sent, planned or knows, as long as that means the same."""
    _, answer = seen_by(Normalised("p", "lower"), asked, reply)

    assert answer == expected
