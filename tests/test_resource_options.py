"""The table of resource options: every field of the protocol has its row or a reason, and a row is all that an option needs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mockprovider.engine.programs.requests import UNSUPPORTED, reading, registration
from mockprovider.engine.registrations.family import Family
from mockprovider.engine.registrations.goal import Goal, new_state
from mockprovider.engine.state.graph import repaired
from mockprovider.engine.state.renaming import renamed
from mockprovider.pulumi.sdk import provider_pb2, resource_pb2
from mockprovider.pulumi.stacks.exporting import OWN, export_state, import_state
from mockprovider.pulumi.stacks.resource_options import BY_WIRE, CONSTRUCT, INHERITED, OPTIONS, REMEMBERED, Option
from mockprovider.pulumi.stacks.state import ResourceState, State

REGISTER = {
    "type": "what is registered",
    "name": "what is registered",
    "custom": "what is registered",
    "remote": "what is registered",
    "object": "its inputs",
    "packageRef": "what its package is, resolved by engine.packages",
    "transforms": "functions of the program, which the registration passes before it is read (engine.transforms)",
    "acceptSecrets": "what the program understands of answers",
    "acceptResources": "what the program understands of answers",
    "accepts_byte_string": "what the program understands of answers",
    "supportsPartialValues": "what the program understands of answers",
    "supportsResultReporting": "what the program understands of answers",
    "aliasSpecs": "how the aliases are to be understood by engines that older SDKs of Node.js speak to",
    "sourcePosition": "where the program says so; no call and no decision depends on it",
    "stackTrace": "where the program says so; no call and no decision depends on it",
    "parentStackTraceHandle": "where the program says so; no call and no decision depends on it",
    "snippetId": "of the command line's imports",
}
"""The fields of ``RegisterResourceRequest`` that are no options, with the reason."""

READ = {**REGISTER, "id": "what is read", "properties": "its inputs"}

CONSTRUCTING = {
    "project": "the operation",
    "stack": "the operation",
    "config": "the operation",
    "configSecretKeys": "the operation",
    "organization": "the operation",
    "dryRun": "the operation",
    "parallel": "the operation",
    "monitorEndpoint": "the way back",
    "stack_trace_handle": "where the program says so; no call and no decision depends on it",
    "type": "what is constructed",
    "name": "what is constructed",
    "inputs": "its inputs",
    "accepts_output_values": "what the engine understands of answers",
}
"""The same of ``ConstructRequest``."""

STATE = {
    "sourcePosition": "kept as it was imported",
    "stackTrace": "kept as it was imported",
    "snippetID": "kept as it was imported",
}
"""The keys of an exported resource that a state has no field for; all are in its ``extra``."""
STATE_KEYS = {
    *("urn", "custom", "delete", "id", "type", "inputs", "outputs", "parent", "protect", "taint", "external", "dependencies"),
    *("initErrors", "provider", "propertyDependencies", "pendingReplacement", "additionalSecretOutputs", "aliases"),
    *("customTimeouts", "importID", "retainOnDelete", "deletedWith", "replaceWith", "created", "modified", "sourcePosition"),
    *("stackTrace", "ignoreChanges", "hideDiff", "replaceOnChanges", "replacementTrigger", "refreshBeforeUpdate", "viewOf"),
    *("resourceHooks", "extensionRef", "snippetID"),
}
"""Every key of a resource in deployments of version 3, as pulumi 3.259 reads and writes them."""

HOUSE = Path(__file__).resolve().parent.parent
STACK = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
OWNER = "urn:pulumi:dev::shop::cloud:index:Bucket::owner"
PROVIDER = "urn:pulumi:dev::shop::pulumi:providers:cloud::owner"
URN = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"
VALUES: dict[str, Any] = {
    "flag": True,
    "text": OWNER,
    "reference": f"{PROVIDER}::1",
    "list": (OWNER,),
    "map": {"acl": (OWNER,)},
}
"""A value of each shape; that of a string is a URN, which may stand anywhere."""
SIMPLE = [row for row in REMEMBERED if row.shape != "own" and row.name != "resource_hooks"]
"""Hooks have a message of their own, and tests (``test_engine_hooks``)."""


def by_wire(row: Option) -> str:
    """How a test of a row is called."""
    return row.wire


@pytest.mark.parametrize(
    ("message", "reasons"),
    [
        (resource_pb2.RegisterResourceRequest, {**REGISTER, **UNSUPPORTED}),
        (resource_pb2.ReadResourceRequest, READ),
    ],
)
def test_every_field_of_a_request_has_its_row_or_a_reason(message, reasons):
    """No field of the SDK's requests is overlooked, and no reason is about a field that is an option."""
    names = {field.name for field in message.DESCRIPTOR.fields}
    assert names - BY_WIRE.keys() - reasons.keys() == set()
    assert names & BY_WIRE.keys() & reasons.keys() == set()


def test_every_field_of_construct_has_its_row_or_a_reason():
    """What a remote component is told of its own registration is the table's, and every other field has a reason."""
    names = {field.name for field in provider_pb2.ConstructRequest.DESCRIPTOR.fields}
    handed_on = {row.construct for row in CONSTRUCT}
    assert names - handed_on - CONSTRUCTING.keys() - {"resource_hooks"} == set()
    assert handed_on - names == set()


