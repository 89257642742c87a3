"""Functions of the fake: Pulumi's invokes, and Terraform's data sources."""

from __future__ import annotations

import pytest
from builders import call, fake, reasons

from mockprovider.calls import Call, Op, Session
from mockprovider.cloud import Cloud
from mockprovider.fake import Fake
from mockprovider.schema import Function, Package, Property
from mockprovider.values import UNKNOWN, ResourceReference, Secret

ZONE = Function(
    "cloud:index:getZone",
    {"region": Property(required=True), "n": Property(int, default=1)},
    {"zone": "zone-{region}-{n}", "all": [{"a": "{region}"}, 7, None]},
)


def test_invoke():
    """A function's values and templates are filled from its arguments, at any depth, defaults included."""
    serve, _ = fake(ZONE)
    reply = serve(call(Op.INVOKE, ZONE.token, inputs={"region": Secret("north")}))

    assert reply.value == {"zone": "zone-north-1", "all": [{"a": "north"}, 7, None]}


def test_invoke_with_a_function():
    """A Python function is given the plain arguments with defaults, and its answer is the answer."""
    serve, _ = fake(Function("cloud:index:f", {"n": Property(int, default=2)}, lambda given: {"twice": given["n"] * 2}))

    assert serve(call(Op.INVOKE, "cloud:index:f", inputs={})).value == {"twice": 4}
    assert serve(call(Op.INVOKE, "cloud:index:f", inputs={"n": Secret(4)})).value == {"twice": 8}


def test_invoke_with_wrong_arguments():
    """Arguments that do not fit are failures by path, and nothing is answered."""
    serve, _ = fake(ZONE)
    reply = serve(call(Op.INVOKE, ZONE.token, inputs={"n": "x"}))

    assert reply.value is None
    assert [each.path for each in reply.failures] == ["region", "n"]


def test_data_sources_with_unknown_arguments():
    """Terraform may read a data source for a plan: what depends on an unknown is unknown, and no text is made of it."""
    serve, _ = fake(ZONE)
    reply = serve(call(Op.INVOKE, ZONE.token, session=Session("tfplugin6"), inputs={"region": UNKNOWN}))

    assert reply.value == {"zone": UNKNOWN, "all": [{"a": UNKNOWN}, 7, None]}


def test_invoke_refuses_unknown_arguments():
    """Under Pulumi a function is never given an unknown: the call is wrong, and says which argument it is."""
    serve, _ = fake(ZONE)
    [(path, reason, status)] = reasons(serve(call(Op.INVOKE, ZONE.token, inputs={"region": [UNKNOWN]})))

    assert (path, status) == ("region", "invalid_argument")
    assert reason == "the argument 'region' of cloud:index:getZone is unknown, and a function must not be given that"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Secret("north"), "secret"),
        ({"in": [Secret("x")]}, "secret"),
        (ResourceReference("urn:pulumi:dev::shop::cloud:index:Bucket::logs", "b1"), "a reference to a resource"),
    ],
)
def test_a_strict_fake_refuses_what_functions_must_not_be_given(value, kind):
    """A strict fake keeps the guide: no secrets and no resource references for functions; SDKs send them all the same."""
    serve, _ = fake(ZONE, strict=True)
    [(path, reason, _)] = reasons(serve(call(Op.INVOKE, ZONE.token, inputs={"region": value})))

    assert (path, reason.split(" is ")[1]) == ("region", f"{kind}, and a function must not be given that")


@pytest.mark.parametrize("strict", [True, False])
def test_invoke_of_nothing(strict):
    """An undeclared function is refused by a strict fake, and one that can only be misspelt by any."""
    serve, _ = fake(ZONE, strict=strict)
    [(_, reason, status)] = reasons(serve(call(Op.INVOKE, "cloud:index:getZoen", inputs={})))

    assert reason == "Nobody declared the function 'cloud:index:getZoen'. Did you mean 'cloud:index:getZone'?"
    assert status == "invalid_argument"


def test_a_strict_fake_checks_data_sources_by_their_function():
    """Terraform checks a data source as it checks a resource: its function's inputs are what counts."""
    function = Function("cloud:index:getZone", {"region": Property(str, required=True)}, {"zone": "z-{region}"})
    package = Package("cloud")
    package.add(function)
    fake = Fake({"cloud": package}, Cloud(), strict=True)
    session = Session("tfplugin6")

    good = fake(Call(op=Op.CHECK, session=session, type=function.token, inputs={"region": "eu"}))
    bad = fake(Call(op=Op.CHECK, session=session, type=function.token, inputs={}))

    assert good.ok
    assert [each.path for each in bad.failures] == ["region"]


@pytest.mark.parametrize("protocol", ["pulumi", "tfplugin6"])
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("value", "kinds", "result"),
    [
        ("a", [], "a"),
        (UNKNOWN, ["unknown"], UNKNOWN),
        ({"in": [UNKNOWN]}, ["unknown"], UNKNOWN),
        (Secret("a"), ["secret"], "a"),
        (Secret(UNKNOWN), ["unknown", "secret"], UNKNOWN),
        (ResourceReference("u", "i"), ["a reference to a resource"], "reference"),
        ([{"in": ResourceReference("u", "i")}], ["a reference to a resource"], "reference"),
        ([Secret(ResourceReference("u", "i"))], ["secret", "a reference to a resource"], "reference"),
    ],
)
def test_what_a_function_must_not_be_given(value, kinds, result, strict, protocol):
    """Pulumi's functions are given nothing unknown, and by a strict fake no secrets or references; Terraform's are."""
    function = Function("cloud:index:f", {"a": "any", "b": "any"}, {"a": "{a}"})
    serve, _ = fake(function, strict=strict)
    reply = serve(call(Op.INVOKE, function.token, session=Session(protocol), inputs={"a": value, "b": "b"}))
    refused = [kind for kind in kinds if protocol == "pulumi" and (strict or kind == "unknown")]

    assert [each.reason for each in reply.failures] == [
        f"the argument 'a' of {function.token} is {kind}, and a function must not be given that" for kind in refused
    ]
    assert {(each.path, each.status) for each in reply.failures} <= {("a", "invalid_argument")}
    if not refused and result != "reference":
        assert reply.value == {"a": result}


@pytest.mark.parametrize(
    ("returns", "inputs", "value"),
    [
        ({"a": "{n}", "b": [{"c": "{s}"}]}, {"s": Secret("x")}, {"a": "2", "b": [{"c": "x"}]}),
        ({}, {}, {}),
        (dict, {"s": Secret("x")}, {"n": 2, "s": "x"}),
        (lambda _: {}, None, {}),
    ],
)
def test_what_a_function_returns(returns, inputs, value):
    """What comes back is made of plain arguments with their defaults, by templates or by a function."""
    serve, _ = fake(Function("cloud:index:f", {"n": Property(int, default=2), "s": str}, returns))

    assert serve(call(Op.INVOKE, "cloud:index:f", inputs=inputs)).value == value
