"""List: what is asked for, in pages that lead from one to the next."""

from __future__ import annotations

import pytest
from builders import TOKEN, bucket, call, fake, told

from mockprovider.calls import Op
from mockprovider.payloads import ListComputed, ListContinues, ListedObject
from mockprovider.schema import Property
from mockprovider.values import UNKNOWN, Secret

THERE = {
    "b-2": {"name": "two", "acl": "x"},
    "b-1": {"name": "one", "acl": "x"},
    "b-4": {"acl": "y"},
    "b-3": {"name": 3, "acl": "x"},
}


def listing(inputs=None, *, strict=True, type_=TOKEN, **asked):
    """The reply to List in a cloud of four buckets, which were made in another order, and of something else."""
    serve, cloud = fake(bucket(name=Property("any")), strict=strict)
    cloud.create("cloud:index:Other", "b-0", {"acl": "x"})
    for id_, properties in THERE.items():
        cloud.create(TOKEN, id_, properties)
    return serve(call(Op.LIST, type_, inputs=inputs, **asked))


def shown(reply):
    """The ids that a reply lists, and the token of the next page."""
    listed = [*reply.listed]
    token = listed.pop().continuation_token if listed and isinstance(listed[-1], ListContinues) else None
    return [each.id for each in listed], token


@pytest.mark.parametrize(
    ("inputs", "ids"),
    [
        (None, ["b-1", "b-2", "b-3", "b-4"]),
        ({}, ["b-1", "b-2", "b-3", "b-4"]),
        ({"acl": "x"}, ["b-1", "b-2", "b-3"]),
        ({"acl": Secret("y")}, ["b-4"]),
        ({"acl": "x", "name": "two"}, ["b-2"]),
        ({"acl": "x", "name": None}, ["b-1", "b-2", "b-3"]),
        ({"acl": "z"}, []),
        ({"zone": "x"}, []),
    ],
)
def test_what_is_listed(inputs, ids):
    """The objects of the type with all the properties that are asked for come in the order of their ids."""
    assert shown(listing(inputs)) == (ids, None)


def test_what_is_listed_of_an_object():
    """An object is listed with its id, and with its name if that is a text."""
    listed = listing().listed

    assert listed == (
        ListedObject("b-1", "one"),
        ListedObject("b-2", "two"),
        ListedObject("b-3"),
        ListedObject("b-4"),
    )


def test_a_question_with_an_unknown():
    """While a part of the question is unknown, what will be listed is unknown."""
    assert listing({"acl": UNKNOWN, "name": "one"}).listed == (ListComputed(),)


@pytest.mark.parametrize(
    ("asked", "ids", "token"),
    [
        ({}, ["b-1", "b-2", "b-3", "b-4"], None),
        ({"page_size": 4}, ["b-1", "b-2", "b-3", "b-4"], None),
        ({"page_size": 3}, ["b-1", "b-2", "b-3"], "3:0:b-3"),
        ({"page_size": 1}, ["b-1"], "1:0:b-1"),
        ({"page_size": 0, "limit": 0}, ["b-1", "b-2", "b-3", "b-4"], None),
        ({"page_size": -1, "limit": -1}, ["b-1", "b-2", "b-3", "b-4"], None),
        ({"limit": 3}, ["b-1", "b-2", "b-3"], None),
        ({"limit": 9}, ["b-1", "b-2", "b-3", "b-4"], None),
        ({"limit": 3, "page_size": 2}, ["b-1", "b-2"], "2:3:b-2"),
        ({"limit": 2, "page_size": 3}, ["b-1", "b-2"], None),
        ({"limit": 2, "page_size": 2}, ["b-1", "b-2"], None),
        # The next page: the first one's limit again, or what is left of it.
        ({"limit": 3, "page_size": 2, "page": "2:3:b-2"}, ["b-3"], None),
        ({"limit": 1, "page_size": 2, "page": "2:3:b-2"}, ["b-3"], None),
        ({"limit": 3, "page_size": 1, "page": "1:3:b-1"}, ["b-2"], "2:3:b-2"),
        ({"limit": 3, "page": "3:3:b-3"}, [], None),
        ({"limit": 3, "page": "4:3:b-3"}, [], None),
        ({"page_size": 3, "page": "3:0:b-3"}, ["b-4"], None),
        ({"page": "1:0:b-1"}, ["b-2", "b-3", "b-4"], None),
        ({"page": "1:0:b-1:x"}, ["b-2", "b-3", "b-4"], None),
        ({"page": ""}, ["b-1", "b-2", "b-3", "b-4"], None),
    ],
)
def test_pages(asked, ids, token):
    """A page ends at its size and at the limit of all pages; the token leads on while there is more within the limit."""
    assert shown(listing(**asked)) == (ids, token)


@pytest.mark.parametrize("token", ["page two", "1", "1:0", "1:0:", ":0:b-1", "1::b-1", "-1:0:b-1", "1:x:b-1", "::"])
def test_tokens_of_others(token):
    """A token that this provider did not give is refused."""
    assert told(listing(page=token)) == (
        f"{token!r} is no continuation token of this provider: give back the one of the page before.",
        "invalid_argument",
    )


def test_a_list_of_what_nobody_declared():
    """A strict fake lists no type that nobody declared; another has no objects of it, or has some."""
    assert told(listing(type_="cloud:index:Else"))[1] == "invalid_argument"
    assert shown(listing(type_="cloud:index:Else", strict=False)) == ([], None)
    assert shown(listing(type_="cloud:index:Other", strict=False)) == (["b-0"], None)
