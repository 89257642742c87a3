"""Objects made by equal requests: told apart by what the provider generated, in whatever order a replay makes them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cassette_toy import TYPE, Toy, answer, call, header, recorded, replayer, session

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette import Cassette, CassetteLayer, Library, Mode, Reader, Recorder
from mockprovider.errors import AmbiguousError, MissError
from mockprovider.redaction import Redactor

COUNT = 10
Provider = Callable[[Call], Reply]


class Cloud:
    """A provider that makes up what it is not told. Equal requests get different answers, and time passes in between."""

    def __init__(self, seed: int = 0, *, opaque: bool = True) -> None:
        self._random = random.Random(seed)
        self._opaque = opaque
        self._made = 0

    def __call__(self, asked: Call) -> Reply:
        inputs: dict[str, Any] = dict(asked.inputs or {})
        self._made += 1
        if asked.op is Op.UPDATE:
            etag = f"{self._random.getrandbits(64):016x}" if self._opaque else "changed"
            return Reply(value={**inputs["state"], **inputs["wanted"], "etag": etag, "since": self._time()})
        if asked.op in (Op.READ, Op.DELETE):
            return Reply(value=inputs["state"])
        # What has a name is known by it. Anything opaque would be an answer about one object alone.
        name = inputs.get("name") or f"{inputs.get('prefix', 'x-')}{self._random.getrandbits(48):012x}"
        return answer(
            **inputs,
            id=name,
            arn=f"arn:cloud:{asked.type}:{name}",
            serial=7 if "name" in inputs else self._random.randrange(1000, 10**6),
            since=self._time(),
            owner="012345678901",
        )

    def _time(self) -> str:
        return f"2026-11-21T04:{self._made // 180:02}:{self._made // 3 % 60:02}Z"


class Life:
    """What an engine does with some objects and what hangs on them; ``order`` is the order in which its workers get on."""

    def __init__(self, provider: Provider, order: random.Random, *, later: bool = True) -> None:
        self._provider = provider
        self._order = order
        self._walk = 0
        self.later = later
        self.states: dict[str, dict[str, Any]] = {}

    def ask(self, op: Op, key: str, type_: str, /, **inputs: Any) -> None:
        reply = self._provider(call(op, session(self._walk), type_=type_, **inputs))
        assert reply.ok
        self.states[key] = dict(reply.value or {})

    def walk(self, *chains: list[Callable[[], None]]) -> None:
        """Run the chains, each in its own order, mixed with each other."""
        self._walk += 1
        waiting = [list(each) for each in chains]
        while waiting:
            chosen = self._order.choice(waiting)
            chosen.pop(0)()
            waiting = [each for each in waiting if each]

    def run(self) -> dict[str, dict[str, Any]]:
        """The states after each walk, by walk and name."""
        found = {}
        walks = [self.create, self.read, self.update, self.read, self.delete]
        for number, each in enumerate(walks):
            self.walk(*(each(n) for n in range(COUNT)))
            found.update({f"{number} {name}": state for name, state in self.states.items()})
        return found

    def create(self, n: int) -> list[Callable[[], None]]:
        state = self.states
        return [
            lambda: self.ask(Op.CREATE, f"a{n}", "A", prefix="logs-"),
            lambda: self.ask(Op.CREATE, f"same{n}", "Same", parent=state[f"a{n}"]["id"]),
            lambda: self.ask(Op.CREATE, f"leaf{n}", "Leaf", parent=state[f"same{n}"]["arn"]),
            lambda: self.ask(Op.CREATE, f"own{n}", "Own", name=f"own-{n}", url=f"https://{state[f'a{n}']['id']}.cloud/x"),
            lambda: self.ask(Op.CREATE, f"last{n}", "Last", name=f"last-{n}", number=state[f"leaf{n}"]["serial"]),
        ]

    def read(self, n: int) -> list[Callable[[], None]]:
        names = {"a": "A", "same": "Same", "leaf": "Leaf", "own": "Own", "last": "Last"}
        return [lambda n=n, one=one, type_=type_: self._read(f"{one}{n}", type_) for one, type_ in names.items()]

    def _read(self, name: str, type_: str) -> None:
        self.ask(Op.READ, name, type_, state=self.states[name])

    def update(self, n: int) -> list[Callable[[], None]]:
        wanted = {"size": n} if self.later else {"size": 1}
        return [lambda: self.ask(Op.UPDATE, f"a{n}", "A", state=self.states[f"a{n}"], wanted=wanted)]

    def delete(self, n: int) -> list[Callable[[], None]]:
        return [lambda: self.ask(Op.DELETE, f"a{n}", "A", state=self.states[f"a{n}"])]


def check(found: dict[str, dict[str, Any]], live: dict[str, dict[str, Any]]) -> None:
    """The replayed states are those of the recorded run, but for which object has which generated values."""
    assert found.keys() == live.keys()
    for name in ("id", "arn", "serial"):
        for kind in ("a", "same", "leaf", "own", "last"):
            of = [f"0 {kind}{n}" for n in range(COUNT)]
            assert sorted(found[each][name] for each in of) == sorted(live[each][name] for each in of)
    for key, state in found.items():
        n = key[-1]
        start = found[f"0 {key.split()[1]}"]
        changes = {"size": None, "etag": None, "since": None} if "etag" in state else {"size": None}
        assert {**state, **changes} == {**start, **changes}
        if "etag" in state:
            assert state["etag"] == found[f"2 {key.split()[1]}"]["etag"]
        assert state.get("size") == live[key].get("size")
        assert state["arn"].endswith(state["id"])
        if key.split()[1] == f"own{n}":
            assert state["url"] == f"https://{found[f'0 a{n}']['id']}.cloud/x"
        if key.split()[1] == f"same{n}":
            assert state["parent"] == found[f"0 a{n}"]["id"]


def live_run(later: bool) -> tuple[Cassette, dict[str, dict[str, Any]]]:
    # Where each object is changed in its own way, an etag would be an opaque answer about one object alone.
    cloud, recorder = Cloud(opaque=not later), Recorder(Toy(), header())
    states = Life(lambda asked: recorder(asked, cloud), random.Random("live"), later=later).run()
    return recorder.close(), states


@pytest.mark.trial("equal-creates", pinned=10, cases=1000)
@pytest.mark.parametrize("later", [True, False])
def test_ten_equal_creates_replay_in_any_order(later: bool, seeds: Iterator[int]) -> None:
    """Equal creates and what hangs on them, in any other order: each object stays one object from create to delete."""
    cassette, live = live_run(later)
    for seed in seeds:
        replay = replayer(cassette)
        found = Life(replay, random.Random(seed), later=later).run()
        check(found, live)
        assert replay.library.unused() == []
        assert replay.library.repeats == 0


class Rewired(Life):
    """A life in which what hangs on an object hangs on another one than in the recording, though its name is the same."""

    def create(self, n: int) -> list[Callable[[], None]]:
        chain = super().create(n)
        return [*chain[:4], lambda: self.ask(Op.CREATE, f"last{n}", "Last", name=f"last-{n}", number=self._other(n))]

    def _other(self, n: int) -> int:
        made = sorted(name for name in self.states if name.startswith("leaf") and name != f"leaf{n}")
        serial: int = self.states[made[0] if made else f"leaf{n}"]["serial"]
        return serial


@pytest.mark.trial("rewired-objects", pinned=10, cases=1000)
def test_a_program_that_wires_its_objects_otherwise_is_refused(seeds: Iterator[int]) -> None:
    """Where no recorded object was all that one of the replay would have to be, there is a miss and never a mix of two."""
    cassette, _ = live_run(later=True)
    for seed in seeds:
        with pytest.raises(MissError, match="holds no answer"):
            Rewired(replayer(cassette), random.Random(seed)).run()


# What follows from one object ------------------------------------------------------------------------------------------


def create(where: Session, type_: str = TYPE, **inputs: Any) -> Call:
    return call(Op.CREATE, where, type_=type_, **inputs)


def made(*names: str, **more: Any) -> list[tuple[Call, Reply]]:
    """Creates from one prefix that were answered with these names."""
    return [(create(session(), prefix="logs-"), answer(id=name, arn=f"arn:cloud:{name}", **more)) for name in names]


NAMES = ("logs-8d1f2a", "logs-77c3b0", "logs-e05a91")


def test_a_phase_has_its_own_objects() -> None:
    """Of equal creates in two phases, those of the phase that the replay names are taken."""
    recorder = Recorder(Toy(), header())
    for number, phase in enumerate(("first", "second"), 1):
        recorder.phase = phase
        recorder(create(session(number), prefix="logs-"), lambda _, number=number: answer(id=NAMES[number]))  # type: ignore[misc]
    replay = replayer(recorder.close())
    replay.library.phase = "second"
    assert replay(create(session(1), prefix="logs-")).value == {"id": NAMES[2]}


def test_what_hangs_on_an_object_is_found_by_its_role() -> None:
    """A dependent that was recorded for another of the equal objects is answered with the values of its object of now."""
    dependents = [
        (create(session(2), "Stream", name=f"s{n}", group=name), answer(id=f"{name}:s{n}")) for n, name in enumerate(NAMES)
    ]
    replay = replayer(recorded(*made(*NAMES), *dependents))
    names = [dict(replay(create(session(), prefix="logs-")).value or {})["id"] for _ in NAMES]
    assert sorted(names) == sorted(NAMES)
    for n, name in enumerate(reversed(names)):
        assert replay(create(session(2), "Stream", name=f"s{n}", group=name)).value == {"id": f"{name}:s{n}"}


def test_an_object_has_one_role() -> None:
    """Once a dependent has shown which of the equal objects one is, it cannot be another for the next dependent."""
    dependents = [(create(session(2), "Stream", name=f"s{n}", group=name), answer()) for n, name in enumerate(NAMES)]
    replay = replayer(recorded(*made(*NAMES), *dependents))
    first = dict(replay(create(session(), prefix="logs-")).value or {})["id"]
    replay(create(session(2), "Stream", name="s1", group=first))
    with pytest.raises(MissError, match='name: recorded "s'):
        replay(create(session(2), "Stream", name="s2", group=first))


def test_more_equal_creates_than_recorded_miss() -> None:
    """An eleventh object would need a name that no provider has generated."""
    replay = replayer(recorded(*made(*NAMES)))
    for _ in NAMES:
        replay(create(session(), prefix="logs-"))
    with pytest.raises(MissError, match="recorded 3 times"):
        replay(create(session(), prefix="logs-"))


def test_one_object_is_not_deleted_twice() -> None:
    """The delete of each object answers for that object alone, though the recording has as many equal ones as objects."""
    deletes = [(call(Op.DELETE, session(2), id=name), answer()) for name in NAMES]
    replay = replayer(recorded(*made(*NAMES), *deletes))
    name = dict(replay(create(session(), prefix="logs-")).value or {})["id"]
    replay(call(Op.DELETE, session(2), id=name))
    with pytest.raises(MissError, match="used already"):
        replay(call(Op.DELETE, session(2), id=name))


@pytest.mark.parametrize("count", [2, 3])
def test_everything_that_names_several_of_them_follows(count: int) -> None:
    """A list of generated names, in the order that the replay has them in, is answered with those."""
    listed = create(session(2), "Policy", groups=[*NAMES[:count]])
    replay = replayer(recorded(*made(*NAMES), (listed, answer(text=", ".join(NAMES[:count])))))
    names = [dict(replay(create(session(), prefix="logs-")).value or {})["id"] for _ in NAMES]
    for order in ([*reversed(names)], names):
        now = order[:count]
        fresh = replayer(recorded(*made(*NAMES), (listed, answer(text=", ".join(NAMES[:count])))))
        for _ in NAMES:
            fresh(create(session(), prefix="logs-"))
        assert fresh(create(session(2), "Policy", groups=now)).value == {"text": ", ".join(now)}


def in_order(_method: str, _type: str, tree: Any) -> Any:
    """The toy's requests with their set in order."""
    return {**tree, "tags": sorted(tree["tags"])} if isinstance(tree, dict) and "tags" in tree else tree


