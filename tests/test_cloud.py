"""The cloud: objects apart from state, a log of every effect, drift by hand, seeded hashes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from mockprovider.cloud import Cloud, CloudObject, Effect, Event, MemoryStore, digest
from mockprovider.errors import MockProviderError

TYPE = "cloud:index:Bucket"


@pytest.fixture
def cloud():
    """A cloud with one bucket."""
    made = Cloud()
    made.create(TYPE, "b-1", {"acl": "private", "name": "logs"})
    return made


def test_an_object_is_a_mapping(cloud):
    """An object reads like a dict of its properties, and knows its type and id."""
    [found] = cloud.objects(TYPE)

    assert (found.type, found.id, found["acl"], len(found)) == (TYPE, "b-1", "private", 2)
    assert dict(found) == {"acl": "private", "name": "logs"}
    assert repr(found) == "<cloud:index:Bucket b-1 {'acl': 'private', 'name': 'logs'}>"
    with pytest.raises(KeyError):
        found["nothing"]


def test_what_was_read_is_of_one_moment(cloud):
    """An object that was read before a change still shows how it was."""
    before = cloud.read(TYPE, "b-1")
    cloud.update(TYPE, "b-1", {"acl": "public"})

    assert before["acl"] == "private"
    assert dict(cloud.read(TYPE, "b-1")) == {"acl": "public"}


def test_objects_are_kept_by_type_and_id(cloud):
    """Two types may use the same id, and objects come oldest first, of one type or of all."""
    cloud.create("cloud:index:Key", "b-1", {})
    cloud.create(TYPE, "a-0", {})

    assert [each.id for each in cloud.objects(TYPE)] == ["b-1", "a-0"]
    assert [each.type for each in cloud.objects()] == [TYPE, "cloud:index:Key", TYPE]
    assert cloud.objects("cloud:index:None") == []
    assert cloud.read(TYPE, "nowhere") is None


def test_an_object_may_be_empty():
    """An object without properties exists: it is read, updated and deleted like others."""
    cloud = Cloud()
    cloud.create(TYPE, "x", {})

    assert cloud.read(TYPE, "x") is not None
    assert cloud.update(TYPE, "x", {}) is not None
    with pytest.raises(MockProviderError, match="already exists"):
        cloud.create(TYPE, "x", {})
    assert cloud.delete(TYPE, "x")


def test_double_create_is_refused(cloud):
    """A second object with one id is refused, and the first is untouched."""
    with pytest.raises(MockProviderError, match="'b-1' already exists"):
        cloud.create(TYPE, "b-1", {"acl": "other"})

    assert cloud.read(TYPE, "b-1")["acl"] == "private"


def test_update_and_delete_of_nothing(cloud):
    """What is not there cannot be updated or deleted: the caller is told, and nothing is logged."""
    assert cloud.update(TYPE, "nowhere", {}) is None
    assert cloud.delete(TYPE, "nowhere") is False
    assert len(cloud.events) == 1


def test_every_effect_is_an_event(cloud):
    """The log has each effect in order, numbered from 1, with the object before and after."""
    cloud.update(TYPE, "b-1", {"acl": "public"})
    cloud.drift(TYPE, "b-1", acl="open")
    cloud.delete(TYPE, "b-1")
    cloud.create(TYPE, "b-2", {})
    cloud.vanish(TYPE)

    assert [(each.n, each.effect, each.id, each.before, each.after) for each in cloud.events] == [
        (1, Effect.CREATED, "b-1", None, {"acl": "private", "name": "logs"}),
        (2, Effect.UPDATED, "b-1", {"acl": "private", "name": "logs"}, {"acl": "public"}),
        (3, Effect.DRIFTED, "b-1", {"acl": "public"}, {"acl": "open"}),
        (4, Effect.DELETED, "b-1", {"acl": "open"}, None),
        (5, Effect.CREATED, "b-2", None, {}),
        (6, Effect.VANISHED, "b-2", {}, None),
    ]
    assert all(isinstance(each, Event) for each in cloud.events)


def test_drift_changes_adds_and_removes(cloud):
    """Drift names what changes; ``None`` removes a property, the others stay, and the new object is returned."""
    found = cloud.drift(TYPE, acl="public", name=None, size=3)

    assert isinstance(found, CloudObject)
    assert dict(found) == dict(cloud.read(TYPE, "b-1")) == {"acl": "public", "size": 3}


def test_drift_takes_any_property_name(cloud):
    """A property may have a name that the method itself uses."""
    found = cloud.drift(TYPE, "b-1", type_="t", id_="i", self="s")

    assert (found["type_"], found["id_"], found["self"]) == ("t", "i", "s")


@pytest.mark.parametrize("act", [Cloud.drift, Cloud.vanish])
def test_drift_and_vanish_need_one_object(cloud, act):
    """Behind the engine's back one object is meant: none, another id, or several are refused, naming what there is."""
    with pytest.raises(
        MockProviderError, match=r"There is not exactly one .*:Key in the cloud\. There is none .*only of .*Bucket"
    ):
        act(cloud, "cloud:index:Key")
    with pytest.raises(MockProviderError, match=r"There is nothing at all: create it first\."):
        act(Cloud(), TYPE)
    with pytest.raises(MockProviderError, match=r"There is not cloud:index:Bucket 'b-9' in the cloud. There is: b-1\."):
        act(cloud, TYPE, "b-9")
    cloud.create(TYPE, "b-2", {})
    with pytest.raises(MockProviderError, match=r"There is: b-1, b-2\. Name one of them by its id"):
        act(cloud, TYPE)
    act(cloud, TYPE, "b-2")

    assert cloud.events[-1].id == "b-2"


