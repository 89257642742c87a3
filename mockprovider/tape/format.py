"""The cassette file, format version 1: one JSON array, the header first, then the interactions. See ``docs/cassettes.md``.

While recording, the file is the same array without its closing bracket, one element a line, so that a killed recorder leaves
every answered call readable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, to_builtins

from mockprovider.calls import Op
from mockprovider.cassette import FORMAT, VERSION, Header, Interaction
from mockprovider.cassette.lean import LeanInteraction
from mockprovider.cassette.model import DAMAGE, code_number
from mockprovider.errors import CassetteBrokenError, CassetteVersionError
from mockprovider.matching import encode
from mockprovider.redaction import is_plain
from mockprovider.redaction.placeholders import check
from mockprovider.tape.versions import migrated

OPENING = b"[\n"
CLOSING = b"\n]\n"

UNREADABLE = (msgspec.DecodeError, RecursionError, ValueError)
"""What comes of a damaged or hostile element."""

OPS = frozenset(op.value for op in Op)
MARK = b"$"
"""What each mark of a secret begins with."""
RESTORE = "Restore the file, or record it again."

_whole = msgspec.json.Decoder(Interaction).decode
_lean = msgspec.json.Decoder(LeanInteraction).decode
DEEPEST = 200
"""No message is nested so deep; what reads one calls itself at each level, and Python has no thousand of these."""


Read = TypeVar("Read", bound=Interaction)


class Stamp(Struct):
    """The fields of a header that say whether this version can read the file."""

    format: str = ""
    version: int = 0
    recorder: str = "a newer version of mockprovider"


class Parsed(Struct):
    """What a file holds, as of today. ``lost`` counts the bytes of a torn tail, ``version`` is the format of the file."""

    header: Header
    interactions: list[Interaction]
    lost: int = 0
    version: int = VERSION


def opening(header: Header) -> bytes:
    """The first bytes of a file that is being recorded."""
    return OPENING + encode(header)


def addition(interaction: Interaction) -> bytes:
    """What one interaction adds to a file that is being recorded."""
    return b",\n" + encode(interaction)


def render(header: Header, interactions: Sequence[Interaction]) -> bytes:
    """The finished file: indented by one blank, maps sorted, a newline at the end."""
    elements = (msgspec.json.format(encode(part), indent=1) for part in (header, *interactions))
    return OPENING + b",\n".join(elements) + CLOSING


def parse(data: bytes, name: str, *, lean: bool = False) -> Parsed:
    """The content of a finished file; ``lean``, its trees are checked like all else, and made again for whoever asks for them.

    Raises ``CassetteBrokenError`` if it is no cassette or is torn, ``CassetteVersionError`` if its format is newer than ours.
    """
    try:
        elements = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CassetteBrokenError(_diagnosis(data, name, error)) from error
    parsed = _decode(elements, name, lean=lean)
    _check_parents(parsed.interactions, name)
    return parsed


def parse_torn(data: bytes, name: str) -> Parsed:
    """The content of a file whose end is missing, as far as it goes; of a finished file, all of it.

    Raises ``CassetteBrokenError`` if it is broken in some other way, so that nothing after the damage is dropped unseen.
    """
    try:
        return parse(data, name)
    except CassetteBrokenError:
        elements, end = _intact(data)
        if not elements or _goes_on(data[end:]) or data[end:].strip() == CLOSING.strip():
            raise
        parsed = _decode([msgspec.Raw(element) for element in elements], name)
        parsed.lost = len(data) - end
        return parsed


def is_torn(data: bytes, name: str) -> bool:
    """Whether ``data`` is no whole cassette."""
    try:
        parse(data, name)
    except CassetteBrokenError:
        return True
    return False


def _decode(elements: Sequence[msgspec.Raw], name: str, *, lean: bool = False) -> Parsed:
    if not elements:
        raise CassetteBrokenError(f"{name} is not a cassette: it is an empty array, and a cassette begins with a header.")
    version = _version(elements[0], name)
    if version < VERSION:
        try:
            elements = migrated(elements, version, VERSION)
        except DAMAGE as error:
            raise CassetteBrokenError(f"{name} is not what its format version {version} says ({error!r}). {RESTORE}") from error
    header = _header(elements[0], name)
    numbered = enumerate(elements[1:], 1)
    interactions: list[Interaction]
    if lean:
        interactions = [_lean_interaction(element, n, name) for n, element in numbered]
    else:
        interactions = [_interaction(element, n, name, _whole) for n, element in numbered]
    _check_numbers(interactions, name)
    _check_sessions(header, interactions, name)
    _check_providers(header, interactions, name)
    return Parsed(header, interactions, version=version)


def _check_numbers(interactions: Sequence[Interaction], name: str) -> None:
    if len({interaction.n for interaction in interactions}) == len(interactions):
        return
    places: dict[int, int] = {}
    for place, interaction in enumerate(interactions, 1):
        first = places.setdefault(interaction.n, place)
        if first != place:
            raise CassetteBrokenError(
                f"{name}: the interactions in places {first} and {place} have the same number, n={interaction.n}. {RESTORE}"
            )


def _check_parents(interactions: Sequence[Interaction], name: str) -> None:
    """While something is recorded, what was asked during a call stands there before the call; in a finished file, both do."""
    asked = [interaction for interaction in interactions if interaction.parent is not None]
    numbers = {interaction.n for interaction in interactions} if asked else set()
    stray = next((one for one in asked if one.parent not in numbers), None)
    if stray:
        raise CassetteBrokenError(
            f"{name}: interaction {stray.n} ({stray.method}) was asked during interaction {stray.parent}, which is not there. "
            f"{RESTORE}"
        )


def _check_sessions(header: Header, interactions: Sequence[Interaction], name: str) -> None:
    known = {session.number for session in header.sessions}
    if known.issuperset({interaction.session for interaction in interactions}):
        return
    stray = next((interaction for interaction in interactions if known and interaction.session not in known), None)
    if stray:
        raise CassetteBrokenError(
            f"{name}: interaction {stray.n} belongs to session {stray.session}, and the header has only {sorted(known)}. "
            f"{RESTORE}"
        )


def _check_providers(header: Header, interactions: Sequence[Interaction], name: str) -> None:
    if "" in header.providers:
        raise CassetteBrokenError(f"{name}: one of the header's providers has no name.")
    providers = {session.number: session.provider for session in header.sessions}
    for interaction in interactions:
        if interaction.provider != providers.setdefault(interaction.session, interaction.provider):
            raise CassetteBrokenError(
                f"{name}: interaction {interaction.n} is of the provider {interaction.provider!r}, and its session "
                f"{interaction.session} of {providers[interaction.session]!r}."
            )
    stray = next(((number, one) for number, one in providers.items() if one not in header.spoken), None)
    if stray:
        known = ", ".join(map(repr, header.providers)) or "no providers"
        raise CassetteBrokenError(f"{name}: session {stray[0]} is of the provider {stray[1]!r}, and the header has {known}.")


def _version(element: msgspec.Raw, name: str) -> int:
    """The format version of a header, if this version can read it."""
    try:
        stamp = msgspec.json.decode(element, type=Stamp)
    except UNREADABLE as error:
        raise CassetteBrokenError(f"{name} is not a cassette: its first element is no header ({error}).") from error
    if stamp.format != FORMAT:
        raise CassetteBrokenError(f"{name} is not a cassette: its format is {stamp.format!r} and not {FORMAT!r}.")
    if stamp.version > VERSION:
        raise CassetteVersionError(
            f"{name} has format version {stamp.version}, written by {stamp.recorder}; this version reads up to {VERSION}. "
            "Upgrade mockprovider, or record it again."
        )
    if stamp.version < 1:
        raise CassetteBrokenError(f"{name} is not a cassette: there is no format version {stamp.version}.")
    return stamp.version


def _header(element: msgspec.Raw, name: str) -> Header:
    try:
        return msgspec.json.decode(element, type=Header)
    except UNREADABLE as error:
        raise CassetteBrokenError(f"{name}: its header cannot be read: {error}.") from error


def _lean_interaction(element: msgspec.Raw, n: int, name: str) -> LeanInteraction:
    interaction = _interaction(element, n, name, _lean)
    interaction.keep(element)
    return interaction


def _interaction(element: msgspec.Raw, n: int, name: str, decode: Callable[[bytes], Read]) -> Read:
    # A cassette may have many of these, so what a look at the text rules out is not looked for in the trees.
    try:
        data = bytes(element)
        parsed = decode(data)
        if data.count(b"{") + (b"[" in data and data.count(b"[")) > DEEPEST:
            _check_depth(parsed)
        if MARK in data and not is_plain(data):
            _check_placeholders(parsed)
        status = parsed.status
        if status is not None:
            code_number(status.code)
        if parsed.op not in OPS:
            raise ValueError(f"its op {parsed.op!r} is none that this version knows")
    except UNREADABLE as error:
        raise CassetteBrokenError(f"{name}: interaction {n} cannot be read: {error}. {RESTORE}") from error
    if (parsed.response is not None) + (status is not None) + bool(parsed.response_blob) + bool(parsed.withheld) != 1:
        raise CassetteBrokenError(
            f"{name}: interaction {n} ({parsed.method}) must have exactly one of response, response_blob, status and withheld. "
            f"{RESTORE}"
        )
    return parsed


def _check_placeholders(interaction: Interaction) -> None:
    status = interaction.status and [interaction.status.message, interaction.status.details]
    for tree in (interaction.request, interaction.response, status, [to_builtins(exchange) for exchange in interaction.http]):
        check(tree)


def _check_depth(interaction: Interaction) -> None:
    level: list[Any] = [interaction.request, interaction.response, interaction.status and interaction.status.details]
    level += [to_builtins(exchange) for exchange in interaction.http]
    for _ in range(DEEPEST):
        trees = [tree for tree in level if isinstance(tree, (dict, list))]
        level = [item for tree in trees for item in (tree.values() if isinstance(tree, dict) else tree)]
    if level:
        raise ValueError(f"it is nested deeper than {DEEPEST} levels")


def _diagnosis(data: bytes, name: str, error: Exception) -> str:
    if not data.strip():
        return f"{name} is empty (0 bytes of content), not a cassette. Record it again."
    if b"\n<<<<<<< " in data:
        return f"{name} holds the conflict markers of a merge. Resolve them, or record it again."
    elements, end = _intact(data)
    if not elements:
        return f"{name} is not a cassette: {error}."
    intact = f"{len(elements) - 1} interactions are intact" if len(elements) != 2 else "1 interaction is intact"
    line = data.count(b"\n", 0, end) + 1
    if _goes_on(data[end:]):
        return f"{name} is damaged after line {line}: {intact} before it, and more follows. Restore it, or record it again."
    return (
        f"{name} is torn: it breaks off after line {line}, as when a recorder is killed; {intact}. "
        f"To keep those: mockprovider cassette recover {name}. Otherwise record it again."
    )


def _intact(data: bytes) -> tuple[list[bytes], int]:
    """The elements from the start of an array that are whole, and where the last of them ends."""
    text = data.decode(errors="surrogateescape")
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        return [], 0
    return _elements(text, start + 1)


def _elements(text: str, position: int) -> tuple[list[bytes], int]:
    decoder = json.JSONDecoder()
    elements: list[bytes] = []
    end = position
    while True:
        start = _skip(text, position, " \t\r\n")
        try:
            _, position = decoder.raw_decode(text, start)
            element = text[start:position].encode(errors="surrogateescape")
            # What is more than JSON to Python, such as NaN or half a character, is damage.
            msgspec.json.decode(element)
        except UNREADABLE:
            break
        elements.append(element)
        end = position
        position = _skip(text, position, " \t\r\n")
        if text[position : position + 1] != ",":
            break
        position += 1
    return elements, len(text[:end].encode(errors="surrogateescape"))


def _skip(text: str, position: int, blanks: str) -> int:
    while position < len(text) and text[position] in blanks:
        position += 1
    return position


def _goes_on(rest: bytes) -> bool:
    """Whether another element begins after the damaged one, so that the file is not just torn at its end."""
    lines = [line for line in rest.split(b"\n") if line.strip(b" \t\r,")]
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    return any(line[margin : margin + 1] == b"{" and not line[:margin].strip() for line in lines[1:])
