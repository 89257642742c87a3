"""The modes ``new`` and ``verify``: a live provider beside a cassette, over both families' protocols."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from verify_stage import (
    DEFINITIONS,
    DISK,
    FIRST,
    MOUNT,
    OTHER,
    PROTOCOLS,
    ZONE,
    Life,
    on,
    other_ids,
    record,
    started,
    two,
)

from mockprovider.calls import Failure, Layer, Op, Reply
from mockprovider.cassette import Mode
from mockprovider.double import Double, attached, recording, replaying
from mockprovider.errors import CassetteError, DifferentAnswersError, MissError
from mockprovider.journal import Journal, Side
from mockprovider.redaction import neutral
from mockprovider.tape import load

by_protocol = pytest.mark.parametrize(("family", "major"), PROTOCOLS)


class Stopping(Life):
    """A life that ends where an engine would: with the first refusal."""

    def __init__(self, client: Any, family: str, double: Double) -> None:
        super().__init__(client, family)
        self._double = double

    def ask(self, *what: Any, **given: Any) -> Reply:
        reply = super().ask(*what, **given)
        refused = [error for error in self._double.errors if not isinstance(error, DifferentAnswersError)]
        if refused:
            raise refused[0]
        return reply


class Beside:
    """A run in one of the two modes: what it says, and what the live provider was asked."""

    def __init__(self, path: Path, family: str, major: int | None, mode: str, *layers: Layer) -> None:
        self.path, self.family, self.major, self.mode = path, family, major, mode
        self.layers = layers
        self.double: Double
        self.live: Double

    @contextmanager
    def life(self, *, stopping: bool = True) -> Iterator[Life]:
        with (
            Double(*DEFINITIONS, layers=self.layers, seed=7) as self.live,
            self.live.serve(self.family, major=self.major) as serving,
            Double(
                *DEFINITIONS,
                provider=recording(
                    self.path, attached(serving.address, self.family, name="cloud", major=self.major), mode=self.mode
                ),
            ) as self.double,
            self.double.serve(self.family, major=self.major) as front,
            front.client() as client,
        ):
            yield Stopping(client, self.family, self.double) if stopping else Life(client, self.family)
            self.double.raise_errors()

    @property
    def asked(self) -> list[str]:
        return asked(self.live.journal)


def asked(journal: Journal) -> list[str]:
    """The changes that a provider was asked for."""
    changes = (Op.CREATE, Op.UPDATE, Op.DELETE)
    return [
        f"{entry.call.op} {entry.call.type}" for entry in journal if entry.side is Side.PROVIDER and entry.call.op in changes
    ]


def three(life: Life) -> None:
    """The same, and another disk, from its birth to its end."""
    two(life)
    other = life.create(DISK.token, "e", OTHER)
    life.ask(Op.INVOKE, ZONE.token, inputs={"region": "us"})
    read = life.ask(Op.READ, DISK.token, "e", id=other.id, prior=other.value, prior_inputs=OTHER)
    life.delete(DISK.token, "e", life.change(DISK.token, "e", {"size": 10, "region": "us"}, read))


def replayed(path: Path, family: str, major: int | None, live: Callable[[Life], None]) -> list[str]:
    """Replay a life from the cassette alone; what is left unplayed."""
    with (
        Double(*DEFINITIONS, provider=replaying(path)) as double,
        double.serve(family, major=major) as serving,
        serving.client() as client,
    ):
        live(Life(client, family))
        double.raise_errors()
        return double.unplayed


@pytest.fixture
def path(tmp_path, family, major):
    """A cassette of a disk and a mount."""
    record(tmp_path / "it.json", family, major, two)
    return tmp_path / "it.json"


# new ---------------------------------------------------------------------------------------------------------------------


@by_protocol
def test_what_is_new_is_added(path, family, major):
    """What the cassette holds is replayed, what it does not hold is asked live and added, and then all of it is replayed."""
    before = load(path)
    run = Beside(path, family, major, Mode.NEW)
    with run.life() as life:
        three(life)
    assert run.asked == [f"{op} {DISK.token}" for op in ("create", "update", "delete")]
    after = load(path)
    kept = [neutral([one.request, one.response]) for one in after.interactions]
    assert all(neutral([one.request, one.response]) in kept for one in before.interactions)
    assert replayed(path, family, major, three) == []


@by_protocol
def test_without_anything_new_the_file_stays(path, family, major):
    """Where all is held, the live provider is asked nothing, and the file and what lies beside it stay, byte for byte."""
    before = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}
    run = Beside(path, family, major, Mode.NEW)
    with run.life() as life:
        two(life)
    assert len(run.live.journal) == 0
    assert {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()} == before


@by_protocol
def test_growing_twice_is_growing_once(path, family, major):
    """A second run of the same finds everything, and a cassette that grew in two steps replays both."""
    for life_ in (three, three):
        run = Beside(path, family, major, Mode.NEW)
        with run.life() as life:
            life_(life)
    assert run.asked == []

    def four(life: Life) -> None:
        three(life)
        life.create(DISK.token, "f", {"size": 3, "region": "eu"})

    with Beside(path, family, major, Mode.NEW).life() as life:
        four(life)
    assert replayed(path, family, major, four) == []


@by_protocol
def test_what_is_not_asked_for_stays(path, family, major):
    """A run that asks for a part only takes nothing away: the whole is replayed afterwards, and what is new as well."""

    def other(life: Life) -> None:
        started(life)
        life.create(DISK.token, "e", OTHER)

    with Beside(path, family, major, Mode.NEW).life() as life:
        other(life)
    unplayed = [line.split()[:2] for line in replayed(path, family, major, other)]
    assert [(op, type_.replace("_", ":").lower().rpartition(":")[2]) for op, type_ in unplayed] == [
        ("create", "disk"),
        ("create", "mount"),
    ]
    with Beside(path, family, major, Mode.NEW).life() as life:
        other(life)
        disk = life.create(DISK.token, "d", FIRST)
        life.create(MOUNT.token, "m", {"disk": disk.id, "path": "/dev"})
    assert replayed(path, family, major, two)


@by_protocol
def test_what_the_cassette_made_never_goes_live(path, family, major):
    """An update or delete of a recorded object, and a new one that has its id, are misses that say why; nothing is asked."""

    def update(life: Life) -> None:
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
        life.change(DISK.token, "d", {"size": 5, "region": "eu"}, disk)

    def delete(life: Life) -> None:
        started(life)
        life.delete(DISK.token, "d", life.create(DISK.token, "d", FIRST))

    def reference(life: Life) -> None:
        started(life)
        disk = life.create(DISK.token, "d", FIRST)
        life.create(MOUNT.token, "n", {"disk": f"x/{disk.id}", "path": "/else"})

    before = path.read_bytes()
    for live, why in (
        (update, "not made in this run|gave out for an object of its own"),
        (delete, "not made in this run|gave out for an object of its own"),
        (reference, "gave out for an object of its own"),
    ):
        run = Beside(path, family, major, Mode.NEW)
        with (
            pytest.raises(MissError, match=f"The live provider is not asked for it either, since .*({why})"),
            run.life() as life,
        ):
            live(life)
        assert run.asked == []
        assert path.read_bytes() == before


@by_protocol
def test_secrets_stay_secret_while_a_cassette_grows(path, family, major):
    """A recorded secret that a new call brings is a placeholder there, and no answer of the live provider's leaks one."""

    def live(life: Life) -> list[Reply]:
        started(life)
        disks = [life.create(DISK.token, "d", FIRST), life.create(DISK.token, "e", OTHER)]
        life.create(MOUNT.token, "n", {"disk": "none", "path": f"/{disks[1].value['token']}/x"})
        return disks

    with Beside(path, family, major, Mode.NEW).life() as life:
        disks = live(life)
    text = path.read_text(encoding="utf-8")
    assert all(str(disk.value["token"]) not in text for disk in disks)
    assert replayed(path, family, major, live)


