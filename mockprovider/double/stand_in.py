"""The fake past the end of a cassette: it has the recorded types, and the objects that the replay has given out.

The engine's session decodes payloads as far as the double knows types. The fake needs all of them, so it reads each call anew
from its message, in a session of its own with the recorded schema. Its answer goes back as the message that it travels as.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Native, Op, Reply, Session
from mockprovider.cassette.order import DESCRIBING
from mockprovider.cloud import Cloud, digest
from mockprovider.errors import MalformedError
from mockprovider.protocols import ProviderProtocol
from mockprovider.schema import Package
from mockprovider.values import Bag, Value, reveal


class PastTheEnd(Struct, frozen=True):
    """What answers past the end of one provider's cassette: its fake, and the list of what that has answered."""

    stand_in: StandIn
    answers: list[str]


SELF = DESCRIBING | {Op.HANDSHAKE, Op.ATTACH, Op.PARAMETERIZE}
"""Ops about the provider itself."""
PROGRAMS = frozenset({Op.CONSTRUCT, Op.CALL})
"""Ops that a program in the provider answers."""
MAKING = frozenset({Op.CREATE, Op.UPDATE, Op.READ, Op.IMPORT, Op.OPEN})
"""Ops whose answers bring an object."""
ENDING = frozenset({Op.DELETE, Op.CLOSE})
LOOKING = frozenset({Op.READ, Op.IMPORT})
NEEDING = frozenset({Op.READ, Op.UPDATE, Op.DELETE})
"""Ops that need the object that the engine remembers."""
OPENED = frozenset({Op.OPEN, Op.RENEW, Op.CLOSE})
"""Ops about what only private bytes name."""
SHARED = (
    *("accepts", "cancelled", "closed", "engine", "engine_address", "engine_offers", "gone", "handshaken", "instance"),
    *("parameterized", "preview", "secret_keys"),
)
"""What the fake's session has of the engine's."""