def test_sets_of_generated_names_follow_too() -> None:
    """In a set, which comes sorted by the values of now, each name has the role that was settled before."""
    own = [(create(session(2), "Own", name=f"own-{n}", group=name), answer()) for n, name in enumerate(NAMES)]
    together = (create(session(3), "Policy", tags=[*NAMES[:2]], name="two"), answer(of=[*NAMES[:2]]))
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 0, 1]):
        replay = CassetteLayer(Mode.NONE, Library(recorded(*made(*NAMES), *own, together), {"": Reader(Toy(), in_order)}), None)
        names = [dict(replay(create(session(), prefix="logs-")).value or {})["id"] for _ in NAMES]
        now = [names[n] for n in order]
        for n, name in enumerate(now):
            replay(create(session(2), "Own", name=f"own-{n}", group=name))
        answered = replay(create(session(3), "Policy", tags=sorted(now[:2]), name="two")).value or {}
        assert answered["of"] == now[:2]


def test_generated_secrets_are_told_apart() -> None:
    """Objects that differ in nothing but a generated secret keep theirs, and what was made for one of them knows it."""
    redactor = {"redactor": Redactor(names=["password"])}
    users = [(create(session(), "User"), answer(id="none", password=f"generated-{n}")) for n in range(3)]
    logins = [
        (create(session(2), "Login", name=f"l{n}", password=f"generated-{n}"), answer(url=f"https://u:generated-{n}@host"))
        for n in range(3)
    ]
    cassette = recorded(*users, *logins, **redactor)
    assert "generated" not in str(cassette.interactions)
    replay = replayer(cassette, redactor=Redactor(names=["password"]))
    passwords = [dict(replay(create(session(), "User")).value or {})["password"] for _ in range(3)]
    assert len(set(passwords)) == 3
    for n, password in enumerate(reversed(passwords)):
        login = replay(create(session(2), "Login", name=f"l{n}", password=password)).value
        assert login == {"url": f"https://u:{password}@host"}