@pytest.mark.parametrize("family", ["pulumi", "terraform"])
def test_decisions_about_places_stay(tmp_path, family):
    """What a cassette was told to hide stays hidden in what is added, and what nobody has decided about stays open."""
    path = tmp_path / "it.json"
    front = recording(path, None, family, secrets=["path"], masks=["kind"])
    with Double(*DEFINITIONS, provider=front) as double, double.serve(family) as serving, serving.client() as client:
        two(Life(client, family))
    with Beside(path, family, None, Mode.NEW).life() as life:
        started(life)
        life.create(MOUNT.token, "n", {"disk": "none", "path": "/confidential"})
    assert "confidential" not in path.read_text(encoding="utf-8")
    header = load(path).header
    assert (header.masks, header.secrets["*"]) == ({"*": ["kind"]}, ["path"])


@pytest.mark.parametrize(("family", "type_"), [("pulumi", MOUNT.token), ("terraform", "cloud_mount")])
def test_what_stays_is_hidden_by_its_own_type(tmp_path, family, type_):
    """What is declared secret of one type stays readable in what a run leaves of another type."""
    path = tmp_path / "it.json"
    front = recording(path, None, family, secrets=[f"{type_}.region"])
    with Double(*DEFINITIONS, provider=front) as double, double.serve(family) as serving, serving.client() as client:
        two(Life(client, family))

    def regions() -> list[str]:
        return re.findall(r'"region": "(\w+)"', path.read_text(encoding="utf-8"))

    before = regions()
    with Beside(path, family, None, Mode.NEW).life() as life:
        started(life)
        for number in range(9):
            life.create(MOUNT.token, f"n{number}", {"disk": "none", "path": f"/{number}"})
    assert regions() == before != []


