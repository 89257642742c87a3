"""A cassette in memory. ``docs/cassettes.md`` says what each slot means on disk; the names are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from mockprovider.calls import STATUS_NAMES, Op, Status
from mockprovider.errors import CassetteBrokenError, MockProviderError

FORMAT = "mockprovider-cassette"
VERSION = 1

DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of reading a tree that is not what its protocol says."""

CODES = tuple(name.upper() for name in STATUS_NAMES)
"""gRPC's names of its status codes, by number."""


class RecordedSession(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One session of the recording.

    ``wave`` counts the sessions of one provider instance that followed each other; those that ran at the same time share it.
    """

    number: int
    wave: int
    instance: str = ""
    phase: str = ""
    preview: bool | None = None
    provider: str = ""


class Header(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a cassette says about itself. ``sessions`` is filled when the recording ends."""

    format: str
    version: int
    protocol: str
    recorder: str = ""
    created_by: str = ""
    recorded_at: float | None = None
    provider: str = ""
    provider_version: str = ""
    providers: dict[str, str] = field(default_factory=dict)
    """Of several providers that were recorded together, the protocol of each by its name; ``protocol`` is the first one's."""
    faults: Any = None
    secrets: dict[str, list[str]] = field(default_factory=dict)
    """What somebody declared secret beyond what its protocol marks: names by type token (``*``: of every type)."""
    public: dict[str, list[str]] = field(default_factory=dict)
    """The declared places whose values somebody decided to leave readable."""
    undecided: dict[str, list[str]] = field(default_factory=dict)
    """The declared places where the provider's own public values stand, about which nobody has decided."""
    masks: dict[str, list[str]] = field(default_factory=dict)
    """The places whose values do not count when calls are compared."""
    matching: dict[str, Any] = field(default_factory=dict)
    """What was decided about which calls match (``cassette.matching``)."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Names of today (URNs, addresses) by the recorded ones. Kept for later versions: nothing reads them yet."""
    sessions: list[RecordedSession] = field(default_factory=list)

    @property
    def spoken(self) -> Mapping[str, str]:
        """The protocol of each provider, by its name in the interactions, which is empty where only one is recorded."""
        return self.providers or {"": self.protocol}


class RecordedStatus(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A gRPC status: ``code`` by name (by number where gRPC has no name), ``details`` as the transcriber trees them."""

    code: str
    message: Any = ""
    details: Any = None


class HttpExchange(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a provider asked its cloud during a call, and what that answered (``cassette.http``).

    ``request`` and ``response`` are the bodies: JSON as data, text as it is, anything else as ``{"$bytes": base64}``. ``url``,
    each header and the bodies are trees: a secret in them is a placeholder. A header that came more than once has a list.
    ``reason`` is the status's phrase, where it is another than HTTP's own.
    """

    method: str
    url: Any
    status: int
    reason: str = ""
    request_headers: dict[str, Any] = field(default_factory=dict)
    request: Any = None
    response_headers: dict[str, Any] = field(default_factory=dict)
    response: Any = None

    @property
    def asked(self) -> dict[str, Any]:
        """What a request is compared with."""
        return {"method": self.method, "url": self.url, "headers": self.request_headers, "body": self.request}

    def rewritten(self, change: Callable[[Any], Any]) -> HttpExchange:
        """The exchange with ``change`` applied to each tree in it."""
        return replace(
            self,
            url=change(self.url),
            request_headers={name: change(value) for name, value in self.request_headers.items()},
            request=change(self.request),
            response_headers={name: change(value) for name, value in self.response_headers.items()},
            response=change(self.response),
        )


class Interaction(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One recorded call and its answer: exactly one of ``response``, ``response_blob``, ``status`` and ``withheld``.

    ``request`` is what the call was matched by. ``type``, ``urn`` and ``id`` repeat parts of it for the reader. ``address`` is
    no part of it: the engine's driver knew it. ``at`` says as which one the call came, of a recording in strict order.
    """

    n: int
    session: int
    op: str
    method: str
    phase: str = ""
    direction: Literal["provider", "engine"] = "provider"
    parent: int | None = None
    provider: str = ""
    instance: str = ""
    type: str = ""
    urn: str = ""
    address: str = ""
    id: str = ""
    at: int = 0
    preview: bool = False
    request: Any = None
    request_blob: str = ""
    response: Any = None
    response_blob: str = ""
    status: RecordedStatus | None = None
    withheld: str = ""
    http: list[HttpExchange] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        """Whether it is known to have no placeholders, without a look at its trees."""
        return False

    @property
    def asks_object(self) -> bool:
        """Whether its request is an object, as all are that are neither in a blob nor damaged."""
        return type(self.request) is dict


class Sent(Struct, kw_only=True, omit_defaults=True):
    """A call that changes the cloud, as it is noted before it goes out. ``request`` is the redacted request."""

    op: str
    method: str
    type: str = ""
    urn: str = ""
    address: str = ""
    name: str = ""
    id: str = ""
    provider: str = ""
    instance: str = ""
    request: Any = None

    def __str__(self) -> str:
        about = " ".join(filter(None, (self.type, self.urn or self.address or self.name, self.id)))
        return f"{self.op} {about}".rstrip()


class Cassette(Struct):
    """A recording. ``blobs`` gives the trees that are kept beside it, by digest; ``name`` is what messages call it."""

    header: Header
    interactions: list[Interaction] = field(default_factory=list)
    blobs: Mapping[str, Any] = field(default_factory=dict)
    name: str = "the cassette"

    def request(self, interaction: Interaction) -> Any:
        """The interaction's request tree, wherever it is kept."""
        return self.blobs[interaction.request_blob] if interaction.request_blob else interaction.request

    def part(self, provider: str) -> Cassette:
        """What was recorded of one provider, as a recording of that one."""
        if not self.header.providers:
            return self
        kept = [interaction for interaction in self.interactions if interaction.provider == provider]
        header = replace(self.header, protocol=self.header.spoken[provider], provider=provider)
        return Cassette(header, kept, self.blobs, self.name)

    def answers(self, op: Op) -> Iterator[Any]:
        """The trees of what was answered to calls that asked for ``op``, failures left out."""
        for interaction in self.interactions:
            answer = self.response(interaction) if interaction.op == op and interaction.status is None else None
            if answer:
                yield answer

    def response(self, interaction: Interaction) -> Any:
        """The interaction's response tree, wherever it is kept."""
        return self.blobs[interaction.response_blob] if interaction.response_blob else interaction.response


def blob_names(interactions: Iterable[Interaction]) -> set[str]:
    """The names of the blobs that these interactions use."""
    return {name for one in interactions for name in (one.request_blob, one.response_blob) if name}


def damaged(name: str, interaction: Interaction, error: Exception) -> CassetteBrokenError:
    """The error of an interaction that holds something else than its protocol says. ``name`` is the cassette's."""
    about = interaction.urn or interaction.type
    why = str(error) if isinstance(error, MockProviderError) else f"{type(error).__name__}: {error}"
    return CassetteBrokenError(
        f"{name}: interaction {interaction.n} ({interaction.method}{f' of {about}' if about else ''}) is damaged: "
        f"{why.removesuffix('.')}. Restore the file, or record it again."
    )


def code_name(number: int) -> str:
    """The name of a gRPC status code, or the number itself as text where gRPC has none."""
    return CODES[number] if 0 <= number < len(CODES) else str(number)


def code_number(name: str) -> int:
    """The inverse of ``code_name``. Raises ``ValueError`` for a name that gRPC does not have."""
    return CODES.index(name) if name in CODES else int(name)


def status_of(recorded: RecordedStatus, message: str, details: bytes) -> Status:
    """The status again, given its message and details with their secrets back in."""
    return Status(code_number(recorded.code), message, details)
