"""Former types: how they are named, whose they are, and what becomes of an object's properties."""

from __future__ import annotations

import pytest
from builders import call, fake, told

from mockprovider.calls import Op
from mockprovider.fake.moving import Former, formers, properties_after
from mockprovider.payloads import StoredState
from mockprovider.schema import Kind, Property, ResourceType, kind_of
from mockprovider.values import Secret


def convert(old):
    """Hand the attributes on as they are."""
    return old


@pytest.mark.parametrize(
    ("moved_from", "expected"),
    [
        ((), []),
        (("cloud_old", "cloud:index:Old"), [Former("cloud_old"), Former("cloud:index:Old")]),
        (("cloud:storage/bucket:Old",), [Former("cloud:storage/bucket:Old")]),
        (("acme/cloud/cloud_old",), [Former("cloud_old", "acme/cloud")]),
        (("host/acme/cloud/cloud_old",), [Former("cloud_old", "host/acme/cloud")]),
        (
            {"acme/cloud_old": convert, "cloud_older": convert},
            [Former("cloud_old", "acme", convert), Former("cloud_older", "", convert)],
        ),
    ],
)
def test_what_moved_from_says(moved_from, expected):
    """A former type is a token, or a Terraform name with its provider's address in front; a mapping says what converts it."""
    assert list(formers(ResourceType("cloud:index:New", moved_from=moved_from))) == expected


@pytest.mark.parametrize(
    ("type_", "named"),
    [
        ("cloud:index:Known", "cloud_other"),
        ("cloud:index:LogBucket", "cloud_log_bucket"),
        ("cloud_log", "cloud_log"),
    ],
)
def test_terraform_s_name_of_a_former_type(type_, named):
    """A token is what its type is called, or would be by the rule; a name stays one."""
    known = ResourceType("cloud:index:Known", terraform="cloud_other")

    assert Former(type_).named({known.token: known}) == named


@pytest.mark.parametrize(
    ("provider", "address", "taken"),
    [
        ("", "registry.example/acme/cloud", True),
        ("acme/cloud", "registry.example/acme/cloud", True),
        ("cloud", "registry.example/acme/cloud", True),
        ("registry.example/acme/cloud", "registry.example/acme/cloud", True),
        ("acme/cloud", "acme/cloud", True),
        ("acme/cloud", "registry.example/base/cloud", False),
        ("loud", "registry.example/acme/cloud", False),
        ("acme", "registry.example/acme/cloud", False),
    ],
)
def test_whose_a_former_type_is(provider, address, taken):
    """A former type is of any provider, or of one whose address ends in what was declared, by whole parts."""
    assert Former("cloud_old", provider).of_provider(address) is taken


INNER = kind_of({"diskSize": int, "note": Property(terraform="remark")})
OLD = ResourceType(
    "cloud:index:Old",
    {
        "fullName": str,
        "tag": Property(terraform="label"),
        "disk": Property(INNER),
        "disks": Property(Kind("array", items=INNER)),
        "byName": Property(Kind("map", items=INNER)),
        "plain": Property(dict[str, str]),
        "any": "any",
    },
)
NULLS = dict.fromkeys(("full_name", "label", "disk", "disks", "by_name", "plain", "any"))


@pytest.mark.parametrize(
    ("found", "attributes"),
    [
        ({}, {}),
        ({"fullName": "n", "tag": "t"}, {"full_name": "n", "label": "t"}),
        ({"disk": {"diskSize": 5, "note": "n"}}, {"disk": {"disk_size": 5, "remark": "n"}}),
        ({"disk": {"diskSize": 5}}, {"disk": {"disk_size": 5, "remark": None}}),
        ({"disk": "no object"}, {"disk": "no object"}),
        ({"disks": [{"diskSize": 5, "note": "n"}]}, {"disks": [{"disk_size": 5, "remark": "n"}]}),
        ({"disks": "no list"}, {"disks": "no list"}),
        ({"byName": {"aB": {"diskSize": 5, "note": "n"}}}, {"by_name": {"aB": {"disk_size": 5, "remark": "n"}}}),
        ({"plain": {"aB": "x"}}, {"plain": {"aB": "x"}}),
        ({"any": {"aB": [{"cD": 1}]}}, {"any": {"aB": [{"cD": 1}]}}),
    ],
)
def test_there_and_back(found, attributes):
    """At every depth properties become attributes by their names in Terraform, and attributes properties again."""
    seen = []
    again = properties_after(OLD, OLD, lambda raw: seen.append(raw) or raw, "o-1", found)

    assert seen == [{"id": "o-1", **NULLS, **attributes}]
    assert again == found


