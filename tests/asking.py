"""Asks a replay what a cassette says was asked, without any engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from mockprovider import tape
from mockprovider.calls import Call, Handler, Native, Reply, Session, Status
from mockprovider.cassette import Cassette, Interaction
from mockprovider.cassette.model import code_number
from mockprovider.double.cassettes import replaying_all
from mockprovider.double.opening import transcriber
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.monitor import MONITOR
from mockprovider.redaction import fill, stand_in
from mockprovider.terraform.recorded import trees
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.methods import Service
from mockprovider.wire.trees import build


class Asker:
    """Asks a replay what a cassette says was asked, message by message."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cassette: Cassette = tape.load(path)
        header = self.cassette.header
        self.protocol = header.protocol
        self._spoken = header.spoken
        wirings = replaying_all(path, whole_schema=self.protocol != "pulumi")
        self._handlers = {name if header.providers else "": wiring.provider for name, wiring in wirings.items()}
        self._sessions = {each.number: Session(self._spoken[each.provider], each.number) for each in header.sessions}
        for each in self.cassette.header.sessions:
            self._sessions[each.number].preview = each.preview

    def _service(self, each: Interaction) -> Service:
        return PROVIDER if self.protocol == "pulumi" else SERVICES[int(self._spoken[each.provider].removeprefix("tfplugin"))]

    def _message(self, each: Interaction, tree: Any) -> Any:
        cls = self._service(each).messages[each.method][0]
        return build(cls, tree) if self.protocol == "pulumi" else trees.build(tree, cls)

    def again(self) -> Self:
        """Another one, of a replay that has not begun."""
        return type(self)(self._path)

    def request(self, each: Interaction) -> Any:
        """What was asked, with stand-ins for secrets."""
        return fill(self.cassette.request(each), stand_in)

    def ask(self, each: Interaction, request: Any) -> Any:
        """The replay's answer to such a call with this request."""
        call = self._call(each, request)
        handler = self._handlers[each.provider]
        assert handler is not None
        return self._answer(handler(call), call)

    def _call(self, each: Interaction, request: Any) -> Call:
        message = self._message(each, request)
        session = self._sessions[each.session]
        call = self._service(each).methods[each.method].call(message, session)
        # The cassette's order is not the session's: it has Configure before what was asked ahead of it.
        session.instance = each.instance
        call.method, call.address = each.method, each.address
        call.native = Native(message.SerializeToString(), message)
        call.monitor = self._monitor(each)
        return call

    def _monitor(self, parent: Interaction) -> Handler:
        """An engine that answers what it answered during ``parent``, in the recorded order."""
        asked = (each for each in self.cassette.interactions if each.parent == parent.n)

        def answer(call: Call) -> Reply:
            each = next(each for each in asked if each.method == call.method)
            message = build(MONITOR.messages[each.method][1], fill(self.cassette.response(each), stand_in))
            return Reply(native=Native(message.SerializeToString(), message))

        return answer

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """What the cassette says was answered, stand-ins for secrets in it, and what the replay answers."""
        for each in self.cassette.interactions:
            if each.direction == "engine":
                continue
            yield self.expected(each), self.ask(each, self.request(each))

    def expected(self, each: Interaction) -> Any:
        """What was answered, with stand-ins for secrets; of a status, its code and message."""
        if each.status is None:
            return fill(self.cassette.response(each), stand_in)
        return code_number(each.status.code), fill(each.status.message, stand_in)

    def _answer(self, reply: Reply, call: Call) -> Any:
        found = reply.status or transcriber(call.session.protocol.name).reply(reply, call)
        return (found.code, found.message) if isinstance(found, Status) else found
