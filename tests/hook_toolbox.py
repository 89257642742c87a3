"""Hooks for tests: each notes what it is told, in a form that can be compared, and may fail or ask for another attempt."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, Self

import grpc
import pulumi
from pulumi import ErrorHook, ErrorHookArgs, ResourceHook, ResourceHookArgs, ResourceHookBinding, ResourceHookOptions
from pulumi.output import Unknown
from pulumi.runtime.proto import callback_pb2, resource_pb2

from mockprovider.pulumi.values import decode

BAGS = ("new_inputs", "old_inputs", "new_outputs", "old_outputs")
KINDS = {pulumi.Output: "secret", Unknown: "unknown"}
"""How values are noted that cannot be compared."""
WHEN = ("before_create", "after_create", "before_update", "after_update", "before_delete", "after_delete")


class Noted:
    """What the hooks of a run were told, in order: the hook's name, the resource's name, and more by name."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.broken: dict[str, str] = {}
        """The messages of the hooks that are to fail, by the name of hook and resource, ``"hook resource"``."""

    def hook(self, name: str, *, fails: bool = False, **options: bool) -> ResourceHook:
        """A hook around steps, which ``fails`` in the end."""

        def note(args: ResourceHookArgs) -> None:
            self._note(name, args)
            if fails:
                raise ValueError(f"{name} fails")

        return ResourceHook(name, note, ResourceHookOptions(**options) if options else None)

    def error_hook(self, name: str, again: Callable[[ErrorHookArgs], bool] | bool = True) -> ErrorHook:
        """A hook that is asked whether to try again."""

        def note(args: ErrorHookArgs) -> bool:
            self._note(name, args, op=args.failed_operation, errors=list(args.errors))
            return again(args) if callable(again) else again

        return ErrorHook(name, note)

    def everywhere(self, **options: bool) -> ResourceHookBinding:
        """A hook before and after each op, named after when it is called."""
        return ResourceHookBinding(**{when: [self.hook(when, **options)] for when in WHEN})

    def _note(self, name: str, args: Any, **more: Any) -> None:
        bags = {bag: _readable(value) for bag in BAGS if (value := getattr(args, bag, None)) is not None}
        self.calls.append({"hook": name, "of": args.name, "type": args.type, "id": args.id, **bags, **more})
        if message := self.broken.get(f"{name} {args.name}"):
            raise ValueError(message)

    def taken(self, count: int = 1) -> list[dict[str, Any]]:
        """What was noted since the last time, in ``count`` runs that must have noted the same of each resource.

        It is sorted by resource, as the order between resources is an engine's own affair.
        """
        calls, self.calls = self.calls, []
        size = len(calls) // count
        runs = [sorted(calls[size * run : size * (run + 1)], key=lambda call: str(call["of"])) for run in range(count)]
        for run in runs:
            assert run == runs[0], f"{run}\n{runs[0]}"
        assert len(calls) == size * count
        return runs[0]

    def by_resource(self) -> dict[str, list[dict[str, Any]]]:
        """What was noted since the last time, by resource, without the ids of providers, which are random."""
        calls, self.calls = self.calls, []
        for call in calls:
            call["id"] = "" if call["type"].startswith("pulumi:providers:") else call["id"]
        return {name: [call for call in calls if call["of"] == name] for name in {call["of"] for call in calls}}

    def names(self, count: int = 1) -> list[str]:
        """What was noted since the last time, as ``"hook resource"``."""
        return [f"{call['hook']} {call['of']}" for call in self.taken(count)]


def _readable(bag: Any) -> dict[str, Any]:
    return {key: KINDS.get(type(value), value) for key, value in bag.items()}


# Without an SDK ----------------------------------------------------------------------------------------------------------


class CallbackServer:
    """Serves the hooks of a program that speaks to the monitor itself, as SDKs serve theirs, while a ``with`` block lasts.

    A hook is a function of what it is told: the fields of its request, the bags as dicts, or ``None`` where there is none. What
    it raises is its error.
    """

    def __init__(self, monitor: Any) -> None:
        self._monitor = monitor
        self._functions: dict[str, Callable[[bytes], Any]] = {}
        self._pool = ThreadPoolExecutor(2)
        self._server = grpc.server(self._pool)
        invoke = grpc.unary_unary_rpc_method_handler(
            self._invoke,
            callback_pb2.CallbackInvokeRequest.FromString,
            callback_pb2.CallbackInvokeResponse.SerializeToString,
        )
        self._server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("pulumirpc.Callbacks", {"Invoke": invoke})])
        self._target = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(None).wait()
        self._pool.shutdown()

    def hook(self, name: str, function: Callable[[Any], Any], **options: bool) -> str:
        """Register a hook around steps; its name."""

        def answer(data: bytes) -> Any:
            error, _ = _outcome(function, resource_pb2.ResourceHookRequest.FromString(data))
            return resource_pb2.ResourceHookResponse(error=error)

        request = resource_pb2.RegisterResourceHookRequest(name=name, callback=self._callback(name, answer), **options)
        self._monitor.raw.RegisterResourceHook(request)
        return name

    def error_hook(self, name: str, function: Callable[[Any], Any]) -> str:
        """Register a hook that says whether to try again; its name."""

        def answer(data: bytes) -> Any:
            error, again = _outcome(function, resource_pb2.ErrorHookRequest.FromString(data))
            return resource_pb2.ErrorHookResponse(error=error, retry=bool(again))

        request = resource_pb2.RegisterErrorHookRequest(name=name, callback=self._callback(name, answer))
        self._monitor.raw.RegisterErrorHook(request)
        return name

    def _callback(self, token: str, answer: Callable[[bytes], Any]) -> Any:
        self._functions[token] = answer
        return callback_pb2.Callback(target=self._target, token=token, accepts_byte_string=True)

    def _invoke(self, request: Any, _: grpc.ServicerContext) -> Any:
        answer = self._functions[request.token](request.request)
        return callback_pb2.CallbackInvokeResponse(response=answer.SerializeToString())


def _outcome(function: Callable[[Any], Any], request: Any) -> tuple[str, Any]:
    fields = {field.name: getattr(request, field.name) for field in request.DESCRIPTOR.fields}
    for name in (*BAGS, "old_options", "new_options"):
        if name in fields:
            given = request.HasField(name)
            fields[name] = (decode(fields[name]) if name in BAGS else fields[name]) if given else None
    try:
        return "", function(SimpleNamespace(**fields))
    except Exception as error:  # noqa: BLE001 - a hook may raise anything
        return str(error), None


def bound(**names: list[str]) -> Any:
    """The hooks of a registration, by when they are called."""
    return resource_pb2.RegisterResourceRequest.ResourceHooksBinding(**names)
