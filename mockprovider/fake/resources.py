"""Resources: the ops of engines on the objects in the cloud."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Handler, Op, Plan, Reply
from mockprovider.clock import Clock, StillClock
from mockprovider.cloud import Cloud, CloudObject, digest
from mockprovider.fake import timeouts
from mockprovider.fake.answers import Answers
from mockprovider.fake.behaviours import Behaviour, Quota, World
from mockprovider.fake.catalogue import MARKER, Catalogue, failed, not_importable
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.choosing import Choices, of_check
from mockprovider.fake.coercing import coerced
from mockprovider.fake.computing import compute, fill
from mockprovider.fake.inventing.stated import Invent, Stated
from mockprovider.fake.making import Making
from mockprovider.fake.moving import CONVERTED
from mockprovider.fake.planning import as_planned, plain_inputs, plan_create, plan_update, without_computed
from mockprovider.fake.presenting import presented
from mockprovider.fake.stating import StatedId
from mockprovider.fake.views import Publish, unpublished
from mockprovider.layers import stack
from mockprovider.paths import contains, parse, show
from mockprovider.payloads import DISABLE
from mockprovider.schema import Property, ResourceType, snake_case
from mockprovider.values import Bag, Output, Secret, Value, has_secret, is_unknown, reveal, same

Answer: TypeAlias = Callable[[Any, Call], Reply]
"""Answers a call for a type."""

SHOWING = frozenset({Op.DIFF, Op.PLAN, Op.CREATE, Op.READ, Op.UPDATE})
"""Ops that show, or make, what a type computes."""

UNDECLARED = frozenset({Op.UPGRADE, Op.READ, Op.IMPORT, Op.DELETE})
"""Ops that undeclared types have, too, because the cloud may have objects of them."""


class Resources:
    """The calls about resources. ``cloud`` keeps the objects, ``clock`` is for behaviours, ``publish`` publishes views."""

    def __init__(
        self,
        catalogue: Catalogue,
        cloud: Cloud,
        clock: Clock | None = None,
        publish: Publish = unpublished,
        said: Answers | None = None,
    ) -> None:
        self._answers = said or Answers({}, cloud=cloud)
        self._publish = publish
        self._catalogue = catalogue
        self._cloud = cloud
        self.clock: Clock = clock or StillClock()
        answers: Mapping[Op, Answer] = {
            Op.CHECK: self._check,
            Op.UPGRADE: lambda _, call: Reply(value=call.prior, id=call.id),
            Op.DIFF: self._plan,
            Op.PLAN: self._plan,
            Op.CREATE: self._create,
            Op.READ: self._read,
            Op.UPDATE: self._update,
            Op.DELETE: self._delete,
        }
        self.ops: Mapping[Op, Handler] = {op: partial(self._answered, answer) for op, answer in answers.items()}

    def _answered(self, answer: Answer, call: Call) -> Reply:
        """The answer for the type of ``call``, with the type's traits and behaviours in front."""
        # Terraform checks the arguments of data sources, which are functions, as it checks resources.
        function = call.op is Op.CHECK and (self._catalogue.function(call) or self._catalogue.ephemeral(call))
        if function:
            return _checked(function.inputs, call)
        declared = self._catalogue.type(call)
        if declared is None:
            return answer(None, call) if call.op in UNDECLARED else self._catalogue.unknown_type(call)
        if call.op in SHOWING:
            declared = self._answers.applied(declared, call)
        if call.planned is not None and call.inputs:
            call = replace(call, inputs=as_planned(declared.properties, call.inputs, call.planned))
        if declared.timeouts and timeouts.are_apart(declared, call):
            return timeouts.apart(call, partial(self._behaving, declared, partial(answer, declared)))
        if not (declared.traits or declared.behaviours):
            return answer(declared, call)
        return self._behaving(declared, partial(answer, declared), call)

    def _behaving(self, declared: ResourceType, answer: Handler, call: Call) -> Reply:
        world = World(self._cloud, self.clock, declared, self._catalogue.home(call, self._cloud), self._publish)
        playing: list[Behaviour] = [trait for trait in declared.traits if callable(trait)]
        # An upgrade is about the engine's state, and not about the cloud.
        behaviours = declared.behaviours if call.op is not Op.UPGRADE else ()
        return stack([partial(_in_world, behaviour, world) for behaviour in (*playing, *behaviours)], answer)(call)

    def _check(self, declared: ResourceType, call: Call) -> Reply:
        if declared.of_schema:
            call = replace(call, inputs=coerced(declared.token, declared.properties, call.inputs or {}))
        # Programs of SDKs hand over what another resource answered, whole.
        reply = _checked(declared.properties, call, echoes=declared.of_schema)
        self._catalogue.doubt(declared.token, declared.properties, call)
        inputs = plain_inputs(call.inputs or {})
        reply.failures += tuple(self._catalogue.unknown_properties(declared.token, declared.properties, inputs))
        return reply

    def _plan(self, declared: ResourceType, call: Call) -> Reply:
        return Reply(plan=self._planned(declared, call), id=call.id, private=call.private)

    def _planned(self, declared: ResourceType, call: Call) -> Plan:
        if call.prior is None:
            return plan_create(declared, call.inputs or {})
        invent = self._answers.inventing(declared, call.id, call)
        plan = plan_update(declared, call.prior, call.prior_inputs, call.inputs or {}, call.id, invent=invent)
        ignored = [parse(path) for path in call.ignore_changes]
        if not ignored:
            return plan
        left = tuple(change for change in plan.changes if not any(contains(path, parse(change.path)) for path in ignored))
        return replace(plan, changes=left)

    def _create(self, declared: ResourceType, call: Call) -> Reply:
        if call.preview:
            return Reply(value=self._presented(declared, call, plan_create(declared, call.inputs or {}).planned, ""))
        wanted, id_ = self._new(declared, call, plain_inputs(call.inputs or {}))
        invent = self._answers.inventing(declared, call.id or id_, call)
        if call.settle:
            id_, settled = call.settle(call.id or id_, invent)
            wanted = _with_stated(declared, call, settled, invent)
        properties = wanted if call.settle else compute(declared, wanted, id_, invent=invent)
        # Counting for the quota and creating are one step, because other creates may run during the behaviours.
        with self._cloud.transaction():
            for behaviour in declared.behaviours:
                if isinstance(behaviour, Quota) and (refusal := behaviour.refusal(self._cloud, call.type)) is not None:
                    return refusal
            making = Making(declared, call, properties, {}) if call.midway and declared.steps else None
            self._cloud.create(call.type, id_, making.begun if making else properties)
        if making:
            return making.finish(
                lambda bag: self._cloud.update(call.type, id_, bag),
                lambda bag: self._told(declared, call, bag, wanted, id_),
            )
        return self._told(declared, call, properties, wanted, id_)

    def _new(self, declared: ResourceType, call: Call, inputs: Bag) -> tuple[Bag, str]:
        """A new object's inputs with defaults, and its id."""
        # Without a URN (Terraform) the id depends on the inputs; equal requests get ids by their order.
        point = call.urn or digest(call.type, sorted(reveal(with_defaults(declared.properties, inputs)).items()))
        name = call.name or snake_case(re.split("[:/]", declared.token)[-1])
        while True:
            hash_ = self._cloud.new_hash(point)
            # Names and random values for which Check had no seed are chosen now.
            wanted = with_defaults(declared.properties, inputs, Choices(hash_.encode(), name))
            # A property of that name is the object's name under every engine; Terraform sends no resource names.
            given = {name: value for name, value in reveal(wanted).items() if value is not None}
            id_ = fill(declared.id, {"name": call.name or hash_, **given, "hash": hash_})
            if isinstance(declared.id, StatedId):
                # JSON and messages take plain texts alone.
                return wanted, str(id_) if self._cloud.read(call.type, id_) is None else f"{id_}-{hash_}"
            # An object that was adopted, or created by hand, may have the next id.
            if hash_ not in id_ or self._cloud.read(call.type, id_) is None:
                return wanted, id_

    def _read(self, declared: ResourceType | None, call: Call) -> Reply:
        refused = not_importable(declared, declared.token) if declared is not None and _imports(call) else None
        if refused is not None:
            return refused
        stored = self._catalogue.resident(call, self._cloud)
        if stored is None and declared is not None and not _imports(call) and self._answers.tells_of(call):
            invent = self._answers.inventing(declared, call.id, call)
            stored = CloudObject(call.type, call.id, compute(declared, {}, call.id, invent=invent))
        if stored is None:
            return Reply()
        if declared is None:
            return self._catalogue.unknown_type(call)
        if not declared.properties:
            declared = ResourceType(call.type, dict.fromkeys(stored, Property("any")))
        known = call.prior_inputs or {}
        # A value that the provider filled in is no input, unless the program had set it.
        inputs = {
            name: without_computed(item.kind, value, known.get(name))
            for name, value in stored.items()
            if (item := declared.properties.get(name)) is not None and item.is_input and (not item.computed or name in known)
        }
        book = {MARKER: known[MARKER]} if MARKER in known else {}
        prior = call.prior or {}
        reply = self._told(declared, call, readable(declared.properties, stored, prior), prior, stored.id)
        reply.inputs = {**_dressed(declared, readable(declared.properties, inputs, known), known), **book}
        return reply

    def _update(self, declared: ResourceType, call: Call) -> Reply:
        if call.preview:
            planned = self._planned(declared, call).planned
            return Reply(value=self._presented(declared, call, planned, call.id), id=call.id)
        kept = Choices(digest(call.id).encode(), call.name, call.prior or {})
        wanted = with_defaults(declared.properties, plain_inputs(call.inputs or {}), kept)
        invent = self._answers.inventing(declared, call.id, call)
        if call.settle:
            properties = _with_stated(declared, call, call.settle(call.id, invent)[1], invent)
        else:
            properties = compute(declared, wanted, call.id, call.prior or {}, invent)
        home = self._catalogue.home(call, self._cloud)
        stepwise = bool(call.midway and declared.steps)
        making = Making(declared, call, properties, self._cloud.read(home, call.id) or {}) if stepwise else None
        if self._cloud.update(home, call.id, making.begun if making else properties) is None:
            gone = f"{call.type} {call.id!r} does not exist any more. A refresh would have told."
            return failed(gone + self._under_another_type(call), status="not_found")
        if home != call.type:
            self._cloud.note(home, call.id, CONVERTED, value=True)
        if making:
            return making.finish(
                lambda bag: self._cloud.update(home, call.id, bag),
                lambda bag: self._told(declared, call, bag, wanted, call.id),
            )
        return self._told(declared, call, properties, wanted, call.id)

    def _told(self, declared: ResourceType, call: Call, bag: Bag, like: Bag, id_: str) -> Reply:
        """``bag`` as the engine is told of it, with equal values in the form that they have in ``like``."""
        return Reply(id=id_, value=self._presented(declared, call, _dressed(declared, bag, like), id_), private=call.private)

    def _presented(self, declared: ResourceType, call: Call, bag: Bag, id_: str) -> Bag:
        """``bag`` in the kinds of the outputs; Terraform has one kind for both, and checks that it gets back what it said."""
        differing: dict[str, Value] = {}
        for name, value in bag.items() if call.session.protocol.names_resources else ():
            item = declared.properties.get(name)
            if item is not None and item.kind.answer is not None:
                invent = self._answers.inventing(declared, id_, call) if id_ else None
                differing[name] = presented(item.kind, value, name, invent)
        return {**bag, **differing} if differing else bag

    def _under_another_type(self, call: Call) -> str:
        other = next((stored.type for stored in self._cloud.objects() if stored.id == call.id), None)
        declaration = f"ResourceType({call.type!r}, ..., moved_from=({other!r},))"
        return f" Or has an alias renamed the type of {other} {call.id!r}? Then declare {declaration}." if other else ""

    def _delete(self, _: ResourceType | None, call: Call) -> Reply:
        # Deleting a missing object succeeds (reference 2.12); the event log shows whether there was one.
        self._cloud.delete(self._catalogue.home(call, self._cloud), call.id)
        return Reply()