class StandIn:
    """The fake of one provider, behind its cassette: the handler that answers, and the keeper of what was given out.

    Args:
        protocol: what the recorded provider speaks.
        recorded: the package that the recording describes; ``None`` if it describes none.
        name: the cassette's, for errors.
    """

    def __init__(self, protocol: ProviderProtocol, recorded: Package | None, name: str) -> None:
        from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

        edge = adapter(protocol)
        self.recorded: Mapping[str, Package] = {recorded.name: recorded} if recorded else {}
        self._service, self._transcriber = edge.service, edge.transcriber()
        self._name = name
        self._fake: Handler
        self._cloud: Cloud
        self._packages: Mapping[str, Package]
        self._sessions: WeakKeyDictionary[Session, Session] = WeakKeyDictionary()
        self._given: dict[tuple[str, str], Bag | None] = {}
        """The objects as they were given out last, or are remembered by the engine; ``None`` for what was deleted."""
        self._seen: set[tuple[str, str]] = set()
        """Where there is an object in this run, or was one."""
        self._shared: set[tuple[str, str]] = set()
        """Types with an id that several of their objects have."""
        self._identities: dict[tuple[str, str], str] = {}
        self._lock = threading.RLock()

    def join(self, fake: Handler, cloud: Cloud, packages: Mapping[str, Package]) -> None:
        """Answer with a double's ``fake``, which keeps its objects in ``cloud`` and has the types of ``packages``."""
        self._fake, self._cloud, self._packages = fake, cloud, packages

    # What the fake can answer --------------------------------------------------------------------------------------------

    def refusal(self, call: Call) -> str:
        """Why the fake cannot answer a call; empty if it can."""
        if call.op in SELF:
            return "it is about the provider itself, and only a recording knows that"
        if call.method not in self._service.methods or call.op is Op.RAW:
            return "it does not know this RPC"
        try:
            asked = self._asked(call)
        except MalformedError as error:
            return f"its types do not read this request ({error})"
        return self._unknown(asked)

    def _unknown(self, asked: Call) -> str:
        """Why the fake knows nothing of what is asked for; empty if it does."""
        package = self._packages.get(asked.type.partition(":")[0])
        if asked.op in PROGRAMS:
            declared = package is not None and package.name not in self._undeclared and _has_program(package, asked)
            return "" if declared else "components and methods are programs in the provider, which no recording has"
        if asked.op in OPENED - {Op.OPEN}:
            return "" if self._cloud.read(asked.type, _text(asked.private)) else "nothing of the kind was opened here"
        if asked.op in (Op.INVOKE, Op.FUNCTION, Op.OPEN):
            known = package is not None and (asked.type in package.functions or asked.type in package.offers)
            return "" if known else f"{self._types(package)} {asked.type!r}, so nobody knows what it returns"
        return self._unknown_type(asked, package)

    @property
    def _undeclared(self) -> set[str]:
        """The packages of which only the recording tells."""
        return {name for name, package in self.recorded.items() if self._packages.get(name) is package}

    def _unknown_type(self, asked: Call, package: Package | None) -> str:
        if not asked.type or package is None or package.name not in self._undeclared or asked.type in package.resources:
            return ""
        return f"{self._types(package)} {asked.type!r}"

    def _types(self, package: Package | None) -> str:
        if package is not None and package.name in self._undeclared:
            return f"the schema in {self._name} has no"
        return f"{'nobody declared' if package else f'{self._name} has no schema, and nobody declared'}"

    # Answering -----------------------------------------------------------------------------------------------------------

    def __call__(self, call: Call) -> Reply:
        """The fake's answer."""
        asked = self._asked(call)
        key = self._key_of(asked)
        self._adopt(asked, key)
        reply = self._fake(replace(asked, id=key))
        # What the fake knows by another key keeps the id that the engine has.
        reply = self._transcriber.encoded(replace(reply, id=asked.id) if reply.id == key else reply, asked)
        with self._lock:
            if asked.op is Op.CREATE and reply.id:
                self._seen.add((asked.type, reply.id))
            if asked.op is Op.UPDATE and key != asked.id and reply.native:
                self._rekey(asked, key, self._decoded(reply, asked))
        return self._decoded(reply, call) if reply.native else reply

    def _asked(self, call: Call) -> Call:
        """A call with the recorded types, in the fake's own session."""
        method = self._service.methods[call.method]
        message = call.native.message if call.native else method.request(call)
        asked = method.call(message, self._session(call.session))
        asked.native, asked.method = Native(message.SerializeToString(), message), call.method
        asked.address, asked.secrets = call.address, call.secrets
        asked.monitor, asked.midway = call.monitor, call.midway
        return asked

    def _decoded(self, reply: Reply, call: Call) -> Reply:
        """An answer as the engine's session reads it."""
        method = self._service.methods[call.method]
        answer: Reply = method.reply(reply.native.message if reply.native else None, call)
        return replace(answer, native=reply.native)

    def _session(self, session: Session) -> Session:
        with self._lock:
            own = self._sessions.get(session)
            if own is None:
                own = self._sessions[session] = Session(session.protocol, session.number, session.peer, session.engine)
            declared = next(iter(self._packages.values()), None)
            own.schema = session.schema if isinstance(session.schema, Package) else declared
            for word in SHARED:
                setattr(own, word, getattr(session, word))
            return own

    # Objects -------------------------------------------------------------------------------------------------------------

    def is_newer(self, call: Call) -> bool:
        """Whether a call only looks at an object that has changed since the cassette gave it out."""
        if call.op not in LOOKING:
            return False
        with suppress(MalformedError), self._lock:
            asked = self._asked(call)
            place = asked.type, self._key_of(asked)
            return place in self._given and self._now(place) != self._given[place]
        return False

    def note(self, call: Call, reply: Reply) -> None:
        """Keep the object that a replayed answer is about."""
        if call.op is Op.CONFIGURE:
            self._session(call.session).config = call.inputs or {}
        if call.preview or call.op not in MAKING | ENDING or call.method not in self._service.methods:
            return
        # What the schema does not read is replayed all the same; the engine's memory says what it is, if it is asked for.
        with suppress(MalformedError):
            self._keep(self._asked(call), reply)

    def _keep(self, asked: Call, reply: Reply) -> None:
        answer = self._decoded(reply, asked) if reply.native else reply
        with self._lock:
            if asked.op not in ENDING:
                for one in answer.imported or (answer,):
                    self._note(asked, one)
            elif reply.ok:
                self._put((asked.type, self._key_of(asked)), None)

    def _note(self, asked: Call, answer: Reply) -> None:
        before = self._key_of(asked)
        if answer.value is None:
            if asked.op is Op.READ and answer.ok:
                self._put((asked.type, before), None)
            return
        type_ = answer.type or asked.type
        key = _text(answer.private) if asked.op is Op.OPEN else self._new_key(asked, before, type_, answer)
        if asked.op in (Op.UPDATE, Op.READ) and key != before:
            self._put((asked.type, before), None)
        self._put((type_, key), self._whole(asked, type_, answer.value))
        self._identities[type_, key] = _identity(type_, answer.value)

    # Keys: ids, where they tell one object from all others. Some types have no id, and some providers give all the same one.

    def _key_of(self, asked: Call) -> str:
        """What the object of a call goes by in the cloud."""
        if asked.op in OPENED:
            return _text(asked.private)
        if not asked.prior:
            return asked.id
        place, known = (asked.type, asked.id), _identity(asked.type, asked.prior)
        by_id = asked.id and place not in self._shared
        if by_id and (place in self._seen or self._now(place) is not None or self._now((asked.type, known)) is None):
            return asked.id
        return known

    def _new_key(self, asked: Call, before: str, type_: str, answer: Reply) -> str:
        id_ = answer.id or (before if before == asked.id and self._now((type_, before)) is not None else "")
        place = type_, id_
        if asked.op is Op.CREATE and id_ and place not in self._shared and (other := self._now(place)) is not None:
            self._shared.add(place)
            self._put(place, None)
            self._put((type_, self._identities.get(place) or _identity(type_, other)), other)
        return _identity(type_, answer.value or {}) if not id_ or place in self._shared else id_

    def _rekey(self, asked: Call, key: str, answer: Reply) -> None:
        changed = self._now((asked.type, key))
        if answer.value is not None and changed is not None:
            self._put((asked.type, key), None)
            self._put((asked.type, _identity(asked.type, answer.value)), changed)

    # What there is -------------------------------------------------------------------------------------------------------

    def _whole(self, asked: Call, type_: str, value: Bag) -> dict[str, Value]:
        """An object, with its inputs where the answer has none; secrets stay wrapped where no type wraps them."""
        package = self._packages.get(type_.partition(":")[0])
        declared = package.resources.get(type_) if package else None
        if declared is None:
            return dict(value)
        wanted = {
            name: item
            for name, item in (asked.inputs or {}).items()
            if name in declared.properties and not declared.properties[name].write_only and item is not None
        }
        return {name: reveal(item) for name, item in {**wanted, **value}.items()}

    def _adopt(self, asked: Call, key: str) -> None:
        """Take an object that the engine brings from an earlier run as it remembers it, if this run knows nothing of it."""
        if asked.op not in NEEDING or not (asked.prior and key):
            return
        place = asked.type, key
        with self._lock:
            # Of what has no id several may be equal, and only the engine knows which of them are still there.
            gone = place in self._seen and key == asked.id
            if not gone and self._now(place) is None:
                self._put(place, self._whole(replace(asked, inputs=None), asked.type, asked.prior))

    def _now(self, place: tuple[str, str]) -> Bag | None:
        stored = self._cloud.read(*place)
        return None if stored is None else dict(stored)

    def _put(self, place: tuple[str, str], properties: Bag | None) -> None:
        there = self._now(place)
        if properties is None:
            self._cloud.delete(*place)
        elif there is None:
            self._cloud.create(*place, properties)
        elif there != properties:
            self._cloud.update(*place, properties)
        self._seen.add(place)
        self._given[place] = properties


def _text(private: bytes) -> str:
    return private.decode(errors="replace")


def _identity(type_: str, value: Bag) -> str:
    """What an object goes by that has no id: a digest of all that it is."""
    return digest(type_, sorted((name, reveal(item)) for name, item in value.items() if item is not None))


def _has_program(package: Package, asked: Call) -> bool:
    return asked.type in package.components or any(asked.type in token for token in package.methods)
