"""The table of the Provider service: a row for every RPC of both majors; rows that are not served give the reason.

The rows have major 6's names. ``pure`` ones touch no cloud: they validate, plan, convert a state or work out a function, and
are all that a real provider is ever asked behind a fake cloud. Major 5 is the same table under its own names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from google.protobuf.message import Message

from mockprovider.calls import Call, Op, Reply
from mockprovider.terraform.proto import Proto, protocol
from mockprovider.terraform.rpcs import beyond, conformance, ephemerals, functions, replies, requests, states
from mockprovider.terraform.rpcs.requests import Shape
from mockprovider.wire.methods import RpcMethod, Service, service

CHECK_PROVIDER = Shape(of="provider", bags={"inputs": "config"})
CHECK_RESOURCE = Shape(of="resource", bags={"inputs": "config"})
CHECK_DATA = Shape(of="data", bags={"inputs": "config"})
DATA = Shape(of="data", bags={"inputs": "config"}, value="state")
UPGRADE = Shape(of="resource", value="upgraded_state")
READ = Shape(
    of="resource",
    bags={"prior": "current_state"},
    private="private",
    value="new_state",
    answer_private="private",
    answer_identity="new_identity",
)
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
    answer_identity="new_identity",
)
IMPORT = Shape(of="resource", value="imported_resources")
IDENTITY = Shape(of="resource")
MOVE = Shape(of="resource", value="target_state", answer_private="target_private", answer_identity="target_identity")
CHECK_EPHEMERAL = Shape(of="ephemeral", bags={"inputs": "config"})
OPEN = Shape(of="ephemeral", bags={"inputs": "config"}, value="result", answer_private="private")
EPHEMERAL = Shape(of="ephemeral")
NOTHING = Shape()


def provider_service(major: int) -> Service:
    """The Provider service of major 5 or 6, ready to serve or to call."""
    proto = protocol(major)
    # A client's look-up by op takes the first row, so those that the fake refuses come last.
    rows = [row for row in (*_rows(proto), *beyond.rows(proto)) if row is not None]
    return service(proto.service(), proto.classes, rows)


def _rows(proto: Proto) -> Iterator[RpcMethod | None]:
    """The rows that are served; ``None`` for an RPC that this major does not have."""
    row = partial(_row, proto)
    yield row("GetProviderSchema", Op.GET_SCHEMA, NOTHING, response=replies.schema_response, of_all=True, pure=True)
    yield row(
        "ValidateProviderConfig",
        Op.CHECK_CONFIG,
        CHECK_PROVIDER,
        response=replies.prepared_response,
        pure=True,
        # Engines validate the configuration of each instance that they configure, and do so before.
        opens=frozenset({Op.CONFIGURE, Op.CANCEL}),
    )
    yield row(
        "ConfigureProvider",
        Op.CONFIGURE,
        CHECK_PROVIDER,
        call=requests.configure_call,
        request=requests.configure_request,
        volatile=("terraform_version",),
    )
    yield row("ValidateResourceConfig", Op.CHECK, CHECK_RESOURCE, pure=True)
    yield row("ValidateDataResourceConfig", Op.CHECK, CHECK_DATA, pure=True)
    yield row(
        "UpgradeResourceState",
        Op.UPGRADE,
        UPGRADE,
        call=states.upgrade_call,
        request=states.upgrade_request,
        response=states.state_response,
        pure=True,
    )
    yield row("ReadResource", Op.READ, READ)
    yield row("PlanResourceChange", Op.PLAN, PLAN, response=replies.plan_response, reply=replies.plan_reply, pure=True)
    yield row("ApplyResourceChange", Op.CREATE, APPLY, call=requests.apply_call, mutates=True)
    yield row(
        "ImportResourceState",
        Op.IMPORT,
        IMPORT,
        call=states.import_call,
        request=states.import_request,
        response=states.import_response,
        reply=states.import_reply,
    )
    yield row(
        "MoveResourceState",
        Op.MOVE,
        MOVE,
        call=states.move_call,
        request=states.move_request,
        response=states.state_response,
        pure=True,
    )
    yield row("ReadDataSource", Op.INVOKE, DATA, response=replies.data_response)
    yield row(
        "StopProvider", Op.CANCEL, NOTHING, call=requests.stop_call, response=replies.stop_response, reply=replies.stop_reply
    )
    yield row("GetMetadata", Op.GET_PLUGIN_INFO, NOTHING, response=replies.metadata_response, of_all=True, pure=True)
    yield row(
        "GetResourceIdentitySchemas", Op.GET_SCHEMA, NOTHING, response=replies.identities_response, of_all=True, pure=True
    )
    yield row(
        "UpgradeResourceIdentity",
        Op.UPGRADE_IDENTITY,
        IDENTITY,
        call=states.identity_upgrade_call,
        request=states.identity_upgrade_request,
        response=states.identity_upgrade_response,
        pure=True,
    )
    yield from _passing(row)


def _passing(row: Callable[..., RpcMethod | None]) -> Iterator[RpcMethod | None]:
    """Functions and ephemeral resources, which no state holds."""
    yield row("GetFunctions", Op.GET_SCHEMA, NOTHING, response=functions.functions_response, pure=True)
    yield row(
        "CallFunction",
        Op.FUNCTION,
        NOTHING,
        call=functions.function_call,
        request=functions.function_request,
        response=functions.function_response,
        reply=functions.function_reply,
        pure=True,
    )
    yield row("ValidateEphemeralResourceConfig", Op.CHECK, CHECK_EPHEMERAL, pure=True)
    # Each open makes another object, so a recorded answer serves once.
    opened = {"response": ephemerals.open_response, "reply": ephemerals.lasting_reply}
    yield row("OpenEphemeralResource", Op.OPEN, OPEN, mutates=True, **opened)
    renewed = {"response": ephemerals.renew_response, "reply": ephemerals.lasting_reply}
    asked = {"request": requests.lasting_request}
    yield row("RenewEphemeralResource", Op.RENEW, EPHEMERAL, call=requests.renew_call, **asked, **renewed)
    yield row("CloseEphemeralResource", Op.CLOSE, EPHEMERAL, call=requests.close_call, **asked)


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
    pure: bool = False,
    of_all: bool = False,
    volatile: tuple[str, ...] = (),
    opens: frozenset[Op] = frozenset(),
) -> RpcMethod | None:
    """The row of one RPC; the functions get the shape, and the major's message class or RPC name, as their first arguments.

    An answer ``of_all`` types depends on nothing else.
    """
    descriptor = proto.service().methods_by_name.get(proto.wire_name(name))
    if descriptor is None:
        return None
    asked, answered = proto.classes(descriptor.input_type), proto.classes(descriptor.output_type)
    rpc = descriptor.name
    return RpcMethod(
        name=rpc,
        op=op,
        call=partial(call, shape, rpc) if call else partial(requests.to_call, shape, op, rpc),
        request=partial(request, shape, asked),
        response=partial(conformance.checked, response, shape, answered) if shape.value else partial(response, shape, answered),
        reply=partial(reply, shape),
        mutates=mutates,
        pure=pure,
        volatile=volatile,
        opens=opens,
        encoded=partial(replies.kept_answer, response, shape, answered) if of_all else None,
    )


PROVIDER5 = provider_service(5)
PROVIDER6 = provider_service(6)
SERVICES: Mapping[int, Service] = {5: PROVIDER5, 6: PROVIDER6}
"""The Provider service by major."""
