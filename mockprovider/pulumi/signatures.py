"""Values that Pulumi's wire encodes as other kinds.

An unknown is one of seven reserved strings, by the kind of the missing value. A secret, an asset, an archive, a resource
reference, an output value and a byte string are objects with the key ``SIGNATURE``, whose value says which. ``disguise`` takes
one step from one of our values towards such an object, or towards what a side that does not accept the kind is sent;
``recognize`` is the inverse.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

from msgspec import Struct

from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.paths import Path, show
from mockprovider.redaction import Marks
from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret, Unknown, Value

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
"""The key of objects that encode another kind of value."""

SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a constant of the protocol, which keeps nothing
ASSET: Final = "c44067f5952c0a294b673a41bacd8c17"
ARCHIVE: Final = "0def7320c3a5731c473e5ecbe6d01bc7"
RESOURCE: Final = "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
BYTE_STRING: Final = "803fd3297a5875dc03ca845dda5d2a98"

SENTINELS: Final[Mapping[str, str]] = {
    "bool": "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "number": "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "string": "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "array": "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "asset": "030794c1-ac77-496b-92df-f27374a8bd58",
    "archive": "e48ece36-62e2-4504-bad9-02848725956a",
    "object": "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
}
"""The reserved string for an unknown, by the kind of the missing element."""

UNKNOWNS: Final[Mapping[str, Unknown]] = {text: Unknown(kind) for kind, text in SENTINELS.items()}
SENTINEL_LENGTH: Final = 36

MARKS: Final = Marks(SIGNATURE, SECRET, OUTPUT, BYTE_STRING, frozenset(SENTINELS.values()), paths=frozenset({"detailedDiff"}))
"""The marks that recordings and redaction need."""

EMPTY_TEXT_HASH: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
EMPTY_ARCHIVE_HASH: Final = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
"""The hashes of the empty asset and archive. With any other hash, one without contents is elided."""

EVERYTHING: Final = frozenset({"secrets", "resources", "outputs", "byte_strings"})
"""The kinds that are only sent to a side that accepts them; the names of ``Session.accepts``."""


class Wants(Struct, frozen=True):
    """What the other side accepts, and whether unknowns are sent. ``plaintext``: secrets as in a state file."""

    accepts: frozenset[str]
    unknowns: bool = True
    plaintext: bool = False


class Dropped(Struct, frozen=True):
    """A value that is left out: an unknown in a call that sends none."""


DROPPED: Final = Dropped()


class BrokenValueError(Exception):
    """A value that cannot be coded. Each level adds its part of the path; callers get ``error``."""

    def __init__(self, reason: str, kind: type[MockProviderError] = MalformedError) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.path: Path = ()

    def inside(self, segment: str | int) -> BrokenValueError:
        """The same error, seen from one level up."""
        self.path = (segment, *self.path)
        return self

    def error(self) -> MockProviderError:
        """The error with the path, as one of our classes."""
        return self.kind(f"At {show(self.path)}: {self.reason}" if self.path else self.reason)


def disguise(value: Value, wants: Wants) -> Value:
    """One step of ``value`` towards the wire: another of our values, a plain one with our values inside, or ``DROPPED``.

    Raises:
        BrokenValueError: it is no value of ours, or of a kind that the other side accepts in no form.
    """
    return DISGUISES.get(type(value), _coerced)(value, wants)


SETTLED: Final = frozenset({type(None), bool, int, float, str, list, dict, Dropped})


def settle(value: Value, wants: Wants) -> Value:
    """``value`` disguised until it is of a kind that the wire has; the values inside may still be of any kind.

    Raises:
        BrokenValueError: as ``disguise``.
    """
    while type(value) not in SETTLED:
        value = disguise(value, wants)
    return value


def recognize(signed: dict[str, Value], readers: Mapping[str, Reader] | None = None) -> Value:
    """The value that ``signed``, an object with the key ``SIGNATURE`` and decoded contents, encodes.

    Raises:
        BrokenValueError: an unknown signature, or contents that do not fit it.
    """
    signature = signed[SIGNATURE]
    reader = (readers or READERS).get(signature) if isinstance(signature, str) else None
    if reader is None:
        raise BrokenValueError(
            f"unrecognized signature {signature!r}. Known are those of a secret, asset, archive, resource reference,"
            " output value and byte string."
        )
    return reader(signed)


def _coerced(value: Value, _: Wants) -> Value:
    """Subclasses and look-alikes of the plain kinds (enums, mapping proxies, tuples) as the kind itself."""
    for kind, plain in PLAIN_KINDS:
        if isinstance(value, kind):
            return plain(value)
    raise BrokenValueError(f"a {type(value).__name__} is no value that Pulumi can carry.")


PLAIN_KINDS: Final[tuple[tuple[type, Callable[[Any], Value]], ...]] = (
    (str, str.__str__),
    (int, int),
    (float, float),
    (Mapping, dict),
    (list, list),
    (tuple, list),
)


def _unknown(value: Unknown, wants: Wants) -> Value:
    return SENTINELS.get(value.kind, SENTINELS["string"]) if wants.unknowns else DROPPED


def _unless_dropped(inner: Value, wants: Wants) -> Value:
    """``inner``, or ``DROPPED`` if it is left out, so that its wrapper is left out, too."""
    return inner if wants.unknowns else settle(inner, wants)


def _secret(value: Secret, wants: Wants) -> Value:
    inner = _unless_dropped(value.value, wants)
    return {SIGNATURE: SECRET, "value": inner} if inner is not DROPPED and "secrets" in wants.accepts else inner


def _output(value: Output, wants: Wants) -> Value:
    if "outputs" not in wants.accepts:
        return Secret(value.value) if value.secret else value.value
    if _unless_dropped(value.value, wants) is DROPPED:
        return DROPPED
    parts: dict[str, Value] = {SIGNATURE: OUTPUT}
    if not isinstance(value.value, Unknown):
        parts["value"] = value.value
    if value.secret:
        parts["secret"] = True
    if value.dependencies:
        parts["dependencies"] = list(value.dependencies)
    return parts


def _asset(value: Asset, _: Wants) -> Value:
    # An empty text is sent, although the engine leaves it out: the Python SDK fails on an asset without contents.
    parts = {"hash": value.hash or None, "path": value.path, "uri": value.uri, "text": value.text}
    return {SIGNATURE: ASSET} | {key: part for key, part in parts.items() if part is not None}


def _archive(value: Archive, _: Wants) -> Value:
    parts = {"hash": value.hash or None, "path": value.path, "uri": value.uri, "assets": value.assets}
    return {SIGNATURE: ARCHIVE} | {key: part for key, part in parts.items() if part is not None}


def _resource(value: ResourceReference, wants: Wants) -> Value:
    if "resources" not in wants.accepts:
        return value.flat
    parts = {
        "urn": value.urn,
        "name": value.name or None,
        "type": value.type or None,
        "id": "" if isinstance(value.id, Unknown) else value.id,
        # A state file always has it, even if it is empty.
        "packageVersion": value.package_version or ("" if wants.plaintext else None),
    }
    return {SIGNATURE: RESOURCE} | {key: part for key, part in parts.items() if part is not None}


def _byte_string(value: bytes, wants: Wants) -> Value:
    if "byte_strings" in wants.accepts:
        return {SIGNATURE: BYTE_STRING, "value": base64.b64encode(value).decode()}
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BrokenValueError("these bytes are not UTF-8 text, and the other side does not accept byte strings.") from None


DISGUISES: Final[Mapping[type, Callable[[Any, Wants], Value]]] = {
    Unknown: _unknown,
    Secret: _secret,
    Output: _output,
    Asset: _asset,
    Archive: _archive,
    ResourceReference: _resource,
    bytes: _byte_string,
    Decimal: lambda value, _: float(value),
}

Reader: TypeAlias = Callable[[dict[str, Value]], Value]


def _text(what: str, signed: dict[str, Value], key: str) -> str:
    """The string at ``key``; empty where it is absent or null."""
    value = signed.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BrokenValueError(f"{what} whose {key!r} is a {type(value).__name__}, where only a string may stand.")
    return value


def _required(what: str, signed: dict[str, Value], key: str) -> Value:
    if key not in signed:
        raise BrokenValueError(f"{what} without {key!r}.")
    return signed[key]


def read_secret(signed: dict[str, Value]) -> Secret:
    """The secret that ``signed`` is on the wire. Raises ``BrokenValueError`` where its value is missing."""
    return Secret(_required("a secret", signed, "value"))


def _read_asset(signed: dict[str, Value]) -> Asset:
    digest, path, uri, text = (_text("an asset", signed, key) for key in ("hash", "path", "uri", "text"))
    if path or uri:
        return Asset(path=path, hash=digest) if path else Asset(uri=uri, hash=digest)
    return Asset(text=text, hash=digest) if text or digest in ("", EMPTY_TEXT_HASH) else Asset(hash=digest)


def _read_archive(signed: dict[str, Value]) -> Archive:
    digest, path, uri = (_text("an archive", signed, key) for key in ("hash", "path", "uri"))
    if path or uri:
        return Archive(path=path, hash=digest) if path else Archive(uri=uri, hash=digest)
    members = signed.get("assets") or {}
    if not isinstance(members, dict):
        raise BrokenValueError(f"an archive whose 'assets' is a {type(members).__name__}, where only an object may stand.")
    for name, member in members.items():
        if not isinstance(member, (Asset, Archive)):
            raise BrokenValueError("a member of an archive is an asset or an archive.").inside(name).inside("assets")
    return Archive(assets=members, hash=digest) if members or digest in ("", EMPTY_ARCHIVE_HASH) else Archive(hash=digest)


def _read_resource(signed: dict[str, Value]) -> ResourceReference:
    what = "a resource reference"
    _required(what, signed, "urn")
    urn, name, type_, version = (_text(what, signed, key) for key in ("urn", "name", "type", "packageVersion"))
    return ResourceReference(urn, _resource_id(signed), name or None, type_ or None, version or None)


def _resource_id(signed: dict[str, Value]) -> str | Unknown | None:
    if "id" not in signed:
        return None
    value = signed["id"]
    if isinstance(value, Output):
        value = value.value
    if value == "" or isinstance(value, Unknown):
        return UNKNOWN
    if not isinstance(value, str):
        raise BrokenValueError(f"a resource reference whose 'id' is a {type(value).__name__}, where only a string may stand.")
    return value


def _read_output(signed: dict[str, Value]) -> Output:
    secret, dependencies = signed.get("secret", False), signed.get("dependencies", [])
    if not isinstance(secret, bool):
        raise BrokenValueError(f"an output value whose 'secret' is a {type(secret).__name__}, where only a bool may stand.")
    if not isinstance(dependencies, list) or not all(isinstance(urn, str) for urn in dependencies):
        raise BrokenValueError("an output value whose 'dependencies' are no list of URNs.")
    return Output(signed.get("value", UNKNOWN), secret, tuple(dependencies))


def _read_byte_string(signed: dict[str, Value]) -> bytes:
    _required("a byte string", signed, "value")
    try:
        return base64.b64decode(_text("a byte string", signed, "value"), validate=True)
    except ValueError:
        raise BrokenValueError("a byte string whose 'value' is no base64.") from None


READERS: Final[Mapping[str, Reader]] = {
    SECRET: read_secret,
    ASSET: _read_asset,
    ARCHIVE: _read_archive,
    RESOURCE: _read_resource,
    OUTPUT: _read_output,
    BYTE_STRING: _read_byte_string,
}


ACCEPTS: Mapping[str, str] = {
    "accept_secrets": "secrets",
    "accept_resources": "resources",
    "accept_outputs": "outputs",
    "accepts_byte_string": "byte_strings",
    "acceptSecrets": "secrets",
    "acceptResources": "resources",
    "acceptOutputs": "outputs",
}
"""The kinds that a side accepts, by the fields of Handshake and Configure."""


def accepted(flags: Mapping[str, Any]) -> frozenset[str]:
    """What the answer of a Handshake or Configure accepts (reference 3.6)."""
    return frozenset(ACCEPTS[name] for name, said in flags.items() if said and name in ACCEPTS)
