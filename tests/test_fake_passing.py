"""What leaves nothing behind: provider functions, and ephemeral resources."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import BUCKET, call, fake, told

from mockprovider.calls import Failure, Op, Session
from mockprovider.cloud import Cloud, Effect, digest
from mockprovider.fake import Fake
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Package, Property
from mockprovider.values import Secret

TOKEN = Ephemeral(
    "cloud:index:Token",
    {"user": Property(str, required=True), "scope": Property(str, default="all")},
    {"secret": "{user}-{scope}-{id}", "ttl": 60},
    renew_after=30,
)


def offering(*offers: ProviderFunction | Ephemeral) -> tuple[Fake, Cloud]:
    package, cloud = Package("cloud"), Cloud()
    package.add(*offers)
    return Fake({"cloud": package}, cloud), cloud


def test_a_function_is_given_its_arguments_in_order() -> None:
    """The implementation is called with the fixed arguments and then with the rest; a failure it returns is one."""
    join = ProviderFunction(
        "cloud:index:join",
        {"separator": Property(str), "parts": Property(str)},
        variadic="parts",
        implementation=lambda separator, *parts: separator.join(parts) if separator else Failure("empty", "separator"),
    )
    provider, _ = offering(join)
    assert provider(call(Op.FUNCTION, join.token, inputs={"separator": "-", "parts": ["a", "b"]})).value == {"result": "a-b"}
    assert provider(call(Op.FUNCTION, join.token, inputs={"separator": ""})).failures == (Failure("empty", "separator"),)


def test_a_functions_arguments_are_checked() -> None:
    """An argument that its declaration does not allow is a failure at the parameter; a null is the function's own business."""
    pick = ProviderFunction(
        "cloud:index:pick",
        {"size": Property(str, enum=("s", "l"))},
        nullable=("size",),
        implementation=lambda size: size or "none",
    )
    provider, _ = offering(pick)
    (failure,) = provider(call(Op.FUNCTION, pick.token, inputs={"size": "m"})).failures
    assert (failure.path, "expected one of" in failure.reason) == ("size", True)
    assert provider(call(Op.FUNCTION, pick.token, inputs={"size": None})).value == {"result": "none"}


def test_an_unknown_function_is_a_failure() -> None:
    """A function that nobody declared is refused."""
    provider, _ = offering(TOKEN)
    assert not provider(call(Op.FUNCTION, "cloud:index:nothing")).ok
    assert not provider(call(Op.OPEN, "cloud:index:nothing")).ok


def test_an_ephemeral_resource_is_in_the_cloud_while_it_is_open() -> None:
    """Opening makes an object, renewing is seen in the log, closing removes it, and its answer is made of inputs and id."""
    provider, cloud = offering(TOKEN)
    opened = provider(call(Op.OPEN, TOKEN.token, inputs={"user": "me"}))
    (there,) = cloud.objects(TOKEN.token)
    assert opened.value == {"secret": f"me-all-{there.id}", "ttl": 60}
    assert (opened.private, opened.renew_after) == (there.id.encode(), 30)
    renewed = provider(call(Op.RENEW, TOKEN.token, private=opened.private))
    assert (renewed.private, renewed.renew_after) == (opened.private, 30)
    assert provider(call(Op.CLOSE, TOKEN.token, private=opened.private)).ok
    assert [each.effect for each in cloud.events] == [Effect.CREATED, Effect.UPDATED, Effect.DELETED]


def test_what_is_not_open_is_neither_renewed_nor_closed() -> None:
    """A renewal or an end of what is not open says so."""
    provider, _ = offering(TOKEN)
    for op in (Op.RENEW, Op.CLOSE):
        (failure,) = provider(call(op, TOKEN.token, private=b"x")).failures
        assert failure.status == "not_found"


def test_an_ephemeral_resources_arguments_are_checked() -> None:
    """What is required and missing is a failure when it is checked, and when it is opened."""
    provider, cloud = offering(TOKEN)
    for op in (Op.CHECK, Op.OPEN):
        (failure,) = provider(call(op, TOKEN.token, inputs={})).failures
        assert failure.path == "user"
    assert cloud.objects() == []


def test_a_callable_answers_as_a_whole() -> None:
    """A Python function's answer is the result, whatever its names."""
    provider, _ = offering(Ephemeral("cloud:index:Token", {"user": str}, lambda given: {"for": given["user"]}))  # type: ignore[dict-item]
    assert provider(call(Op.OPEN, TOKEN.token, inputs={"user": "me"})).value == {"result": {"for": "me"}}


