"""The double: a provider, its layers, its cloud, and the doors to them."""

from __future__ import annotations

import reprlib
import threading
import weakref
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from mockprovider.calls import Call, EnginePort, Handler, Layer, Op, Reply, Session
from mockprovider.clock import Clock, StillClock
from mockprovider.cloud import Cloud
from mockprovider.double.answering import Answering
from mockprovider.double.asking import Spelling
from mockprovider.double.behind import Wiring
from mockprovider.double.contract import DoubleContract
from mockprovider.double.declared import DeclaredPackages
from mockprovider.double.presets import presets
from mockprovider.double.serving import Serving
from mockprovider.errors import DefinitionError
from mockprovider.fake import Fake
from mockprovider.faults import Faults, FaultWorld, Surroundings
from mockprovider.faults.engines import EnginesAtWork
from mockprovider.journal import Journal, Side
from mockprovider.layers import stack
from mockprovider.offers import Ephemeral, Offer, ProviderFunction
from mockprovider.ondemand import held
from mockprovider.protocols import ProviderProtocol, known, loaded, of_family
from mockprovider.schema import Component, Definition, Function, Method, Package, ResourceType, declared_type

if TYPE_CHECKING:
    from mockprovider.audit import Audit
    from mockprovider.double.auditing import Remembering


def _generation(wanted: Any) -> Any:
    return loaded(next(protocol.generations for protocol in known() if protocol.generations))(wanted)


def _of_today(call: Call, proceed: Handler) -> Reply:
    return proceed(call)


def _unpacked(definition: object) -> str:
    return " Give several one by one: define(one, another)." if isinstance(definition, (list, tuple, set)) else ""


