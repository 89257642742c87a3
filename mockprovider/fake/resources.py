"""Resources: each op over the cloud, as engines ask for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Plan, Reply
from mockprovider.cloud import Cloud, digest
from mockprovider.fake.catalogue import MARKER, Catalogue, failed
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.computing import compute, fill
from mockprovider.fake.planning import plan_create, plan_update
from mockprovider.schema import Property, ResourceType
from mockprovider.values import Bag, Secret, Value, has_unknown, reveal, same


class Resources:
    """The calls that are about a resource. ``cloud`` is where its objects live."""

    def __init__(self, catalogue: Catalogue, cloud: Cloud) -> None:
        self._catalogue = catalogue
        self._cloud = cloud
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.CHECK: self._check,
            Op.UPGRADE: lambda call: Reply(value=call.prior, id=call.id),
            Op.DIFF: self._plan,
            Op.PLAN: self._plan,
            Op.CREATE: self._create,
            Op.READ: self._read,
            Op.IMPORT: self._read,
            Op.UPDATE: self._update,
            Op.DELETE: self._delete,
        }

    def _check(self, call: Call) -> Reply:
        # Terraform checks the arguments of data sources, which are functions, as it checks resources.
        function = self._catalogue.function(call)
        declared = None if function else self._catalogue.type(call)
        if function is None and declared is None:
            return self._catalogue.unknown_type(call)
        properties = function.inputs if function else declared.properties if declared else {}
        inputs = {name: value for name, value in (call.inputs or {}).items() if name != MARKER}
        unknown = self._catalogue.unknown_properties(declared, inputs) if declared else ()
        return Reply(inputs=with_defaults(properties, inputs), failures=(*failures(properties, inputs), *unknown))

    def _plan(self, call: Call) -> Reply:
        declared = self._catalogue.type(call)
        if declared is None:
            return self._catalogue.unknown_type(call)
        return Reply(plan=self._planned(declared, call), id=call.id, private=call.private)

    @staticmethod
    def _planned(declared: ResourceType, call: Call) -> Plan:
        if call.prior is None:
            return plan_create(declared, call.inputs or {})
        return plan_update(declared, call.prior, call.prior_inputs, call.inputs or {}, call.id)

    def _create(self, call: Call) -> Reply:
        declared = self._catalogue.type(call)
        if declared is None:
            return self._catalogue.unknown_type(call)
        if call.preview:
            return Reply(value=plan_create(declared, call.inputs or {}).planned)
        wanted = with_defaults(declared.properties, call.inputs or {})
        id_ = self._new_id(declared, call, wanted)
        made = compute(declared, wanted, id_)
        self._cloud.create(call.type, id_, made)
        return Reply(id=id_, value=_dressed(declared, made, wanted), private=call.private)

    def _new_id(self, declared: ResourceType, call: Call, wanted: Bag) -> str:
        # Without a URN (Terraform) the point is what is asked for: equal requests then differ by their order alone.
        plain = reveal(wanted)
        point = call.urn or digest(call.type, sorted(plain.items(), key=lambda item: item[0]))
        hash_ = self._cloud.new_hash(point)
        # A property of that name is what the object is called, under every engine; Terraform tells no logical name.
        given = {name: value for name, value in plain.items() if value is not None}
        return fill(declared.id, {"name": call.name or hash_, **given, "hash": hash_})

    def _read(self, call: Call) -> Reply:
        declared = self._catalogue.type(call)
        found = self._cloud.read(call.type, call.id)
        if found is None:
            return Reply()
        if declared is None:
            return self._catalogue.unknown_type(call)
        if not declared.properties:
            declared = ResourceType(call.type, dict.fromkeys(found, Property("any")))
        inputs = {name: value for name, value in found.items() if _shown_as_input(declared, name, call)}
        return Reply(
            id=found.id,
            value=_dressed(declared, found, call.prior or {}),
            inputs=_dressed(declared, inputs, call.prior_inputs or {}),
            private=call.private,
        )

    def _update(self, call: Call) -> Reply:
        declared = self._catalogue.type(call)
        if declared is None:
            return self._catalogue.unknown_type(call)
        if call.preview:
            return Reply(value=self._planned(declared, call).planned, id=call.id)
        wanted = with_defaults(declared.properties, call.inputs or {})
        made = compute(declared, wanted, call.id, call.prior or {})
        if self._cloud.update(call.type, call.id, made) is None:
            return failed(f"{call.type} {call.id!r} does not exist any more. A refresh would have told.", status="not_found")
        return Reply(id=call.id, value=_dressed(declared, made, wanted), private=call.private)

    def _delete(self, call: Call) -> Reply:
        # Gone already is as good as deleted (reference 2.12); the event log shows whether there was anything.
        self._cloud.delete(call.type, call.id)
        return Reply()


def _dressed(declared: ResourceType, bag: Bag, like: Bag) -> dict[str, Value]:
    """``bag`` as its owner knows it: declared secrets wrapped, and the form of ``like`` kept where it means the same."""
    dressed: dict[str, Value] = {}
    for name, value in bag.items():
        known = like.get(name)
        kept = known if known is not None and not has_unknown(known) and same(known, value) else value
        item = declared.properties.get(name)
        dressed[name] = Secret(kept) if item and item.secret and not isinstance(kept, Secret) else kept
    return dressed


def _shown_as_input(declared: ResourceType, name: str, call: Call) -> bool:
    item = declared.properties.get(name)
    if item is None or not item.is_input:
        return False
    # What the provider filled in by itself is no input of the program's, unless the program had set it.
    return not item.computed or (call.prior_inputs is not None and name in call.prior_inputs)
