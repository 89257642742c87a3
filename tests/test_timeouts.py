"""Operations that take longer than they may: the limits of every protocol, and what a provider answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
from terraform_messages import answered, asked, opened

from mockprovider import Double, ResourceType, Stack
from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.double import FrozenTime, attached
from mockprovider.durations import TIMEOUTS, seconds, shown
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import Slow
from mockprovider.schema import Property
from mockprovider.terraform import ResourceTraits
from mockprovider.values import UNKNOWN

TYPE = "cloud:index:Disk"
LIMITS = {"create": 1200, "read": 60, "update": 300, "delete": 600}
DISK = ResourceType(TYPE, {"size": int, "serial": Property(int, computed=lambda known: 7)}, timeouts=LIMITS)
MAJORS = pytest.mark.parametrize("major", [5, 6])


class Asked:
    """A double, asked by Terraform's messages; ``calls`` are those that came."""

    def __init__(self, major: int, *types: ResourceType) -> None:
        self.double = Double(*types)
        self.session = self.double.open(f"tfplugin{major}")
        self.calls: list[Call] = []
        self.double.use(self._note)

    def _note(self, call: Call, proceed: Handler) -> Reply:
        self.calls.append(call)
        return proceed(call)

    def ask(self, rpc: str, **fields: Any) -> Any:
        """The answer message."""
        call = asked(self.session, rpc, type_name="cloud_disk", **fields)
        return answered(self.session, rpc, self.double(call), call)

    def applied(self, prior: Any, config: Any) -> Any:
        """The state after a plan and its apply."""
        wanted = {"id": UNKNOWN, "serial": UNKNOWN, **(prior or {}), **(config or {})} if config else None
        plan = self.ask("PlanResourceChange", prior_state=prior, proposed_new_state=wanted, config=config)
        planned = opened(plan.planned_state)
        answer = self.ask("ApplyResourceChange", prior_state=prior, planned_state=planned, config=config)
        return opened(answer.new_state)


def configuration(size: int = 1, **timeouts: str | None) -> dict[str, Any]:
    """A disk's configuration, with a timeouts block if there is something in it."""
    block = {**dict.fromkeys(LIMITS), **timeouts} if timeouts else None
    return {"id": None, "serial": None, "size": size, "timeouts": block}


@MAJORS
def test_the_block_is_published_for_the_ops_with_a_timeout(major: int) -> None:
    """Terraform's schema has the block as the SDK publishes it, and a type without timeouts has none."""
    limited = ResourceType(TYPE, {"size": int}, timeouts={"delete": 600, "create": 1200})
    provider = Asked(major, limited, ResourceType("cloud:index:Net"))
    call = asked(provider.session, "GetProviderSchema")
    schemas = answered(provider.session, "GetProviderSchema", provider.double(call), call).resource_schemas
    (block,) = schemas["cloud_disk"].block.block_types
    assert (block.type_name, block.nesting, block.min_items, block.max_items) == ("timeouts", 1, 0, 0)
    assert [(attribute.name, attribute.type, attribute.optional) for attribute in block.block.attributes] == [
        ("create", b'"string"', True),
        ("delete", b'"string"', True),
    ]
    assert not schemas["cloud_net"].block.block_types


@MAJORS
def test_each_op_has_its_limit(major: int) -> None:
    """A call's timeout is that of its op in the block: of the configuration, and in a read or a delete of the state."""
    provider = Asked(major, DISK)
    limits = {"create": "30m", "read": "90s", "update": "1h", "delete": "2h30m"}
    state = provider.applied(None, configuration(**limits))
    assert state["timeouts"] == limits
    assert opened(provider.ask("ReadResource", current_state=state).new_state) == state
    state = provider.applied(state, configuration(2, **limits))
    provider.applied(state, None)
    timeouts = {call.op: call.timeout for call in provider.calls if call.op is not Op.PLAN}
    assert timeouts == {Op.CREATE: 1800, Op.READ: 90, Op.UPDATE: 3600, Op.DELETE: 9000}


