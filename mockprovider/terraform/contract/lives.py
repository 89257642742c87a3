"""The lives of a provider instance and of an ephemeral resource, as Terraform's plugin protocol has them."""

from __future__ import annotations

from mockprovider.calls import EFFECTS, Op
from mockprovider.contract import StateTable

USES = EFFECTS | {Op.READ, Op.PLAN, Op.INVOKE, Op.IMPORT, Op.OPEN, Op.RENEW, Op.LIST}
"""What only a configured provider answers. Validation, functions, upgrades and moves are asked of any."""

CONFIGURED_FIRST = "TF-CONFIGURE-BEFORE-USE"
CONFIGURED_ONCE = "TF-CONFIGURE-ONCE"
STOPPED = "TF-NOTHING-AFTER-STOP"

SESSION = StateTable(
    name="a provider instance",
    begins="started",
    words={
        "started": "this instance has not been configured.",
        "configured": "this instance is configured already.",
        "stopped": "this instance has been stopped.",
    },
    events={Op.CONFIGURE: "configure", Op.CANCEL: "stop", Op.CLOSE: "close", **dict.fromkeys(USES, "use")},
    moves={
        ("started", "configure"): "configured",
        ("started", "stop"): "stopped",
        ("configured", "stop"): "stopped",
    },
    wrong={
        ("started", "use"): CONFIGURED_FIRST,
        ("started", "close"): CONFIGURED_FIRST,
        ("configured", "configure"): CONFIGURED_ONCE,
        ("stopped", "configure"): STOPPED,
        ("stopped", "use"): STOPPED,
    },
    state_of=lambda now: now.history.state(now.call),
)
"""After a stop, ephemeral resources are still closed."""

OPENED_FIRST = "TF-OPEN-BEFORE-RENEW-AND-CLOSE"
CLOSED = "TF-NOTHING-AFTER-CLOSE"

EPHEMERAL = StateTable(
    name="an ephemeral resource",
    begins="unheard of",
    words={
        "unheard of": "no answer to Open has brought these private bytes.",
        "closed": "it has been closed.",
    },
    events={Op.OPEN: "open", Op.RENEW: "renew", Op.CLOSE: "close"},
    moves={
        ("unheard of", "open"): "open",
        ("closed", "open"): "open",
        ("open", "close"): "closed",
    },
    wrong={
        ("unheard of", "renew"): OPENED_FIRST,
        ("unheard of", "close"): OPENED_FIRST,
        ("closed", "renew"): CLOSED,
        ("closed", "close"): CLOSED,
    },
    state_of=lambda now: now.history.ephemeral(now.call),
)
"""The private bytes tell which one it is."""