def test_equal_values_by_chance_are_left_alone() -> None:
    """A time that one of the objects has, and something else as well, is not changed in the answers about that."""
    creates = [reply for n, name in enumerate(NAMES) for reply in made(name, since=f"2026-11-21T04:00:0{n}Z")]
    other = create(session(), "Other", name="x"), answer(since="2026-11-21T04:00:01Z", id="other")
    read = (
        call(Op.READ, session(2), type_="Own", id="1", group=NAMES[1], since="2026-11-21T04:00:01Z"),
        answer(since="2026-11-21T04:00:01Z", group=NAMES[1], seen="2026-11-21T04:00:01Z"),
    )
    replay = replayer(recorded(*creates, other, read))
    assert (replay(create(session(), "Other", name="x")).value or {})["since"] == "2026-11-21T04:00:01Z"
    all_ = [dict(replay(create(session(), prefix="logs-")).value or {}) for _ in NAMES]
    first = next(each for each in all_ if each["id"] != NAMES[1])
    found = replay(call(Op.READ, session(2), type_="Own", id="1", group=first["id"], since="2026-11-21T04:00:01Z")).value
    assert found == {"since": "2026-11-21T04:00:01Z", "group": first["id"], "seen": "2026-11-21T04:00:01Z"}


def test_one_name_in_two_spellings() -> None:
    """A value that one object has in one form and another in two is only put where the request shows which form it is."""
    ids = (("cX6Ff5mO", "cX6Ff5mO"), ("-dAIJHes", "+dAIJHes"))
    creates = [(create(session(), "Id"), answer(url=url, std=std)) for url, std in ids]
    pets = [
        (create(session(2), "Pet", n=n, key=url), answer(key=url, **({"other": url} if n == 0 else {})))
        for n, (url, _) in enumerate(ids)
    ]
    replay = replayer(recorded(*creates, pets[1]))
    found = [dict(replay(create(session(), "Id")).value or {}) for _ in ids]
    assert sorted((each["url"], each["std"]) for each in found) == sorted(ids)
    by_url = {each["url"]: each for each in found}
    assert replay(create(session(2), "Pet", n=1, key=by_url["cX6Ff5mO"]["url"])).value == {"key": "cX6Ff5mO"}
    # The other pet was answered with the value under a name that its request does not have: which spelling, nobody knows.
    with pytest.raises(AmbiguousError, match="recorded 2 times with equal requests"):
        replayer(recorded(*creates, *pets))(create(session(), "Id"))