def _with_stated(declared: ResourceType, call: Call, settled: Bag, invent: Invent) -> dict[str, Value]:
    """A ``settled`` object with what a test or a preset says of what its real provider's plan left unknown."""
    properties, prior = dict(settled), call.prior or {}
    for name, item in declared.properties.items():
        if isinstance(item.computed, Stated) and is_unknown((call.planned or {}).get(name)):
            value = item.computed.final(item.kind, name, prior.get(name), invent)
            properties[name] = Secret(value) if isinstance(properties[name], Secret) else value
    return properties


def _imports(call: Call) -> bool:
    # Pulumi's import sends the id alone; a refresh sends the state, and ``.get()`` the program's inputs.
    return call.session.protocol.imports_by_reading and call.prior_inputs is None and not call.prior


def _in_world(behaviour: Behaviour, world: World, call: Call, proceed: Handler) -> Reply:
    return behaviour(call, proceed, world)


def _checked(properties: Mapping[str, Property], call: Call, *, echoes: bool = False) -> Reply:
    """The inputs of ``call`` with defaults, and their failures."""
    inputs = plain_inputs(call.inputs or {})
    choices = of_check(call)
    filled = with_defaults(properties, inputs, choices)
    # A default that was made may be beyond a limit; whether properties go together is a question to the program alone.
    added = {name: value for name, value in filled.items() if value is not None and inputs.get(name) is None}
    defaults = failures({name: properties[name] for name in added}, added)
    wrong = (*failures(properties, inputs, echoes=echoes), *defaults, *_unnamed(properties, filled, choices))
    named = [name for name, item in properties.items() if name in added and item.auto_name]
    return Reply(inputs={**filled, MARKER: named} if named else filled, failures=wrong)


