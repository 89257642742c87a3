"""Functions: Pulumi's invokes and Terraform's data sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.computing import fill_all
from mockprovider.fake.inventing import Inventor
from mockprovider.paths import show
from mockprovider.schema import Function, Property
from mockprovider.values import Bag, ResourceReference, Secret, Value, children, has_secret, has_unknown, reveal


class Functions:
    """The calls that change nothing."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {Op.INVOKE: self._invoke}

    def _invoke(self, call: Call) -> Reply:
        function = self._catalogue.function(call)
        if function is None:
            return self._catalogue.unknown_function(call)
        if call.session.protocol.functions_need_known:
            refused = tuple(_refused(call, strict=self._catalogue.strict))
            if refused:
                return Reply(failures=refused)
        arguments = with_defaults(function.inputs, call.inputs or {})
        wrong = tuple(failures(function.inputs, arguments))
        return Reply(failures=wrong) if wrong else Reply(value=_returned(function, reveal(arguments), call))


def _refused(call: Call, *, strict: bool) -> Iterator[Failure]:
    """Arguments that Pulumi's functions must refuse. Engines send no unknown values, but SDKs of today send the others."""
    for name, value in (call.inputs or {}).items():
        kinds = {
            "unknown": has_unknown(value),
            "secret": strict and has_secret(value),
            "a reference to a resource": strict and _refers(value),
        }
        for kind in (kind for kind, holds in kinds.items() if holds):
            reason = f"the argument {name!r} of {call.type} is {kind}, and a function must not be given that"
            yield Failure(reason, show((name,)), "invalid_argument")


def _refers(value: Value) -> bool:
    return isinstance(value, ResourceReference) or any(map(_refers, children(value)))


def _returned(function: Function, arguments: dict[str, Value], call: Call) -> Bag:
    returns = function.returns
    given = returns(arguments) if callable(returns) else dict(fill_all(returns, arguments))
    return completed(function, given, arguments, call) if function.outputs else given


def completed(function: Function, given: Bag, arguments: Bag, call: Call) -> Bag:
    """``given`` with what a declared function returns besides: the argument of that name, or a generated value."""
    inventor = Inventor(function.token, function.token, 1, config=call.session.config or {})
    whole = dict(given)
    for name, item in function.outputs.items():
        if whole.get(name) is None:
            whole[name] = _result(function, name, item, arguments, inventor)
    return whole


def _result(function: Function, name: str, item: Property, arguments: Bag, inventor: Inventor) -> Value:
    argument = function.inputs.get(name)
    if argument is not None and argument.kind == item.kind and arguments.get(name) is not None:
        value = arguments[name]
    elif callable(item.computed):
        value = item.computed({"id": function.token})
    else:
        value = inventor.value(item, name)
    return Secret(value) if item.secret and not isinstance(value, Secret) else value
