"""The table of the Provider service: every RPC of both majors has a row, and those not served say why.

The rows are major 6's. Major 5 is the same table under its own names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.terraform import replies, requests
from mockprovider.terraform.proto import Proto, protocol
from mockprovider.terraform.requests import Shape
from mockprovider.wire.methods import Method, Service, service

CHECK_PROVIDER = Shape(of="provider", bags={"inputs": "config"})
CHECK_RESOURCE = Shape(of="resource", bags={"inputs": "config"})
CHECK_DATA = Shape(of="data", bags={"inputs": "config"})
DATA = Shape(of="data", bags={"inputs": "config"}, value="state")
UPGRADE = Shape(of="resource", value="upgraded_state")
READ = Shape(of="resource", bags={"prior": "current_state"}, private="private", value="new_state", answer_private="private")
PLAN = Shape(
    of="resource",
    bags={"prior": "prior_state", "proposed": "proposed_new_state", "inputs": "config"},
    private="prior_private",
    value="planned_state",
    answer_private="planned_private",
)
APPLY = Shape(
    of="resource",
    bags={"prior": "prior_state", "planned": "planned_state", "inputs": "config"},
    private="planned_private",
    value="new_state",
    answer_private="private",
)
IMPORT = Shape(of="resource")
NOTHING = Shape()

LATER = "this version serves managed resources and data sources; {} are still to come"
NO_ENGINE = "no engine that this version was tried with calls it"

REASONS: Mapping[str, tuple[Op, str]] = {
    "GetMetadata": (Op.GET_PLUGIN_INFO, NO_ENGINE),
    "UpgradeResourceIdentity": (Op.UPGRADE, LATER.format("resource identities")),
    "MoveResourceState": (Op.MOVE, LATER.format("moves across types")),
    "GenerateResourceConfig": (Op.IMPORT, NO_ENGINE),
    "ValidateEphemeralResourceConfig": (Op.CHECK, LATER.format("ephemeral resources")),
    "OpenEphemeralResource": (Op.OPEN, LATER.format("ephemeral resources")),
    "RenewEphemeralResource": (Op.RENEW, LATER.format("ephemeral resources")),
    "CloseEphemeralResource": (Op.CLOSE, LATER.format("ephemeral resources")),
    "ListResource": (Op.LIST, LATER.format("list resources")),
    "ValidateListResourceConfig": (Op.CHECK, LATER.format("list resources")),
    "GetFunctions": (Op.GET_SCHEMA, LATER.format("provider functions")),
    "CallFunction": (Op.FUNCTION, LATER.format("provider functions")),
    "ValidateStateStoreConfig": (Op.CHECK, LATER.format("state stores")),
    "ConfigureStateStore": (Op.CONFIGURE, LATER.format("state stores")),
    "ReadStateBytes": (Op.RAW, LATER.format("state stores")),
    "WriteStateBytes": (Op.RAW, LATER.format("state stores")),
    "LockState": (Op.RAW, LATER.format("state stores")),
    "UnlockState": (Op.RAW, LATER.format("state stores")),
    "GetStates": (Op.RAW, LATER.format("state stores")),
    "DeleteState": (Op.RAW, LATER.format("state stores")),
    "PlanAction": (Op.RAW, LATER.format("actions")),
    "InvokeAction": (Op.RAW, LATER.format("actions")),
    "ValidateActionConfig": (Op.CHECK, LATER.format("actions")),
}
"""RPCs that are known and not served: what they would ask for, and why not. The engine is answered UNIMPLEMENTED."""


def provider_service(major: int) -> Service:
    """The Provider service of major 5 or 6, ready to serve or to call."""
    proto = protocol(major)
    # What a client looks up by op is the first row that asks for it, so the refused ones come last.
    return service(proto.service(), proto.classes, [*_rows(proto), *_refused(proto)])


def _rows(proto: Proto) -> Iterator[Method]:
    row = partial(_row, proto)
    yield row("GetProviderSchema", Op.GET_SCHEMA, NOTHING, response=replies.schema_response)
    yield row("ValidateProviderConfig", Op.CHECK_CONFIG, CHECK_PROVIDER, response=replies.prepared_response)
    yield row(
        "ConfigureProvider",
        Op.CONFIGURE,
        CHECK_PROVIDER,
        call=requests.configure_call,
        request=requests.configure_request,
        volatile=("terraform_version",),
    )
    yield row("ValidateResourceConfig", Op.CHECK, CHECK_RESOURCE)
    yield row("ValidateDataResourceConfig", Op.CHECK, CHECK_DATA)
    yield row("UpgradeResourceState", Op.UPGRADE, UPGRADE, call=requests.upgrade_call, request=requests.upgrade_request)
    yield row("ReadResource", Op.READ, READ)
    yield row("PlanResourceChange", Op.PLAN, PLAN, response=replies.plan_response, reply=replies.plan_reply)
    yield row("ApplyResourceChange", Op.CREATE, APPLY, call=requests.apply_call, mutates=True)
    yield row(
        "ImportResourceState",
        Op.IMPORT,
        IMPORT,
        call=requests.import_call,
        request=requests.import_request,
        response=replies.import_response,
        reply=replies.import_reply,
    )
    yield row("ReadDataSource", Op.INVOKE, DATA, response=replies.data_response)
    yield row("StopProvider", Op.CANCEL, NOTHING, response=replies.stop_response, reply=replies.stop_reply)
    # OpenTofu asks every provider; without identities there is nothing to tell, and an error would be taken for one.
    yield row("GetResourceIdentitySchemas", Op.GET_SCHEMA, NOTHING)


def _row(
    proto: Proto,
    name: str,
    op: Op,
    shape: Shape,
    *,
    call: Callable[..., Call] | None = None,
    request: Callable[..., Message] = requests.to_request,
    response: Callable[..., Message] = replies.to_response,
    reply: Callable[..., Reply] = replies.to_reply,
    mutates: bool = False,
    volatile: tuple[str, ...] = (),
) -> Method:
    """A row from functions that take the shape and the classes of the major first; the default ones need nothing but those."""
    descriptor = proto.service().methods_by_name[proto.wire_name(name)]
    asked, answered = proto.classes(descriptor.input_type), proto.classes(descriptor.output_type)
    rpc = descriptor.name
    return Method(
        name=rpc,
        op=op,
        call=partial(call, shape, rpc) if call else partial(requests.to_call, shape, op, rpc),
        request=partial(request, shape, asked),
        response=partial(response, shape, answered),
        reply=partial(reply, shape),
        mutates=mutates,
        volatile=volatile,
    )


def _refused(proto: Proto) -> Iterator[Method]:
    for rpc in proto.service().methods:
        if rpc.name in REASONS:
            op, reason = REASONS[rpc.name]
            call, request = partial(_raw_call, op, rpc.name), partial(_raw_request, proto.classes(rpc.input_type))
            response = partial(_raw_response, proto.classes(rpc.output_type))
            yield Method(name=rpc.name, op=op, call=call, request=request, reply=_raw_reply, response=response, reason=reason)


def _raw_call(op: Op, method: str, message: Any, session: Session) -> Call:
    return Call(op=op, session=session, method=method, type=getattr(message, "type_name", ""))


def _raw_request(cls: type[Message], call: Call) -> Message:  # noqa: ARG001 - one signature for all rows
    return cls()


def _raw_response(cls: type[Message], reply: Reply, call: Call) -> Message:  # noqa: ARG001 - one signature for all rows
    return cls()


def _raw_reply(message: Any, call: Call) -> Reply:  # noqa: ARG001 - one signature for all rows
    return Reply()


PROVIDER5 = provider_service(5)
PROVIDER6 = provider_service(6)
SERVICES: Mapping[int, Service] = {5: PROVIDER5, 6: PROVIDER6}
"""The Provider service by major."""
