"""Which calls a test expects, in the fewest words: their order, count and arguments, and what never came."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

from msgspec import UNSET, Struct

from mockprovider.calls import Call, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean, misspelt, suggest
from mockprovider.matching import show
from mockprovider.values import Bag, Value, has_secret, reveal, same

SHOWN = 3
"""How many of the nearest calls a failure shows."""

Expected: TypeAlias = str | tuple[str, Mapping[str, Value]]
"""A line such as ``once create logs``, alone or with arguments: ``("update logs", {"acl": "public"})``."""

MISSPELT = 0.85
"""How alike a word must be to one of a call to be a misspelling of it; ``web-1`` and ``web-2`` are not that alike."""

HANDLES = ("type", "name", "urn", "address", "id")
"""What the words of a line may be, of the call that they are about."""

COUNTS = {"never": 0, "once": 1, "twice": 2}
TIMES = re.compile(r"(\d+) times?")
HOW = (
    "Write an op, and words that say which: 'create logs', 'update cloud:index:Bucket logs'; 'never', 'once', 'twice' or "
    "'3 times' before it say how often."
)


class Recorded(Protocol):
    """An entry of a journal."""

    call: Call
    reply: Reply | None


R = TypeVar("R", bound=Recorded)


class ExpectedCall(Struct, frozen=True):
    """A line that was read: ``count`` is ``None`` where any number from one on will do."""

    line: str
    op: Op
    words: tuple[str, ...] = ()
    count: int | None = None
    arguments: Mapping[str, Value] = {}

    def unlike(self, call: Call) -> list[str]:
        """What is different about a call; nothing if it is one that is expected."""
        reasons = [f"the op is {call.op.value}"] if call.op is not self.op else []
        strange = self.strange(call)
        if strange:
            about = " ".join(filter(None, (call.type, call.name or call.address))) or "nothing by name"
            reasons.append(f"it is about {about}, not {' and '.join(map(repr, strange))}")
        return [*reasons, *self._other_arguments(asked_with(call))]

    def strange(self, call: Call) -> list[str]:
        """The words that are not about a call."""
        handles = [getattr(call, handle) for handle in HANDLES]
        return [word for word in self.words if word not in handles]

    def _other_arguments(self, actual: Bag) -> list[str]:
        return [
            f"{name} is {_shown(actual.get(name, UNSET))}, not {show(reveal(value))}"
            for name, value in self.arguments.items()
            if not (name in actual and (reveal(value) == reveal(actual[name]) or same(value, actual[name])))
        ]

    def __str__(self) -> str:
        return f"{self.line!r}{f' with {show(reveal(dict(self.arguments)))}' if self.arguments else ''}"


def asked_with(call: Call) -> Bag:
    """The arguments of a call: what is wanted, and of a delete or a read what the engine remembers."""
    return call.inputs if call.inputs is not None else call.prior or {}


def _shown(value: Value) -> str:
    return "[secret]" if has_secret(value) else show(reveal(value))


def read(expected: Expected) -> ExpectedCall:
    """The line, and its arguments. Raises ``DefinitionError`` for one that no call can be."""
    line, arguments = expected if isinstance(expected, tuple) and len(expected) == 2 else (expected, {})
    if not isinstance(line, str) or not isinstance(arguments, Mapping):
        raise DefinitionError(f"{expected!r:.80} is no call to expect. {HOW} Arguments: ('create logs', {{'acl': 'private'}}).")
    count, rest = _counted(line)
    try:
        op, *words = shlex.split(rest) or [""]
    except ValueError as error:
        raise DefinitionError(f"{line!r} is no call to expect: {error}. {HOW}") from error
    if op not in list(Op):
        hint = did_you_mean(op.lower(), [known.value for known in Op], "There are")
        raise DefinitionError(f"{line!r} is no call to expect: {op!r} is no op. {hint} {HOW}")
    return ExpectedCall(line, Op(op), tuple(words), count, arguments)


def _counted(line: str) -> tuple[int | None, str]:
    first, _, rest = line.strip().partition(" ")
    if first in COUNTS:
        return COUNTS[first], rest
    times = TIMES.match(line.strip())
    return (int(times[1]), line.strip()[times.end() :]) if times else (None, line)


NOTHING = "No call was made at all."


def failure(expected: Sequence[ExpectedCall], entries: Sequence[R], scrub: Callable[[str], str], nothing: str = NOTHING) -> str:
    """Why these entries are not what was expected, with the nearest calls; empty if they are.

    Each line is about a call that began after the one of the line before; other calls may stand between. A line with a count is
    about the first of its calls, of which there are so many in all. ``nothing`` is what to say where there are no entries.
    """
    after = 0
    for number, line in enumerate(expected):
        places = [place for place, entry in enumerate(entries, 1) if not line.unlike(entry.call)]
        fitting = [entries[place - 1] for place in places]
        later = next((place for place in places if place > after), None)
        lines = _lines(line, entries, fitting) if entries else [f"  {nothing}"]
        if line.count is not None and len(places) != line.count:
            return scrub("\n".join([_miscounted(line, len(places)), *lines]))
        if line.count != 0 and later is None:
            before = f" after {expected[number - 1]}" if after else ""
            head = f"Expected {line}{before}, and {_missing(places, after)}.{_meant(line, entries)}"
            return scrub("\n".join([head, *lines]))
        after = later or after
    return ""


def _missing(places: Sequence[int], after: int) -> str:
    if not places:
        return "no such call came"
    return "no other such call came" if places[-1] == after else "it came before that"


def _meant(line: ExpectedCall, entries: Sequence[R]) -> str:
    """The hint at a word that no call has, and that some call almost has."""
    known = {handle: None for entry in entries for word in HANDLES if (handle := getattr(entry.call, word))}
    hints = [did_you_mean(word, known, alike=MISSPELT) for word in line.words if word not in known]
    return "".join(f" {hint}" for hint in hints if hint)


def _miscounted(line: ExpectedCall, count: int) -> str:
    came = {0: "no such call came", 1: "one such call came"}.get(count, f"{count} such calls came")
    return f"Expected {line}, and {came}."


def _lines(line: ExpectedCall, entries: Sequence[R], fitting: Sequence[R]) -> list[str]:
    """The calls that fit, or else the nearest ones, each with what is different about it."""
    if fitting:
        return [f"  {entry}" for entry in fitting]
    unlike = [(line.unlike(entry.call), entry) for entry in entries]
    # A call of the same op is nearer than one about the same resource, and any other call is far.
    like = [pair for pair in unlike if pair[1].call.op is line.op or (line.words and not line.strange(pair[1].call))]
    near = sorted(like or unlike, key=lambda pair: (pair[1].call.op is not line.op, len(pair[0])))[:SHOWN]
    return ["The nearest calls:", *(f"  {entry}\n         {'; '.join(reasons)}" for reasons, entry in near)]


# Questions that test nothing -------------------------------------------------------------------------------------------


def check_words(line: ExpectedCall, entries: Sequence[Recorded], check_type: Callable[[str], None]) -> None:
    """Raise ``DefinitionError`` for a word of a line that no call could have: what never comes must be spelled right."""
    calls = [entry.call for entry in entries]
    ids = {entry.reply.id for entry in entries if entry.reply is not None}
    for word in line.words:
        if word in ids or any(word == getattr(call, handle) for call in calls for handle in HANDLES):
            continue
        if word.count(":") == 2 and not word.startswith("urn:"):
            check_type(word)
        else:
            check_name(word, calls, HANDLES)


def check_name(name: str, calls: Sequence[Call], handles: Collection[str] = ("name",)) -> None:
    """Raise ``DefinitionError`` for a name that no call has, and that none can have, or that can only be misspelt."""
    meant = misspelt(name, {getattr(call, handle) for call in calls for handle in handles} - {""})
    if meant:
        raise DefinitionError(f"No call is about {name!r}. {suggest(meant)}")
    asked = [call for call in calls if call.type]
    has_names = any(call.session.protocol.names_resources for call in asked)
    has_addresses = "address" in handles and any(call.address for call in asked)
    if asked and not has_names and not (has_addresses and "." in name):
        raise DefinitionError(
            f"No call is about {name!r}: this protocol has no names of resources. Go by the type, or by the address, which is "
            "known while the engine works on one resource at a time."
        )
