"""A breach as data, for reports that programs read."""

from __future__ import annotations

from collections.abc import Callable

from mockprovider.contract.watching import Breach


def reported(breach: Breach, provider: str, scrub: Callable[[str], str] = lambda text: text) -> dict[str, object]:
    """The rule, the call and what is wrong with it. ``scrub`` takes secrets out of what the run brought."""
    rule = breach.rule
    return {
        "rule": rule.id,
        "owed_by": rule.party.value,
        "severity": rule.severity.value,
        "provider": provider,
        "call": scrub(str(breach.call)),
        "n": breach.n,
        "how": scrub(breach.how),
        "says": rule.says,
        "source": rule.source,
        "mend": rule.mend,
    }
