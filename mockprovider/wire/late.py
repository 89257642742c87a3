"""Replies and messages that are read when somebody asks: what a replay gives again is mostly sent, and not looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Native, Reply

TRAVELLING = frozenset({"native", "status", "stream", "delivery", "unchecked", "made_up"})
"""What a reply has beside what it says: this is there at once."""
SAYING = tuple(name for name in Reply.__struct_fields__ if name not in TRAVELLING)

_slots: dict[str, Any] = {name: vars(Reply)[name] for name in SAYING}
_message: Any = vars(Native)["message"]
"""The slots themselves, in which a value stands, or what says that it was not read yet."""

UNREAD: Any = object()
"""Stands in a slot until the value is asked for."""


class LateReply(Reply, kw_only=True):
    """A reply whose fields are read from its message when the first of them is asked for.

    It is like any other: a field can be set, ``msgspec.structs.replace`` changes it, and it equals a ``Reply`` of them.
    """

    reading: Callable[[], Reply] | Reply = Reply
    """Gives all fields; once it was asked, what it gave."""

    @property
    def whole(self) -> Reply:
        """It as an ordinary reply."""
        return Reply(**{name: getattr(self, name) for name in Reply.__struct_fields__})

    def __eq__(self, other: object) -> bool:
        return self.whole == (other.whole if isinstance(other, LateReply) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.whole)

    def __reduce__(self) -> Any:
        return self.whole.__reduce__()

    def read(self) -> Reply:
        """What the message says."""
        # Two threads may read at once: what they read is equal.
        reading = self.reading
        if not isinstance(reading, Reply):
            reading = self.reading = reading()
        return reading


def _late(name: str) -> property:
    slot = _slots[name]

    def field(self: LateReply) -> Any:
        value = slot.__get__(self)
        if value is UNREAD:
            value = getattr(self.read(), name)
            slot.__set__(self, value)
        return value

    return property(field, slot.__set__)


for _name in SAYING:
    setattr(LateReply, _name, _late(_name))

BLANK = LateReply(**dict.fromkeys(SAYING, UNREAD))


class LateNative(Native, frozen=True):
    """A message that is decoded from its bytes when it is asked for; until then its class is in its place."""

    @property  # type: ignore[misc]
    def message(self) -> Any:
        """The message."""
        message = _message.__get__(self)
        if isinstance(message, type):
            message = message.FromString(self.data)  # type: ignore[attr-defined]
            _message.__set__(self, message)
        return message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Native) and (self.data, self.message, self.parts) == (other.data, other.message, other.parts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(Native(self.data, self.message, self.parts))

    def __reduce__(self) -> Any:
        return Native(self.data, self.message, self.parts).__reduce__()


def late_reply(native: Native, reading: Callable[[], Reply]) -> Reply:
    """A reply that travels as ``native``, and whose fields ``reading`` gives."""
    return replace(BLANK, native=native, reading=reading)
