"""A call goes in, a reply comes out: the words that every protocol is translated into and out of.

What a layer, the fake or a user's handler reads has a field with a type; ``extra`` holds a protocol's other words, and only its
folder and engine look there. Its own message stays in ``native``, so that a proxy forwards bytes and never a paraphrase.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from operator import attrgetter, is_
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from mockprovider.errors import DefinitionError
from mockprovider.paths import show
from mockprovider.payloads import Listed, NamingOptions, ParameterArgs, ParameterValue, StoredState
from mockprovider.sessions import EnginePort, Session
from mockprovider.values import Bag, Value


class Op(StrEnum):
    """What a call asks for. The RPC's name on the wire is its *method*; several methods may ask for one op."""

    HANDSHAKE = "handshake"
    ATTACH = "attach"
    GET_PLUGIN_INFO = "get_plugin_info"
    PARAMETERIZE = "parameterize"
    GET_SCHEMA = "get_schema"
    GET_MAPPING = "get_mapping"
    GET_MAPPINGS = "get_mappings"
    CHECK_CONFIG = "check_config"
    DIFF_CONFIG = "diff_config"
    CONFIGURE = "configure"
    CHECK = "check"
    UPGRADE = "upgrade"
    UPGRADE_IDENTITY = "upgrade_identity"
    DIFF = "diff"
    PLAN = "plan"
    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    DELETE = "delete"
    IMPORT = "import"
    MOVE = "move"
    LIST = "list"
    INVOKE = "invoke"
    CALL = "call"
    CONSTRUCT = "construct"
    OPEN = "open"
    RENEW = "renew"
    CLOSE = "close"
    FUNCTION = "function"
    CANCEL = "cancel"
    RAW = "raw"
    """An RPC that has no row: its bytes are passed through as they are."""
    REGISTER = "register"
    """The way back: a provider registers a resource with the engine that is calling it."""
    REGISTER_OUTPUTS = "register_outputs"
    ENGINE = "engine"
    """Anything else that a provider asks of its engine; the method says what."""
    VIEWS = "views"
    """A provider tells its engine what became of a resource's views, while the call about that resource lasts."""
    LOG = "log"
    """A provider shows a line to its engine's user."""


EFFECTS = frozenset({Op.CREATE, Op.UPDATE, Op.DELETE})
"""The ops that change what exists."""


class ChangeKind(StrEnum):
    """How one property changes."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


class Change(Struct, frozen=True):
    """One changed property: its path, how it changes, and whether the change needs a new object."""

    path: str
    kind: ChangeKind
    replaces: bool = False


class Plan(Struct, frozen=True):
    """What an operation would make of an object: the one source of Diff, previews and Terraform plans.

    ``planned`` is the object afterwards, with ``UNKNOWN`` where only the operation can tell. ``changes`` is empty when nothing
    is to be done. ``stable`` names the properties that keep their value whatever happens.
    """

    planned: Bag
    changes: tuple[Change, ...] = ()
    delete_before_replace: bool = False
    stable: tuple[str, ...] = ()

    @property
    def replaces(self) -> bool:
        """Whether some change needs a new object."""
        return any(change.replaces for change in self.changes)


class Failure(Struct, frozen=True):
    """What a provider said went wrong.

    ``status`` names the gRPC status, in lower case, of a protocol that reports failures as one (Pulumi's; Terraform has
    diagnostics); ``None`` leaves the form to the protocol. To fail the RPC itself, in any protocol, set ``Reply.status``.

    Raises ``DefinitionError`` for a ``path`` that is no text: it is written as engines write it, ``spec.rules[0]``.
    """

    reason: str
    path: str = ""
    status: str | None = None
    detail: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.path, str):
            meant = f" Write path={show(tuple(self.path))!r}." if _is_path(self.path) else ""
            raise DefinitionError(f"Failure(path={self.path!r}): a path is text, such as 'spec.rules[0]'.{meant}")


def _is_path(path: object) -> bool:
    return isinstance(path, (list, tuple)) and all(isinstance(segment, (str, int)) for segment in path)


STATUS_NAMES = (
    *("ok", "cancelled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists"),
    *("permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented"),
    *("internal", "unavailable", "data_loss", "unauthenticated"),
)
"""gRPC's statuses, each at its number."""


