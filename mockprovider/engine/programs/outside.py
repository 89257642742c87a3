"""Programs outside of this process: the monitor and the engine are served over gRPC on loopback while one runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from mockprovider.engine.programs.inline import Ended, Environment
from mockprovider.engine.programs.monitor import SHUT_DOWN, MonitorError
from mockprovider.engine.threads import SLICE
from mockprovider.errors import MalformedError, ProgramError
from mockprovider.pulumi.languages.running import Finish, Launch, Run
from mockprovider.pulumi.sdk import engine_pb2, resource_pb2
from mockprovider.wire.server import decode, serve

MONITOR = resource_pb2.DESCRIPTOR.services_by_name["ResourceMonitor"]
REGISTER = "RegisterResource"
ENGINE = engine_pb2.DESCRIPTOR.services_by_name["Engine"]


class CallsUnderWay:
    """Counts the calls that are being answered, which go on although the program that made them may be gone."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """One that is answered by the block."""
        with self._changed:
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def settle(self) -> None:
        """Wait until there is none. In slices, so that this thread can be stopped from outside."""
        with self._changed:
            while self._count:
                self._changed.wait(SLICE)


def run_outside(run: Run, environment: Environment) -> Ended:
    """Run a program to its end, and carry out what it has asked for by then."""
    calls = CallsUnderWay()
    handlers = [_handler(MONITOR, environment.monitor, calls), _handler(ENGINE, environment.engine, calls)]
    with serve([], handlers=handlers) as served:
        launch = Launch(
            monitor=served.address,
            engine=served.address,
            project=environment.project,
            stack=environment.stack,
            organization=environment.organization,
            preview=environment.preview,
            parallel=environment.parallel,
            config=environment.config,
            secret_keys=sorted(environment.secret_keys),
            providers=environment.providers,
            over=environment.over,
        )
        finish = run(launch)
        calls.settle()
    return _ended(finish, environment.engine.errors)


def _ended(finish: Finish, logged: list[str]) -> Ended:
    if not finish.error:
        return Ended(output=finish.output)
    if finish.logged and logged:
        return Ended(ProgramError("\n".join(logged)), shown=True, quiet=True, output=finish.output)
    # What it printed is part of an error that nobody was told yet.
    quiet = finish.logged or SHUT_DOWN in finish.error
    return Ended(ProgramError(finish.error), quiet=quiet, output=finish.output if finish.logged else "")


def _handler(service: Any, target: Any, calls: CallsUnderWay) -> Any:
    from google.protobuf.message_factory import GetMessageClass  # noqa: PLC0415 - only these programs need it

    handlers = {
        rpc.name: grpc.unary_unary_rpc_method_handler(
            _behave(getattr(target, rpc.name), GetMessageClass(rpc.input_type), calls),
            None,
            lambda answer: bytes(answer.SerializeToString()),
        )
        for rpc in service.methods
        if hasattr(target, rpc.name)
    }
    return grpc.method_handlers_generic_handler(service.full_name, handlers)


def _behave(method: Any, cls: Any, calls: CallsUnderWay) -> Any:
    def behave(data: bytes, context: grpc.ServicerContext) -> Any:
        try:
            request = decode(cls, data, method.__name__)
            with calls.one_more():
                if method.__name__ == REGISTER:
                    # Who is asking decides what is meant.
                    return method(request, metadata=context.invocation_metadata())
                return method(request)
        except MalformedError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except MonitorError as error:
            context.abort(error.code(), error.details())

    return behave
