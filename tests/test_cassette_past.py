"""Past the end of a cassette: a fake answers what it does not hold, over both families' protocols."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from verify_stage import (
    DEFINITIONS,
    DISK,
    FIRST,
    OTHER,
    PROTOCOLS,
    ZONE,
    Life,
    record,
    started,
    today,
    two,
)

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.double import Double, attached, recording, replaying
from mockprovider.double.artefacts import keep
from mockprovider.errors import MissError
from mockprovider.journal import Side
from mockprovider.offers import Ephemeral
from mockprovider.schema import Property, ResourceType
from mockprovider.values import reveal

by_protocol = pytest.mark.parametrize(("family", "major"), PROTOCOLS)
LARGER = {"size": 5, "region": "eu"}


@pytest.fixture
def path(tmp_path, family, major):
    """A cassette of a disk and a mount."""
    record(tmp_path / "it.json", family, major, two)
    return tmp_path / "it.json"


@contextmanager
def past(path: Path, family: str, major: int | None, *, definitions: Any = DEFINITIONS) -> Iterator[tuple[Life, Double]]:
    """A replay with a fake past its end; in the end what went wrong is raised."""
    with (
        Double(*definitions, provider=replaying(path, beyond="fake"), seed=5) as double,
        double.serve(family, major=major) as serving,
        serving.client() as client,
    ):
        yield Life(client, family), double
        double.raise_errors()


def read(life: Life, disk: Reply) -> Reply:
    return life.ask(Op.READ, DISK.token, "d", id=disk.id, prior=disk.value, prior_inputs=FIRST)


# An engine goes on -------------------------------------------------------------------------------------------------------


@by_protocol
def test_an_engine_goes_on_after_the_recording(path, family, major):
    """Recorded objects are changed, read and deleted, others are added, and all keep the values that they were given."""
    with past(path, family, major) as (life, double):
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
        assert double.made_up == []
        larger = life.change(DISK.token, "d", LARGER, disk)
        assert {**larger.value, "size": 1} == disk.value
        assert read(life, larger).value["size"] == 5
        other = life.create(DISK.token, "e", OTHER)
        assert other.id not in ("", disk.id)
        life.delete(DISK.token, "d", larger)
        assert not read(life, larger).value
        assert [one.id for one in double.cloud.objects(DISK.token)] == [other.id]


@by_protocol
def test_each_answer_of_the_fake_is_marked(path, family, major, tmp_path):
    """The double's list, the journal's text and its artefact mark what the fake answered, on both sides, and nothing else."""
    with past(path, family, major) as (life, double):
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
        life.delete(DISK.token, "d", disk)
        keep(tmp_path / "kept", double)
    assert [line.split()[0] for line in double.made_up] == ["delete"]
    assert "made up" in str(double.journal).splitlines()[-1]
    assert str(double.journal).count("made up") == 1
    entries = json.loads((tmp_path / "kept" / "journal.json").read_text())
    assert [entry["side"] for entry in entries if entry.get("made_up")] == [Side.ENGINE, Side.PROVIDER]


@by_protocol
def test_what_the_cassette_holds_is_replayed(path, family, major):
    """A run that asks for nothing else is the recorded one, call for call."""
    with past(path, family, major) as (life, double):
        two(life)
        assert (double.made_up, double.unplayed) == ([], [])


@by_protocol
def test_a_look_at_a_changed_object_is_not_the_recorded_one(tmp_path, family, major):
    """A recorded read is no answer any more once the object has drifted or is gone."""

    def lives(life: Life) -> None:
        started(life)
        read(life, life.create(DISK.token, "d", FIRST))

    record(tmp_path / "it.json", family, major, lives)
    with past(tmp_path / "it.json", family, major) as (life, double):
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
        assert read(life, disk).value == disk.value
        assert double.made_up == []
        double.cloud.drift(DISK.token, disk.id, size=7)
        assert read(life, disk).value["size"] == 7
        double.cloud.vanish(DISK.token, disk.id)
        assert not read(life, disk).value
        assert len(double.made_up) == 2
        other = life.create(DISK.token, "e", OTHER)
        double.cloud.vanish(DISK.token, other.id)
        assert not read(life, other).value


@pytest.mark.parametrize("major", [5, 6])
def test_what_is_only_written_is_not_kept(tmp_path, major):
    """A write-only value is in no answer, so the cloud does not get it from a replayed create either."""
    safe = ResourceType("cloud:index:Safe", {"size": int, "code": Property(str, write_only=True)})

    def lives(life: Life) -> None:
        started(life)
        life.create(safe.token, "s", {"size": 1, "code": "0000-1111"})

    record(tmp_path / "it.json", "terraform", major, lives, definitions=(safe,))
    with past(tmp_path / "it.json", "terraform", major, definitions=(safe,)) as (life, double):
        lives(life)
        assert double.made_up == []
        assert [dict(one) for one in double.cloud.objects(safe.token)] == [{"size": 1}]


@by_protocol
def test_an_object_from_an_earlier_run_is_as_the_engine_remembers_it(path, family, major):
    """An object that an earlier replay gave out can be read, changed and deleted in the next one."""
    with past(path, family, major) as (life, _):
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
    with past(path, family, major) as (life, double):
        started(life)
        assert read(life, disk).value == disk.value
        larger = life.change(DISK.token, "d", LARGER, disk)
        assert larger.value["etag"] == disk.value["etag"]
        life.delete(DISK.token, "d", larger)
        assert double.cloud.objects() == []


@by_protocol
def test_functions_with_a_recorded_schema_are_answered(path, family, major):
    """A function that was declared in the recording's schema and never called is answered by the fake."""
    with past(path, family, major) as (life, double):
        started(life)
        assert life.ask(Op.INVOKE, ZONE.token, inputs={"region": "us"}).ok
        assert [line.split()[0] for line in double.made_up] == ["invoke"]


