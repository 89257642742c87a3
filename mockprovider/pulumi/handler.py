"""A provider of your own for Pulumi's engines, one method for each op: the base class of handlers that are written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.diff import compare
from mockprovider.pulumi.op_fields import OpFields, op_fields
from mockprovider.pulumi.signatures import ACCEPTS

ALWAYS = frozenset({
    *("failures", "warnings", "status", "delivery", "native", "stream"),
    *("unchecked", "made_up", "source", "unjudged"),
})  # fmt: skip
"""Fields of a reply that are no part of an answer, or of any."""
EMPTY = Reply()


class PulumiHandler:
    """Answers each call by the method that is called as its op: ``create``, ``read``, ``check_config``, ... Give an instance of
    a subclass to ``Double(provider=...)``, and define what your provider does.

    The methods here are those of a provider that accepts all kinds of values, takes all inputs as they are, compares them
    itself, and has no resources and functions. An op without a method fails as ``unimplemented``, as in the SDKs for providers.
    Which fields a call brings and a reply wants is in ``docs/handlers.md``, and in ``pulumi.op_fields`` as data.

    A reply that says what its answer has no place for, such as ``value`` for a Check, is a ``DefinitionError``.
    """

    version = "0.0.1"
    """What ``get_plugin_info`` answers."""

    def __call__(self, call: Call) -> Reply:
        """Answer ``call``. Raises ``DefinitionError`` for a reply that cannot be the answer."""
        method: Callable[[Call], Reply] = getattr(self, call.op.value, self.unimplemented)
        reply = method(call)
        known = op_fields().get(call.op)
        if known is not None:
            self._check(reply, known)
        return reply

    def unimplemented(self, call: Call) -> Reply:
        """The answer to what this provider does not do."""
        what = f"{type(self).__name__} does not answer {call}: define its method {call.op.value!r}."
        return Reply(failures=(Failure(what, status="unimplemented"),))

    # The provider ----------------------------------------------------------------------------------------------------

    def handshake(self, call: Call) -> Reply:  # noqa: ARG002 - for those that override it
        """Who asks and what is understood: everything."""
        return Reply(extra=_understood(Op.HANDSHAKE))

    def get_plugin_info(self, call: Call) -> Reply:  # noqa: ARG002 - as above
        """The version."""
        return Reply(version=self.version)

    def check_config(self, call: Call) -> Reply:
        """The configuration as it is; keep what ``configure`` needs from there."""
        return Reply(inputs=dict(call.inputs or {}))

    def diff_config(self, call: Call) -> Reply:
        """What differs between the old configuration and the new one."""
        return self._compared(call)

    def configure(self, call: Call) -> Reply:  # noqa: ARG002 - as above
        """The configuration comes; what is understood is said once more, for engines without a Handshake."""
        return Reply(extra={**_understood(Op.CONFIGURE), "supportsPreview": True})

    def cancel(self, call: Call) -> Reply:  # noqa: ARG002 - as above
        """The end, or an interruption."""
        return Reply()

    # Resources -------------------------------------------------------------------------------------------------------

    def check(self, call: Call) -> Reply:
        """The inputs as they are. To refuse one: ``Reply(inputs=..., failures=(Failure(reason, path),))``."""
        return Reply(inputs=dict(call.inputs or {}))

    def diff(self, call: Call) -> Reply:
        """What differs between old and new inputs; nothing forces a replacement."""
        return self._compared(call)

    def create(self, call: Call) -> Reply:
        """Make the object: ``Reply(id=..., value=outputs)``; with ``call.preview`` no id, ``UNKNOWN`` for what is to come."""
        return self.unimplemented(call)

    def read(self, call: Call) -> Reply:
        """Look at the object: ``Reply(id=..., value=outputs, inputs=...)``, and ``Reply()`` where there is none."""
        return self.unimplemented(call)

    def update(self, call: Call) -> Reply:
        """Change the object: ``Reply(value=outputs)``."""
        return self.unimplemented(call)

    def delete(self, call: Call) -> Reply:
        """Delete the object: ``Reply()``."""
        return self.unimplemented(call)

    def invoke(self, call: Call) -> Reply:
        """Call the function ``call.type``: ``Reply(value=...)``."""
        return self.unimplemented(call)

    # Help ------------------------------------------------------------------------------------------------------------

    @staticmethod
    def _compared(call: Call) -> Reply:
        return Reply(extra={"diff": compare(call.prior_inputs or {}, call.inputs or {})})

    def _check(self, reply: Reply, known: OpFields) -> None:
        where = f"{type(self).__name__}.{known.op.value}"
        # An object that is half made is answered beside the failure, in any of the three ops.
        half_made = {"id", "value", "inputs"} if known.partial and reply.failures else set()
        named = {use.name for use in known.wants} | ALWAYS | half_made
        for name in Reply.__struct_fields__:
            if name not in named and name != "extra" and getattr(reply, name) != getattr(EMPTY, name):
                raise DefinitionError(f"{where} answered {name}=..., and {known.rpc} has no place for it. {_wanted(known)}")
        keys = [use.key for use in known.wants if use.key]
        for key in reply.extra:
            if key not in keys:
                raise DefinitionError(f"{where} answered extra[{key!r}]. {did_you_mean(key, keys, 'Known are')}")
        if not known.paths and any(failure.path for failure in reply.failures):
            raise DefinitionError(
                f"{where} answered a Failure with a path, and a failed {known.rpc} names no property. Leave the path out; "
                "status='...' says which gRPC status it fails with."
            )


def _understood(op: Op) -> dict[str, Any]:
    return {use.key: True for use in op_fields()[op].wants if use.key in ACCEPTS}


def _wanted(known: OpFields) -> str:
    return f"Its reply may have: {', '.join(map(str, known.wants)) or 'nothing'}, and failures."
