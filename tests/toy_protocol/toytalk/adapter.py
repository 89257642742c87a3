"""The toy at the edge: its table, its processes, its recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.wire.adapter import Adapter
from mockprovider.wire.client import Client
from mockprovider.wire.methods import RpcMethod, service
from mockprovider.wire.process import Process
from toytalk.messages import SERVICE, Ask, Tell, classes

OPS = {"Setup": Op.CONFIGURE, "Check": Op.CHECK, "Make": Op.CREATE, "Look": Op.READ, "Drop": Op.DELETE}
SECONDS = 30.0


def _call(rpc: str, message: Any, session: Session) -> Call:
    bag = MessageToDict(message.bag) if message.HasField("bag") else None
    return Call(op=OPS[rpc], session=session, method=rpc, type=message.kind, name=message.name, id=message.key, inputs=bag)


def _request(call: Call) -> Any:
    message = Ask(kind=call.type, name=call.name, key=call.id)
    if call.inputs is not None:
        message.bag.update(call.inputs)
    return message


def _reply(message: Any, _: Call) -> Reply:
    value = MessageToDict(message.bag) if message.HasField("bag") else None
    return Reply(id=message.key, value=value, failures=tuple(map(Failure, message.complaints)))


def _response(reply: Reply, _: Call) -> Any:
    message = Tell(key=reply.id, complaints=[failure.reason for failure in reply.failures])
    told = reply.value if reply.value is not None else reply.inputs
    if told is not None:
        message.bag.update(told)
    return message


TABLE = service(
    SERVICE,
    classes,
    [
        RpcMethod(
            name=rpc,
            op=op,
            call=partial(_call, rpc),
            request=_request,
            reply=_reply,
            response=_response,
            mutates=rpc in ("Make", "Drop"),
        )
        for rpc, op in OPS.items()
    ],
)


class ToyAdapter(Adapter):
    """What the toy does."""

    service = TABLE

    def start(
        self, command: Sequence[str], call: Call, *, env: Mapping[str, str] | None = None, cwd: Path | str | None = None
    ) -> Provider:
        return Provider(command, env, cwd)

    def environment(self, addresses: Mapping[str, str]) -> dict[str, str]:
        return {"TOY_PROVIDERS": ",".join(f"{package}={address}" for package, address in addresses.items())}


class Provider:
    """A toy provider's process, which prints where it listens."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None, cwd: Path | str | None) -> None:
        self._process = Process(command, env=env, cwd=cwd)
        self._client = Client(self._process.line(SECONDS).removeprefix("toy at "), TABLE)
        self._client.wait_ready(SECONDS)

    def __call__(self, call: Call) -> Reply:
        return self._client(call)

    def close(self) -> None:
        self._client.close()
        self._process.stop()