def test_properties_that_exclude_each_other() -> None:
    """Of two that conflict only one may be set, in resources as in the provider's configuration."""
    provider, _ = fake(BUCKET, config={"key": Property(str, conflicts_with=("role",)), "role": Property(str)})
    session = Session("pulumi")
    checked = call(Op.CHECK_CONFIG, "pulumi:providers:cloud", session=session, inputs={"key": "a", "role": "b"})
    assert [(each.path, each.reason) for each in provider(checked).failures] == [
        ("key", "'key' and 'role' cannot both be set: drop one of them")
    ]


def listed(*arguments: Any) -> list[Any]:
    """What a function was called with."""
    return list(arguments)


@pytest.mark.parametrize(
    ("variadic", "inputs", "result"),
    [
        ("", {"a": 1, "b": 2}, [1, 2]),
        ("", {"b": 2, "a": 1}, [1, 2]),
        ("", {"a": None, "b": 2}, [None, 2]),
        ("", {"b": 2}, [None, 2]),
        ("", {}, [None, None]),
        ("", None, [None, None]),
        ("b", {"a": 1, "b": [2, 3]}, [1, 2, 3]),
        ("b", {"a": 1, "b": []}, [1]),
        ("b", {"a": 1}, [1]),
        # What is variadic is a list, and each of its elements is checked where it comes from.
        ("b", {"a": 1, "b": ["x"]}, [1, "x"]),
    ],
)
def test_what_a_function_is_called_with(variadic: str, inputs: dict[str, Any] | None, result: list[Any]) -> None:
    """Arguments come in the order of the declaration, the variadic ones last; a null, or what is missing, is ``None``."""
    function = ProviderFunction("cloud:index:f", {"a": int, "b": int}, variadic=variadic, implementation=listed)
    provider, _ = offering(function)

    assert provider(call(Op.FUNCTION, function.token, inputs=inputs)).value == {"result": result}


@pytest.mark.parametrize(
    ("returns", "value"),
    [
        (
            {"a": "{user}-{n}", "b": ["{id}", {"c": "{user}"}], "d": 7, "e": None},
            {"a": "me-1", "b": ["ID", {"c": "me"}], "d": 7, "e": None},
        ),
        ({}, {}),
        (lambda given: {"all": sorted(given), "n": given["n"]}, {"result": {"all": ["id", "n", "user"], "n": 1}}),
    ],
)
def test_what_an_ephemeral_resource_answers(returns: Any, value: dict[str, Any]) -> None:
    """The answer is made of the plain inputs that are set, their defaults, and the id, at every depth; all of it is kept."""
    declared = Ephemeral("cloud:index:Token", {"user": str, "n": Property(int, default=1), "more": str}, returns)
    provider, cloud = offering(declared)
    opened = provider(call(Op.OPEN, declared.token, inputs={"user": Secret("me"), "more": None}))
    expected = json.loads(json.dumps(value).replace("ID", opened.id))

    assert opened.id == Cloud().new_hash(digest(declared.token, ["n", "user"]))
    assert (opened.value, opened.private, opened.renew_after) == (expected, opened.id.encode(), None)
    assert cloud.objects() == [{"user": "me", "n": 1, **expected}]


def test_what_is_open_under_other_names() -> None:
    """Only what is declared is renewed, only under its own bytes, and it is the same afterwards."""
    provider, cloud = offering(TOKEN)
    cloud.create("cloud:index:Else", "e-1", {})
    opened = provider(call(Op.OPEN, TOKEN.token, inputs={"user": "me"}))
    (before,) = cloud.objects(TOKEN.token)

    assert told(provider(call(Op.RENEW, "cloud:index:Else", private=b"e-1"))) == (
        "There is nothing to renew: no cloud:index:Else is open under b'e-1'.",
        "not_found",
    )
    for op, what in ((Op.RENEW, "renew"), (Op.CLOSE, "close")):
        assert told(provider(call(op, TOKEN.token, private=b"\xff"))) == (
            f"There is nothing to {what}: no {TOKEN.token} is open under b'\\xff'.",
            "not_found",
        )
    assert provider(call(Op.RENEW, TOKEN.token, private=opened.private)).id == opened.id
    assert cloud.objects(TOKEN.token) == [before]


@pytest.mark.parametrize("op", [Op.FUNCTION, Op.OPEN])
def test_what_nobody_declared_says_what_is(op: Op) -> None:
    """A function or an ephemeral resource that nobody declared is an argument that is wrong."""
    provider, _ = offering(TOKEN)
    reason, status = told(provider(call(op, "cloud:index:nothing")))

    assert reason.startswith("Nobody declared the function 'cloud:index:nothing'.")
    assert status == "invalid_argument"
