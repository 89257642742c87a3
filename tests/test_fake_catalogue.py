"""What is declared, as a call finds it: its package, its type, and the object that may live under a former type."""

from __future__ import annotations

import pytest
from builders import call, package, told

from mockprovider.calls import Op, Session
from mockprovider.cloud import Cloud
from mockprovider.errors import MalformedError
from mockprovider.fake.catalogue import Catalogue, nearest
from mockprovider.fake.moving import CONVERTED
from mockprovider.fake.parameters import Parameterized
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Function, Package, Property, ResourceType

BUCKET, ZONE = ResourceType("cloud:index:Bucket", {"acl": str}), Function("cloud:index:getZone")
JOIN = ProviderFunction("cloud:index:join", implementation=lambda: "")
SECRET = Ephemeral("cloud:index:Secret")
THING = ResourceType("tools:index:Thing")


def catalogue(*, strict=True):
    """A catalogue of a package with one of everything, and of an empty one."""
    cloud = package(BUCKET, ZONE)
    cloud.add(JOIN, SECRET)
    return Catalogue({"cloud": cloud, "other": Package("other")}, strict=strict)


def became(session, *names, extension=False):
    """Let the session's package become others, the last one last."""
    for name in names:
        tools = package(ResourceType(f"{name}:index:Thing"), name=name)
        tools.extension = extension
        session.parameterized[name] = Parameterized(tools, Package("cloud"), b"")
    return session


@pytest.mark.parametrize(
    ("type_", "schema", "expected"),
    [
        ("cloud:index:Bucket", None, "cloud"),
        ("other:index:X", None, "other"),
        ("pulumi:providers:other", None, "other"),
        ("pulumi:providers:nobody", None, "cloud"),
        ("nobody:index:X", None, "cloud"),
        ("", None, "cloud"),
        ("cloud:index:Bucket", Package("mine"), "mine"),
        ("other:index:X", {"provider": "a schema of another kind"}, "other"),
    ],
)
def test_the_package_of_a_call(type_, schema, expected):
    """A call is for its session's package, else for that of its type or provider, else for the first."""
    session = Session("pulumi")
    session.schema = schema
    asked = call(Op.CHECK, type_, session=session)

    assert catalogue().package(asked).name == catalogue().base(asked).name == expected


def test_without_packages_there_is_one_by_default():
    """A catalogue of nothing has a package all the same, which is empty."""
    assert Catalogue({}, strict=True).package(call(Op.CHECK)) == Package("mock")


def test_what_parameters_made_is_the_package():
    """What the session's package became last is what a call is for; an extension stands beside it."""
    session = became(Session("pulumi"), "tools", "toys")
    asked = call(Op.CHECK, "toys:index:Thing", session=session)

    assert (catalogue().package(asked).name, catalogue().base(asked).name) == ("toys", "cloud")
    assert catalogue().type(asked).token == "toys:index:Thing"
    assert catalogue().parameterized(asked).package.name == "toys"
    assert catalogue().parameterized(asked, "tools").package.name == "tools"
    assert catalogue().parameterized(asked, "cloud") is None
    beside = call(Op.CHECK, "more:index:Thing", session=became(Session("pulumi"), "more", extension=True))
    assert catalogue().package(beside).name == "cloud"
    assert catalogue().type(beside).token == "more:index:Thing"
    assert catalogue().parameterized(beside) is None


@pytest.mark.parametrize(
    ("token", "found"),
    [
        (BUCKET.token, ["type"]),
        (ZONE.token, ["function"]),
        (JOIN.token, ["provider_function"]),
        (SECRET.token, ["ephemeral"]),
        ("cloud:index:Nothing", []),
        ("nobody:index:Bucket", []),
    ],
)
def test_what_a_token_names(token, found):
    """A token names one thing of its package, of one sort, or nothing."""
    asked = call(Op.CHECK, token)
    sorts = {name: getattr(catalogue(), name)(asked) for name in ("type", "function", "provider_function", "ephemeral")}

    assert [name for name, item in sorts.items() if item is not None] == found
    assert all(item.token == token for item in sorts.values() if item is not None)


@pytest.mark.parametrize(
    ("bags", "names"),
    [
        ({}, []),
        ({"inputs": {"a": 1}, "prior": {"b": 1}, "prior_inputs": {"c": 1}}, ["a", "b", "c"]),
        ({"inputs": {"a": 1, "__defaults": []}, "prior": {}, "prior_inputs": None}, ["a"]),
    ],
)
def test_a_type_that_nobody_declared(bags, names):
    """Unless it is strict a catalogue makes the type up, with the properties that the call names."""
    asked = call(Op.CHECK, "cloud:index:Else", **bags)
    made = catalogue(strict=False).type(asked)

    assert catalogue().type(asked) is None
    assert (made.token, sorted(made.properties)) == ("cloud:index:Else", names)
    assert {item.kind.name for item in made.properties.values()} <= {"any"}


@pytest.mark.parametrize("strict", [True, False])
def test_a_call_without_a_type(strict):
    """A call about a resource that names no type is malformed, strict or not."""
    with pytest.raises(MalformedError, match="names no resource type: set 'type', or a 'urn' that holds one"):
        catalogue(strict=strict).type(call(Op.CHECK, ""))


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ([], " Nothing is declared at all: provider.define(...) does."),
        (["cloud:index:Bucket"], " Did you mean 'cloud:index:Bucket'?"),
        # Little of a name needs to be alike.
        (["xxxxxxxxxBucket"], " Did you mean 'xxxxxxxxxBucket'?"),
        (["1234"], " Declared are: 1234."),
    ],
)
def test_what_is_said_to_be_nearest(known, said):
    """Who asks for what is not declared is told what is nearest, or what there is."""
    assert nearest("cloud:index:Buckt", known) == said


