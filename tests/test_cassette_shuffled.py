"""Lists that come in another order each time, beside a recording: what stands at one place says nothing of other places."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from verify_stage import DISK, FIRST, MOUNT, PROTOCOLS, Life, record, started, today

from mockprovider.calls import Op
from mockprovider.cassette import Mode
from mockprovider.cassette.verifying.correspondence import Correspondence
from mockprovider.cassette.verifying.handing import handed
from mockprovider.double import Double, attached, recording
from mockprovider.double.verifying import verify
from mockprovider.errors import DifferentAnswersError
from mockprovider.properties import Property
from mockprovider.redaction import Redactor
from mockprovider.schema import ResourceType

POOL = "cloud:index:Pool"
ORDERS = [*permutations(range(3))]
MASKS = ["result", "near"]
NEAR = ["near1a2b3c", "near4d5e6f", "near7a8b9c"]
"""Words that no request brings before an answer has them."""


def definitions(order: tuple[int, ...]) -> tuple[ResourceType, ...]:
    """The types of a provider whose pools have their members in this order."""

    def shuffled(pool: dict[str, Any]) -> list[str]:
        return [pool["members"][place] for place in order]

    properties = {
        "members": Property(list[str], required=True),
        "result": Property(list[str], computed=shuffled),
        "near": Property(list[str], computed=lambda _: [NEAR[place] for place in order]),
    }
    return DISK, MOUNT, ResourceType(POOL, properties)


def pooled(life: Life) -> None:
    """A disk, a pool of it and of two words, and mounts that have words of the pool, from their birth to their end."""
    started(life)
    disk = life.create(DISK.token, "d", FIRST)
    members = {"members": [disk.id, "zone1a2b3c", "zone9z8y7x"]}
    pool = life.create(POOL, "p", members)
    read = life.ask(Op.READ, POOL, "p", id=pool.id, prior=pool.value, prior_inputs=members)
    life.plan(POOL, "p", members, read)
    mount = life.create(MOUNT.token, "m", {"disk": disk.id, "path": "zone1a2b3c"})
    other = life.create(MOUNT.token, "n", {"disk": disk.id, "path": NEAR[0]})
    for token, name, thing in (
        (MOUNT.token, "n", other),
        (MOUNT.token, "m", mount),
        (POOL, "p", read),
        (DISK.token, "d", disk),
    ):
        life.delete(token, name, thing)


@pytest.fixture(scope="module")
def cassettes(tmp_path_factory):
    """The recorded life, by family and version."""
    paths = {(family, major): tmp_path_factory.mktemp("shuffled") / "it.json" for family, major in PROTOCOLS}
    for (family, major), path in paths.items():
        record(path, family, major, pooled, definitions=definitions((2, 0, 1)))
    return paths


@pytest.mark.parametrize(("family", "major"), PROTOCOLS)
@pytest.mark.parametrize("order", ORDERS)
def test_a_masked_list_in_any_order(cassettes, family, major, order):
    """Whatever order a masked list has today, each call is asked as it was recorded, and answered so."""
    with today(family, major, definitions=definitions(order)) as address:
        verified = verify(cassettes[family, major], attached(address, family, major=major), masks=MASKS)

    assert [str(one) for one in verified.differing] == []
    assert verified.left == []


@pytest.mark.parametrize(("family", "major"), PROTOCOLS)
@pytest.mark.parametrize("order", ORDERS)
def test_a_masked_list_in_any_order_beside_a_run(cassettes, family, major, order):
    """Whatever order a masked list has today, a run beside the recording finds each of its calls there."""
    with today(family, major, definitions=definitions(order)) as address:
        front = recording(cassettes[family, major], attached(address, family, major=major), mode=Mode.VERIFY, masks=MASKS)
        with (
            Double(*definitions(order), provider=front) as double,
            double.serve(family, major=major) as serving,
            serving.client() as client,
        ):
            pooled(Life(client, family))
            double.raise_errors()


@pytest.mark.parametrize("order", [order for order in ORDERS if order != (2, 0, 1)])
def test_a_list_in_another_order_beside_a_run(cassettes, order):
    """A list that has another order than the recorded one is a difference, and teaches nothing about its items."""
    with today("pulumi", None, definitions=definitions(order)) as address:
        front = recording(cassettes["pulumi", None], attached(address, "pulumi"), mode=Mode.VERIFY, masks=["near"])
        with (
            Double(*definitions(order), provider=front) as double,
            double.serve("pulumi") as serving,
            serving.client() as client,
        ):
            pooled(Life(client, "pulumi"))
            (error,) = double.errors
            double.errors.clear()

    assert isinstance(error, DifferentAnswersError)
    assert {"result" in difference.path for answer in error.answers for difference in answer.differences} == {True}


@pytest.mark.parametrize(
    "names", [("input", "result"), ("result", "input"), ("a", "b"), ("b", "a"), ("one", "two"), ("x", "y")]
)
@pytest.mark.parametrize("order", ORDERS)
def test_what_a_shuffled_list_says_of_its_neighbour(names, order):
    """Of two lists of one object, one of which was shuffled, each keeps its own items in later requests."""
    kept, shuffled = names
    recorded, now = ["right-mantis", "x", "y"], ["fair-toad", "x", "y"]
    was = {"id": "-", kept: recorded, shuffled: ["x", "y", "right-mantis"]}
    is_ = {"id": "-", kept: now, shuffled: [now[place] for place in order]}
    correspondence = Correspondence()
    correspondence.keep(was, is_)
    request = {"state": was, "config": {kept: recorded, shuffled: was[shuffled], "size": 1}}

    assert handed(request, correspondence, "it").tree == {
        "state": is_,
        "config": {kept: now, shuffled: is_[shuffled], "size": 1},
    }


def test_a_word_in_two_places_that_do_not_agree():
    """A word of today that stands for a recorded one at one place only is not looked for inside of other texts."""
    correspondence = Correspondence()
    was, is_ = {"name": "right-mantis", "best": "right-mantis"}, {"name": "right-mantis", "best": "fair-toad"}
    correspondence.keep(was, is_)
    request = {"state": was, "note": "of right-mantis", "best": "right-mantis"}

    assert handed(request, correspondence, "it").tree == {"state": is_, "note": "of right-mantis", "best": "fair-toad"}


def test_numbers_of_one_name_that_do_not_agree():
    """A number that became two others under one name stays in requests, and one that became one other is that."""
    correspondence = Correspondence()
    was, is_ = {"ports": [1, 1, 2], "id": "a"}, {"ports": [3, 4, 5], "id": "a"}
    correspondence.keep(was, is_)

    assert handed({"state": was, "ports": [1, 2]}, correspondence, "it").tree == {"state": is_, "ports": [1, 5]}


def test_objects_in_another_order():
    """Objects of a list that come in another order are themselves in later requests, and only what is new is another."""
    web, dns, ssh = ({"port": port, "open": True} for port in (443, 53, 22))
    correspondence = Correspondence()
    correspondence.keep({"rules": [web, dns, ssh], "tags": []}, {"rules": [dns, {**ssh, "open": False}, web], "tags": []})

    assert handed({"rules": [web, ssh]}, correspondence, "it").tree == {"rules": [web, {**ssh, "open": False}]}
    correspondence.keep({"rules": [ssh, web], "tags": []}, {"rules": [web], "tags": []})
    assert handed({"rules": [web]}, correspondence, "it").tree == {"rules": [web]}


def test_two_values_under_one_mask():
    """Of two places under one mask that had the same value, the first of the request says what it is today."""
    redactor = Redactor(masks=["at"])
    names = [f"part{number}" for number in range(9)]
    recorded = {name: {"at": "then"} for name in names}
    live = {name: {"at": name} for name in reversed(names)}

    assert redactor.answered({"at": "then"}, recorded, live, redactor.names("")) == {"at": "part0"}