class Status(Struct, frozen=True):
    """A gRPC status as it came over the wire: code number, message, and the ``grpc-status-details-bin`` bytes."""

    code: int
    message: str = ""
    details: bytes = b""


class Native(Struct, frozen=True):
    """A protocol's own message: the bytes that travelled, and the message decoded from them.

    ``parts`` are, of an answer that was encoded here, those of the reply that it was made of.
    """

    data: bytes
    message: Any = None
    parts: tuple[Any, ...] = ()


class Delivery(Struct, frozen=True):
    """What becomes of an answer on the wire, where that is more than a message or a status. Only a server can carry it out.

    ``how`` is ``half`` (the first half of the bytes of ``of`` arrive), ``bytes`` (``data`` arrive instead), ``reset`` (the
    connection is cut), or ``crash`` (the provider's process ends with ``code``, and with ``words`` on standard error).
    """

    how: str
    of: Reply | None = None
    data: bytes = b""
    code: int = 1
    words: str = ""


NOTHING: Mapping[str, Any] = MappingProxyType({})
"""No words besides the fields."""


class Call(Struct, kw_only=True):
    """One thing that an engine asks of a provider. ``None`` is an absent bag, which differs from an empty one.

    Args:
        type: the type's token in its canonical (Pulumi) spelling, or a function's token.
        address: which resource of the engine's configuration it is for, in the engine's spelling (``module.x.random_id.i[3]``);
            empty where nobody knows.
        inputs: what is wanted (news, config, args).
        prior, prior_inputs: what the engine remembers of the object (olds, prior state), and the inputs that led to it.
        planned, proposed: Terraform's planned state, and the one that it proposes to plan.
        timeout: how many seconds the operation may take; 0 where the engine says nothing.
        private: bytes that the provider gave the engine to keep.
        identity: the attributes that tell the object from all others, where it is asked for by these and not by its id.
        seed, autonaming: what made-up names are made of.
        parameter: what Parameterize brings.
        package: which of the provider's packages a schema is wanted of; empty for its own.
        stored: the state that is to be upgraded or moved.
        limit, page_size, page: how many objects List may answer at all and at once, and which page is wanted; 0 and empty
            where the engine says nothing.
        secrets: where the engine knows of secrets that it sends openly, as recordings name places; ``None`` if it never says.
        extra: the protocol's other words.
        native: the request's message, where it came over a wire: it is handed on as it is.
        stream: the messages of an RPC whose request is a stream, in ``native``'s place; none, where it is one message.
        monitor: the way back while this call lasts: what answers the provider's own calls to the engine's monitor (Construct,
            Call), or takes its views (Create, Read, Update, Delete).
        settle: the object's id and the whole object, given a new id and what makes up a value: as a real provider planned it,
            with what was unknown filled in.
        midway: what is asked after each step of an object in the making: it gets the step, what there is by then, and the way
        to
            the rest, and returns the answer.
    """

    op: Op
    session: Session
    method: str = ""
    type: str = ""
    name: str = ""
    urn: str = ""
    address: str = ""
    id: str = ""
    inputs: Bag | None = None
    prior: Bag | None = None
    prior_inputs: Bag | None = None
    planned: Bag | None = None
    proposed: Bag | None = None
    preview: bool = False
    timeout: float = 0.0
    ignore_changes: tuple[str, ...] = ()
    private: bytes = b""
    identity: Bag | None = None
    seed: bytes = b""
    autonaming: NamingOptions | None = None
    parameter: ParameterArgs | ParameterValue | None = None
    package: str = ""
    stored: StoredState | None = None
    limit: int = 0
    page_size: int = 0
    page: str = ""
    secrets: tuple[str, ...] | None = None
    extra: Mapping[str, Any] = NOTHING
    native: Native | None = None
    stream: tuple[Native, ...] | None = None
    monitor: Handler | None = None
    settle: Callable[[str, Callable[[Any, str], Value]], tuple[str, Bag]] | None = None
    midway: Callable[[str, Reply, Handler], Reply] | None = None

    def __str__(self) -> str:
        where = self.urn or " ".join(part for part in (self.type, self.id) if part)
        about = f"{' of ' + where if where else ''}{' at ' + self.address if self.address else ''}"
        return f"{self.method or self.op.value}{' (preview)' if self.preview else ''}{about}"


