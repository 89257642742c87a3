"""A cloud in a file: the same behaviour as one in memory, shared by processes, whole effects or none."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockprovider.cloud import Cloud, Effect, MemoryStore
from mockprovider.double import Double
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.schema import Property, ResourceType
from mockprovider.tape.cloudfile import APPLICATION, SqliteStore
from mockprovider.values import Secret

TYPE = "cloud:index:Bucket"


@pytest.fixture
def path(tmp_path):
    """Where the cloud lies: in a folder that is not there yet."""
    return tmp_path / "folder" / "cloud.sqlite"


@pytest.fixture(params=["memory", "file"])
def cloud(request, path):
    """An empty cloud of each kind."""
    if request.param == "memory":
        yield Cloud(MemoryStore(), seed=1)
        return
    with SqliteStore(path) as store:
        yield Cloud(store, seed=1)


class TestEveryStore:
    """What a cloud does, whatever it is kept in."""

    def test_a_life(self, cloud):
        """Objects are made, read, changed and removed, by the engine and behind its back, and each effect is an event."""
        cloud.create(TYPE, "a", {"n": 1, "token": Secret("hush")})
        cloud.update(TYPE, "a", {"n": 2})
        cloud.drift(TYPE, "a", n=3)
        cloud.create(TYPE, "b", {})
        cloud.vanish(TYPE, "b")
        assert cloud.delete(TYPE, "a")

        assert cloud.objects() == []
        assert [(each.n, each.effect, each.id, each.before, each.after) for each in cloud.events] == [
            (1, Effect.CREATED, "a", None, {"n": 1, "token": Secret("hush")}),
            (2, Effect.UPDATED, "a", {"n": 1, "token": Secret("hush")}, {"n": 2}),
            (3, Effect.DRIFTED, "a", {"n": 2}, {"n": 3}),
            (4, Effect.CREATED, "b", None, {}),
            (5, Effect.VANISHED, "b", {}, None),
            (6, Effect.DELETED, "a", {"n": 3}, None),
        ]

    def test_what_is_not_there(self, cloud):
        """What does not exist is not read, updated, deleted or made to drift."""
        assert cloud.read(TYPE, "a") is None
        assert cloud.update(TYPE, "a", {}) is None
        assert not cloud.delete(TYPE, "a")
        with pytest.raises(MockProviderError, match="There is not"):
            cloud.vanish(TYPE, "a")
        assert cloud.events == []

    def test_oldest_first(self, cloud):
        """Objects come in the order in which they were made; a change does not move them, a new life does."""
        for id_ in "cab":
            cloud.create(TYPE, id_, {})
        cloud.update(TYPE, "c", {"n": 1})
        cloud.delete(TYPE, "a")
        cloud.create(TYPE, "a", {})

        assert [each.id for each in cloud.objects(TYPE)] == ["c", "b", "a"]

    def test_one_of_each(self, cloud):
        """An object is made once, and the second try changes nothing."""
        cloud.create(TYPE, "a", {"n": 1})
        with pytest.raises(MockProviderError, match="already exists"):
            cloud.create(TYPE, "a", {"n": 2})

        assert cloud.read(TYPE, "a") == {"n": 1}
        assert len(cloud.events) == 1

    def test_ids_never_repeat(self, cloud):
        """The hashes of one point differ each time, and are those of any cloud with that seed."""
        other = Cloud(seed=1)

        assert [cloud.new_hash("p") for _ in range(3)] == [other.new_hash("p") for _ in range(3)]

    def test_threads(self, cloud):
        """Effects of many threads at once are all there, each with a number of its own."""
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: cloud.create(TYPE, str(n), {"n": n}), range(40)))

        assert [each.n for each in cloud.events] == list(range(1, 41))
        assert len(cloud.objects()) == 40

    def test_an_effect_that_fails_leaves_nothing(self, cloud, monkeypatch):
        """If an effect cannot be written down, no event of it is there."""
        with pytest.raises(MockProviderError):
            cloud.drift(TYPE, "nobody", n=1)

        assert (cloud.objects(), cloud.events) == ([], [])


CREATE = """
import sys
from mockprovider.cloud import Cloud
from mockprovider.tape.cloudfile import SqliteStore

