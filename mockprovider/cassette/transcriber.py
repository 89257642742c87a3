"""What a protocol does for cassettes: it turns its messages into trees that JSON can hold, and back."""

from __future__ import annotations

from typing import Any, Protocol

from mockprovider.calls import Call, Reply, Session, Status
from mockprovider.cassette.gist import Gist
from mockprovider.redaction import Declarations, Marks

Tree = dict[str, Any]


class Transcriber(Protocol):
    """Writes a protocol's messages for a cassette and reads them back. Trees are opaque to the cassette, with these rules:

    - they hold only ``dict`` (string keys), ``list``, ``str``, ``int``, finite ``float``, ``bool`` and ``None``; a property
      bag is plain JSON, so that names and Pulumi's secret objects can be seen in it;
    - equal messages have equal trees (map order does not count);
    - a key that begins with ``$`` holds verbatim bytes as base64 (unknown fields, a message without a better tree): no
      secret can be cut out of these, so an answer that has one there is recorded as withheld. Two such keys mean more: what
      ``$bytes`` holds may be replaced as a whole, and ``$unknown`` marks a value that is not known yet, which is never a
      secret; an object in it says what is known, in texts that are searched for secrets. ``$secret``, ``$text`` and
      ``$literal`` are taken.
    """

    marks: Marks
    """How the protocol marks secrets and unknown values in its messages."""

    @property
    def openly(self) -> bool:
        """Whether secrets may have come without a mark until now, as to a provider that accepts none."""

    def named(self, call: Call) -> Call:
        """The call with its RPC's name, which one that was made in process may lack."""

    def refuses(self, call: Call) -> str:
        """Why this call cannot be recorded or replayed yet; empty if it can be."""

    def mutates(self, method: str) -> bool:
        """Whether the method changes the cloud, so that one recorded answer answers once."""

    def type(self, call: Call) -> str:
        """The type that the call is about, as its message spells it: what is known beside the message must not count."""

    def is_for(self, instance: str, package: str) -> bool:
        """Whether the name of a provider instance says that it is one of ``package``."""

    def request(self, call: Call) -> Tree:
        """The native request message as a tree."""

    def key(self, call: Call, request: Tree) -> Tree:
        """What of the request two runs of one program have in common: no addresses, nothing volatile, sets in one order.

        This is what is kept and matched. It is given the tree after redaction: a placeholder (an object with ``$secret``) may
        stand in place of any string, number or boolean. Must not change ``request``; must leave its own result as it is.
        """

    def secrets(self, call: Call) -> Declarations:
        """What the protocol declares secret for this call: Terraform's sensitive attributes."""

    def encoded(self, reply: Reply, call: Call) -> Reply:
        """The reply with the native message that it travels as, so that what is recorded and what is sent are one message.

        Must not change ``reply``; it may come back as it is, as where it travels as a status.
        """

    def reply(self, reply: Reply, call: Call) -> Tree | Status:
        """The native response message as a tree, or the status that the reply travels as. Not asked if it has a ``status``."""

    def again(self, method: str, request: Tree, session: Session, *, whole: bool = False) -> Call:
        """A recorded request as a call of today, with what the engine says of itself: a recording leaves that out.

        A request that is ``whole`` has that already, and nothing is added.

        Raises ``MalformedError`` for a tree of no such message.
        """

    def restore(self, method: str, response: Tree, call: Call) -> Reply:
        """The reply (native bytes and decoded fields) of a response tree: a message equal to the recorded one.

        Must not change ``response`` nor hand it on: it is the cassette's own.
        """

    def timeless(self, method: str) -> bool:
        """Whether an answer is the same whenever it is given, to whichever session, so that it may be ``restored_again``."""

    def restored_again(self, method: str, response: Tree, call: Call, data: bytes) -> Reply:
        """What ``restore`` gave for this tree, to whichever call; ``data`` are the bytes of its message. As for ``restore``,
        the tree stays the cassette's own.
        """

    def details(self, data: bytes) -> Any:
        """A tree of a status's details; base64 text will do where there is nothing better, but keeps no secret out."""

    def pack(self, details: Any) -> bytes:
        """The details again."""

    def failed(self, status: Status, call: Call) -> Reply:
        """The reply of an RPC that ended in ``status``, with what its details say decoded."""

    def gist(self, op: str, request: Tree, response: Tree) -> Gist:
        """What a recorded answer comes to, for people. Must not change the trees."""