class Reply(Struct, kw_only=True):
    """A provider's answer. It can carry a value *and* failures *and* private data at once: partial state is exactly that.

    Args:
        value: the object's state (outputs, new state, a function's result).
        inputs: checked or read inputs.
        private: bytes for the engine to keep.
        identity: what tells the object from all others, where that is not what its ``value`` and ``id`` say.
        type: the token of an imported object that is of another type than was asked for.
        name, version: what a provider, or a package that it became, is called.
        described: what a schema is to be made of: a ``schema.Package``, or a ``fake.parameters.Parameterized``.
        stored: the attributes of an upgraded or moved state, as a state file has them.
        renew_after: the seconds after which an ephemeral resource wants to be renewed.
        listed: the answers of List, in their order.
        imported: the objects of an import that brought several, the first one among them.
        unchecked: this is wrong on purpose, and sent as it is.
        made_up: a fake answered it, past the end of a cassette.
        source: where a fake's answer comes from, if that is not its declaration: a test, a file, a preset, an echo.
        unjudged: why the fake answered it where the real provider is asked for its judgement; empty otherwise.
        extra: the protocol's other words.
        native, status: the message, and how the RPC failed as such, where they came over a wire behind us: both are handed on
            as they are, whatever the other fields say. A layer that changes such an answer takes its ``native`` off.
        stream: the messages of an RPC that answers with a stream, where they came over a wire; a ``status`` may follow them.
        delivery: what a fault makes of this answer on the wire; in process, ``status`` says what that comes to.
    """

    value: Bag | None = None
    id: str = ""
    inputs: Bag | None = None
    plan: Plan | None = None
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()
    private: bytes = b""
    identity: Bag | None = None
    type: str = ""
    name: str = ""
    version: str = ""
    described: Any = None
    stored: Mapping[str, Any] | None = None
    renew_after: float | None = None
    listed: tuple[Listed, ...] = ()
    imported: tuple[Reply, ...] = ()
    unchecked: bool = False
    made_up: bool = False
    source: str = ""
    unjudged: str = ""
    extra: Mapping[str, Any] = NOTHING
    native: Native | None = None
    status: Status | None = None
    stream: tuple[Native, ...] | None = None
    delivery: Delivery | None = None

    @property
    def parts(self) -> tuple[Any, ...]:
        """What a message is made of."""
        return _parts(self)

    @property
    def message(self) -> Native | None:
        """The message that is sent as it is; ``None`` if there is none, or the reply has changed since it was encoded here."""
        native = self.native
        return native if native is None or not native.parts or all(map(is_, native.parts, self.parts)) else None

    @property
    def ok(self) -> bool:
        """Whether nothing went wrong."""
        return not self.failures and self.status is None

    @property
    def partial(self) -> bool:
        """Whether something went wrong and yet an object exists."""
        return bool(self.failures) and self.value is not None and bool(self.id)


_parts: Callable[[Reply], tuple[Any, ...]] = attrgetter(
    *(
        name
        for name in Reply.__struct_fields__
        if name not in ("made_up", "source", "unjudged", "native", "status", "stream", "delivery")
    )
)

Handler: TypeAlias = Callable[[Call], Reply]
Layer: TypeAlias = Callable[[Call, Handler], Reply]

__all__ = [
    "EFFECTS",
    "STATUS_NAMES",
    "Bag",
    "Call",
    "Change",
    "ChangeKind",
    "EnginePort",
    "Failure",
    "Handler",
    "Layer",
    "Native",
    "Op",
    "Plan",
    "Reply",
    "Session",
    "Status",
    "Value",
]
