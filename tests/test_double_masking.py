"""Masking: no secret is shown or kept, whether it is wrapped or declared, and all else stays."""

from __future__ import annotations

import json

import pytest

from mockprovider import Double, Output, Package, Property, ResourceType, Secret, Stack
from mockprovider.double.artefacts import keep
from mockprovider.double.masking import HIDDEN, mask, mask_state
from mockprovider.schema import Kind, kind_of

TOKEN = "cloud:index:Database"
NESTED = {"user": Property(str), "password": Property(str, secret=True)}
DATABASE = ResourceType(
    TOKEN,
    {
        "name": Property(str),
        "key": Property(str, secret=True),
        "login": Property(NESTED),
        "logins": Property("array"),
        "by": Property(dict[str, str]),
    },
)
CLOUD = Package("cloud", config={"region": Property(str), "apiKey": Property(str, secret=True)})
CLOUD.add(DATABASE)
PACKAGES = {"cloud": CLOUD}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"name": "a"}, {"name": "a"}),
        ({"key": "k"}, {"key": HIDDEN}),
        ({"key": None}, {"key": None}),
        ({"key": Secret("k")}, {"key": HIDDEN}),
        ({"name": Secret("a")}, {"name": HIDDEN}),
        ({"other": [Secret("a"), {"b": Secret("c")}]}, {"other": [HIDDEN, {"b": HIDDEN}]}),
        ({"other": Output("a", secret=True)}, {"other": HIDDEN}),
        ({"other": Output("a")}, {"other": Output("a")}),
        ({"login": {"user": "u", "password": "p"}}, {"login": {"user": "u", "password": HIDDEN}}),
        ({"logins": ["u"], "by": {"a": "b"}}, {"by": {"a": "b"}, "logins": ["u"]}),
    ],
)
def test_an_object(given, shown):
    """Secrets are masked by wrapper and by declaration, at every depth; all else stays, in the order of the names."""
    masked = mask(PACKAGES, TOKEN, given)

    assert masked == shown
    assert list(masked) == sorted(given)


@pytest.mark.parametrize(("name", "collection"), [("array", lambda item: [item]), ("map", lambda item: {"a": item})])
def test_objects_in_collections(name, collection):
    """A declared secret inside the objects of a list or a map is masked."""
    package = Package("cloud")
    package.add(ResourceType(TOKEN, {"all": Property(Kind(name, kind_of(NESTED)))}))
    masked = mask({"cloud": package}, TOKEN, {"all": collection({"password": "p"})})

    assert masked == {"all": collection({"password": HIDDEN})}


@pytest.mark.parametrize("type_", ["", "pulumi:providers:cloud"])
def test_configuration(type_):
    """A provider's configuration is masked by what its package declares."""
    assert mask(PACKAGES, type_, {"region": "x", "apiKey": "k"}) == {"apiKey": HIDDEN, "region": "x"}


@pytest.mark.parametrize("type_", ["pulumi:providers:other", "other:index:Thing", "cloud:index:Thing"])
def test_what_nobody_declared(type_):
    """Where nothing is declared, the wrapper alone says what is secret."""
    assert mask(PACKAGES, type_, {"apiKey": "k", "key": Secret("s")}) == {"apiKey": "k", "key": HIDDEN}


def test_a_state():
    """The plain text of an exported state's secrets goes, and the rest stays."""
    state = {"resources": [{"inputs": {"a": {"plaintext": '"k"'}, "b": 1}}]}

    assert mask_state(state) == {"resources": [{"inputs": {"a": {"plaintext": HIDDEN}, "b": 1}}]}


def test_nothing_that_is_kept_has_a_secret(tmp_path):
    """None of the files that are kept of a run holds a declared secret, not even as the program sent it."""
    import pulumi  # noqa: PLC0415 - half a second that the other tests need not wait for

    def program():
        options = pulumi.ResourceOptions(provider=Provider("mine", apiKey="hunter-three"))
        Thing(TOKEN, "db", {"name": "a", "key": "hunter-two", "login": {"user": "u", "password": "hunter-four"}}, options)

    class Thing(pulumi.CustomResource):
        pass

    class Provider(pulumi.ProviderResource):
        def __init__(self, name, **config):
            super().__init__("cloud", name, config)

    double = Double(CLOUD)
    stack = Stack(double)
    stack.up(program)
    names = keep(tmp_path, double, stack)

    assert names == ["cloud.json", "events.json", "journal.json", "state.json"]
    assert json.loads((tmp_path / "cloud.json").read_text())[0]["properties"]["name"] == "a"
    assert "hunter" not in "".join((tmp_path / name).read_text() for name in names)