class Double(Answering):
    """A provider's test double: its types, its cloud, its journal and its faults.

    Args:
        definitions: the resource types, functions and packages that it serves.
        provider: what answers instead of the fake: ``real(...)``, ``recording(...)``, ``replaying(...)``, or any handler.
        layers: further layers directly in front of it, outermost first.
        seed: the seed of generated values; equal seeds give equal ids.
        strict: the fake refuses types, and properties of types, that nobody declared.
        cloud: the fake's objects; by default a new, empty cloud.
        name: the package's name where nothing is declared.
        clock: the clock of behaviours and faults; by default one that ``double.clock.advance(60)`` moves, and whatever waits.
        generation: the older Pulumi provider that the fake plays: a name (``no-handshake``, ``2018``, ...) or a ``Generation``.

    Raises what its parts raise: a cassette that is missing or broken, a definition that cannot be served.
    """

    def __init__(
        self,
        *definitions: Definition | Offer | Package,
        provider: Wiring | Handler | None = None,
        layers: tuple[Layer, ...] = (),
        seed: int = 0,
        strict: bool = False,
        cloud: Cloud | None = None,
        name: str = "",
        clock: Clock | None = None,
        generation: str | Layer = "current",
    ) -> None:
        wiring = provider if isinstance(provider, Wiring) else Wiring(name or "mock", provider)
        self.name = name or wiring.name
        self.speaks = wiring.protocol
        """The protocol that a real or recorded provider speaks; ``None`` where all are spoken, as by the fake."""
        self.is_fake = wiring.provider is None
        self.redactor = wiring.redactor
        """What is secret in the cassette that is recorded or replayed here; ``None`` if there is none."""
        self.has_cassette = wiring.has_cassette
        """Whether a cassette is recorded or replayed here; ``library`` is the one that is replayed, if any."""
        self.seed = seed
        self.packages = DeclaredPackages()
        self.cloud = cloud or Cloud(seed=seed)
        spelling = Spelling(self, self._declared)
        self.cloud.knowing.append(spelling)
        self.journal = Journal(spelling.check_type, self._scrub)
        self.contract = DoubleContract(self.journal, self.cloud, self._scrub, of_the_world=self.speaks is not None)
        """What its engines and what answers broke of their protocol's rules; ``contract.allow(id, because=...)`` lets them."""
        self.engines = EnginesAtWork(self.contract.doubt)
        """The engines that are at work with this double, as far as it knows them: faults interrupt and kill them."""
        surroundings = Surroundings(
            declared=self._declared,
            steps=self._steps,
            check_asked=spelling.check_asked,
            world=self._world,
            name=self.name,
            check_properties=spelling.check_properties,
        )
        self.faults = Faults(surroundings)
        self.errors: list[BaseException] = [] if wiring.noticed is None else wiring.noticed
        """Our own errors, which engines got as a status; ``raise_errors`` raises the first."""
        self._served: list[Serving] = []
        self._ways_back: dict[str, Any] = {}
        self._handlers: dict[str, Handler] = {}
        self._addressing: tuple[Callable[[Call], str], ...] = ()
        self._sessions = 0
        self._closed = threading.Event()
        self._open: weakref.WeakSet[Session] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._recorder, self._part, self._past = wiring.recorder, wiring.part, wiring.past
        self.library = wiring.library
        self.schemas = self._schemas()
        """The packages that its fake knows: the declared ones, and past the end of a cassette those that it describes."""
        self._fake = Fake(self.schemas, self.cloud, publish=self._publish, clock=clock or StillClock(), presets=presets)
        self.define(*definitions)
        if self._past:
            self._past.stand_in.join(self._fake, self.cloud, self.schemas)
        self.strict = strict
        self._provider = self._answering = wiring.provider or self._fake
        self._inner: tuple[Layer, ...] = (*layers, *wiring.layers)
        self._generation: Layer = _of_today
        if generation != "current":
            self.generation = generation

    def _schemas(self) -> Mapping[str, Package]:
        # A declared package counts instead of the recorded one.
        return ChainMap(self.packages, dict(self._past.stand_in.recorded)) if self._past else self.packages

    def _handler(self, protocol: ProviderProtocol) -> Handler:
        """The provider behind the layers that a conversation in ``protocol`` passes."""
        with self._lock:
            handler = self._handlers.get(protocol.name)
            if handler is None:
                back: list[Layer] = []
                if protocol.way_back:
                    way = self._ways_back[protocol.name] = loaded(protocol.way_back)()
                    back = [way.layer]
                aging = [self._age] if protocol.generations and self.is_fake else []
                seen = (self.journal.at(Side.ENGINE), self.faults.layer, self.journal.at(Side.PROVIDER))
                handler = self._handlers[protocol.name] = stack((*back, *seen, *self._inner, *aging), self._answering)
            return handler

    def _publish(self, call: Call, steps: Sequence[Any]) -> None:
        self._ways_back[call.session.protocol.name].publish(call, steps)

    def _age(self, call: Call, proceed: Handler) -> Reply:
        # The generation stays the same for as long as a session lasts.
        if call.session.generation is None:
            call.session.generation = self._generation
        reply: Reply = call.session.generation(call, proceed)
        return reply

    def _declared(self) -> dict[str, str]:
        return {token: name for package in self.packages.values() for token, name in package.terraform_names().items()}

    def use(self, *layers: Layer, provider: Handler | None = None) -> None:
        """Put ``layers`` in front of what answers, outermost first and outside of those that are there, from the next call on.

        ``provider`` answers from now on, instead of the fake or of what was there. What is recorded is recorded in front of it.
        """
        with self._lock:
            self._inner = (*layers, *self._inner)
            if provider is not None:
                self._answering = provider
            self._handlers.clear()

    def _steps(self) -> dict[str, tuple[str, ...]]:
        resources = (resource for package in self.packages.values() for resource in held(package.resources).values())
        return {resource.token: tuple(step.name for step in resource.steps) for resource in resources if resource.steps}

    @property
    def clock(self) -> Clock:
        """The clock of the fake's behaviours and of faults. It may be set at any time, and applies from the next call on."""
        return self._fake.clock

    @clock.setter
    def clock(self, wanted: Clock) -> None:
        self._fake.clock = wanted

    def _world(self) -> FaultWorld:
        return FaultWorld(self.clock, self.engines, self.cloud if self.is_fake else None, limit=self._limit)

    def _limit(self, call: Call) -> float:
        declared = declared_type(self.packages, call.type)
        return call.timeout or (declared.timeouts.get(call.op.value, 0.0) if declared else 0.0)

    @property
    def generation(self) -> Any:
        """The older provider that the fake plays, for sessions without a call so far. Set it by name or as a ``Generation``.

        Setting it raises ``DefinitionError`` for an unknown name, and on a double of a real or recorded provider.
        """
        return _generation("current") if self._generation is _of_today else self._generation

    @generation.setter
    def generation(self, wanted: Any) -> None:
        generation = _generation(wanted)
        if wanted != "current" and not self.is_fake:
            raise DefinitionError(
                f"Only the fake can be of the generation {generation.name!r}: what answers here is a provider of its own age."
            )
        self._generation = generation

    @property
    def strict(self) -> bool:
        """Whether the fake refuses types, and properties of types, that nobody declared. It applies from the next call on.

        Setting it raises ``DefinitionError`` on a double of a real or recorded provider.
        """
        return self._fake.strict

    @strict.setter
    def strict(self, wanted: bool) -> None:
        if wanted and not self.is_fake:
            raise DefinitionError("Only the fake can be strict: what answers here is a provider with a schema of its own.")
        self._fake.strict = wanted

    def define(self, *definitions: Definition | Offer | Package) -> None:
        """Serve these as well. A token names its package; a later definition of the same token replaces the earlier one."""
        for definition in definitions:
            if isinstance(definition, Package):
                self._declare(definition)
            elif isinstance(definition, (ResourceType, Function, Component, Method, ProviderFunction, Ephemeral)):
                name = definition.token.split(":", 1)[0]
                self.packages.setdefault(name, Package(name)).add(definition)
            else:
                problem = f"A {type(definition).__name__} ({reprlib.repr(definition)})"
                kinds = "give a ResourceType, a Function, a Component, a Method or a Package"
                raise DefinitionError(f"{problem} is no definition: {kinds}.{_unpacked(definition)}")
            if self._recorder is not None and isinstance(definition, (Package, ResourceType)):
                self._recorder.declare(definition.secrets)
        self._check_said()

    def __call__(self, call: Call) -> Reply:
        """Answer one call, through all layers: the in-process client of the engines that are Python."""
        if call.op is Op.CANCEL:
            # Before the layers, since one of them may be hanging. Terraform's Stop is this op, too.
            call.session.cancelled.set()
        addressing = self._addressing
        if len(addressing) == 1 and not call.address:
            call.address = addressing[0](call)
        protocol = call.session.protocol
        return (self._handlers.get(protocol.name) or self._handler(protocol))(call)

    @contextmanager
    def addressed(self, address_of: Callable[[Call], str]) -> Iterator[None]:
        """While the block runs, ``address_of`` tells the ``address`` of each call that has none, in the thread that answers it.

        Where two blocks run at the same time, calls have none: nothing says which engine a call came from.
        """
        with self._lock:
            self._addressing = (*self._addressing, address_of)
        try:
            yield
        finally:
            with self._lock:
                addressing = list(self._addressing)
                addressing.remove(address_of)
                self._addressing = tuple(addressing)

    def open(
        self,
        protocol: ProviderProtocol | str = "",
        *,
        package: str = "",
        engine: EnginePort | None = None,
        peer: str = "in-process",
    ) -> Session:
        """A new session, as a new connection opens one. ``engine`` shows what the provider logs.

        ``protocol`` is ``pulumi`` (unless given), ``terraform``, or one version of it (``tfplugin5``). Raises
        ``DefinitionError`` for one that is not installed.
        """
        with self._lock:
            self._sessions += 1
            session = Session(protocol, self._sessions, peer, engine)
            self._open.add(session)
            session.closed = self._closed
            if self._closed.is_set():
                # A connection that comes while the double closes: what hangs there would be waited for in vain.
                session.cancelled.set()
        session.schema = self._package(package)
        return session

    def serve(
        self, protocol: ProviderProtocol | str = "", *, host: str = "127.0.0.1", port: int = 0, major: int | None = None
    ) -> Serving:
        """Serve over gRPC, on loopback by default, one server a package; ``environment`` leads engines there.

        ``protocol`` is ``pulumi`` (unless given) or ``terraform``; ``port`` 0 takes free ones. ``major`` is Terraform's
        protocol, 5 or 6; the fake speaks 6 by default. Raises ``PluginError`` if the port is taken,
        ``DefinitionError`` for a protocol that is not spoken here.
        """
        serving = Serving(self, self._spoken(protocol, major), host, port)
        self._served.append(serving)
        return serving

    def _spoken(self, protocol: ProviderProtocol | str, version: int | None) -> ProviderProtocol:
        """The protocol that is served when a user asks for this one."""
        asked = of_family(protocol, version)
        if self.speaks is None or self.speaks.family != asked.family:
            return asked
        if version not in (None, self.speaks.version):
            raise DefinitionError(
                f"What stands behind this double speaks version {self.speaks.version} of {asked.family}, and {version} was "
                "asked for. Leave major out; only the fake speaks every version."
            )
        return self.speaks

    @property
    def is_served(self) -> bool:
        """Whether ``serve`` was called, and ``close`` not yet."""
        return bool(self._served)

    def absent(self, type_: str) -> str:
        """Why an engine is told that this provider does not have a type: a replay has only those in use; empty otherwise."""
        return self.library.absent(type_) if self.library and self._recorder is None else ""

    @property
    def unplayed(self) -> list[str]:
        """The recorded creates, updates and deletes that nobody asked for until now, a line each; with ``allow``, none."""
        return self.library.unplayed(self._part) if self.library else []

    @property
    def made_up(self) -> list[str]:
        """What a fake answered past the end of the cassette until now, a line each; empty without ``beyond="fake"``."""
        return [*self._past.answers] if self._past else []

    def audit(self, *states: Remembering) -> Audit:
        """What exists against what engines remember: orphans, phantoms, doubles, stale values, operations that were cut off.

        Of a fake, its cloud says what exists; of a real or recorded provider, what it answered to the calls in the journal.

        Args:
            states: what is remembered, by all of them together. An engine (``Stack``, ``PulumiCli``, ``Terraform``), what an
                operation of one returned, an exported state, its file (``pathlib.Path``), or a mapping from ids to
                properties, of which those given are compared. Resources of packages that are not served here do not count.

        Raises ``DefinitionError`` for what remembers nothing, ``MalformedError`` or ``UnsupportedError`` for a state that
        cannot be read.
        """
        from mockprovider.double.auditing import audit  # noqa: PLC0415 - only tests that look need it

        return audit(self, *states)

    def _scrub(self, text: str) -> str:
        """A text about calls, without the secrets in them."""
        from mockprovider.double.masking import RunSecrets  # noqa: PLC0415 - only when a test has failed

        scrubbed: str = RunSecrets(self.schemas, self.journal, self.redactor).scrub(text)
        return scrubbed

    def raise_errors(self) -> None:
        """Raise the first error of ours that an engine got as a status and may have swallowed."""
        if self.errors:
            raise self.errors[0]

    def close(self) -> None:
        """Cancel its sessions, stop serving, end what was started, and finish what is being recorded, in this order.

        Calls that hang until they are cancelled end before anything else. Safe to call again.
        """
        self._end()

    def _end(self, *, failed: bool = False) -> None:
        with self._lock:
            self._closed.set()
            sessions = list(self._open)
        for session in sessions:
            session.cancelled.set()
        served, self._served = self._served, []
        for serving in served:
            serving.stop()
        close = getattr(self._provider, "close", None)
        if close is not None:
            close()
        for way in self._ways_back.values():
            way.close()
        if self._recorder is not None:
            self._recorder.end(self._part, self.faults.plan.data.get("faults"), failed=failed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._end(failed=kind is not None)
