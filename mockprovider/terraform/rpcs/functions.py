"""Provider functions: their schema, and the messages of their calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.errors import MalformedError
from mockprovider.hints import did_you_mean
from mockprovider.offers import ProviderFunction, provider_functions
from mockprovider.paths import parse, show
from mockprovider.schema import Kind
from mockprovider.terraform.rpcs.requests import Shape, schema_of
from mockprovider.terraform.schema.declared import place_of_kind
from mockprovider.terraform.schema.functions import fill_functions
from mockprovider.terraform.schema.objects import inward, outward
from mockprovider.terraform.values import packing
from mockprovider.values import Value

RESULT = "result"
"""The key of the function's result in a reply's value."""


def functions_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:  # noqa: ARG001 - as all rows
    """The functions alone, which engines may request after they configured the provider."""
    message: Any = cls()
    schema = schema_of(call.session)
    if schema is not None:
        fill_functions(message.functions, schema.package)
    for failure in reply.failures:
        message.diagnostics.add(severity=1, summary=failure.reason, detail=failure.detail)
    return message


def function_call(shape: Shape, method: str, message: Any, session: Session) -> Call:  # noqa: ARG001 - as all rows
    """CallFunction: arguments by parameter name, variadic ones in a list. Raises ``MalformedError`` if they do not fit.

    Without a schema the keys are positions, and the types are those of msgpack.
    """
    declared = _declared(session, message.name)
    if declared is None:
        inputs = {
            str(index): packing.unpack_any(argument.msgpack or b"\xc0") for index, argument in enumerate(message.arguments)
        }
        return Call(op=Op.FUNCTION, session=session, method=method, type=message.name, inputs=inputs)
    return Call(
        op=Op.FUNCTION, session=session, method=method, type=declared.token, inputs=_arguments(declared, message.arguments)
    )


def _arguments(declared: ProviderFunction, arguments: Any) -> dict[str, Value]:
    fixed = [name for name in declared.parameters if name != declared.variadic]
    if len(arguments) < len(fixed) or (len(arguments) > len(fixed) and not declared.variadic):
        raise MalformedError(f"{declared.terraform} takes {len(fixed)} arguments, these are {len(arguments)}.")
    by_name = {name: _decoded(argument, declared, name) for name, argument in zip(fixed, arguments, strict=False)}
    if declared.variadic:
        by_name[declared.variadic] = [_decoded(argument, declared, declared.variadic) for argument in arguments[len(fixed) :]]
    return by_name


def _decoded(dynamic: Any, declared: ProviderFunction, name: str) -> Value:
    place = place_of_kind(declared.parameters[name].kind)
    return inward(packing.unpack(dynamic.msgpack or b"\xc0", place.type, name), place)


def function_request(shape: Shape, cls: type[Message], call: Call) -> Any:  # noqa: ARG001 - as all rows
    """The request of a function's call."""
    message: Any = cls()
    declared = _declared(call.session, call.type)
    inputs = call.inputs or {}
    if declared is None:
        message.name = call.type
        for argument in inputs.values():
            message.arguments.add().msgpack = packing.pack_any(argument)
        return message
    message.name = declared.terraform
    for name, item in declared.parameters.items():
        for argument in inputs.get(name, []) if name == declared.variadic else [inputs.get(name)]:
            message.arguments.add().msgpack = _encoded(argument, item.kind, name)
    return message


def function_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:  # noqa: ARG001 - as all rows
    """The result, or the first failure as the function's error, with the argument at its path."""
    message: Any = cls()
    declared = _declared(call.session, call.type)
    if reply.failures:
        failure = reply.failures[0]
        message.error.text = f"{failure.reason}: {failure.detail}" if failure.detail else failure.reason
        argument = _argument(declared, failure) if declared else None
        if argument is not None:
            message.error.function_argument = argument
        return message
    result = (reply.value or {}).get(RESULT)
    message.result.msgpack = _encoded(result, declared.kind, declared.terraform) if declared else packing.pack_any(result)
    return message


def function_reply(shape: Shape, message: Any, call: Call) -> Reply:  # noqa: ARG001 - as all rows
    """The reply decoded from an answer."""
    declared = _declared(call.session, call.type)
    if message.HasField("error"):
        index = message.error.function_argument if message.error.HasField("function_argument") else None
        return Reply(failures=(Failure(message.error.text, _path(declared, index)),))
    data = message.result.msgpack or b"\xc0"
    if declared is None:
        return Reply(value={RESULT: packing.unpack_any(data)})
    place = place_of_kind(declared.kind)
    return Reply(value={RESULT: inward(packing.unpack(data, place.type), place)})


def _path(declared: ProviderFunction | None, index: int | None) -> str:
    if declared is None or index is None:
        return ""
    names = list(declared.parameters)
    last = len(names) - 1
    return show((names[last], index - last)) if declared.variadic and index >= last else show((names[min(index, last)],))


def _argument(declared: ProviderFunction, failure: Failure) -> int | None:
    path = parse(failure.path) if failure.path else ()
    names = list(declared.parameters)
    if not path or path[0] not in names:
        return None
    deeper = path[1] if path[0] == declared.variadic and len(path) > 1 and isinstance(path[1], int) else 0
    return names.index(str(path[0])) + deeper


def _encoded(value: Value, kind: Kind, owner: str) -> bytes:
    place = place_of_kind(kind)
    return packing.pack(outward(value, place, owner), place.type, owner)


def _declared(session: Session, name: str) -> ProviderFunction | None:
    """The function with this name or token; ``None`` without a schema. Raises ``MalformedError`` if it is not declared."""
    schema = schema_of(session)
    if schema is None:
        return None
    known: Mapping[str, ProviderFunction] = provider_functions(schema.package)
    function = known.get(name) or next((function for function in known.values() if function.token == name), None)
    if function is None:
        hint = did_you_mean(name, known, "Declared are")
        raise MalformedError(f"Nobody declared the provider function {name!r} in {schema.package.name!r}. {hint}")
    return function
