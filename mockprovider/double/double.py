"""The double: a provider, its layers, its cloud, and the doors to them."""

from __future__ import annotations

import reprlib
import threading
import time
from typing import Self

from mockprovider.calls import Call, EnginePort, Handler, Layer, Op, Reply, Session
from mockprovider.clock import Clock, StillClock
from mockprovider.cloud import Cloud
from mockprovider.double.cassettes import Wiring
from mockprovider.double.serving import Serving
from mockprovider.double.wayback import WayBack, publish_views
from mockprovider.errors import DefinitionError
from mockprovider.fake import Fake
from mockprovider.fake.generations import CURRENT, Generation, GenerationLayer, named
from mockprovider.faults import Faults
from mockprovider.journal import Journal, Side
from mockprovider.layers import stack
from mockprovider.offers import Ephemeral, Offer, ProviderFunction
from mockprovider.schema import Component, Definition, Function, Method, Package, ResourceType


class RealClock:
    """The machine's own time, as a ``Clock``."""

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def wait(self, seconds: float, until: threading.Event) -> bool:
        """Wait, until the event at the most: whether it is set."""
        return until.wait(seconds)


def _unpacked(given: object) -> str:
    return " Give several one by one: define(one, another)." if isinstance(given, (list, tuple, set)) else ""


class Double:
    """A provider's test double: its types, its cloud, its journal and its faults.

    Args:
        definitions: the resource types, functions and packages that it serves.
        provider: what answers instead of the fake: ``real(...)``, ``recording(...)``, ``replaying(...)``, or any handler.
        layers: further layers directly in front of it, outermost first.
        seed: the seed of generated values; equal seeds give equal ids.
        strict: the fake refuses types, and properties of types, that nobody declared.
        cloud: the fake's objects; by default a new, empty cloud.
        name: the package's name where nothing is declared.
        clock: the clock of the fake's behaviours; by default it moves only by ``double.clock.sleep(60)``.
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
        generation: str | Generation = CURRENT,
    ) -> None:
        wiring = provider if isinstance(provider, Wiring) else Wiring(name or "mock", provider)
        self.name = name or wiring.name
        self.major = wiring.major
        """Which of Terraform's protocols ``serve("terraform")`` speaks unless told otherwise."""
        self.major_is_fixed = isinstance(provider, Wiring)
        """Whether it cannot be told otherwise: a real or recorded provider speaks one of them."""
        self.is_fake = wiring.provider is None
        self.seed = seed
        self.packages: dict[str, Package] = {}
        self.cloud = cloud or Cloud(seed=seed)
        self.clock: Clock = clock or StillClock()
        self.journal = Journal()
        self.faults = Faults(self._declared, lambda: self.strict)
        self.errors: list[BaseException] = []
        """Our own errors, which engines got as a status; ``raise_errors`` raises the first."""
        self._served: list[Serving] = []
        self._way_back = WayBack()
        self._sessions = 0
        self._lock = threading.Lock()
        self.define(*definitions)
        self._recorder = wiring.recorder
        self._fake = Fake(self.packages, self.cloud, publish=publish_views, clock=self.clock)
        self.strict = strict
        self._provider = wiring.provider or self._fake
        self._aging = GenerationLayer()
        self.generation = generation
        inner: tuple[Layer, ...] = (*layers, *wiring.layers, self._aging)
        chain = (self._way_back.layer, self.journal.at(Side.ENGINE), self.faults.layer, self.journal.at(Side.PROVIDER), *inner)
        self._handler = stack(chain, self._provider)

    def _declared(self) -> dict[str, str]:
        return {token: each.terraform for package in self.packages.values() for token, each in package.resources.items()}

    @property
    def generation(self) -> Generation:
        """The older provider that the fake plays, for sessions without a call so far. Set it by name or as a ``Generation``.

        Setting it raises ``DefinitionError`` for an unknown name, and on a double of a real or recorded provider.
        """
        return self._aging.current

    @generation.setter
    def generation(self, wanted: str | Generation) -> None:
        found = named(wanted)
        if found != CURRENT and not self.is_fake:
            raise DefinitionError(
                f"Only the fake can be of the generation {found.name!r}: what answers here is a provider of its own age."
            )
        self._aging.current = found

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
        """Serve these, too. A token names the package of its type or function; a later definition replaces an earlier one."""
        for each in definitions:
            if isinstance(each, Package):
                self.packages[each.name] = each
            elif isinstance(each, (ResourceType, Function, Component, Method, ProviderFunction, Ephemeral)):
                name = each.token.split(":", 1)[0]
                self.packages.setdefault(name, Package(name)).add(each)
            else:
                told = f"A {type(each).__name__} ({reprlib.repr(each)})"
                kinds = "give a ResourceType, a Function, a Component, a Method or a Package"
                raise DefinitionError(f"{told} is no definition: {kinds}.{_unpacked(each)}")

    def __call__(self, call: Call) -> Reply:
        """Answer one call, through all layers: the in-process client of the engines that are Python."""
        if call.op is Op.CANCEL:
            # Before any layer, since one of them may be what hangs; Terraform's Stop is this op, too.
            call.session.cancelled.set()
        return self._handler(call)

    def open(
        self, protocol: str = "pulumi", *, package: str = "", engine: EnginePort | None = None, peer: str = "in-process"
    ) -> Session:
        """A new session, as a new connection opens one. ``engine`` shows what the provider logs."""
        with self._lock:
            self._sessions += 1
            session = Session(protocol, self._sessions, peer, engine)
        session.schema = self.packages.get(package) or (next(iter(self.packages.values()), None) if not package else None)
        return session

    def serve(self, protocol: str = "pulumi", *, host: str = "127.0.0.1", port: int = 0, major: int | None = None) -> Serving:
        """Serve over gRPC, on loopback by default, with one server for each package; ``environment`` leads engines there.

        ``protocol`` is ``pulumi`` or ``terraform``; ``port`` 0 takes free ones. ``major`` is Terraform's protocol, 5 or 6; the
        fake speaks 6 by default. Raises ``PluginError`` if the port is taken, ``DefinitionError`` for a protocol
        that is not spoken here.
        """
        serving = Serving(self, protocol, host, port, major)
        self._served.append(serving)
        return serving

    @property
    def is_served(self) -> bool:
        """Whether ``serve`` was called, and ``close`` not yet."""
        return bool(self._served)

    def raise_errors(self) -> None:
        """Raise the first error of ours that an engine got as a status and may have swallowed."""
        if self.errors:
            raise self.errors[0]

    def close(self) -> None:
        """Stop serving, end what was started, and finish what is being recorded, in this order. Safe to call again."""
        served, self._served = self._served, []
        for each in served:
            each.stop()
        close = getattr(self._provider, "close", None)
        if close is not None:
            close()
        self._way_back.close()
        if self._recorder is not None:
            self._recorder.faults = [str(rule) for rule in self.faults.rules] or None
            self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
