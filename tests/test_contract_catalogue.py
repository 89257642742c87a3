"""A catalogue of mistakes that engines make, as one-line changes of the small engine in docs/your-own-engine.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mockprovider.double import Double
from mockprovider.schema import Property, ResourceType
from mockprovider.values import ResourceReference

PAGE = Path(__file__).parents[1] / "docs" / "your-own-engine.md"
TOKEN = "cloud:index:Bucket"
PROPERTIES = {
    "acl": Property(str, default="private"),
    "name": Property(str, forces_new=True),
    "of": Property(object),
    "arn": Property(str, computed="arn:{id}"),
}
BUCKET = ResourceType(TOKEN, PROPERTIES, delete_before_replace=True)
CONFIGURE = "self.provider(Call(op=Op.CONFIGURE, session=self.session, inputs={}))"
CHECK = "inputs = self.ask(Op.CHECK, name, type_, inputs=inputs).inputs"
CREATE = "reply = self.ask(Op.CREATE, name, type_, inputs=inputs)"
UPDATE = "reply = self.ask(Op.UPDATE, name, inputs=inputs, **self.known(name))"
DELETE = "self.ask(Op.DELETE, name, **self.known(name))"
REPLACE = "if diff:\n            self.drop(name)"
STATE = '"prior": old["outputs"]'
OLD_INPUTS = '"prior_inputs": old["inputs"]'
KEPT = '"id": reply.id, "inputs": inputs, "outputs": reply.value}'

MISTAKES = {
    "never configures": (CONFIGURE, "pass"),
    "shakes hands instead of configuring": (CONFIGURE, CONFIGURE.replace("CONFIGURE", "HANDSHAKE")),
    "cancels first": (CONFIGURE, f"{CONFIGURE}; {CONFIGURE.replace('CONFIGURE', 'CANCEL')}"),
    "checks the configuration last": (CONFIGURE, f"{CONFIGURE}; {CONFIGURE.replace('CONFIGURE', 'CHECK_CONFIG')}"),
    "asks as in a preview, and means it": (CONFIGURE, f"{CONFIGURE}; self.session.preview = True"),
    "never checks": (CHECK, "pass"),
    "checks, and sends what the program said": (CHECK, CHECK.replace("inputs = self", "self")),
    "checks the inputs of another resource": (CHECK, CHECK.replace("name, type_", "name + '2', type_")),
    "checks with another instance": (CHECK, f"{CHECK}; self.session = self.provider.open(); {CONFIGURE}"),
    "adds to what was checked": (CREATE, CREATE.replace("inputs=inputs", "inputs={**inputs, 'size': 1}")),
    "drops some of what was checked": (CREATE, CREATE.replace("inputs=inputs", "inputs={}")),
    "creates what is not known yet": (CREATE, CREATE.replace("inputs=inputs", "inputs={**inputs, 'acl': UNKNOWN}")),
    "updates to the old inputs": (UPDATE, UPDATE.replace("inputs=inputs", "inputs=old['inputs']")),
    "deletes before it updates": (UPDATE, f"{DELETE}; {UPDATE}"),
    "remembers the name as the id": (KEPT, KEPT.replace("reply.id", "name")),
    "remembers no id": (KEPT, KEPT.replace("reply.id", "''")),
    "remembers the inputs as the state": (KEPT, KEPT.replace("reply.value", "inputs")),
    "remembers no state": (KEPT, KEPT.replace("reply.value", "{}")),
    "remembers the unknown": (KEPT, KEPT.replace("reply.value", "{**reply.value, 'arn': UNKNOWN}")),
    "remembers unknown inputs": (KEPT, KEPT.replace('"inputs": inputs', "'inputs': {'acl': UNKNOWN}")),
    "keeps the state of before an update": ('|= {"inputs": inputs, "outputs": reply.value}', '|= {"inputs": inputs}'),
    "sends the inputs as the state": ('"prior": old["outputs"]', '"prior": old["inputs"]'),
    "sends the state of another resource": ('"prior": old["outputs"]', "'prior': {'acl': 'private', 'arn': 'arn:other'}"),
    "sends another id": ('"id": old["id"]', "'id': old['id'].upper() + 'X'"),
    "never forgets": ("del self.state[name]", "pass"),
    "configures twice": (CONFIGURE, f"{CONFIGURE}; {CONFIGURE}"),
    "configures what is not known yet": (CONFIGURE, CONFIGURE.replace("{}", "{'region': UNKNOWN}")),
    "opens a session for each call": ("session=self.session, urn", "session=self.provider.open(), urn"),
    "updates what is to be replaced": ("not diff.wants_replacement", "True"),
    "creates before it deletes": (REPLACE, "dropped = diff and self.known(name)"),
    "replaces, and remembers the old id": (KEPT, KEPT.replace("reply.id", "(old or {}).get('id', reply.id)")),
    "replaces, and remembers the old state": (KEPT, KEPT.replace("reply.value", "(old or {}).get('outputs', reply.value)")),
    "replaces, and remembers the old inputs": (KEPT, KEPT.replace(": inputs", ": (old or {}).get('inputs', inputs)")),
    "deletes twice": (DELETE, f"{DELETE}; {DELETE}"),
    "deletes as another type": (DELETE, DELETE.replace("self.known(name)", "{**self.known(name), 'type_': 'cloud:index:Net'}")),
    "deletes the oldest first": ("reversed(self.state)", "self.state"),
    "deletes without the state": (DELETE, DELETE.replace("self.known(name)", "{**self.known(name), 'prior': None}")),
    "sends no state": (STATE, "'prior': None"),
    "sends the new inputs as the old ones": (UPDATE, UPDATE.replace("(name))", "(name) | {'prior_inputs': inputs})")),
    "sends the state as the old inputs": (OLD_INPUTS, '"prior_inputs": old["outputs"]'),
    "keeps the inputs of before an update": ('|= {"inputs": inputs, ', "|= {"),
    "remembers no inputs": (KEPT, KEPT.replace(": inputs", ": {}")),
    "updates whatever Diff says": ("diff.changes == Changes.NONE", "False"),
    "creates twice": (CREATE, f"{CREATE}; {CREATE}"),
}
"""What an engine does wrong, and the change that makes this one do it."""
NOT_CAUGHT = {
    "updates whatever Diff says": "an update that changes nothing is allowed; provider.journal tells that it came",
}
ONLY_WARNED = {
    "creates before it deletes": "a program may ask for it, and no call says so",
    "creates twice": "nothing tells where a run ends; provider.audit() tells that there are two objects",
}


def small(page: str) -> str:
    """The source of the small engine."""
    source = re.search(r"```python\n# mini\.py\n(.*?)```", page, re.S)
    assert source is not None
    return source[1]


def engine(change: tuple[str, str] | None = None) -> Any:
    """The class of the small engine, with one change."""
    text = small(PAGE.read_text(encoding="utf-8"))
    if change is not None:
        assert text.count(change[0]) == 1, f"the page no longer has this line once: {change[0]}"
        text = text.replace(*change)
    names: dict[str, Any] = {}
    exec("from mockprovider import UNKNOWN\n" + text, names)
    return names["Engine"]


LOGS = {"logs": (TOKEN, {})}
OTHERS = {"others": (TOKEN, {"of": ResourceReference(f"urn:pulumi:dev::mini::{TOKEN}::logs")})}
PUBLIC = {"logs": (TOKEN, {"acl": "public"})}
NAMED = {"logs": (TOKEN, {"acl": "public", "name": "n"})}
SHUT = {"logs": (TOKEN, {"acl": "private", "name": "n"})}
LIFE = (LOGS, LOGS, PUBLIC, PUBLIC, NAMED, NAMED, NAMED | OTHERS, SHUT | OTHERS, {}, {})
"""Create, nothing, update, nothing, replace, nothing, another that depends on it, update, delete both, and nothing again."""


def broken(kind: Any, *, half: bool = False) -> list[tuple[str, bool]]:
    """The rules that a life under an engine breaks, and whether each is an error."""
    with Double(BUCKET) as double:
        if half:
            double.faults.on.create(TOKEN).partial(reasons=["timed out"]).times(1)
        mini = kind(double)
        for wanted in LIFE:
            try:
                mini.apply(wanted)
            except Exception:  # noqa: BLE001 - what a broken engine says of itself is not the question here
                continue
    return [(breach.rule.id, breach.is_error) for breach in double.contract.breaches]


def test_the_engine_of_the_page_is_right() -> None:
    """The small engine, as the page has it, breaks no rule."""
    assert broken(engine()) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_an_engine(mistake: str) -> None:
    """Each mistake breaks a rule, but for those that are listed with what tells them instead."""
    breaches = broken(engine(MISTAKES[mistake]))
    assert bool(breaches) is (mistake not in NOT_CAUGHT)
    assert any(is_error for _, is_error in breaches) is (mistake not in {*NOT_CAUGHT, *ONLY_WARNED})


def test_the_bug_of_the_page() -> None:
    """The small engine forgets what a create has left that failed half-way, and its mended form does not."""
    page = PAGE.read_text(encoding="utf-8")
    mended = re.search(r"```python\n# mended\.py\n(.*?)```", page, re.S)
    assert mended is not None
    names: dict[str, Any] = {}
    exec("\n".join([small(page), *mended[1].splitlines()[1:]]), names)
    assert broken(engine(), half=True) == [("PULUMI-HALF-MADE-IS-REMEMBERED", False)]
    assert broken(names["Mended"], half=True) == []


def test_most_mistakes_are_caught() -> None:
    """At least 40 mistakes are tried, and at most one in twenty is not caught."""
    assert NOT_CAUGHT.keys() <= MISTAKES.keys()
    assert (len(MISTAKES) >= 40, len(NOT_CAUGHT) * 20 <= len(MISTAKES)) == (True, True)
