"""What no state holds: provider functions, and ephemeral resources while they are open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.cloud import Cloud, digest
from mockprovider.fake.catalogue import Catalogue, failed
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.computing import fill
from mockprovider.offers import Ephemeral
from mockprovider.values import Value, has_unknown, map_value, reveal


class Passing:
    """Provider functions and ephemeral resources. What is open is in the ``cloud`` until it is closed."""

    def __init__(self, catalogue: Catalogue, cloud: Cloud) -> None:
        self._catalogue = catalogue
        self._cloud = cloud
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.FUNCTION: self._function,
            Op.OPEN: self._open,
            Op.RENEW: self._renew,
            Op.CLOSE: self._close,
        }

    def _function(self, call: Call) -> Reply:
        found = self._catalogue.provider_function(call)
        if found is None:
            return self._catalogue.unknown_function(call)
        given = call.inputs or {}
        # A null that came this far is one that the function wants to see.
        checked = {
            name: item for name, item in found.parameters.items() if given.get(name) is not None and name != found.variadic
        }
        wrong = tuple(failures(checked, given))
        if wrong:
            return Reply(failures=wrong)
        arguments = [given.get(name) for name in found.parameters if name != found.variadic]
        returned = found.implementation(*arguments, *(given.get(found.variadic, []) if found.variadic else []))
        return Reply(failures=(returned,)) if isinstance(returned, Failure) else Reply(value={"result": returned})

    def _open(self, call: Call) -> Reply:
        found = self._catalogue.ephemeral(call)
        if found is None:
            return self._catalogue.unknown_function(call)
        inputs = with_defaults(found.inputs, call.inputs or {})
        wrong = tuple(failures(found.inputs, inputs))
        if wrong:
            return Reply(failures=wrong)
        plain = {name: reveal(value) for name, value in inputs.items() if value is not None}
        id_ = self._cloud.new_hash(digest(call.type, sorted(plain)))
        told = _returned(found, {**plain, "id": id_})
        self._cloud.create(call.type, id_, {**plain, **told})
        return Reply(value=told, id=id_, private=id_.encode(), renew_after=found.renew_after)

    def _renew(self, call: Call) -> Reply:
        found = self._catalogue.ephemeral(call)
        open_ = self._cloud.read(call.type, call.private.decode(errors="replace"))
        if found is None or open_ is None:
            return failed(f"There is nothing to renew: no {call.type} is open under {call.private!r}.", "not_found")
        self._cloud.update(call.type, open_.id, dict(open_))
        return Reply(id=open_.id, private=call.private, renew_after=found.renew_after)

    def _close(self, call: Call) -> Reply:
        if not self._cloud.delete(call.type, call.private.decode(errors="replace")):
            return failed(f"There is nothing to close: no {call.type} is open under {call.private!r}.", "not_found")
        return Reply()


def _returned(found: Ephemeral, context: dict[str, Value]) -> dict[str, Value]:
    if callable(found.returns):
        return {"result": dict(found.returns(dict(context)))}
    return {name: map_value(value, lambda each: _told(each, context)) for name, value in found.returns.items()}


def _told(value: Value, context: dict[str, Value]) -> Value:
    return fill(value, context) if isinstance(value, str) and not has_unknown(value) else value
