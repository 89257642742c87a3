"""Provider functions and ephemeral resources, which no state holds."""

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
    """Provider functions and ephemeral resources. An open ephemeral resource is in the ``cloud`` until it is closed."""

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
        function = self._catalogue.provider_function(call)
        if function is None:
            return self._catalogue.unknown_function(call)
        given = call.inputs or {}
        # Engines send a null only to a function that accepts it.
        checked = {
            name: item
            for name, item in function.parameters.items()
            if given.get(name) is not None and name != function.variadic
        }
        wrong = tuple(failures(checked, given))
        if wrong:
            return Reply(failures=wrong)
        arguments = [given.get(name) for name in function.parameters if name != function.variadic]
        returned = function.implementation(*arguments, *(given.get(function.variadic, []) if function.variadic else []))
        return Reply(failures=(returned,)) if isinstance(returned, Failure) else Reply(value={"result": returned})

    def _open(self, call: Call) -> Reply:
        ephemeral = self._catalogue.ephemeral(call)
        if ephemeral is None:
            return self._catalogue.unknown_function(call)
        inputs = with_defaults(ephemeral.inputs, call.inputs or {})
        wrong = tuple(failures(ephemeral.inputs, inputs))
        if wrong:
            return Reply(failures=wrong)
        plain = {name: reveal(value) for name, value in inputs.items() if value is not None}
        id_ = self._cloud.new_hash(digest(call.type, sorted(plain)))
        returned = _returned(ephemeral, {**plain, "id": id_})
        self._cloud.create(call.type, id_, {**plain, **returned})
        return Reply(value=returned, id=id_, private=id_.encode(), renew_after=ephemeral.renew_after)

    def _renew(self, call: Call) -> Reply:
        ephemeral = self._catalogue.ephemeral(call)
        open_ = self._cloud.read(call.type, call.private.decode(errors="replace"))
        if ephemeral is None or open_ is None:
            return failed(f"There is nothing to renew: no {call.type} is open under {call.private!r}.", "not_found")
        self._cloud.update(call.type, open_.id, dict(open_))
        return Reply(id=open_.id, private=call.private, renew_after=ephemeral.renew_after)

    def _close(self, call: Call) -> Reply:
        if not self._cloud.delete(call.type, call.private.decode(errors="replace")):
            return failed(f"There is nothing to close: no {call.type} is open under {call.private!r}.", "not_found")
        return Reply()


def _returned(ephemeral: Ephemeral, context: dict[str, Value]) -> dict[str, Value]:
    if callable(ephemeral.returns):
        return {"result": dict(ephemeral.returns(dict(context)))}
    return {name: map_value(value, lambda part: _filled(part, context)) for name, value in ephemeral.returns.items()}


def _filled(value: Value, context: dict[str, Value]) -> Value:
    return fill(value, context) if isinstance(value, str) and not has_unknown(value) else value
