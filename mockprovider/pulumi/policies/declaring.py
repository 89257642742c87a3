"""Policies as tests declare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct, field

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.values import Unknown, Value

LEVELS = ("advisory", "mandatory", "disabled", "remediate")
SEVERITIES = ("", "low", "medium", "high", "critical")
"""By their numbers on the wire."""

Report: TypeAlias = Callable[..., None]
"""``report(message, urn="", severity="")``: note a violation. Without a URN it is about the resource, or the stack, that is
looked at, without a severity it has the policy's.
"""


class UnknownPropertyError(Exception):
    """A policy has looked at a value that a preview does not know yet."""


class KnownProperties(dict[str, Any]):
    """Properties by name; looking at one that is unknown raises ``UnknownPropertyError``."""

    def __getitem__(self, name: str) -> Any:
        return _known(super().__getitem__(name), name)

    def get(self, name: str, default: Any = None) -> Any:
        """As a dictionary's."""
        return _known(super().get(name, default), name)

    def values(self) -> Any:
        """As a dictionary's."""
        return [self[name] for name in self]

    def items(self) -> Any:
        """As a dictionary's."""
        return [(name, self[name]) for name in self]


class KnownItems(list[Any]):
    """A list; looking at an item that is unknown raises ``UnknownPropertyError``."""

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return KnownItems(item) if isinstance(index, slice) else _known(item, f"[{index}]")

    def __iter__(self) -> Any:
        return (self[index] for index in range(len(self)))


def _known(value: Value, name: str) -> Any:
    if isinstance(value, Unknown):
        raise UnknownPropertyError(f"{value.kind} value at .{name} can't be known during preview")
    return value


def watched(value: Value) -> Any:
    """``value`` in such containers, at every depth."""
    if isinstance(value, Mapping):
        return KnownProperties({name: watched(item) for name, item in value.items()})
    return KnownItems([watched(item) for item in value]) if isinstance(value, list) else value


class PolicyResource(Struct, frozen=True, kw_only=True):
    """A resource as a policy sees it: secrets are revealed, and looking at what is unknown raises ``UnknownPropertyError``.

    ``props`` are the checked inputs, or for a ``StackPolicy`` the outputs. ``options`` has the fields of the message
    ``AnalyzerResourceOptions``, ``provider`` those of the provider resource: ``type``, ``urn``, ``name`` and ``props``.
    ``config`` is what the pack's ``config`` says for this policy.
    """

    type: str
    urn: str
    name: str
    props: dict[str, Any]
    options: Any = None
    provider: PolicyResource | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""
    dependencies: tuple[str, ...] = ()
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)


class PolicyRule(Struct, kw_only=True):
    """What all policies have.

    Args:
        level: ``advisory``: the user is told; ``mandatory``: the operation fails, too; ``remediate``: what ``remediate``
            returns is taken, and what ``check`` still reports is mandatory; ``disabled``.
        description: the first line of each violation.
        severity: ``low``, ``medium``, ``high`` or ``critical``, which only sorts.
    """

    level: str = "advisory"
    description: str = ""
    severity: str = ""
    name: str

    def __post_init__(self) -> None:
        for what, given, known in (("level", self.level, ("", *LEVELS)), ("severity", self.severity, SEVERITIES)):
            if given not in known:
                hint = did_you_mean(given, known[1:], "There are")
                raise DefinitionError(f"{given!r} is no {what} of the policy {self.name!r}. {hint}")


class ResourcePolicy(PolicyRule):
    """A policy about single resources: ``check(resource, report)``, and with it ``remediate(resource)``.

    ``name`` is unique in its pack. ``remediate`` returns all properties that the resource is to have, or ``None`` to leave
    them. What it leaves as it is stays secret, or unknown, if it was. Other arguments as for ``PolicyRule``.
    """

    kind: ClassVar[str] = "POLICY_TYPE_RESOURCE"

    name: str
    check: Callable[[PolicyResource, Report], Any] | None = None
    remediate: Callable[[PolicyResource], Mapping[str, Any] | None] | None = None


class StackPolicy(PolicyRule):
    """A policy about all resources of a stack, after an operation that went well: ``check(resources, report)``.

    ``name`` is unique in its pack. Other arguments as for ``PolicyRule``.
    """

    kind: ClassVar[str] = "POLICY_TYPE_STACK"

    name: str
    check: Callable[[list[PolicyResource], Report], Any]


class PolicyPack(Struct):
    """Policies that belong together.

    Args:
        name: the pack's name.
        policies: its policies.
        version: the pack's version.
        config: by name of a policy, its level, or a mapping with ``enforcementLevel`` and whatever the policy reads of
            ``resource.config``; ``all`` is for every policy.
    """

    name: str
    policies: Sequence[ResourcePolicy | StackPolicy]
    version: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [policy.name for policy in self.policies]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise DefinitionError(f"The policy pack {self.name!r} has several policies {', '.join(twice)}. Give each a name.")
        for name, settings in self.config.items():
            if name not in (*names, "all"):
                hint = did_you_mean(name, [*names, "all"], "There are")
                raise DefinitionError(f"The policy pack {self.name!r} has no policy {name!r} to configure. {hint}")
            level = _level(settings)
            if level and level not in LEVELS:
                hint = did_you_mean(level, LEVELS, "There are")
                raise DefinitionError(f"{level!r} is no level of a policy, in the config of {name!r}. {hint}")

    def level(self, policy: PolicyRule) -> str:
        """The level of a policy here."""
        return _level(self.config.get(policy.name)) or _level(self.config.get("all")) or policy.level

    def settings(self, policy: PolicyRule) -> dict[str, Any]:
        """What is configured for a policy, beside its level."""
        settings = self.config.get(policy.name)
        given = settings if isinstance(settings, Mapping) else {}
        return {name: value for name, value in given.items() if name != "enforcementLevel"}

    def of(self, kind: type[Any]) -> Iterable[Any]:
        """Its policies of one kind that are not disabled."""
        return [policy for policy in self.policies if isinstance(policy, kind) and self.level(policy) != "disabled"]


def _level(settings: Any) -> str:
    return settings if isinstance(settings, str) else str((settings or {}).get("enforcementLevel", ""))