@MAJORS
def test_the_cloud_knows_nothing_of_it(major: int) -> None:
    """Neither behaviours nor the cloud see the block, a read keeps it, and a change of it alone changes no object."""
    seen: list[Mapping[str, Any]] = []

    def spying(call: Call, proceed: Handler, _: Any) -> Reply:
        seen.extend(bag for bag in (call.inputs, call.prior, call.planned, call.proposed) if bag)
        return proceed(call)

    provider = Asked(major, ResourceType(TYPE, DISK.properties, timeouts=LIMITS, behaviours=(spying,)))
    provider.double.strict = True
    state = provider.applied(None, configuration(create="30m"))
    assert opened(provider.ask("ReadResource", current_state=state).new_state) == state
    for block in ({"create": "1h"}, {"update": "1h"}, {}):
        state = provider.applied(state, configuration(**block))
        assert state["timeouts"] == configuration(**block)["timeouts"]
    assert [event.effect for event in provider.double.cloud.events] == ["created"]
    assert [dict(cloud_object) for cloud_object in provider.double.cloud.objects()] == [{"size": 1, "serial": 7}]
    assert not any(TIMEOUTS in bag for bag in seen)


@MAJORS
def test_a_duration_that_is_none(major: int) -> None:
    """A check refuses each duration that cannot be read, at its place; it limits nothing; an unknown one is no failure."""
    provider = Asked(major, DISK)
    config = configuration(create="30 minutes", update="1h", delete="-5m", read=UNKNOWN)
    answer = provider.ask("ValidateResourceConfig", config=config)
    places = [[step.attribute_name for step in diagnostic.attribute.steps] for diagnostic in answer.diagnostics]
    assert sorted(places) == [["timeouts", "create"], ["timeouts", "delete"]]
    assert all("is no duration" in diagnostic.summary for diagnostic in answer.diagnostics)
    provider.applied(None, configuration(create="30 minutes"))
    assert provider.calls[-1].timeout == 0


@MAJORS
def test_a_published_schema_says_more(major: int) -> None:
    """In a published schema the block is a property like others: it limits the calls all the same, also by its default."""
    attributes = {name: {"type": "string", "optional": True} for name in ("create", "default")}
    block = {
        "attributes": {"id": {"type": "string", "computed": True}, "size": {"type": "number", "optional": True}},
        "block_types": {"timeouts": {"nesting_mode": "single", "block": {"attributes": attributes}}},
    }
    limits = Property({"create": str, "default": str})
    declared = ResourceType(TYPE, {"size": int, "timeouts": limits}, traits=[ResourceTraits(schema={"block": block})])
    provider = Asked(major, declared)
    config = {"id": None, "size": 1, "timeouts": {"create": None, "default": "10m"}}
    planned = {**config, "id": UNKNOWN}
    provider.ask("ApplyResourceChange", prior_state=None, planned_state=planned, config=config)
    assert provider.calls[-1].timeout == 600
    assert provider.double.cloud.objects()[0]["timeouts"] == {"default": "10m"}


@pytest.mark.parametrize(("text", "long"), [("", 0), ("90s", 90), ("1h30m", 5400), ("1.5s", 1.5), ("250ms", 0.25)])
def test_durations(text: str, long: float) -> None:
    """Durations are read as Go writes them, and shown in Go's form, which reads back."""
    assert seconds(text) == long
    assert seconds(shown(long)) == long


@pytest.mark.parametrize(("long", "text"), [(1800, "30m0s"), (5400, "1h30m0s"), (3600, "1h0m0s"), (1.5, "1.5s"), (0, "0s")])
def test_shown_durations(long: float, text: str) -> None:
    """As Go's ``Duration.String`` does."""
    assert shown(long) == text


# Pulumi ------------------------------------------------------------------------------------------------------------------


def program(**limits: str) -> Any:
    """A program of one disk."""

    def disk() -> None:
        options = pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(**limits) if limits else None)
        pulumi.CustomResource(TYPE, "data", {"size": 1}, options)

    return disk


def test_custom_timeouts_on_the_embedded_engine() -> None:
    """A create of 45 minutes fails after its 30, is remembered as half-made, and the next run mends it."""
    with Double(DISK) as provider:
        stack = Stack(provider)
        provider.faults.on.create().latency(2700)
        failed = stack.up(program(create="30m"), expect_failure=True)
        late = "context deadline exceeded: create takes 45m0s, and its timeout is 30m0s"
        assert late in str(failed.diagnostics)
        assert failed.state["data"].init_errors == [late]
        assert provider.clock.now() == 1800
        assert stack.up(program(create="30m")).summary == {"update": 1}
        provider.audit(stack).assert_clean()


def test_a_providers_own_words_before_anything_is_made() -> None:
    """A provider may give up with words of its own, and before it has made anything: then the next run creates."""
    with Double(DISK) as provider:
        stack = Stack(provider)
        words = "timeout while waiting for state to become 'ready' (last state: 'creating', timeout: 20m0s)"
        provider.faults.on.create().latency(2700, reason=words).at("before")
        failed = stack.up(program(), expect_failure=True)
        assert words in str(failed.diagnostics)
        assert (provider.clock.now(), provider.cloud.objects()) == (1200, [])
        assert stack.up(program()).summary == {"create": 1}


