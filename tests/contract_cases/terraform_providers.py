"""What Terraform providers owe an engine: for each rule, a run that breaks it and one that keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract_stage import TerraformRun

from contract_cases.shapes import CONFIG, PLANNED, STATE, Cases, Script, of_terraform
from contract_cases.terraform_engines import makes_and_reads
from mockprovider.calls import Op, Reply
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.values.refinements import payload_of
from mockprovider.values import UNKNOWN, Unknown

RULE = Kind("object", properties={"port": Property(int)})
THING = ResourceType(
    "cloud:index:Thing",
    {
        "name": Property(str),
        "pin": Property(str, write_only=True),
        "rules": Property(Kind("array", items=RULE)),
        "spots": Property(Kind("set", items=RULE)),
        "made": Property(str, computed=True),
    },
    traits=(ResourceTraits(identity=("name",)),),
)
OLD = ResourceType("cloud:index:Old", {"name": Property(str)}, traits=(ResourceTraits(legacy_type_system=True),))

PORT = {"attributes": {"port": {"type": "number", "optional": True}}}
WALL = ResourceType(
    "cloud:index:Wall",
    {"rules": Property(Kind("array", items=RULE))},
    traits=(
        ResourceTraits(schema={"version": 0, "block": {"block_types": {"rules": {"nesting_mode": "list", "block": PORT}}}}),
    ),
)
"""A type whose rules are blocks; those of a declared type are nested attributes."""


class ThingRun(TerraformRun):
    """A run with a type that has blocks, a set, a write-only attribute and an identity."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.double.define(THING, OLD, WALL)

    @property
    def coder(self) -> Any:
        """The codec of this type."""
        return self.schema.resource(self.name)

    def message(self, rpc: str, request: dict[str, Any], name: str = "", **answer: Any) -> None:
        """One call about this type."""
        super().message(rpc, request, name or self.name, **answer)


def of_things(name: str = "cloud_thing") -> ThingRun:
    """A configured instance."""
    run = ThingRun(name)
    run.start()
    return run


def of_walls() -> ThingRun:
    """The same, about the type with blocks."""
    return of_things("cloud_wall")


def plans(prior: Any, config: Any, planned: Any, **answer: Any) -> Script:
    def script(run: TerraformRun) -> None:
        if prior is not None:
            run.upgrade(prior)
        run.plan(prior, config, planned, **answer)

    return script


def applies(planned: Any, state: Any, config: Any = None) -> Script:
    def script(run: TerraformRun) -> None:
        run.plan(None, planned if config is None else config, planned)
        run.apply(None, planned, state, config)

    return script


def deletes(state: Any, left: Any) -> Script:
    def script(run: TerraformRun) -> None:
        run.upgrade(state)
        run.apply(state, None, left)

    return script


def refined(**words: Any) -> Unknown:
    return Unknown(refinement=payload_of(words))


def reads(answered: Any) -> Script:
    def script(run: TerraformRun) -> None:
        run.upgrade(STATE)
        run.read(STATE, answered)

    return script


def read_of(name: str) -> Script:
    """A read of the object a, which answers the identity of one with this name."""

    def script(run: ThingRun) -> None:
        identity = [{"identity_data": {"msgpack": b"\x81\xa4name\xa1" + text.encode()}} for text in ("a", name)]
        state = run.dynamic({"name": "a"})
        run.upgrade({"name": "a"})
        run.message(
            "ReadResource", {"current_state": state, "current_identity": identity[0]}, new_state=state, new_identity=identity[1]
        )

    return script


def imports(*objects: Any) -> Script:
    def script(run: TerraformRun) -> None:
        resources = [{"type_name": "cloud_bucket", "state": run.dynamic(bag)} for bag in objects]
        run.message("ImportResourceState", {"id": "i-1"}, imported_resources=resources)

    return script


def puts_off(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED, deferred={"reason": 1})


