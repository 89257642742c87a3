"""Functions: Pulumi's invokes and Terraform's data sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.cloud import digest
from mockprovider.fake.answers import Answers, is_open, ordered
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.coercing import coerced
from mockprovider.fake.computing import fill_all
from mockprovider.fake.fitting import Fitting
from mockprovider.paths import show
from mockprovider.schema import Function
from mockprovider.values import Bag, ResourceReference, Value, children, has_secret, has_unknown, reveal


class Functions:
    """The calls that change nothing."""

    def __init__(self, catalogue: Catalogue, answers: Answers) -> None:
        self._catalogue = catalogue
        self._answers = answers
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {Op.INVOKE: self._invoke}

    def _invoke(self, call: Call) -> Reply:
        function = self._catalogue.function(call)
        if function is None:
            return self._undeclared(call)
        if call.session.protocol.functions_need_known:
            refused = tuple(_refused(call, strict=self._catalogue.strict))
            if is_open(function):
                # Terraform's engines know the arguments of data sources themselves.
                said = function.token, function.inputs
                self._catalogue.doubt(*said, call, "argument")
                refused += tuple(self._catalogue.unknown_properties(*said, call.inputs or {}, "argument"))
            if refused:
                return Reply(failures=refused)
        given = coerced(function.token, function.inputs, call.inputs or {}) if is_open(function) else call.inputs or {}
        arguments = with_defaults(function.inputs, given)
        wrong = tuple(failures(function.inputs, arguments))
        return Reply(failures=wrong) if wrong else self._answered(function, reveal(arguments), call)

    def _answered(self, function: Function, arguments: dict[str, Value], call: Call) -> Reply:
        said = self._answers.answer(function.token, function, arguments, call)
        given, source = said or (_returned(function, arguments), "")
        if not function.outputs:
            return Reply(value=given, source=source)
        fitting = Fitting(function.token).bag(function.outputs, given)
        return Reply(value=self._answers.completed(function, fitting, arguments, call), source=source)

    def _undeclared(self, call: Call) -> Reply:
        """What somebody says, or a preset; else, unless strict, the arguments as they came, with an id."""
        arguments = reveal(dict(call.inputs or {}))
        # Equal arguments give equal answers.
        echo = {"id": digest(call.type, ordered(arguments)), **arguments} if self._catalogue.echoes(call) else None
        said = self._answers.answer(call.type, None, arguments, call, echo)
        if said is not None:
            return Reply(value=said[0], source=said[1])
        if echo is None:
            return self._catalogue.unknown_function(call)
        return Reply(value=echo, source=f"an echo of its arguments: nobody declared {call.type}")


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


def _returned(function: Function, arguments: dict[str, Value]) -> Bag:
    if callable(function.returns):
        return function.returns(arguments)
    return dict(fill_all(function.returns, arguments))
