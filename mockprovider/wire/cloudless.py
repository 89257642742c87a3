"""Why a real provider could not judge without a cloud, as against what it refuses."""

from __future__ import annotations

import re

from mockprovider.calls import Reply

SIGNS = re.compile(
    r"no such host|connection re(?:fused|set)|dial (?:tcp|udp|unix)|network is unreachable|no route to host|proxyconnect"
    r"|i/o timeout|deadline exceeded|request (?:was )?cancell?ed|TLS handshake|context cancell?ed|lookup \S+ on"
    r"|exceeded maximum number of attempts|retry quota|operation error|failed to refresh cached credentials"
    r"|(?:no|missing|invalid|expired|obtain\w*|retriev\w*|get\w*|load\w*|find|refresh) (?:valid |any |default |the )*credential"
    r"|unconfigured|not (?:been )?configured|no client|nil client|provider configur\w+ (?:is )?(?:missing|required)"
    r"|InvalidClientTokenId|UnrecognizedClient|AuthFailure|oauth2:|unauthori[sz]ed|unauthenticated|\b401\b|\b403\b"
    r"|panic:|runtime error|plugin did not respond|stub\.GRPCProvider",
    re.IGNORECASE,
)
"""What providers say when the network, their credentials or their configuration is missing."""


def reason(reply: Reply, *, refuses_by_status: bool = False) -> str:
    """What a reply says of a missing cloud; empty where it is a judgement.

    A status is none, unless the protocol ``refuses_by_status``: then its message tells.
    """
    if reply.status is not None and not (refuses_by_status and not SIGNS.search(reply.status.message)):
        return reply.status.message or f"it answered the status {reply.status.code}"
    for failure in reply.failures:
        text = ": ".join(filter(None, (failure.reason, failure.detail)))
        if SIGNS.search(text):
            return text
    return ""
