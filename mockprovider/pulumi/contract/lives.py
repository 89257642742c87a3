"""The lives of a provider instance and of an object, as Pulumi's protocol has them."""

from __future__ import annotations

from mockprovider.calls import Op
from mockprovider.contract import StateTable

USES = frozenset({Op.CHECK, Op.DIFF, Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE, Op.INVOKE, Op.CALL, Op.CONSTRUCT, Op.LIST})
"""What only a configured provider answers."""
CONFIGURED_FIRST = "PULUMI-CONFIGURE-BEFORE-USE"
CHECKED_FIRST = "PULUMI-CHECK-BEFORE-CONFIGURE"
CONFIGURED_ONCE = "PULUMI-CONFIGURE-ONCE"
CANCELLED = "PULUMI-NOTHING-AFTER-CANCEL"
CLEARED = "cancelled by pulumi"
"""``pulumi`` 3.259, and the embedded engine with it, starts calls while it cancels: they stand in no row."""

SESSION = StateTable(
    name="a provider instance",
    begins="started",
    words={
        "started": "this instance has not been configured.",
        "configured": "this instance is configured already.",
        "cancelled": "this instance has been cancelled.",
    },
    events={
        Op.CHECK_CONFIG: "check the configuration",
        Op.CONFIGURE: "configure",
        Op.CANCEL: "cancel",
        **dict.fromkeys(USES, "use"),
    },
    moves={
        ("started", "configure"): "configured",
        ("started", "cancel"): "cancelled",
        ("configured", "cancel"): "cancelled",
        (CLEARED, "cancel"): CLEARED,
    },
    wrong={
        ("started", "use"): CONFIGURED_FIRST,
        ("configured", "check the configuration"): CHECKED_FIRST,
        ("configured", "configure"): CONFIGURED_ONCE,
        ("cancelled", "check the configuration"): CANCELLED,
        ("cancelled", "configure"): CANCELLED,
        ("cancelled", "use"): CANCELLED,
    },
    state_of=lambda now: now.instance.state,
)

ISSUED = "PULUMI-ID-WAS-ISSUED"
DELETED = "PULUMI-NOTHING-AFTER-DELETE"
BY_PULUMI = "deleted by pulumi"
"""Deleted by Pulumi's engine, maybe to be replaced."""

OBJECT = StateTable(
    name="an object",
    begins="unheard of",
    words={
        "unheard of": "no answer has brought the id {id!r}.",
        "gone": "the object with the id {id!r} has been deleted.",
        BY_PULUMI: "the object with the id {id!r} has been deleted.",
    },
    events={
        **dict.fromkeys((Op.CREATE, Op.READ, Op.LIST), "appear"),
        Op.DIFF: "compare",
        Op.UPDATE: "update",
        Op.DELETE: "delete",
    },
    moves={
        ("unheard of", "appear"): "there",
        ("unheard of", "compare"): "there",
        ("unheard of", "update"): "there",
        ("gone", "appear"): "there",
        ("unheard of", "delete"): "gone",
        ("there", "delete"): "gone",
        (BY_PULUMI, "appear"): "there",
        (BY_PULUMI, "delete"): BY_PULUMI,
    },
    wrong={
        ("unheard of", "compare"): ISSUED,
        ("unheard of", "update"): ISSUED,
        ("unheard of", "delete"): ISSUED,
        ("gone", "update"): DELETED,
        ("gone", "delete"): DELETED,
        (BY_PULUMI, "update"): DELETED,
    },
    state_of=lambda now: now.history.state(now),
)
"""An object appears with an answer that has its id: a create, also a half-failed one, a read, or a list. It may appear again.

To compare what is gone is no breach: ``pulumi`` 3.259 asks Diff of an object that it has deleted in order to replace it, if the
create was then cut off. It deletes such an object, and those that depend on it, again in later runs (pulumi/pulumi#24561).
"""