def _unnamed(properties: Mapping[str, Property], filled: Bag, choices: Choices) -> Iterator[Failure]:
    """The failures of unset names while the engine's options disable automatic ones."""
    for name, item in properties.items() if choices.mode == DISABLE else ():
        if item.auto_name and filled.get(name) is None:
            reason = f"missing required property {name!r}: automatic names are disabled for this resource, so give it one"
            yield Failure(reason, show((name,)))


def readable(properties: Mapping[str, Property], stored: Bag, known: Bag) -> dict[str, Value]:
    """``stored`` as a read returns it: an unreadable property has its ``known`` value or none, also inside of objects."""
    shown: dict[str, Value] = {}
    for name in dict.fromkeys((*stored, *properties)):
        item, here, before = properties.get(name), stored.get(name), known.get(name)
        if item is not None and item.unreadable:
            shown |= {} if before is None else {name: before}
        elif name in stored:
            shown[name] = here
            if item is not None and isinstance(here, Mapping):
                like = reveal(before)
                shown[name] = readable(item.kind.properties, here, like if isinstance(like, Mapping) else {})
    return shown


def _like(value: Value, known: Value) -> Value:
    """``value``, in the form of ``known`` where it is the same."""
    if known is None or known is value:
        return value
    if same(known, value):
        return known
    return _secrets_inside(value, known) if has_secret(known) else value


def _secrets_inside(value: Value, known: Value) -> Value:
    """What came as a secret stays one where more was filled in around it."""
    if isinstance(known, (Secret, Output)) and isinstance(known.value, (Mapping, list, tuple)):
        return Secret(_like(value, known.value))
    if isinstance(known, Mapping) and isinstance(value, Mapping):
        return {name: _like(part, known.get(name)) for name, part in value.items()}
    if isinstance(known, (list, tuple)) and isinstance(value, (list, tuple)):
        return [_like(part, known[index] if index < len(known) else None) for index, part in enumerate(value)]
    return value


def _dressed(declared: ResourceType, bag: Bag, like: Bag) -> dict[str, Value]:
    """``bag`` for the engine: declared secrets wrapped, and equal values in the form that they have in ``like``."""
    dressed: dict[str, Value] = {}
    for name, value in bag.items():
        kept = _like(value, like.get(name))
        item = declared.properties.get(name)
        dressed[name] = Secret(kept) if item and item.secret and not isinstance(kept, Secret) else kept
    return dressed