def test_what_converts_is_given_plain_attributes():
    """A function that converts sees what its type declares, without secrets' wrappers."""
    seen = []
    found = {"fullName": Secret("n"), "disks": ({"diskSize": 5, "note": "n"},), "undeclared": 1}
    properties_after(OLD, OLD, lambda raw: seen.append(raw) or raw, "o-1", found)

    assert seen == [{"id": "o-1", **NULLS, "full_name": "n", "disks": [{"disk_size": 5, "remark": "n"}]}]


def test_of_what_is_converted_the_new_type_takes_its_own():
    """The new type has what it declares of the attributes that the function returns, and nothing of the id."""
    new = ResourceType("cloud:index:New", {"name": str, "zone": str})

    assert properties_after(
        new, OLD, lambda raw: {**raw, "name": raw["full_name"], "zone": None}, "o-1", {"fullName": "n"}
    ) == {"name": "n"}


NEW = ResourceType("cloud:index:New", {"name": str}, moved_from={"acme/cloud/cloud_old": lambda old: {"name": old["n"], **old}})
OLDER, WHERE = "cloud_old", "host/acme/cloud"


@pytest.mark.parametrize(
    ("attributes", "provider", "value", "stored", "id_"),
    [
        ({"n": "a", "id": "o-2"}, WHERE, None, {"name": "a", "n": "a", "id": "o-2"}, "o-2"),
        ({"n": "a"}, WHERE, None, {"name": "a", "n": "a"}, "o-1"),
        ({"n": "a", "id": ""}, WHERE, None, {"name": "a", "n": "a", "id": ""}, "o-1"),
        ("text", WHERE, {"name": "p"}, None, "o-1"),
        (None, WHERE, {"name": "p"}, None, "o-1"),
    ],
)
def test_moves(attributes, provider, value, stored, id_):
    """A moved state is converted where it came as attributes, else handed back as it is; its id is the attributes', if any."""
    serve, _ = fake(NEW)
    moved = StoredState(attributes, type=OLDER, provider=provider)
    reply = serve(call(Op.MOVE, NEW.token, id="o-1", prior={"name": "p"}, private=b"p", stored=moved))

    assert (reply.value, reply.stored, reply.id, reply.private) == (value, stored, id_, b"p")


@pytest.mark.parametrize(
    ("type_", "stored", "reason"),
    [
        (
            NEW.token,
            StoredState(type="cloud_x", provider=WHERE),
            "An object of cloud_x cannot become one of cloud_new. "
            "Declare it: ResourceType('cloud:index:New', ..., moved_from=('cloud_x',)).",
        ),
        (
            NEW.token,
            StoredState(type=OLDER, provider="host/base/cloud"),
            "An object of cloud_old cannot become one of cloud_new. This one is of the provider host/base/cloud, "
            "and moved_from wants one of acme/cloud.",
        ),
        (NEW.token, None, "An object of  cannot become one of cloud_new."),
        ("cloud:index:Nothing", StoredState(type=OLDER), "Nobody declared the resource type 'cloud:index:Nothing'."),
    ],
)
def test_moves_that_are_refused(type_, stored, reason):
    """A move to or from what was not declared, or from another provider, says what to declare."""
    serve, _ = fake(NEW, strict=True)
    said, status = told(serve(call(Op.MOVE, type_, stored=stored)))

    assert said.startswith(reason)
    assert status == "invalid_argument"


@pytest.mark.parametrize(
    ("identity", "id_", "found"),
    [
        ({"name": "a"}, "", "o-1"),
        ({"name": Secret("a")}, "", "o-1"),
        ({"name": "a", "zone": "z"}, "", "o-1"),
        ({"name": "a", "zone": "y"}, "", "o-3"),
        ({"name": "c"}, "", ""),
        ({"id": "o-2"}, "", "o-2"),
        ({"id": "o-2", "name": "a"}, "", ""),
        ({"name": "a"}, "o-2", "o-2"),
        (None, "", ""),
        (None, "o-2", "o-2"),
        ({}, "", "o-1"),
    ],
)
def test_what_is_imported(identity, id_, found):
    """An import is of the id, or else of the first object of its type whose properties are all those of the identity."""
    serve, cloud = fake(ResourceType("cloud:index:New", {"name": str, "zone": str}))
    cloud.create("cloud:index:Other", "o-0", {"name": "a"})
    cloud.create("cloud:index:New", "o-1", {"name": "a", "zone": "z"})
    cloud.create("cloud:index:New", "o-2", {"name": "b", "zone": "z"})
    cloud.create("cloud:index:New", "o-3", {"name": "a", "zone": "y"})
    reply = serve(call(Op.IMPORT, "cloud:index:New", id=id_, identity=identity))

    assert (reply.id, reply.ok, reply.value is None) == (found, True, not found)
