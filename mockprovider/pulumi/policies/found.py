"""What policies found in one operation, as data and as ``pulumi`` prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from mockprovider.errors import MalformedError
from mockprovider.urn import Urn
from mockprovider.values import Value

WORST_FIRST = ("critical", "high", "medium", "low", "")


class PolicyViolation(Struct, frozen=True, kw_only=True):
    """What a policy objects to. ``level`` is ``mandatory`` or ``advisory``, ``severity`` one of
    ``critical``, ``high``, ``medium``, ``low``, or empty.

    ``urn`` is the resource's, or the stack's.
    """

    policy: str
    pack: str
    version: str = ""
    level: str
    message: str
    urn: str = ""
    severity: str = ""

    @property
    def mandatory(self) -> bool:
        """Whether the operation fails for it."""
        return self.level == "mandatory"


class PolicyRemediation(Struct, frozen=True, kw_only=True):
    """What a policy has changed: the inputs of the resource ``urn`` before and after, secrets wrapped.

    Under the real ``pulumi`` the content of secrets is unknown.
    """

    policy: str
    pack: str
    version: str = ""
    urn: str
    before: dict[str, Value] = field(default_factory=dict)
    after: dict[str, Value] = field(default_factory=dict)


def printed(
    packs: Iterable[tuple[str, str]], violations: Sequence[PolicyViolation], remediations: Sequence[PolicyRemediation]
) -> list[str]:
    """The lines of the block ``Policies:``; none without a pack. ``packs`` are (name, version)."""
    known = {*packs, *((violation.pack, violation.version) for violation in violations)}
    known |= {(change.pack, change.version) for change in remediations}
    lines = ["Policies:"] if known else []
    for pack in sorted(known):
        broken = [violation for violation in violations if (violation.pack, violation.version) == pack]
        sign = "❌" if any(violation.mandatory for violation in broken) else "⚠️" if broken else "✅"
        lines.append(f"    {sign} {pack[0]}@v{pack[1]}")
        counts = Counter(change.policy for change in remediations if (change.pack, change.version) == pack)
        for policy, count in sorted(counts.items()):
            lines.append(f"        - [remediate]  {policy}  ({count} resource{'' if count == 1 else 's'})")
        for violation in sorted(broken, key=_rank):
            severity = f"  [{violation.severity}]" if violation.severity else ""
            lines.append(f"        - [{violation.level}]{severity}  {violation.policy}  ({_called(violation.urn)})")
            lines += [f"          {line}" for line in violation.message.splitlines()]
    return lines


def _rank(violation: PolicyViolation) -> tuple[bool, int, str, str]:
    return not violation.mandatory, WORST_FIRST.index(violation.severity), violation.policy, violation.urn


def _called(urn: str) -> str:
    try:
        parsed = Urn.parse(urn)
    except MalformedError:
        return urn
    return f"{parsed.type}: {parsed.name}"
