"""Real recordings of ten equal creates, and their replay in any order."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from asking import Asker
from kept_cassettes import KEPT

from mockprovider.calls import Op
from mockprovider.cassette import Interaction

TOLD_BY = {"terraform-random-names": "random_id", "terraform-aws-names": "aws_cloudwatch_log_group"}
ALONE = "random_integer"
LONG = 6


def leaves(tree: Any) -> list[Any]:
    """All strings and numbers in a tree."""
    if isinstance(tree, (dict, list)):
        return [leaf for each in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(each)]
    return [] if tree is None or isinstance(tree, bool) else [tree]


class Address:
    """One of the ten, as an engine has it: what stands now for each value that was recorded for it."""

    def __init__(self) -> None:
        self.now: dict[Any, Any] = {}

    def translated(self, tree: Any) -> Any:
        """A recorded tree with the values of now."""
        if isinstance(tree, dict):
            return {key: self.translated(each) for key, each in tree.items()}
        if isinstance(tree, list):
            return [self.translated(each) for each in tree]
        if isinstance(tree, bool) or tree not in self.now:
            return self._inside(tree) if isinstance(tree, str) else tree
        return self.now[tree]

    def _inside(self, text: str) -> str:
        parts = [each for each in self.now if isinstance(each, str) and len(each) > LONG and each in text]
        return text.replace(found := max(parts, key=len), self.now[found]) if parts else text

    def learn(self, recorded: Any, live: Any) -> None:
        """Lay a recorded answer and the one of now over each other; they must be alike but for generated values."""
        if isinstance(recorded, dict):
            assert recorded.keys() == live.keys()
            for key in recorded:
                self.learn(recorded[key], live[key])
        elif isinstance(recorded, list):
            for one, other in zip(recorded, live, strict=True):
                self.learn(one, other)
        elif self.translated(recorded) != live:
            assert type(recorded) is type(live)
            assert self.now.setdefault(recorded, live) == live


class Script:
    """The calls of a recording, by session and by which of the ten they are about."""

    def __init__(self, name: str) -> None:
        self.asker = Asker(KEPT[name].path("terraform"))
        keys = self._made(TOLD_BY[name]) | self._made(ALONE)
        self.sessions: dict[int, dict[str, list[Interaction]]] = defaultdict(lambda: defaultdict(list))
        for each in self.asker.cassette.interactions:
            there = set(map(str, [*leaves(each.request), *leaves(each.response)]))
            key = next((key for key, own in keys.items() if there & own), "")
            self.sessions[each.session][key].append(each)
        for chains in self.sessions.values():
            for key, chain in chains.items():
                chain.sort(key=lambda each, key=key: not creates(each) or each.type not in key)

    def _made(self, type_: str) -> dict[str, set[str]]:
        found = [each for each in self.asker.cassette.interactions if each.type == type_ and creates(each)]
        answers = [set(map(str, leaves(self.asker.expected(each)["new_state"]["msgpack"]))) for each in found]
        return {f"{type_} {n}": each - set.intersection(*answers) for n, each in enumerate(answers)}


def creates(each: Interaction) -> bool:
    """Whether it is the apply of something new."""
    return each.op == Op.CREATE.value and each.request["prior_state"]["msgpack"] is None


class Run:
    """A replay of a script whose ten chains of calls are mixed anew in each session."""

    def __init__(self, script: Script, seed: int) -> None:
        self._asker = script.asker.again()
        self._sessions = script.sessions
        self._order = random.Random(seed)
        self.addresses: dict[str, Address] = defaultdict(Address)
        self.made: dict[str, list[Any]] = defaultdict(list)

    def play(self) -> None:
        """Ask everything, session by session."""
        for chains in self._sessions.values():
            for each in chains.get("", []):
                self._ask(each, "")
            waiting = [(key, [*chain]) for key, chain in chains.items() if key]
            while waiting:
                key, chain = self._order.choice(waiting)
                self._ask(chain.pop(0), key)
                waiting = [each for each in waiting if each[1]]

    def _ask(self, each: Interaction, key: str) -> None:
        address = self.addresses[key]
        found = self._asker.ask(each, address.translated(self._asker.request(each)))
        expected = self._asker.expected(each)
        if creates(each):
            address.learn(expected, found)
            self.made[each.type].append(found["new_state"]["msgpack"])
        else:
            assert found == address.translated(expected)


@cache
def script(name: str) -> Script:
    """A recording's script, read once."""
    return Script(name)


def assert_any_order_replays(name: str, seeds: Iterable[int]) -> None:
    """Replay a recording in one order a seed: no call is missed, and what belongs to an object says its name."""
    for seed in seeds:
        run = Run(script(name), seed)
        run.play()
        assert len({each["id"] for each in run.made[TOLD_BY[name]]}) == 10
        assert any(one != other for each in run.addresses.values() for one, other in each.now.items())
