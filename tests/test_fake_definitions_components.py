"""Components and methods in types files."""

from __future__ import annotations

import pytest
from types_files import file

from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions import dump, load
from mockprovider.schema import Child, Component, Method, Package, Property

SITE = "cloud:index:Site"


def site(**changes):
    """A types file with a component, changed."""
    children = {"logs": {"type": "cloud:index:Bucket", "properties": {"name": "{domain}-logs"}}}
    outputs = {"arn": {"computed": "{logs.arn}"}}
    return file(components={SITE: {"inputs": {"domain": "string"}, "outputs": outputs, "children": children, **changes}})


def test_what_is_declared_as_data_is_read_and_written_again():
    """A component and a method come back from a types file as they went in."""
    package = Package("cloud")
    package.add(
        Component(
            SITE,
            {"domain": Property(str, required=True)},
            {"arn": Property(str, computed="{logs.arn}")},
            {"logs": Child("cloud:index:Bucket", {"name": "{domain}-{name}"}, "{name}-x"), "more": Child("cloud:index:Bucket")},
            description="Two buckets.",
        ),
        Method(f"{SITE}/describe", {"greeting": str}, {"text": "{greeting} {self.url}"}),
    )
    written = dump([package])
    (found,) = load(written)
    assert found.components[SITE].children == package.components[SITE].children
    assert found.methods.keys() == package.methods.keys()
    assert dump([found]) == written


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            site(outputs={"arn": {"computed": "{lags.arn}"}}),
            r"arn\.computed: the template '\{lags\.arn\}' asks for 'lags\.arn'",
        ),
        (
            site(children={"a": {"type": "x:y:Z", "properties": {"n": ["{b.arn}"]}}, "b": {"type": "x:y:Z"}}),
            r"asks for 'b\.arn'",
        ),
        (site(children={"a": {"properties": {}}}), "the key 'type' is missing"),
        (file(methods={SITE: {}}), "is no method's token"),
        (file(methods={f"{SITE}/x": {"returns": {"a": "{other.url}"}}}), r"asks for 'other\.url'"),
        (file(components={"other:index:Site": {}}), "does not belong to the package 'cloud'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(source, said):
    """A template that asks for what is not there (yet), a missing key or a wrong token is refused with its place."""
    with pytest.raises(DefinitionError, match=said):
        load(source)


@pytest.mark.parametrize("declared", [Component(SITE, construct=lambda _: None), Method(f"{SITE}/x", {}, lambda _: {})])
def test_functions_are_no_data(declared):
    """What a Python function does cannot be written into a types file."""
    package = Package("cloud")
    package.add(declared)
    with pytest.raises(DefinitionError, match="data cannot hold"):
        dump([package])
