"""Provider functions and ephemeral resources as their users declare them."""

from __future__ import annotations

import pytest

from mockprovider.double import Double
from mockprovider.errors import DefinitionError
from mockprovider.offers import Ephemeral, ProviderFunction, ephemerals, provider_functions
from mockprovider.schema import Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits


def test_names_in_terraform_follow_the_rule() -> None:
    """A function is its member in snake case, an ephemeral resource is named as a type is; terraform= overrides both."""
    assert ProviderFunction("cloud:net:joinAll").terraform == "join_all"
    assert ProviderFunction("cloud:net:joinAll", terraform="j").terraform == "j"
    assert Ephemeral("cloud:net:AccessToken").terraform == "cloud_net_access_token"
    assert ProviderFunction("cloud:net:f", {"firstOne": str, "b": Property(str, terraform="second")}).names() == {
        "firstOne": "first_one",
        "b": "second",
    }


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ProviderFunction("join"), "is no token of a function"),
        (lambda: Ephemeral("token"), "is no token of a ephemeral resource"),
        (lambda: ProviderFunction("c:i:f", {"a": str}, variadic="b"), "there is no parameter 'b'. It has a."),
        (lambda: ProviderFunction("c:i:f", nullable=("a",)), "there is no parameter 'a'. It has none."),
        (lambda: ProviderFunction("c:i:f", {"a": str, "b": str}, variadic="a"), "so it must come last"),
        (
            lambda: ResourceType("c:i:T", {"a": str}, traits=[ResourceTraits(identity=("b",))]),
            "the identity has 'b', which is no property",
        ),
        (lambda: Property(str, write_only=True, default="x"), "no default and no computed value"),
        (lambda: Property(str, write_only=True, computed=True), "no default and no computed value"),
    ],
)
def test_what_cannot_be_is_refused(make: object, told: str) -> None:
    """A definition that cannot be served is an error that says why, where it is written."""
    with pytest.raises(DefinitionError, match=told):
        make()  # type: ignore[operator]


def test_a_package_tells_its_offers_apart() -> None:
    """A package holds both kinds by token, and shows each by its names."""
    join, token = ProviderFunction("cloud:index:join"), Ephemeral("cloud:index:Token")
    package = Package("cloud")
    package.add(join, token)
    assert (provider_functions(package), ephemerals(package)) == ({"join": join}, {"cloud_token": token})


def test_a_double_serves_them() -> None:
    """A double takes offers as it takes resource types."""
    with Double(ProviderFunction("cloud:index:join")) as double:
        assert list(double.packages["cloud"].offers) == ["cloud:index:join"]


def test_what_is_written_only_is_secret() -> None:
    """A write-only property is kept out of sight wherever it does show."""
    assert Property(str, write_only=True).secret