def test_an_answer_without_anything_generated_is_no_birth() -> None:
    """Objects whose answers only choose from what was given are answered as recorded, and what hangs on them as well."""
    orders = (["a", "b"], ["b", "a"])
    creates = [(create(session(), "Shuffle", given=["a", "b"]), answer(result=order)) for order in orders]
    uses = [(create(session(2), "Use", name=f"u{n}", order=order), answer()) for n, order in enumerate(orders)]
    replay = replayer(recorded(*creates, *uses))
    found = [dict(replay(create(session(), "Shuffle", given=["a", "b"])).value or {})["result"] for _ in orders]
    assert sorted(found) == sorted(orders)
    replay(create(session(2), "Use", name="u0", order=orders[0]))
    with pytest.raises(MissError):
        replay(create(session(2), "Use", name="u1", order=orders[0]))


# What stays ambiguous --------------------------------------------------------------------------------------------------


def test_instances_that_look_alike_are_not_exchanged() -> None:
    """Equal creates of two provider instances with one configuration at one time are refused: their objects are not equal."""
    conversation = [
        (create(session(number), prefix="logs-"), answer(id=name))
        for number, name in ((1, NAMES[0]), (2, NAMES[1]), (1, NAMES[2]))
    ]
    with pytest.raises(AmbiguousError, match="equally configured provider instances at the same time") as caught:
        replayer(recorded(*conversation))(create(session(), prefix="logs-"))
    assert "Create of cloud:index:Bucket" in str(caught.value)
    assert "Give the provider instances configurations that differ" in str(caught.value)


