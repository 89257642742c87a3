"""What one side of a run has seen of Terraform's protocol, as the rules of both parties need it.

What only engines' rules look at is in ``engines``, what only providers' do in ``providers``.
"""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Call, Op, Reply
from mockprovider.contract import Moment
from mockprovider.errors import MockProviderError
from mockprovider.terraform.contract.learned import LearnedSchemas
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import codec
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.schema.tree import Place
from mockprovider.wire.status import StatusError

TELLS_SCHEMAS = frozenset({Op.GET_SCHEMA, Op.GET_PLUGIN_INFO})


class TerraformMoment(Moment):
    """A call, the message that asks (``None`` for a call that was made in Python), and what came before."""

    message: Any
    history: Any


class TerraformHistory:
    """What came before a call, and what the provider has said of its types."""

    def __init__(self) -> None:
        self.learned = LearnedSchemas()
        self.plans_destroys = False
        """Whether the provider has said that it plans deletions, too."""

    def tree(self, call: Call, of: str, name: str) -> Place | None:
        """The schema of a type, as it is declared, or as the provider has told it; ``None`` for one that nothing tells."""
        declared = codec(call.session, of, name)
        return declared.tree if isinstance(declared, ObjectSchema) else self.learned.tree(of, name)

    def learn(self, call: Call, reply: Reply, answer: Any) -> None:
        """An answer may have schemas."""
        if call.op in TELLS_SCHEMAS and reply.ok:
            self.learned.learn(answer)
            if "server_capabilities" in answer.DESCRIPTOR.fields_by_name:
                self.plans_destroys |= answer.server_capabilities.plan_destroy


def request(call: Call) -> Any:
    """The request's message; ``None`` for a call that was made in Python."""
    return call.native.message if call.native is not None else None


class Answered:
    """The message of the answer that was asked for last: both sides ask for one answer, which takes long to encode."""

    def __init__(self) -> None:
        self._latest: tuple[Call | None, Reply | None, Any] = (None, None, None)

    def __call__(self, call: Call, reply: Reply) -> Any:
        """The answer's message as the engine gets it; ``None`` if it gets none that can be read."""
        if call.native is None:
            return None
        if reply.message is not None:
            return reply.message.message
        # Read at once, because several runs may be judged at the same time.
        of_call, of_reply, message = self._latest
        if of_call is not call or of_reply is not reply:
            message = _encoded(call, reply)
            self._latest = (call, reply, message)
        return message


answered = Answered()


def _encoded(call: Call, reply: Reply) -> Any:
    service = SERVICES[call.session.protocol.version]
    method = service.methods.get(call.method)
    if method is None or reply.status is not None or reply.delivery is not None:
        return None
    try:
        kept = method.encoded(reply, call) if method.encoded else None
        return method.response(reply, call) if kept is None else service.messages[call.method][1].FromString(kept)
    except (MockProviderError, StatusError):
        return None