def reads_another_type(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.message("ReadResource", {"current_state": run.dynamic(STATE)}, new_state={"msgpack": b"\x81\xa3acl\xc0"})


def upgrades_to(state: Any, version: int = 1) -> Script:
    def script(run: TerraformRun) -> None:
        raw = {"json": run.coder.encode_json(STATE, "i-1")}
        run.message("UpgradeResourceState", {"raw_state": raw, "version": version}, upgraded_state=run.dynamic(state))

    return script


def plans_then_applies(first: Any, config: Any, last: Any) -> Script:
    """A plan with one configuration, and an apply with what it became, in a session of its own."""

    def script(run: TerraformRun) -> None:
        run.plan(None, config, first)
        run.restart()
        run.start()
        run.plan(None, CONFIG, last)
        run.apply(None, last, {**last, "arn": "arn-1"}, CONFIG)

    return script


def plans_again(planned: Any) -> Script:
    def script(run: TerraformRun) -> None:
        applies(PLANNED, STATE, CONFIG)(run)
        run.read(STATE)
        run.plan(STATE, CONFIG, planned)

    return script


def computes(*results: int) -> Script:
    def script(run: TerraformRun) -> None:
        for result in results:
            run.ask(Op.FUNCTION, Reply(value={"result": result}), type="cloud:index:twice", inputs={"of": 1})

    return script


def blames(name: str) -> Callable[[TerraformRun], None]:
    def script(run: TerraformRun) -> None:
        config = run.schema.resource("cloud_link").encode({"target": UNKNOWN, "name": UNKNOWN}, "")
        error = {"severity": 1, "summary": "it has to be said", "attribute": {"steps": [{"attribute_name": name}]}}
        run.message("ValidateResourceConfig", {"config": {"msgpack": config}}, "cloud_link", diagnostics=[error])

    return script


def data(state: Any) -> Callable[[TerraformRun], None]:
    def script(run: TerraformRun) -> None:
        run.source("ReadDataSource", run.schema.data_source("cloud_zone"), {"region": "eu"}, state=state)

    return script


def opened(result: Any) -> Callable[[TerraformRun], None]:
    def script(run: TerraformRun) -> None:
        run.source("OpenEphemeralResource", run.schema.ephemeral("cloud_key"), {"user": "me"}, result=result)

    return script


PORTS = {"rules": [{"port": 1}, {"port": 2}]}
SPOTS = {"spots": [{"port": 1}, {"port": 2}]}
TURNED = {"spots": [{"port": 2}, {"port": 1}]}
DIRECTION = {"steps": [{"attribute_name": "size"}]}
NOWHERE = {"steps": [{"attribute_name": "width"}]}

CASES: Cases = {
    "TF-PLAN-KEEPS-CONFIGURATION": (of_terraform, plans(None, CONFIG, {**PLANNED, "acl": "public"}), makes_and_reads),
    "TF-PLAN-KEEPS-BLOCKS": (of_walls, plans(None, PORTS, {"rules": [{"port": 1}]}), plans(None, PORTS, PORTS)),
    "TF-PLAN-KEEPS-EXISTENCE": (of_terraform, plans(STATE, None, STATE), plans(STATE, None, None)),
    "TF-REPLACEMENT-PATHS-EXIST": (
        of_terraform,
        plans(STATE, CONFIG, STATE, requires_replace=[NOWHERE]),
        plans(STATE, {**CONFIG, "size": 2}, {**STATE, "size": 2}, requires_replace=[DIRECTION]),
    ),
    "TF-APPLY-KEEPS-PLAN": (
        of_terraform,
        applies({**CONFIG, "arn": refined(prefix="arn")}, {**CONFIG, "arn": "a-1"}, CONFIG),
        applies({**CONFIG, "arn": refined(prefix="arn")}, STATE, CONFIG),
    ),
    "TF-APPLY-KEEPS-BLOCKS": (of_walls, applies(PORTS, {"rules": [{"port": 1}]}), applies(PORTS, PORTS)),
    "TF-APPLY-KEEPS-EXISTENCE": (of_terraform, deletes(STATE, STATE), deletes(STATE, None)),
    "TF-APPLY-IS-KNOWN": (of_terraform, applies(PLANNED, PLANNED, CONFIG), makes_and_reads),
    "TF-WRITE-ONLY-IS-NULL": (
        of_things,
        plans(None, {"name": "a", "pin": "1"}, {"name": "a", "pin": "1"}),
        plans(None, {"name": "a", "pin": "1"}, {"name": "a"}),
    ),
    "TF-STATES-ARE-KNOWN": (of_terraform, reads({**STATE, "arn": UNKNOWN}), makes_and_reads),
    "TF-IMPORTS-AND-MOVES-BRING-OBJECTS": (of_terraform, imports(None), imports(STATE, STATE)),
    "TF-IDENTITY-STAYS": (of_things, read_of("b"), read_of("a")),
    "TF-DATA-IS-KNOWN": (
        of_terraform,
        data({"region": "eu", "zone": UNKNOWN}),
        data({"region": "eu", "zone": "eu-1"}),
    ),
    "TF-DATA-IS-THERE": (of_terraform, data(None), data({"region": "eu", "zone": "eu-1"})),
    "TF-EPHEMERALS-KEEP-CONFIGURATION": (
        of_terraform,
        opened({"user": "you", "secret": "s"}),
        opened({"user": "me", "secret": "s"}),
    ),
    "TF-ANSWERS-FIT-THE-SCHEMA": (of_terraform, reads_another_type, makes_and_reads),
    "TF-VALIDATION-LETS-THE-UNKNOWN-PASS": (of_terraform, blames("target"), blames("name")),
    "TF-DEFERRAL-WAS-ALLOWED": (of_terraform, puts_off, makes_and_reads),
    "TF-FINAL-PLAN-KEEPS-FIRST": (
        of_terraform,
        plans_then_applies({**CONFIG, "size": UNKNOWN, "arn": "arn-0"}, {**CONFIG, "size": UNKNOWN}, PLANNED),
        plans_then_applies({**PLANNED, "size": UNKNOWN}, {**CONFIG, "size": UNKNOWN}, PLANNED),
    ),
    "TF-PLAN-SETTLES": (of_terraform, plans_again(PLANNED), plans_again(STATE)),
    "TF-UPGRADE-KEEPS-MEANING": (of_terraform, upgrades_to({**STATE, "arn": "arn-2"}), upgrades_to(STATE)),
    "TF-FUNCTIONS-ARE-PURE": (of_terraform, computes(2, 3), computes(2, 2)),
}
