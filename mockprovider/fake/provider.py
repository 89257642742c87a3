"""The fake provider: one handler for the ops of all modules of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Reply
from mockprovider.clock import Clock
from mockprovider.cloud import Cloud
from mockprovider.errors import UnsupportedError
from mockprovider.fake import views
from mockprovider.fake.adopting import Adopting
from mockprovider.fake.answers import Answers
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.configuring import Configuring
from mockprovider.fake.functions import Functions
from mockprovider.fake.listing import Listing
from mockprovider.fake.parameters import Parameters
from mockprovider.fake.passing import Passing
from mockprovider.fake.resources import Resources
from mockprovider.fake.sayings import NOTHING_SAID, Sayings
from mockprovider.protocols import ProviderProtocol, loaded
from mockprovider.schema import Package
from mockprovider.urn import Urn


class Fake:
    """A provider made of declarations. It is a handler: call it with a ``Call``.

    Args:
        packages: what it serves, by package name; read again at each call, so definitions may be added at any time.
        cloud: keeps its objects.
        strict: refuse undeclared types and properties; otherwise inputs are echoed, and an id is generated.
        publish: publishes the views of resource types to the engine.
        clock: the clock of behaviours; by default one that moves only when they wait.
        presets: what is said of a package that was read from a schema, by its name.
    """

    def __init__(
        self,
        packages: Mapping[str, Package],
        cloud: Cloud,
        *,
        strict: bool = False,
        publish: views.Publish = views.unpublished,
        clock: Clock | None = None,
        presets: Callable[[str], Sayings] = lambda _: NOTHING_SAID,
    ) -> None:
        self.answers = Answers(packages, presets, cloud.new_hash)
        """What is said of single answers. It may be changed at any time, and applies from the next call on."""
        catalogue = self._catalogue = Catalogue(packages, strict=strict, answers=self.answers)
        resources = self._resources = Resources(catalogue, cloud, clock, publish, self.answers)
        rooms = (
            Configuring(catalogue),
            resources,
            Adopting(catalogue, cloud, resources.ops[Op.READ]),
            Passing(catalogue, cloud),
            Functions(catalogue, self.answers),
            Listing(catalogue, cloud),
            Parameters(catalogue),
        )
        self._ops: Mapping[Op, Callable[[Call], Reply]] = {op: answer for room in rooms for op, answer in room.ops.items()}
        self._by_protocol: dict[str, Mapping[Op, Callable[[Call], Reply]]] = {}

    @property
    def clock(self) -> Clock:
        """The clock of behaviours. It may be set at any time, and applies from the next call on."""
        return self._resources.clock

    @clock.setter
    def clock(self, wanted: Clock) -> None:
        self._resources.clock = wanted

    @property
    def strict(self) -> bool:
        """Whether undeclared types and properties are refused. It may be set at any time, and applies from the next call on."""
        return self._catalogue.strict

    @strict.setter
    def strict(self, wanted: bool) -> None:
        self._catalogue.strict = wanted

    @property
    def doubts(self) -> list[str]:
        """Lines about properties of declared types that programs probably misspelt."""
        return [*self._catalogue.doubts]

    def __call__(self, call: Call) -> Reply:
        """Answer ``call``. Raises ``UnsupportedError`` for an unknown op, ``MalformedError`` for a malformed URN."""
        if call.urn:
            # An engine would keep a malformed URN in its state, and fail with any other provider.
            Urn.parse(call.urn)
        protocol = call.session.protocol
        op = (self._by_protocol.get(protocol.name) or self._answers(protocol)).get(call.op)
        if op is None:
            raise UnsupportedError(f"The fake does not answer {call.method or call.op.value} yet.")
        judge = self._catalogue.judge(call)
        reply: Reply = judge(call, op) if judge else op(call)
        return reply

    def _answers(self, protocol: ProviderProtocol) -> Mapping[Op, Callable[[Call], Reply]]:
        """The answers in a protocol: those of all protocols, and those of this one alone."""
        room = loaded(protocol.room)(self._catalogue, self._ops).ops if protocol.room else {}
        answers = self._by_protocol[protocol.name] = {**self._ops, **room}
        return answers
