"""The fake provider: rooms of ops behind one door."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockprovider.calls import Call, Op, Reply
from mockprovider.cloud import Cloud
from mockprovider.errors import UnsupportedError
from mockprovider.fake.catalogue import Catalogue
from mockprovider.fake.configuring import Configuring
from mockprovider.fake.functions import Functions
from mockprovider.fake.resources import Resources
from mockprovider.schema import Package
from mockprovider.urn import Urn


class Fake:
    """A provider made of declarations. It is a handler: call it with a ``Call``.

    Args:
        packages: what it serves, by package name; looked at anew at each call, so definitions may be added while it serves.
        cloud: where its objects live.
        strict: refuse types, and properties of types, that nobody declared; otherwise inputs are echoed, and an id is made.
    """

    def __init__(self, packages: Mapping[str, Package], cloud: Cloud, *, strict: bool = False) -> None:
        catalogue = Catalogue(packages, strict=strict)
        rooms = (Configuring(catalogue), Resources(catalogue, cloud), Functions(catalogue))
        self._ops: Mapping[Op, Callable[[Call], Reply]] = {op: answer for room in rooms for op, answer in room.ops.items()}

    def __call__(self, call: Call) -> Reply:
        """Answer ``call``. Raises ``UnsupportedError`` for an op that it has not, ``MalformedError`` for a malformed URN."""
        if call.urn:
            # A malformed one would be remembered by an engine that no other provider answers.
            Urn.parse(call.urn)
        op = self._ops.get(call.op)
        if op is None:
            raise UnsupportedError(f"The fake does not answer {call.method or call.op.value} yet.")
        return op(call)
