"""What leaves nothing behind: provider functions, and ephemeral resources."""

from __future__ import annotations

from builders import BUCKET, call, fake

from mockprovider.calls import Failure, Op, Session
from mockprovider.cloud import Cloud, Effect
from mockprovider.fake import Fake
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Package, Property

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
