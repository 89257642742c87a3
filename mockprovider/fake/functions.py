"""Functions: Pulumi's invokes and Terraform's data sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Reply
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.computing import fields, fill
from mockprovider.schema import Function
from mockprovider.values import UNKNOWN, Bag, Value, has_unknown, map_value, reveal


class Functions:
    """The calls that ask and change nothing."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {Op.INVOKE: self._invoke}

    def _invoke(self, call: Call) -> Reply:
        found = self._catalogue.function(call)
        if found is None:
            return self._catalogue.unknown_function(call)
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