def test_every_key_of_a_state_has_its_field_or_a_reason():
    """Every key of an exported resource is a field of a state, or kept beside them for a reason."""
    assert STATE_KEYS - OWN - STATE.keys() == set()
    assert OWN & STATE.keys() == set()
    assert {row.state for row in REMEMBERED} <= STATE_KEYS


def test_every_row_is_about_a_field():
    """No row names a field that the SDK's requests do not have, none has the name of another, and versions are versions."""
    names = {field.name for field in resource_pb2.RegisterResourceRequest.DESCRIPTOR.fields}
    assert {name for row in OPTIONS for name in (row.wire, *row.also)} <= names
    assert len({row.name for row in OPTIONS}) == len({row.wire for row in OPTIONS}) == len(OPTIONS)
    assert [row.since for row in OPTIONS if not re.fullmatch(r"(3\.\d+)?", row.since)] == []


@pytest.mark.parametrize("row", SIMPLE, ids=by_wire)
def test_a_row_takes_an_option_from_the_request_to_the_exported_state_and_back(row):
    """An option is in the goal, the state, its export under the table's key, and in the state that is imported from that."""
    value = VALUES[row.shape]
    goal = registration(request_with(row, value))
    state = new_state(goal, URN)
    others = [state_of(owner_of(row))] if row.urns else []
    exported = export_state(State((*others, state)))
    again = import_state(json.loads(json.dumps(exported))).live()[URN]

    assert getattr(goal, row.name) == getattr(state, row.name) == getattr(again, row.name) == value
    assert row.state in exported["deployment"]["resources"][-1]


def test_what_a_program_does_not_say_is_not_exported():
    """A resource without options has no key of an option in its export."""
    state = new_state(registration(resource_pb2.RegisterResourceRequest(type="a:b:C", name="x", custom=True)), URN)
    assert export_state(State((state,)))["deployment"]["resources"] == [{"urn": URN, "custom": True, "type": "a:b:C"}]


@pytest.mark.parametrize("row", INHERITED, ids=by_wire)
def test_a_row_says_what_children_inherit(row):
    """A child has its parent's option where it says nothing; where it does, even no, that counts."""
    family, parent = Family(), Goal(type="my:index:C", name="c", custom=False, **{row.name: VALUES[row.shape]})
    family.note(OWNER, parent, exists=True)
    own = False if row.shape == "flag" else URN
    silent, speaking = (
        family.heir(Goal(type="cloud:index:Bucket", name="b", parent=OWNER, **more)) for more in ({}, {row.name: own})
    )
    assert (getattr(silent, row.name), getattr(speaking, row.name)) == (VALUES[row.shape], own)


def test_what_is_not_inherited_stays_with_the_parent():
    """Options without the mark are none of the children's business."""
    others = {row.name: VALUES[row.shape] for row in SIMPLE if not row.inherited and row.name not in ("parent", "provider")}
    family = Family()
    family.note(OWNER, Goal(type="my:index:C", name="c", custom=False, **others), exists=True)
    child = Goal(type="cloud:index:Bucket", name="b", parent=OWNER)
    assert family.heir(child) == child


@pytest.mark.parametrize("row", [row for row in SIMPLE if row.urns], ids=by_wire)
def test_a_row_says_what_refers_to_others(row):
    """A reference counts as a dependency, follows a renaming, and goes when what it is about has gone (a provider's stays)."""
    state = state_of(URN, **{row.name: VALUES[row.shape]})
    owner = owner_of(row)
    assert list(state.dependency_urns()) == [owner]

    new = owner.replace("owner", "renamed")
    _, after = renamed([state_of(new, aliases=(owner,)), state])
    assert list(after.dependency_urns()) == [new]

    (orphan,) = repaired([state])
    assert list(orphan.dependency_urns()) == ([owner] if row.shape == "reference" else [])


def owner_of(row: Option) -> str:
    """The URN in the value of a row."""
    return PROVIDER if row.shape == "reference" else OWNER


def state_of(urn: str, **fields: Any) -> ResourceState:
    """A resource of a state."""
    return ResourceState(urn=urn, type=urn.split("::")[2], custom=True, id="1", **fields)


def request_with(row: Option, value: Any) -> Any:
    """A registration with one option."""
    request = resource_pb2.RegisterResourceRequest(type="cloud:index:Bucket", name="logs", custom=True)
    if row.shape == "map":
        for key, urns in value.items():
            request.propertyDependencies[key].urns.extend(urns)
    elif row.shape == "list":
        getattr(request, row.wire).extend(value)
    else:
        setattr(request, row.wire, value)
    return request


def test_a_read_takes_the_options_that_its_request_has():
    """``ReadResource`` goes by the same rows."""
    request = resource_pb2.ReadResourceRequest(id="b-1", type="cloud:index:Bucket", name="b", parent=STACK, version="1.2.3")
    request.dependencies.extend([URN, OWNER])
    request.additionalSecretOutputs.append("key")
    goal = reading(request)
    assert (goal.read_id, goal.parent, goal.version) == ("b-1", STACK, "1.2.3")
    assert (goal.dependencies, goal.additional_secret_outputs) == ((URN, OWNER), ("key",))


def test_no_module_copies_options_by_hand():
    """An option that decides nothing outside of the table is named in no other module: one file and one line add another."""
    modules = [
        path
        for path in (HOUSE / "mockprovider").rglob("*.py")
        if re.search("retain_on_delete|retainOnDelete", path.read_text())
    ]
    assert {path.name for path in modules} == {"resource_options.py", "decision.py"}
