"""The stack's configuration in Construct and Call, and its secret keys.

Both requests have the whole configuration in plain text. Construct lists the secret keys; Call does not (reference 2.14), so
the engine is asked for them.
"""

from __future__ import annotations

from collections.abc import Collection

from mockprovider.calls import Call, Op
from mockprovider.errors import UnsupportedError

CONFIG, SECRET_KEYS = "config", "configSecretKeys"
CONFIGURED = frozenset({Op.CONSTRUCT, Op.CALL})
KNOWER = "GetDeploymentInfo"
"""The monitor's RPC that returns the configuration with its secret keys."""


def secret_keys(call: Call) -> Collection[str]:
    """The secret keys of the configuration, from a Construct or Call, or from the engine during one.

    Raises ``UnsupportedError`` if neither has them: such a configuration can be neither recorded nor compared.
    """
    session = call.session
    if call.op is Op.CONSTRUCT or SECRET_KEYS in call.extra:
        session.secret_keys = tuple(call.extra.get(SECRET_KEYS, ()))
    elif call.op is Op.CALL and call.extra.get(CONFIG) and session.secret_keys is None:
        # A session serves one operation, whose configuration does not change.
        session.secret_keys = _asked(call)
    return frozenset(session.secret_keys or ())


def _asked(call: Call) -> tuple[str, ...]:
    reply = call.monitor(Call(op=Op.ENGINE, session=call.session, method=KNOWER)) if call.monitor else None
    if reply is None or not reply.ok:
        raise UnsupportedError(
            f"{call} brings the stack's configuration, and nobody says which of it is secret: it has no {SECRET_KEYS}, the "
            f"engine does not answer {KNOWER}, and no component was constructed before. Leave the configuration out, or take "
            "an engine that says it."
        )
    return tuple(reply.extra.get(SECRET_KEYS, ()))


def secret_names(call: Call) -> Collection[str]:
    """The secrets in the trees of such a call, as ``redaction.Names``. Raises as ``secret_keys`` does."""
    has_config = call.op in CONFIGURED or call.method == KNOWER
    return [f"{CONFIG}.{key}" for key in secret_keys(call)] if has_config else ()
