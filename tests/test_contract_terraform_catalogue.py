"""A catalogue of mistakes that Terraform engines make, as one-line changes of a small engine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import small_terraform_engine
from contract_stage import with_private_bytes

from mockprovider.double import Double
from mockprovider.offers import Ephemeral
from mockprovider.schema import Property, ResourceType

SOURCE = Path(small_terraform_engine.__file__).read_text(encoding="utf-8")
BUCKET = ResourceType(
    "cloud:index:Bucket",
    {"acl": Property(str), "size": Property(int, forces_new=True), "arn": Property(str, computed="arn:{id}")},
)
KEY = Ephemeral("cloud:index:Key", {"user": Property(str)}, {"secret": "s"})
CONFIGURE = 'self.ask("ConfigureProvider", "", config={"msgpack": b"\\x80"})'
RENEW = 'self.ask("RenewEphemeralResource", self.ephemeral, private=opened.private)'
CLOSE = 'self.ask("CloseEphemeralResource", self.ephemeral, private=opened.private)'
STOP = 'self.ask("StopProvider", "")'
SECOND = """        self.start()
        opened"""
UPGRADE = 'return self.ask("UpgradeResourceState", self.name, version=0, raw_state=stored).upgraded_state, kept["private"]'
READING = 'answer = self.ask("ReadResource", self.name, current_state=state, private=private)'
READ = "return answer.new_state, answer.private"
AFTER_READ = "self.keep(name, answer.new_state, answer.private)\n        return"
PLAN = """            plan = self.planned(state, private, config)
            if state is None"""
DOOMED = """            plan = self.planned(state, private, config)
            if state and"""
DELETE = "self.applied(state, None, None, private)"
APPLY = "answer = self.applied(state, plan.planned_state, config, plan.planned_private)"
KEPT = "                self.keep(name, answer.new_state, answer.private)"
FORGET = "            del self.state[name]"

MISTAKES = {
    "never configures": (CONFIGURE, "pass"),
    "configures twice": (CONFIGURE, f"{CONFIGURE}; {CONFIGURE}"),
    "stops before it applies": (SECOND, SECOND.replace("opened", f"{STOP}\n        opened")),
    "stops, and opens": (CLOSE, f'{CLOSE}; {STOP}; self.ask("OpenEphemeralResource", self.ephemeral)'),
    "renews with bytes of its own": (RENEW, RENEW.replace("opened.private", "b'mine'")),
    "renews what it has closed": (RENEW, f"{CLOSE}; {RENEW}"),
    "closes with bytes of its own": (CLOSE, CLOSE.replace("opened.private", "b'mine'")),
    "closes twice": (CLOSE, f"{CLOSE}; {CLOSE}"),
    "never closes": (CLOSE, "pass"),
    "never upgrades": (UPGRADE, 'return self.made(kept["json"]), kept["private"]'),
    "forgets stored private bytes": (UPGRADE, UPGRADE.replace('kept["private"]', 'b""')),
    "goes on with the state of before a read": (READ, "return state, answer.private"),
    "goes on with the private bytes of before a read": (READ, "return answer.new_state, private"),
    "stores the private bytes of before a read": (AFTER_READ, AFTER_READ.replace("answer.private", "private", 1)),
    "reads, and applies as if it had not": (AFTER_READ, "return"),
    "never plans again": (PLAN, PLAN.replace("self.planned(state, private, config)", "plan")),
    "plans without a prior state": (PLAN, PLAN.replace("state, private, config)", "None, b'', config)", 1)),
    "plans without private bytes": (DOOMED, DOOMED.replace("private", "b''", 1)),
    "plans another configuration": (PLAN, PLAN.replace("config)", "{**config, 'acl': 'other'})")),
    "never plans deletes": (DOOMED, DOOMED.replace("config)", "config) if config else self.nothing")),
    "plans deletes as updates": (DOOMED, DOOMED.replace("config)", "config or {'size': 2})")),
    "deletes without the plan's private bytes": (DELETE, DELETE.replace("private", "b''")),
    "deletes another state": (DELETE, DELETE.replace("state", "self.changed(state)", 1)),
    "deletes after it has changed the object": (DELETE, f"self.applied(state, self.changed(state), {{}}, b''); {DELETE}"),
    "deletes twice": (DELETE, f"{DELETE}; {DELETE}"),
    "never forgets": (FORGET, "            pass"),
    "applies a plan twice": (APPLY, f"{APPLY}; {APPLY}"),
    "applies what it proposed": (APPLY, APPLY.replace("plan.planned_state", "self.changed(plan.planned_state)")),
    "applies without the plan's private bytes": (APPLY, APPLY.replace("plan.planned_private", "b''")),
    "applies with the prior state's private bytes": (APPLY, APPLY.replace("plan.planned_private", "private")),
    "applies to nothing": (APPLY, APPLY.replace("state, ", "None, ", 1)),
    "applies to another state": (APPLY, APPLY.replace("state, ", "state and self.changed(state), ", 1)),
    "applies with another configuration": (APPLY, APPLY.replace("config, ", "{'acl': 'other'}, ")),
    "applies what is not known yet": (APPLY, APPLY.replace("config, ", "{**config, 'acl': UNKNOWN}, ")),
    "stores the state of before an update": (KEPT, KEPT.replace("answer.new_state", "state or answer.new_state")),
    "stores what was applied, changed": (KEPT, KEPT.replace("answer.new_state", "self.changed(answer.new_state)")),
    "forgets the private bytes of an apply": (KEPT, KEPT.replace("answer.private", "b''")),
    "plans the state of another object": (PLAN, PLAN.replace("state, private", "*self.loaded('b')", 1)),
    "plans with an instance that is not configured": (UPGRADE, f'self.session = self.double.open("terraform"); {UPGRADE}'),
    "reads what is not known yet": (READING, READING.replace("state,", "self.changed(state, UNKNOWN),")),
    "stores the plan's private bytes": (KEPT, KEPT.replace("answer.private", "plan.planned_private")),
}
"""What an engine does wrong, and the change that makes this one do it."""
NOT_CAUGHT = {
    "never closes": "no call says that a run is over; provider.cloud.objects(TOKEN) tells what is still open",
    "reads, and applies as if it had not": "so does an engine that is told to refresh nothing",
}
TOOLS = """

