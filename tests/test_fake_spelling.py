"""Properties of declared types that a program probably misspelt."""

from __future__ import annotations

import re

import pytest
from builders import Port, call, fake

from mockprovider.calls import Op, Session
from mockprovider.fake.spelling import doubtful
from mockprovider.schema import Function, Kind, Property, ResourceType, kind_of
from mockprovider.values import Secret

RULE = {"port": int, "protocol": str}
TYPE = ResourceType(
    "cloud:index:Wall",
    {"tags": dict[str, str], "rules": Property("array"), "rule": RULE, "arn": Property(computed=True), "subnetId": str},
)


def lines(**inputs):
    return [
        re.split(r"(?<=[.?]) ", line)[:2]
        for line in doubtful("T", {**TYPE.properties, "many": Property(kind_of(RULE))}, inputs)
    ]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"tag": {}}, [["T has no property 'tag'.", "Did you mean 'tags'?"]]),
        ({"tags": {}, "tag": {}}, []),
        ({"color": "red"}, []),
        ({"arm": "x"}, []),
        ({"rule": {"ports": 1}}, [["T has no property 'rule.ports'.", "Did you mean 'port'?"]]),
        ({"rule": Secret({"protcol": "x"})}, [["T has no property 'rule.protcol'.", "Did you mean 'protocol'?"]]),
        ({"rule": {"prot": 1}}, [["T has no property 'rule.prot'.", "Did you mean 'port'?"]]),
        ({"many": [{"__defaults": []}]}, []),
        ({"tags": {"rul": "x"}}, []),
        ({"tag": None}, []),
    ],
)
def test_what_is_almost_a_property_is_doubtful(inputs, expected):
    """Only what is near a declared property that is not set is doubtful, also inside of objects; keys of maps are free."""
    assert lines(**inputs) == expected


def test_engines_are_told_once():
    """The engine's user sees a warning at the first check, and no further one for the same."""
    serve, _ = fake(TYPE)
    session = Session("pulumi")
    session.engine = port = Port()
    for _ in range(2):
        assert not serve(call(Op.CHECK, TYPE.token, session=session, inputs={"tag": {}}, urn="")).failures

    assert port.told == [
        ("warning", "cloud:index:Wall has no property 'tag'. Did you mean 'tags'? A strict double refuses it.", "")
    ]
    assert len(serve.doubts) == 1


def test_a_strict_fake_refuses_instead():
    """Strictness refuses, and needs no warning."""
    serve, _ = fake(TYPE, strict=True)

    assert serve(call(Op.CHECK, TYPE.token, inputs={"tag": {}})).failures
    assert serve.doubts == []


@pytest.mark.parametrize(
    ("inputs", "path"),
    [
        ({"rule": {"ports": 1}}, "rule.ports"),
        ({"rule": Secret({"color": "red"})}, "rule.color"),
        ({"many": [{"port": 1}, {"color": "red"}]}, "many[1].color"),
        ({"rule": {"color": None, "__defaults": []}, "tags": {"color": "red"}, "rules": [{"color": "red"}]}, ""),
    ],
)
def test_a_strict_fake_refuses_at_every_depth(inputs, path):
    """A property inside of an object is refused as one of the type; keys of maps and what is of no kind are free."""
    declared = ResourceType(TYPE.token, {**TYPE.properties, "many": Property(Kind("array", items=kind_of(RULE)))})
    serve, _ = fake(declared, strict=True)
    failures = serve(call(Op.CHECK, TYPE.token, inputs=inputs)).failures

    assert [failure.path for failure in failures] == [path] * bool(path)


LOOKUP = Function("cloud:index:getWall", {"tags": dict[str, str], "subnetId": str}, outputs={"id": str})


def test_arguments_of_functions_are_doubtful_too():
    """A misspelt argument of a function that a schema declares is told once, and refused by a strict fake."""
    serve, _ = fake(LOOKUP)
    session = Session("pulumi")
    session.engine = port = Port()
    for _ in range(2):
        assert not serve(call(Op.INVOKE, LOOKUP.token, session=session, inputs={"tag": {}}, urn="")).failures

    assert port.told == [
        ("warning", "cloud:index:getWall has no argument 'tag'. Did you mean 'tags'? A strict double refuses it.", "")
    ]
    strict, _ = fake(LOOKUP, strict=True)
    [failure] = strict(call(Op.INVOKE, LOOKUP.token, inputs={"tag": {}})).failures
    assert (failure.path, failure.reason) == ("tag", "cloud:index:getWall has no argument 'tag'. Did you mean 'tags'?")


def test_what_nobody_declares_is_not_doubtful():
    """An undeclared type has the properties that the program sets."""
    serve, _ = fake(TYPE)
    serve(call(Op.CHECK, "cloud:index:Other", inputs={"tag": {}, "tags": {}}))

    assert serve.doubts == []
