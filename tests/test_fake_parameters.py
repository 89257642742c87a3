"""Parameterize: what was asked with, what a package becomes by it, and what its schema says of that."""

from __future__ import annotations

import base64

import pytest
from builders import TOKEN, call, told

from mockprovider.calls import Op, Session
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError
from mockprovider.fake import Fake
from mockprovider.fake.parameters import Parameter, Parameterized
from mockprovider.payloads import ParameterArgs, ParameterValue
from mockprovider.schema import Package

TOOLS, MORE = Package("tools", "2.0.0"), Package("more", "3.0.0", extension=True)


def asked(parameters, given, session=None):
    """The reply to Parameterize of a package with these parameters."""
    serve = Fake({"cloud": Package("cloud", "1.2.3", parameters=parameters)}, Cloud(), strict=True)
    return serve(call(Op.PARAMETERIZE, TOKEN, session=session or Session("pulumi"), parameter=given))


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        (ParameterArgs(("tools", "2.0.0")), Parameter(("tools", "2.0.0"), b'["tools", "2.0.0"]')),
        (ParameterArgs(()), Parameter((), b"[]")),
        (None, Parameter((), b"[]")),
        (
            ParameterValue(name="tools", version="2.0.0", value=b'["a", "b"]'),
            Parameter(("a", "b"), b'["a", "b"]', "tools", "2.0.0"),
        ),
        (ParameterValue(), Parameter()),
        (ParameterValue(value=b"\xff"), Parameter((), b"\xff")),
        (ParameterValue(value=b"no json"), Parameter((), b"no json")),
        (ParameterValue(value=b'{"a": 1}'), Parameter((), b'{"a": 1}')),
        (ParameterValue(value=b'["a", 1]'), Parameter((), b'["a", 1]')),
        (ParameterValue(value=b'"text"'), Parameter((), b'"text"')),
    ],
)
def test_what_parameterize_was_asked_with(given, parameter):
    """A package's function is given the words of a command line, or what a schema kept of them, and bytes that others made."""
    seen = []
    asked(lambda parameter: seen.append(parameter) or TOOLS, given)

    assert seen == [parameter]


@pytest.mark.parametrize(
    ("given", "became", "value"),
    [
        (ParameterArgs(("tools", "9")), "tools", b'["tools", "9"]'),
        (ParameterArgs(("other",)), "tools", b'["other"]'),
        (ParameterValue(name="tools"), "tools", b""),
        (ParameterValue(name="tools", value=b'["other"]'), "tools", b'["other"]'),
        (ParameterValue(value=b'["tools"]'), "tools", b'["tools"]'),
        (ParameterArgs(("more",)), "more", b'["more"]'),
    ],
)
def test_what_a_package_becomes(given, became, value):
    """The declared package of the wanted name is taken, else that of the first word; the session remembers it."""
    session = Session("pulumi")
    known = {"tools": TOOLS, "other": TOOLS, "more": MORE}
    reply = asked(known, given, session)

    assert (reply.name, reply.version) == (became, known[became].version)
    made = session.parameterized[became]
    assert (made.package, made.base.name, made.value) == (known[became], "cloud", value)


@pytest.mark.parametrize(
    ("parameters", "given", "reason", "status"),
    [
        (None, None, "The package 'cloud' takes no parameters: Package(..., parameters=...).", "unimplemented"),
        ({"tools": TOOLS}, None, "cannot be parameterized with b'[]'. Declared are: tools.", "invalid_argument"),
        (
            {"tools": TOOLS},
            ParameterArgs(("tolls",)),
            "The package 'cloud' cannot be parameterized with 'tolls'. Did you mean 'tools'?",
            "invalid_argument",
        ),
        ({"tools": TOOLS}, ParameterValue(name="tolls", value=b'["tools"]'), "with 'tolls'.", "invalid_argument"),
        ({"tools": TOOLS}, ParameterValue(value=b"\xff"), "with b'\\xff'.", "invalid_argument"),
        (lambda _: None, ParameterArgs(("a",)), "with 'a'. Its own function said so.", "invalid_argument"),
        (
            lambda _: TOOLS,
            ParameterValue(name="toys"),
            "The parameter is of 'toys', and 'cloud' became 'tools' by it: an engine takes no other.",
            "invalid_argument",
        ),
    ],
)
def test_what_cannot_be(parameters, given, reason, status):
    """A package without parameters, an undeclared name, and a package of another name are refused, each for its reason."""
    session = Session("pulumi")
    said, code = told(asked(parameters, given, session))

    assert reason in said
    assert code == status
    assert session.parameterized == {}


def test_a_function_must_return_a_package():
    """What a function returns that is neither a package nor nothing is an error of the declaration."""
    with pytest.raises(DefinitionError, match="The parameters of 'cloud' made a str; return a Package, or None"):
        asked(lambda _: "tools", None)


@pytest.mark.parametrize(("package", "key"), [(TOOLS, "parameterization"), (MORE, "extensionParameterization")])
def test_what_a_schema_says_of_parameters(package, key):
    """A schema says of which package its own was made, and keeps the parameter as base64."""
    assert Parameterized(package, Package("cloud", "1.2.3"), b"\x00words").schema == {
        key: {"baseProvider": {"name": "cloud", "version": "1.2.3"}, "parameter": base64.b64encode(b"\x00words").decode()}
    }


@pytest.mark.parametrize(
    ("became", "wanted", "package"),
    [
        (None, "", "cloud"),
        (None, "cloud", "cloud"),
        (None, "tools", None),
        (TOOLS, "", "tools"),
        (TOOLS, "tools", "tools"),
        (TOOLS, "toys", None),
        (MORE, "", "cloud"),
        (MORE, "more", "more"),
    ],
)
def test_whose_schema_is_asked_for(became, wanted, package):
    """GetSchema answers with what the package is by now, or with the one inside that is named, and says how it was made."""
    serve, session = Fake({"cloud": Package("cloud")}, Cloud()), Session("pulumi")
    if became is not None:
        session.parameterized[became.name] = Parameterized(became, Package("cloud"), b"x")
    reply = serve(call(Op.GET_SCHEMA, TOKEN, session=session, package=wanted))

    assert reply.ok is (package is not None)
    if package is not None:
        assert reply.described == session.parameterized.get(package, Package("cloud"))
    else:
        has = became.name if became else "cloud"
        assert told(reply) == (f"{has!r} has no package {wanted!r} inside: call Parameterize first.", "invalid_argument")
