"""Layers: the order in which they see calls and replies."""

from __future__ import annotations

import pytest
from builders import call

from mockprovider.calls import Op, Reply
from mockprovider.layers import stack


def noting(name, notes):
    """A layer that notes when a call and its reply pass."""

    def layer(asked, proceed):
        notes.append(f"{name} in")
        reply = proceed(asked)
        notes.append(f"{name} out")
        return reply

    return layer


def test_outermost_first():
    """The first layer sees the call first and the reply last."""
    notes: list[str] = []
    reply = Reply()

    assert stack([noting("a", notes), noting("b", notes)], lambda _: reply)(call(Op.CHECK)) is reply
    assert notes == ["a in", "b in", "b out", "a out"]


def test_no_layers():
    """Without layers the handler is the provider itself."""

    def provider(_):
        return Reply()

    assert stack([], provider) is provider


def test_a_layer_may_answer_itself():
    """A layer that does not proceed keeps the call from everything inside it."""
    notes: list[str] = []
    serve = stack([noting("a", notes), lambda _, __: Reply(id="mine"), noting("b", notes)], lambda _: Reply())

    assert serve(call(Op.CHECK)).id == "mine"
    assert notes == ["a in", "a out"]


def test_a_layer_may_proceed_again_and_with_another_call():
    """A layer may call onward several times, and hand on another call."""
    seen = []

    def twice(asked, proceed):
        proceed(asked)
        return proceed(call(Op.READ, id="other"))

    stack([twice], lambda asked: seen.append(asked.id) or Reply())(call(Op.READ, id="first"))

    assert seen == ["first", "other"]


def test_a_stack_is_a_value():
    """Changing the list afterwards does not change the handler."""
    notes: list[str] = []
    layers = [noting("a", notes)]
    serve = stack(layers, lambda _: Reply())
    layers.clear()
    serve(call(Op.CHECK))

    assert notes == ["a in", "a out"]


def test_exceptions_pass():
    """What the provider raises reaches the caller through all layers."""

    def provider(_):
        raise KeyError("x")

    with pytest.raises(KeyError):
        stack([noting("a", [])], provider)(call(Op.CHECK))