@pytest.mark.parametrize(("limits", "clock"), [({}, 1200), ({"create": "10m"}, 600), ({"create": "1h"}, 2700)])
def test_whose_limit_it_is(limits: dict[str, str], clock: float) -> None:
    """The engine's limit counts, and without one the type's; for behaviours as for faults."""
    for declared, breaking in (
        (DISK, lambda double: double.faults.on.create().latency(2700)),
        (ResourceType(TYPE, DISK.properties, timeouts=LIMITS, behaviours=(Slow(create=2700),)), lambda double: None),
    ):
        with Double(declared) as provider:
            breaking(provider)
            assert Stack(provider).up(program(**limits), expect_failure=clock < 2700).succeeded is (clock == 2700)
            assert provider.clock.now() == clock


def test_an_input_called_timeouts_under_pulumi() -> None:
    """Under Pulumi it is an input like others."""
    with Double(DISK) as provider:
        Stack(provider).up(lambda: pulumi.CustomResource(TYPE, "data", {"timeouts": {"create": "1s"}}))
        assert provider.cloud.objects()[0]["timeouts"] == {"create": "1s"}


# Throttling --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "waited", "said"),
    [
        ({}, 7, ""),
        ({"retries": 4, "seconds": 0.5}, 7.5, ""),
        ({"retries": 0}, 0, ""),
        ({"gives_up": True}, 7, "ThrottlingException: Rate exceeded (after 3 retries)"),
        ({"retries": 20, "reason": "429"}, 1200, "429 (context deadline exceeded after 20m0s)"),
    ],
)
def test_throttling(fault: dict[str, Any], waited: float, said: str) -> None:
    """A provider waits twice as long each time, never beyond its timeout, and goes on or gives up; the next run creates."""
    with Double(DISK) as provider:
        stack = Stack(provider)
        provider.faults.on.create().throttle(**fault)
        result = stack.up(program(), expect_failure=bool(said))
        assert said in str(result.diagnostics)
        assert provider.clock.now() == waited
        assert stack.up(program()).summary == ({"create": 1} if said else {})


def test_throttling_under_frozen_time() -> None:
    """Under frozen time the program's own clock has moved by what its provider waited, in each of two resources."""
    with FrozenTime() as clock, Double(DISK, clock=clock) as provider:
        provider.faults.on.create().throttle().always()
        before = time.time()

        def two() -> None:
            for name in ("one", "two"):
                pulumi.CustomResource(TYPE, name, {"size": 1})

        Stack(provider, parallel=2).up(two)
        assert time.time() - before == 14


NO_TIMES = ("latency(0)", "latency(float('inf'))", "throttle(31)", "throttle(True)", "throttle(seconds=-1)")


@pytest.mark.parametrize("words", NO_TIMES)
def test_what_is_no_time(words: str) -> None:
    """Waits of no time, of less, and for ever are refused where they are written."""
    with pytest.raises(DefinitionError):
        eval(f"provider.faults.on.create().{words}", {"provider": Double()})
    with pytest.raises(DefinitionError):
        Slow(create=float("inf"))


# In front of a real provider ---------------------------------------------------------------------------------------------


def test_the_block_of_a_provider_behind_a_proxy() -> None:
    """In front of a provider that another process may be, the block limits a call that a fault makes slow."""
    with Double(DISK) as behind:
        address = str(next(iter(behind.serve("terraform").addresses().values())))
        with Double(provider=attached(address, protocol="terraform", name="cloud")) as front:
            session = front.open("tfplugin6")
            asked_for = {"create": "30m", "read": None, "update": None, "delete": None}
            config = {"id": None, "serial": None, "size": 1, "timeouts": asked_for}
            front.faults.on.create().latency(2700)
            schema = asked(session, "GetProviderSchema")
            front(schema)
            planned = {**config, "id": UNKNOWN, "serial": UNKNOWN}
            fields = {"prior_state": None, "planned_state": planned, "config": config}
            call = asked(session, "ApplyResourceChange", type_name="cloud_disk", **fields)
            assert call.timeout == 1800
            reply = front(call)
            assert front.clock.now() == 1800
            assert "its timeout is 30m0s" in reply.failures[0].reason
            assert reply.value is not None
            assert len(behind.cloud.objects()) == 1