def _made(self, text):
    coder = self.coder(self.name)
    return PROTO.message("DynamicValue")(msgpack=coder.encode(*coder.decode_json(text)))


def _changed(self, state, arn="arn:other"):
    bag, id_ = self.coder(self.name).decode(state)
    return PROTO.message("DynamicValue")(msgpack=self.coder(self.name).encode({**bag, "arn": arn}, id_))


from mockprovider import UNKNOWN
Engine.made, Engine.changed = _made, _changed
Engine.nothing = PROTO.message("PlanResourceChange.Response")()
"""
"""What mistakes are made with."""


def engine(change: tuple[str, str] | None = None) -> Any:
    """The class of the small engine, with one change."""
    text = SOURCE
    if change is not None:
        assert text.count(change[0]) == 1, f"the engine no longer has this line once: {change[0]}"
        text = text.replace(*change)
    names: dict[str, Any] = {}
    exec(compile(text + TOOLS, "small_terraform_engine.py", "exec", dont_inherit=True), names)
    return names["Engine"]


def broken(kind: Any) -> list[str]:
    """The rules that a life under an engine breaks: create, nothing to do, drift, update, replace, delete, nothing."""
    with Double(BUCKET, KEY, layers=(with_private_bytes(),), name="cloud") as double:
        small = kind(double, "cloud_bucket", "cloud_key")
        one, two = {"acl": "private", "size": 1}, {"acl": "private", "size": 2}
        updated = {**one, "acl": "public"}
        lives = [*[{"a": one, "b": two}] * 2, {"a": updated, "b": two}, {"a": two, "b": two}, {"a": two}, {}, {}]
        for number, wanted in enumerate(lives):
            if number == 2 and (objects := double.cloud.objects(BUCKET.token)):
                double.cloud.drift(BUCKET.token, objects[0].id, acl="drifted")
            with suppress(Exception):
                # What a broken engine says of itself is not the question here.
                small.apply(wanted)
    return [breach.rule.id for breach in double.contract.breaches]


def test_the_small_engine_is_right() -> None:
    """The small engine breaks no rule."""
    assert broken(engine()) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_an_engine(mistake: str) -> None:
    """Each mistake breaks a rule, but for those that are listed with what tells them instead."""
    assert bool(broken(engine(MISTAKES[mistake]))) is (mistake not in NOT_CAUGHT)


def test_most_mistakes_are_caught() -> None:
    """At least 40 mistakes are tried, and at most one in twenty is not caught."""
    assert NOT_CAUGHT.keys() <= MISTAKES.keys()
    assert (len(MISTAKES) >= 40, len(NOT_CAUGHT) * 20 <= len(MISTAKES)) == (True, True)
