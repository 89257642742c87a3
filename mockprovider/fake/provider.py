"""The fake provider: one method an op, over the cloud."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping

from mockprovider.calls import Call, Failure, Op, Plan, Reply
from mockprovider.cloud import Cloud, digest
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.computing import compute, fields, fill
from mockprovider.fake.planning import plan_create, plan_update
from mockprovider.paths import show
from mockprovider.schema import Function, Package, Property, ResourceType
from mockprovider.urn import Urn
from mockprovider.values import UNKNOWN, Bag, Secret, Value, has_unknown, map_value, reveal, same

CONFIGURED = ("acceptSecrets", "acceptResources", "acceptOutputs", "supportsPreview")
"""What Configure answers to engines that make no Handshake."""
ACCEPTED = ("accept_secrets", "accept_resources", "accept_outputs", "accepts_byte_string")


class Fake:
    """A provider made of declarations. It is a handler: call it with a ``Call``.

    Args:
        packages: what it serves, by package name; looked at anew at each call, so definitions may be added while it serves.
        cloud: where its objects live.
        strict: refuse types, and properties of types, that nobody declared; otherwise inputs are echoed, and an id is made.
    """

    def __init__(self, packages: Mapping[str, Package], cloud: Cloud, *, strict: bool = False) -> None:
        self._packages = packages
        self._cloud = cloud
        self._strict = strict
        self._ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.HANDSHAKE: lambda _: Reply(extra=dict.fromkeys(ACCEPTED, True)),
            Op.ATTACH: lambda _: Reply(),
            Op.GET_PLUGIN_INFO: lambda call: Reply(extra={"version": self._package(call).version}),
            Op.GET_SCHEMA: lambda call: Reply(extra={"package": self._package(call)}),
            Op.CANCEL: lambda _: Reply(),
            Op.CHECK_CONFIG: self._check_config,
            Op.DIFF_CONFIG: self._diff_config,
            Op.CONFIGURE: self._configure,
            Op.CHECK: self._check,
            Op.UPGRADE: lambda call: Reply(value=call.prior, id=call.id),
            Op.DIFF: self._plan,
            Op.PLAN: self._plan,
            Op.CREATE: self._create,
            Op.READ: self._read,
            Op.IMPORT: self._read,
            Op.UPDATE: self._update,
            Op.DELETE: self._delete,
            Op.INVOKE: self._invoke,
        }

    def __call__(self, call: Call) -> Reply:
        """Answer ``call``. Raises ``UnsupportedError`` for an op that it has not, ``MalformedError`` for a malformed URN."""
        if call.urn:
            # A malformed one would be remembered by an engine that no other provider answers.
            Urn.parse(call.urn)
        op = self._ops.get(call.op)
        if op is None:
            raise UnsupportedError(f"The fake does not answer {call.method or call.op.value} yet.")
        return op(call)

    # Configuration ---------------------------------------------------------------------------------------------------

    def _package(self, call: Call) -> Package:
        schema = call.session.schema
        name = call.type.rsplit(":", 1)[-1] if call.type.startswith("pulumi:providers:") else call.type.split(":", 1)[0]
        found = schema if isinstance(schema, Package) else self._packages.get(name)
        return found or next(iter(self._packages.values()), Package("mock"))

    def _check_config(self, call: Call) -> Reply:
        declared = self._package(call).config
        inputs = call.inputs or {}
        found = tuple(failures(declared, inputs)) if declared else ()
        return Reply(inputs=with_defaults(declared, inputs), failures=found)

    def _diff_config(self, call: Call) -> Reply:
        declared = ResourceType("mock:index:Provider", self._package(call).config)
        return Reply(plan=plan_update(declared, call.prior or {}, call.prior_inputs, call.inputs or {}, ""))

    def _configure(self, call: Call) -> Reply:
        call.session.config = call.inputs or {}
        return Reply(extra=dict.fromkeys(CONFIGURED, True))

    # Resources -------------------------------------------------------------------------------------------------------

    def _type(self, call: Call) -> ResourceType | None:
        package = self._packages.get(call.type.split(":", 1)[0])
        declared = package.resources.get(call.type) if package else None
        if not call.type:
            raise MalformedError(f"{call} names no resource type: set 'type', or a 'urn' that holds one.")
        if declared is None and not self._strict:
            names = {
                name for bag in (call.inputs, call.prior, call.prior_inputs) if bag for name in bag if name != "__defaults"
            }
            declared = ResourceType(call.type, dict.fromkeys(names, Property("any")))
        return declared

    def _undeclared(self, call: Call) -> Reply:
        known = [token for package in self._packages.values() for token in package.resources]
        return _failed(
            f"Nobody declared the resource type {call.type!r}.{_nearest(call.type, known)}", status="invalid_argument"
        )

    def _check(self, call: Call) -> Reply:
        # Terraform checks the arguments of data sources, which are functions, as it checks resources.
        function = self._function(call)
        declared = None if function else self._type(call)
        if function is None and declared is None:
            return self._undeclared(call)
        properties = function.inputs if function else declared.properties if declared else {}
        inputs = {name: value for name, value in (call.inputs or {}).items() if name != "__defaults"}
        unknown = _unknown(declared, inputs) if declared and self._strict else ()
        return Reply(inputs=with_defaults(properties, inputs), failures=(*failures(properties, inputs), *unknown))

    def _plan(self, call: Call) -> Reply:
        declared = self._type(call)
        if declared is None:
            return self._undeclared(call)
        return Reply(plan=self._planned(declared, call), id=call.id, private=call.private)

    @staticmethod
    def _planned(declared: ResourceType, call: Call) -> Plan:
        if call.prior is None:
            return plan_create(declared, call.inputs or {})
        return plan_update(declared, call.prior, call.prior_inputs, call.inputs or {}, call.id)

    def _create(self, call: Call) -> Reply:
        declared = self._type(call)
        if declared is None:
            return self._undeclared(call)
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
        return fill(declared.id, {"name": hash_, **plain, **({"name": call.name} if call.name else {}), "hash": hash_})

    def _read(self, call: Call) -> Reply:
        declared = self._type(call)
        found = self._cloud.read(call.type, call.id)
        if found is None:
            return Reply()
        if declared is None:
            return self._undeclared(call)
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
        declared = self._type(call)
        if declared is None:
            return self._undeclared(call)
        if call.preview:
            return Reply(value=self._planned(declared, call).planned, id=call.id)
        wanted = with_defaults(declared.properties, call.inputs or {})
        made = compute(declared, wanted, call.id, call.prior or {})
        if self._cloud.update(call.type, call.id, made) is None:
            return _failed(f"{call.type} {call.id!r} does not exist any more. A refresh would have told.", status="not_found")
        return Reply(id=call.id, value=_dressed(declared, made, wanted), private=call.private)

    def _delete(self, call: Call) -> Reply:
        # Gone already is as good as deleted (reference 2.12); the event log shows whether there was anything.
        self._cloud.delete(call.type, call.id)
        return Reply()

    # Functions -------------------------------------------------------------------------------------------------------

    def _function(self, call: Call) -> Function | None:
        package = self._packages.get(call.type.split(":", 1)[0])
        return package.functions.get(call.type) if package else None

    def _invoke(self, call: Call) -> Reply:
        found = self._function(call)
        if found is None:
            nearest = _nearest(call.type, [token for package in self._packages.values() for token in package.functions])
            return _failed(f"Nobody declared the function {call.type!r}.{nearest}", "invalid_argument")
        arguments = with_defaults(found.inputs, call.inputs or {})
        wrong = tuple(failures(found.inputs, arguments))
        return Reply(failures=wrong) if wrong else Reply(value=_returned(found, reveal(arguments)))


def _returned(function: Function, arguments: dict[str, Value]) -> Bag:
    if callable(function.returns):
        return function.returns(arguments)
    filled = map_value(dict(function.returns), lambda each: _told(each, arguments) if isinstance(each, str) else each)
    return dict(filled)


def _told(template: str, arguments: Bag) -> Value:
    unknown = any(has_unknown(arguments.get(name)) for name in fields(template))
    return UNKNOWN if unknown else fill(template, arguments)


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


def _failed(reason: str, status: str) -> Reply:
    return Reply(failures=(Failure(reason, status=status),))


def _unknown(declared: ResourceType, inputs: Bag) -> Iterator[Failure]:
    for name, value in inputs.items():
        # A null is what an SDK sends for an output that a program wants to read.
        if name not in declared.properties and value is not None:
            told = f"{declared.token} has no property {name!r}.{_nearest(name, list(declared.properties))}"
            yield Failure(told, show((name,)))


def _nearest(token: str, known: Mapping[str, object] | list[str]) -> str:
    close = difflib.get_close_matches(token, list(known), n=1, cutoff=0.3)
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" Declared are: {', '.join(sorted(known))}." if known else " Nothing is declared at all: provider.define(...) does."