def test_what_nobody_declared_is_told_among_its_own():
    """The types and functions of parameterized packages count among those that are declared, each for its own sort."""
    session = became(Session("pulumi"), "tools")
    reason, status = told(catalogue().unknown_type(call(Op.CHECK, "tools:index:Thin", session=session)))
    assert (reason, status) == (
        "Nobody declared the resource type 'tools:index:Thin'. Did you mean 'tools:index:Thing'?",
        "invalid_argument",
    )
    reason, status = told(catalogue().unknown_function(call(Op.INVOKE, "cloud:index:Buckets")))
    assert reason.startswith("Nobody declared the function 'cloud:index:Buckets'.")
    assert "Bucket'?" not in reason
    assert status == "invalid_argument"


# Former types ----------------------------------------------------------------------------------------------------------

OLD = ResourceType("cloud:index:Old", {"name": Property(), "gone": Property()})
RENAMED = ResourceType("cloud:index:Renamed", {"name": Property()}, terraform="cloud_other")
NEW = ResourceType(
    "cloud:index:New",
    {"name": Property(), "arn": Property(computed="a")},
    moved_from=("cloud_old", "cloud:index:Renamed", "cloud:index:Undeclared", "cloud_nowhere"),
)


@pytest.mark.parametrize(
    ("there", "id_", "home"),
    [
        ([], "o-1", NEW.token),
        ([OLD.token], "o-1", OLD.token),
        ([OLD.token], "o-2", NEW.token),
        ([RENAMED.token], "o-1", RENAMED.token),
        (["cloud:index:Undeclared"], "o-1", "cloud:index:Undeclared"),
        (["cloud:index:Strange"], "o-1", NEW.token),
        ([OLD.token, NEW.token], "o-1", NEW.token),
        ([OLD.token, RENAMED.token], "o-1", RENAMED.token),
    ],
)
def test_where_an_object_lives(there, id_, home):
    """An object lives under its own type, else under the first former type that has its id, those named by token first."""
    cloud, declared = Cloud(), package(OLD, RENAMED, NEW)
    for token in there:
        cloud.create(token, "o-1", {"name": "a", "gone": "b"})
    asked = call(Op.READ, NEW.token, id=id_)
    found = Catalogue({"cloud": declared}, strict=True)

    assert found.home(asked, cloud) == home
    here = found.resident(asked, cloud)
    assert (here is None) is (not cloud.read(home, id_))
    if here is not None:
        assert (here.type, here.id, dict(here)) == (
            (NEW.token, id_, {"name": "a", "gone": "b"} if home == NEW.token else {"name": "a"})
        )


@pytest.mark.parametrize("token", [OLD.token, "cloud:index:Else", "nobody:index:New"])
def test_what_was_never_moved_lives_under_its_type(token):
    """A type without former ones, or that nobody declared, has its objects under its own token."""
    cloud = Cloud()
    cloud.create(NEW.token, "o-1", {})

    assert Catalogue({"cloud": package(OLD, NEW)}, strict=True).home(call(Op.READ, token, id="o-1"), cloud) == token


@pytest.mark.parametrize(("noted", "shown"), [(None, {"name": "A"}), (True, {"name": "a"})])
def test_a_resident_is_converted_until_it_was_changed(noted, shown):
    """What a former type's function makes of an object is shown until the object was changed under its new type."""
    declared = ResourceType(NEW.token, {"name": Property()}, moved_from={OLD.token: lambda old: {"name": old["name"].upper()}})
    cloud = Cloud()
    cloud.create(OLD.token, "o-1", {"name": "a", "gone": "b"})
    if noted:
        cloud.note(OLD.token, "o-1", CONVERTED, noted)

    assert (
        Catalogue({"cloud": package(OLD, declared)}, strict=True).resident(call(Op.READ, NEW.token, id="o-1"), cloud) == shown
    )


@pytest.mark.parametrize(
    ("name", "provider", "found"),
    [
        ("cloud_old", None, "cloud_old"),
        ("cloud_old", "host/any/one", "cloud_old"),
        ("cloud_other", None, "cloud:index:Renamed"),
        ("cloud_renamed", None, None),
        ("cloud_undeclared", None, "cloud:index:Undeclared"),
        ("cloud_strange", None, None),
        ("two", "host/acme/cloud", "first"),
        ("two", "host/base/cloud", "second"),
        ("two", "host/none/cloud", None),
        ("two", None, "first"),
    ],
)
def test_what_a_type_says_of_a_former_one(name, provider, found):
    """A former type is found by Terraform's name for it, and by its provider where that is told and declared."""
    moved = {"acme/cloud/two": lambda _: {"is": "first"}, "base/cloud/two": lambda _: {"is": "second"}}
    several = ResourceType("cloud:index:Several", moved_from=moved)
    declared = several if name == "two" else NEW
    former = Catalogue({"cloud": package(OLD, RENAMED, NEW)}, strict=True).former(declared, name, provider)

    assert (former and (former.convert({})["is"] if former.convert else former.type)) == found