@by_protocol
def test_a_live_provider_that_does_not_start(path, family, major):
    """Where the live provider refuses its configuration, the call fails with what it says, and nothing is replaced."""
    before = path.read_bytes()
    refuses = on(Op.CONFIGURE, lambda reply: replace(reply, failures=(Failure("no credentials"),), native=None), "")
    run = Beside(path, family, major, Mode.NEW, refuses)
    with pytest.raises(CassetteError, match=r"it refuses Configure.*no credentials.*Give it what it needs"), run.life() as life:
        three(life)
    assert path.read_bytes() == before
    with Beside(path, family, major, Mode.NEW, refuses).life() as life:
        two(life)


@by_protocol
def test_a_run_that_fails_adds_nothing(path, family, major):
    """A run that ends in an error leaves the cassette, and what it would have become beside it."""
    before = path.read_bytes()

    def fails() -> None:
        with Beside(path, family, major, Mode.NEW).life() as life:
            three(life)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert path.read_bytes() == before
    beside = path.with_name("it.json.failed")
    assert beside.exists()
    beside.replace(path)
    assert replayed(path, family, major, three) == []


# verify ------------------------------------------------------------------------------------------------------------------


@by_protocol
@pytest.mark.parametrize("layers", [(), (other_ids,)], ids=["equal", "other ids"])
def test_an_unchanged_provider_answers_as_recorded(tmp_path, family, major, layers):
    """A provider with other ids and secrets passes: all calls reach it, and the cassette stays as it is."""
    path = tmp_path / "it.json"
    record(path, family, major)
    before = path.read_bytes()
    run = Beside(path, family, major, Mode.VERIFY, *layers)
    with run.life() as life:
        life.run()
    assert run.double.errors == []
    assert len(run.asked) == len([one for one in load(path).interactions if one.op in ("create", "update", "delete")])
    assert run.live.cloud.objects() == []
    assert path.read_bytes() == before


def other(**changed: Any) -> Callable[[Reply], Reply]:
    """A reply with other values."""
    return lambda reply: replace(reply, value={**(reply.value or {}), **changed})


CHANGES = {
    "a changed output": (on(Op.CREATE, other(etag="odd")), "odd"),
    "another answer of a function": (on(Op.INVOKE, other(zone="moon"), ZONE.token), "moon"),
}


@by_protocol
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_provider_is_told(tmp_path, family, major, change):
    """Each answer that differs is in one error at the end, with its place, and the engine got today's answer."""
    path = tmp_path / "it.json"
    record(path, family, major)
    layer, shown = CHANGES[change]
    run = Beside(path, family, major, Mode.VERIFY, layer)
    with pytest.raises(DifferentAnswersError, match=re.escape(shown)) as caught, run.life() as life:
        life.run()
    assert "The provider answers" in str(caught.value)
    assert len(caught.value.answers) >= 1


@by_protocol
def test_what_was_not_recorded_is_not_asked(path, family, major):
    """In ``verify`` a call that the cassette does not hold is a miss; what the run has made is deleted all the same."""

    def other_disk(life: Life) -> None:
        started(life)
        life.create(DISK.token, "e", OTHER)

    def never_deleted(life: Life) -> None:
        started(life)
        life.delete(DISK.token, "d", life.create(DISK.token, "d", FIRST))

    run = Beside(path, family, major, Mode.VERIFY)
    with pytest.raises(MissError, match="holds no answer"), run.life() as life:
        other_disk(life)
    assert run.asked == []

    run = Beside(path, family, major, Mode.VERIFY)
    with pytest.raises(MissError, match="holds no answer"), run.life(stopping=False) as life:
        never_deleted(life)
    assert run.live.cloud.objects() == []