@by_protocol
def test_objects_that_share_an_id_are_told_apart(tmp_path, family, major):
    """Of a provider that gives all objects one id, each object is read, changed and deleted as itself."""

    def lives(life: Life) -> None:
        started(life)
        life.create(DISK.token, "d", FIRST)
        other = life.create(DISK.token, "e", OTHER)
        life.change(DISK.token, "e", {**OTHER, "size": 10}, other)

    ids: dict[str, str] = {}

    def none(call: Call, proceed: Handler) -> Reply:
        reply = proceed(replace(call, id=ids[call.inputs["region"]]) if call.op is Op.UPDATE else call)
        if call.op not in (Op.CREATE, Op.UPDATE):
            return reply
        ids.setdefault(call.inputs["region"], reply.id)
        return replace(reply, id="none", native=None)

    path = tmp_path / "it.json"
    with (
        today(family, major, none) as address,
        Double(*DEFINITIONS, provider=recording(path, attached(address, family, name="cloud", major=major))) as double,
        double.serve(family, major=major) as serving,
        serving.client() as client,
    ):
        lives(Life(client, family))
    with past(path, family, major) as (life, double):
        started(life)
        disk, other = life.create(DISK.token, "d", FIRST), life.create(DISK.token, "e", OTHER)
        assert (disk.id, other.id) == ("none", "none")
        assert len(double.cloud.objects(DISK.token)) == 2
        other = life.change(DISK.token, "e", {**OTHER, "size": 10}, other)
        assert double.made_up == []
        assert sorted(one["size"] for one in double.cloud.objects(DISK.token)) == [1, 10]
        larger = life.change(DISK.token, "d", LARGER, disk)
        assert (larger.id, larger.value["size"], larger.value["etag"]) == ("none", 5, disk.value["etag"])
        assert read(life, larger).value == larger.value
        assert read(life, other).value == other.value
        life.delete(DISK.token, "d", larger)
        assert read(life, other).value == other.value
        assert [one["size"] for one in double.cloud.objects(DISK.token)] == [10]


# With the recorded schema alone ------------------------------------------------------------------------------------------


@contextmanager
def undeclared(path: Path, family: str, major: int | None) -> Iterator[tuple[Life, Double]]:
    """A replay of whose types the double knows what the recording says; the client knows them by itself."""
    with (
        Double(provider=replaying(path, beyond="fake")) as double,
        double.serve(family, major=major) as front,
        Double(*DEFINITIONS, provider=attached(str(front.address), family, major=major)) as reader,
        reader.serve(family, major=major) as serving,
        serving.client() as client,
    ):
        yield Life(client, family), double


@by_protocol
def test_types_come_from_the_recorded_schema(path, family, major, tmp_path):
    """Nothing is declared to the double, and the fake knows what is computed, what is secret, and the functions."""
    with undeclared(path, family, major) as (life, double):
        started(life)
        disk, other = life.create(DISK.token, "d", FIRST), life.create(DISK.token, "e", OTHER)
        assert other.value["etag"]
        assert life.ask(Op.INVOKE, ZONE.token, inputs={"region": "us"}).ok
        larger = life.change(DISK.token, "d", LARGER, disk)
        assert larger.value["token"] == disk.value["token"]
        double.raise_errors()
        assert {line.split()[0] for line in double.made_up} >= {"create", "invoke", "update"}
        keep(tmp_path / "kept", double)
        words = [str(reveal(one.value["token"])) for one in (disk, other)]
        texts = [file.read_text() for file in (tmp_path / "kept").iterdir()]
        assert not [word for word in words for text in texts if word in text]
        assert all(words)