cloud = Cloud(SqliteStore(sys.argv[1]))
for _ in range(25):
    cloud.create("cloud:index:Bucket", cloud.new_hash("x"), {"by": sys.argv[2]})
"""


def test_processes_share_it(path):
    """Effects of several processes at once are all there, and no number or id was given out twice."""
    running = [subprocess.Popen([sys.executable, "-c", CREATE, str(path), str(n)]) for n in range(3)]
    assert [each.wait(60) for each in running] == [0, 0, 0]

    with SqliteStore(path) as store:
        assert sorted(each.n for each in store.events()) == list(range(1, 76))
        assert len({id_ for _, id_, _ in store.objects()}) == 75


def test_it_outlives_its_process(path):
    """What one store wrote, the next one of that file finds, and counts on."""
    with SqliteStore(path) as store:
        first = Cloud(store)
        first.create(TYPE, first.new_hash("p"), {"n": 1})
    with SqliteStore(path) as store:
        second = Cloud(store)
        second.create(TYPE, second.new_hash("p"), {"n": 2})

        assert [each["n"] for each in second.objects()] == [1, 2]
        assert [each.n for each in second.events] == [1, 2]


def broken(store):
    """An effect that breaks off."""
    with store.transaction():
        store.put(TYPE, "a", {})
        store.put(TYPE, "b", {"n": 1 / 0})


def test_a_transaction_is_whole_or_nothing(path):
    """An effect that breaks off in the middle has not happened, and the next one works."""
    with SqliteStore(path) as store, SqliteStore(path) as other:
        with pytest.raises(ZeroDivisionError):
            broken(store)
        assert other.objects() == []
        store.put(TYPE, "b", {})

        assert other.get(TYPE, "b") == {}


def test_a_double_of_a_file(path):
    """A double whose cloud is a file serves what another one has made."""
    bucket = ResourceType(TYPE, {"acl": Property(str)})
    with SqliteStore(path) as store, Double(bucket, cloud=Cloud(store)) as double:
        double.cloud.create(TYPE, "b-1", {"acl": "x"})
    with SqliteStore(path) as store, Double(bucket, cloud=Cloud(store)) as double:
        assert double.cloud.objects(TYPE)[0]["acl"] == "x"


def test_nobody_else_reads_it(path):
    """The file holds secrets, so only its owner may read it."""
    with SqliteStore(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


# Bad input -----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_database(path):
    """A file of something else is an error that names it, and stays as it is."""
    path.parent.mkdir()
    path.write_text("hello, I am a text of a good length, and surely no database at all" * 20)
    with pytest.raises(MalformedError, match=r"cloud\.sqlite is no cloud: file is not a database"):
        SqliteStore(path)

    assert path.read_text().startswith("hello")


def test_a_database_of_somebody_else(path):
    """A database with other tables is not written into."""
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name TEXT)")
    connection.close()
    with pytest.raises(MalformedError, match="no cloud of mockprovider"):
        SqliteStore(path)


def test_a_newer_cloud(path):
    """A cloud of a later format is refused with both numbers."""
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(MalformedError, match="format 9, and known is 1"):
        SqliteStore(path)


def test_a_torn_cloud(path):
    """A cloud whose second half is gone is an error, and never an empty cloud."""
    with SqliteStore(path) as store:
        for n in range(200):
            store.put(TYPE, str(n), {"text": "x" * 100})
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(MockProviderError, match=r"cloud\.sqlite"), SqliteStore(path) as store:
        store.objects()


def test_a_folder_is_no_cloud(tmp_path):
    """A path at which no file can be is an error that names it."""
    with pytest.raises(MockProviderError, match="Cannot open the cloud"):
        SqliteStore(tmp_path)


def test_a_cloud_that_somebody_holds(path):
    """Another process that does not let go is waited for, and then it is an error."""
    with SqliteStore(path) as store, SqliteStore(path, busy_seconds=0.01) as other:
        with store.transaction(), pytest.raises(MockProviderError, match="database is locked"):
            other.put(TYPE, "a", {})
        other.put(TYPE, "a", {})

        assert store.get(TYPE, "a") == {}


def test_a_closed_store(path):
    """A store that was closed says so, and closing again is no error."""
    store = SqliteStore(path)
    store.close()
    store.close()
    with pytest.raises(MockProviderError, match="is closed"):
        store.objects()