def test_different_answers_about_an_object_whose_role_is_taken_are_refused() -> None:
    """Where answers differ from object to object and none is that of its own values, it is not guessed which object it is."""
    reads = [(call(Op.READ, session(3), id=name), answer(id=name, size=n)) for n, name in enumerate(NAMES)]
    own = [(create(session(2), "Own", name="own", group=NAMES[0]), answer())]
    replay = replayer(recorded(*made(*NAMES), *own, *reads))
    names = [dict(replay(create(session(), prefix="logs-")).value or {})["id"] for _ in NAMES]
    other = next(name for name in names if name != NAMES[0])
    replay(create(session(2), "Own", name="own", group=other))
    with pytest.raises(AmbiguousError, match="Read of cloud:index:Bucket"):
        replay(call(Op.READ, session(3), id=NAMES[0]))


def test_what_has_changed_by_hand_follows_its_values() -> None:
    """An object that was found changed is the one with the same generated values, whatever place it has now."""
    reads = [(call(Op.READ, session(3), id=name), answer(id=name, size=n)) for n, name in enumerate(NAMES)]
    replay = replayer(recorded(*made(*NAMES), *reads))
    names = [dict(replay(create(session(), prefix="logs-")).value or {})["id"] for _ in NAMES]
    sizes = {name: (replay(call(Op.READ, session(3), id=name)).value or {})["size"] for name in reversed(names)}
    assert sizes == {name: n for n, name in enumerate(NAMES)}


def test_bytes_that_nobody_can_open_are_not_guessed() -> None:
    """Where an answer holds verbatim bytes, a generated name in them could not be replaced: its objects are refused."""
    kept = [(create(session(2), "Own", name=f"o{n}", group=name), answer(**{"$msgpack": name})) for n, name in enumerate(NAMES)]
    with pytest.raises(AmbiguousError, match="recorded 3 times with equal requests"):
        replayer(recorded(*made(*NAMES), *kept))(create(session(), prefix="logs-"))
    sealed = [(create(session(), prefix="logs-"), answer(**{"$msgpack": name})) for name in NAMES]
    with pytest.raises(AmbiguousError):
        replayer(recorded(*sealed))(create(session(), prefix="logs-"))


@pytest.mark.trial("aliases", pinned=20, cases=2000)
def test_two_aliases_keep_their_regions(seeds: Iterator[int]) -> None:
    """Resources of one name under two provider instances have each its own answers, in any order."""
    regions = ("east", "west")
    conversation = [
        (create(session(number, region), name=f"n{n}"), answer(id=f"{region}-{n}", url=f"https://{region}.cloud/n{n}"))
        for n in range(COUNT)
        for number, region in enumerate(regions, 1)
    ]
    cassette = recorded(*conversation)
    wanted = {(region, n): f"{region}-{n}" for region in regions for n in range(COUNT)}
    for seed in seeds:
        replay = replayer(cassette)
        order = random.Random(seed).sample(sorted(wanted), len(wanted))
        found = {
            (region, n): (replay(create(session(7 + regions.index(region), region), name=f"n{n}")).value or {})["id"]
            for region, n in order
        }
        assert found == wanted