@by_protocol
def test_an_object_of_the_replay_can_be_imported(path, family, major):
    """An import by the id of an object that the replay gave out brings that object, and one of another id brings none."""
    with past(path, family, major) as (life, double):
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
        op = Op.READ if family == "pulumi" else Op.IMPORT
        assert life.ask(op, DISK.token, "d", id=disk.id).value["etag"] == disk.value["etag"]
        assert not life.ask(op, DISK.token, "d", id="other").value
        assert len(double.made_up) == 2


@by_protocol
def test_a_type_that_the_recorded_schema_does_not_have_is_a_miss(path, family, major):
    """A real provider would not have it either, so no fake makes an object of it."""
    with Double(provider=replaying(path, beyond="fake")) as double, double.serve(family, major=major) as serving:
        odd = ResourceType("cloud:index:Odd", {"size": int})
        with (
            Double(odd, provider=attached(str(serving.address), family, major=major)) as reader,
            reader.serve(family, major=major) as front,
            front.client() as client,
        ):
            life = Life(client, family)
            started(life)
            life.create(odd.token, "o", {"size": 1})
        with pytest.raises(MissError, match=r"beyond the cassette does not answer it either: (the schema in|its types)"):
            double.raise_errors()
        assert double.made_up == []


@by_protocol
def test_what_the_provider_is_stays_a_miss(tmp_path, family, major):
    """A schema that was not recorded is not made up."""
    record(tmp_path / "it.json", family, major, lambda life: life.ask(Op.CONFIGURE, inputs={}))
    with past(tmp_path / "it.json", family, major) as (life, double):
        life.ask(Op.GET_SCHEMA)
        assert double.made_up == []
        with pytest.raises(MissError, match="it is about the provider itself"):
            double.raise_errors()
        double.errors.clear()


@pytest.mark.parametrize("major", [5, 6])
def test_renewals_that_were_due_a_moment_apart_are_equal(tmp_path, major):
    """What was renewed twice is renewed on replay as often as asked, though no two renewals were due after the same time."""
    key = Ephemeral("cloud:index:Key", {"name": str}, {"word": "w"}, renew_after=60)

    def lives(life: Life) -> Reply:
        started(life)
        opened = life.ask(Op.OPEN, key.token, inputs={"name": "k"})
        return [life.ask(Op.RENEW, key.token, private=opened.private) for _ in range(2)][-1]

    path = tmp_path / "it.json"
    record(path, "terraform", major, lives, definitions=(key,))
    due = iter(["60.0", "60.0", "59.998"])
    path.write_text(re.sub(r'(?<="after_seconds": )[0-9.]+', lambda _: next(due), path.read_text()))
    assert not [*due]
    with past(path, "terraform", major, definitions=(key,)) as (life, double):
        renewed = lives(life)
        again = life.ask(Op.RENEW, key.token, private=renewed.private)

    assert double.made_up == []
    assert [reply.renew_after == pytest.approx(60, abs=30) for reply in (renewed, again)] == [True, True]


@pytest.mark.parametrize("major", [5, 6])
def test_what_the_replay_opened_is_renewed_and_closed(tmp_path, major):
    """An ephemeral resource that the replay opened is there for the fake, until it is closed."""
    key = Ephemeral("cloud:index:Key", {"name": str}, {"word": "w"}, renew_after=60)

    def lives(life: Life) -> Reply:
        started(life)
        return life.ask(Op.OPEN, key.token, inputs={"name": "k"})

    record(tmp_path / "it.json", "terraform", major, lives, definitions=(key,))
    with past(tmp_path / "it.json", "terraform", major, definitions=(key,)) as (life, double):
        opened = lives(life)
        assert double.made_up == []
        for op in (Op.RENEW, Op.CLOSE):
            assert life.ask(op, key.token, private=opened.private).ok
        double.raise_errors()
        assert len(double.made_up) == 2
        life.ask(Op.CLOSE, key.token, private=opened.private)
        with pytest.raises(MissError, match="nothing of the kind was opened here"):
            double.raise_errors()
        double.errors.clear()
