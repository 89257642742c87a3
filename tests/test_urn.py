"""URNs and provider references."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.errors import MalformedError
from mockprovider.urn import STACK_TYPE, Urn, make, parse_reference, reference

BUCKET = "urn:pulumi:dev::shop::cloud:index:Folder$cloud:s3/bucket:Bucket::logs"
STACK = Urn("dev", "shop", STACK_TYPE, "shop-dev")

parts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=":"), max_size=8)


def test_parse_names_every_part():
    """A URN is taken apart into stack, project, qualified type and name, and the type into its own and its parents'."""
    urn = Urn.parse(BUCKET)
    assert urn == Urn("dev", "shop", "cloud:index:Folder$cloud:s3/bucket:Bucket", "logs")
    assert urn.type == "cloud:s3/bucket:Bucket"
    assert urn.parent_types == ("cloud:index:Folder",)
    assert urn.package == "cloud"


def test_no_parent_type():
    """A resource at the top has no parent types."""
    assert Urn.parse("urn:pulumi:dev::shop::cloud:index:Bucket::logs").parent_types == ()


@pytest.mark.parametrize("name", ["a::b", "::", "a$b", "", "é ü"])
def test_names_hold_anything(name):
    """A name may hold the separator, the type delimiter, nothing, or any letters."""
    assert Urn.parse(f"urn:pulumi:dev::shop::cloud:index:Bucket::{name}").name == name


@given(parts, parts, parts, st.text(max_size=8))
def test_text_round_trips(stack, project, type_, name):
    """The text of a URN parses back to it."""
    urn = Urn(stack, project, type_, name)
    assert Urn.parse(str(urn)) == urn


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is missing"),
        ("arn:aws:s3", "does not start with 'urn:pulumi:'"),
        ("URN:pulumi:a::b::c::d", "does not start with"),
        ("urn:pulumi:dev::shop::cloud:index:Bucket", "has 3 of the 4 parts"),
        ("urn:pulumi:", "has 1 of the 4 parts"),
    ],
)
def test_malformed(text, why):
    """What is no URN is refused with the reason and the expected shape."""
    with pytest.raises(MalformedError, match=why) as caught:
        Urn.parse(text)
    assert "urn:pulumi:<stack>::<project>::<qualified type>::<name>" in str(caught.value)


def test_urns_are_keys():
    """Equal URNs are equal as dictionary keys."""
    assert {Urn.parse(BUCKET): 1}[Urn.parse(BUCKET)] == 1


@pytest.mark.parametrize("parent", [None, "", STACK, str(STACK)])
def test_make_at_the_top(parent):
    """No parent and the stack as a parent contribute nothing to the qualified type."""
    assert str(make("dev", "shop", parent, "cloud:index:Bucket", "logs")) == "urn:pulumi:dev::shop::cloud:index:Bucket::logs"


@pytest.mark.parametrize("as_text", [True, False])
def test_make_below_a_parent(as_text):
    """A parent, as URN or as text, puts its whole qualified type before the type."""
    parent = Urn.parse("urn:pulumi:dev::shop::a:b:C$d:e:F::above")
    made = make("dev", "shop", str(parent) if as_text else parent, "cloud:index:Bucket", "logs")
    assert made.qualified_type == "a:b:C$d:e:F$cloud:index:Bucket"
    assert made.parent_types == ("a:b:C", "d:e:F")


@pytest.mark.parametrize(("stack", "project"), [("a::b", "p"), ("s", "a::b")])
def test_make_refuses_what_would_not_read_back(stack, project):
    """A separator in the stack or the project would make a URN that reads back as another, so it is refused."""
    with pytest.raises(MalformedError, match="which separates the parts of a URN"):
        make(stack, project, None, "cloud:index:Bucket", "logs")


def test_make_takes_any_type():
    """Engines take components of any type, though such a URN reads back as another."""
    assert Urn.parse(str(make("s", "p", None, "prog::myType", "a"))).name == "myType::a"


def test_make_refuses_a_bad_parent():
    """A parent that is no URN is refused as such."""
    with pytest.raises(MalformedError, match="is no URN"):
        make("dev", "shop", "parent", "cloud:index:Bucket", "logs")


@given(parts, st.text(max_size=8), st.text(st.characters(exclude_categories=["Cs"], exclude_characters=":"), max_size=8))
def test_reference_round_trips(project, name, id_):
    """A provider reference is a URN and an id, parted at the last separator, whatever the name holds."""
    urn = Urn("dev", project, "pulumi:providers:cloud", name)
    assert parse_reference(reference(urn, id_)) == (urn, id_)


def test_reference_splits_at_the_last_separator():
    """A name with separators leaves the id what stands after the last one."""
    urn, id_ = parse_reference("urn:pulumi:dev::shop::pulumi:providers:cloud::a::b::04da6b54")
    assert (urn.name, id_) == ("a::b", "04da6b54")


@pytest.mark.parametrize("text", ["", "abc", "urn:pulumi:dev::shop::pulumi:providers:cloud::default", "x::y::z::a::b"])
def test_malformed_reference(text):
    """A reference without an id, or without a URN, is refused with the expected shape."""
    with pytest.raises(MalformedError, match="<name>::<id>"):
        parse_reference(text)