def test_hashes_repeat_with_seed_and_point():
    """A new hash depends on seed, point and how often that point asked, on nothing else."""

    def hashes(seed):
        cloud = Cloud(seed=seed)
        return [cloud.new_hash(point) for point in ("a", "b", "a", "a")]

    assert hashes(1) == hashes(1)
    assert len(set(hashes(1)) | set(hashes(2))) == 8
    assert all(len(each) == 8 and int(each, 16) >= 0 for each in hashes(1))


def test_hashes_under_threads():
    """Threads that ask at one point get different hashes, together those that one thread would have got."""
    one, many = Cloud(), Cloud()
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: many.new_hash("p"), range(200)))

    assert found == {one.new_hash("p") for _ in range(200)}


def test_effects_under_threads():
    """Objects made from many threads are all there, and their events are numbered without gaps."""
    cloud = Cloud()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: cloud.create(TYPE, str(n), {"n": n}), range(200)))

    assert {each["n"] for each in cloud.objects()} == set(range(200))
    assert [each.n for each in cloud.events] == list(range(1, 201))


def test_one_id_is_made_once_under_threads():
    """Of many threads that create the same object exactly one succeeds."""
    cloud = Cloud()

    def create(_):
        try:
            return bool(cloud.create(TYPE, "only", {}) is not None)
        except MockProviderError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(50))) == 1


def test_clouds_may_share_a_store():
    """Two clouds over one store see the same objects and never give out the same hash."""
    store = MemoryStore()
    one, other = Cloud(store), Cloud(store)
    one.create(TYPE, "b-1", {})

    assert other.read(TYPE, "b-1") is not None
    assert one.new_hash("p") != other.new_hash("p")
    other.delete(TYPE, "b-1")
    assert [each.n for each in one.events] == [1, 2]


def test_digest_tells_parts_apart():
    """Parts that would read the same side by side have digests of their own."""
    assert digest("ab", "c") != digest("a", "bc")
    assert digest(1, "x") == digest("1", "x")


def test_a_type_is_a_token():
    """What is no token, such as a resource type itself, is refused instead of finding nothing."""
    cloud = Cloud()
    for ask in (cloud.objects, cloud.drift, cloud.vanish):
        with pytest.raises(MockProviderError, match="this is a int: give its token, a string"):
            ask(3)
