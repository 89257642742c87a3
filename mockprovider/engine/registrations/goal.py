"""What a program asks for: one registration, before the engine has decided what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from mockprovider.errors import MalformedError
from mockprovider.pulumi.stacks.resource_options import Alias, AskedOptions, remembered
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.urn import PROVIDERS, STACK_TYPE, Urn, make
from mockprovider.values import Secret, Value, map_value


class Parameterization(Struct, frozen=True):
    """A parameterized package: ``value`` makes the plugin of ``base`` the package ``name`` in ``version`` (reference 2.2)."""

    base: str
    base_version: str
    name: str
    version: str
    value: bytes


class Goal(AskedOptions, kw_only=True):
    """A registration (``RegisterResource``, or ``ReadResource`` where it ``reads``), with all its options."""

    type: str
    name: str
    custom: bool = True
    inputs: dict[str, Value] = field(default_factory=dict)
    remote: bool = False
    """A component that its provider constructs."""
    parameterization: Parameterization | None = None
    """Of its package, where that is a parameterized one."""
    base: str = ""
    """The package whose provider manages it, where its own is an extension of that."""
    extension: str = ""
    """The reference of that extension."""
    own_plugin: bool = False
    """Whether it says itself, and not only its package, which plugin it wants."""
    reads: bool = False
    """Whether it is only read."""
    read_id: str = ""
    mistake: str = ""
    """What is misspelt in its options."""
    transformed: bool = False
    """Whether transforms have seen what it inherits, which is then among its own options."""

    @property
    def package(self) -> str:
        """The package whose provider manages it."""
        if self.base:
            return self.base
        # A provider's own methods are called "pulumi:providers:aws/method".
        name = self.type.removeprefix(PROVIDERS) if self.is_provider else self.type.split(":", 1)[0]
        return name.split("/", 1)[0]

    @property
    def is_provider(self) -> bool:
        """Whether it is a provider resource."""
        return self.type.startswith(PROVIDERS)


def urn_of(goal: Goal, stack: str, project: str) -> str:
    """The URN that an error about a goal names; empty if nobody could read it."""
    try:
        return str(make(stack, project, goal.parent or None, goal.type, goal.name))
    except MalformedError:
        return ""


def new_state(goal: Goal, urn: str, alias: str = "") -> ResourceState:
    """The state that ``goal`` starts as: its raw inputs, no id and no outputs; ``alias`` is how it was known before."""
    options = remembered(goal)
    if goal.replacement_trigger is not None:
        # As in the real engine, which writes a null where a secret is in a trigger.
        options["replacement_trigger"] = map_value(
            goal.replacement_trigger, lambda value: Secret(None) if isinstance(value, Secret) else value
        )
    return ResourceState(
        urn=urn,
        type=goal.type,
        custom=goal.custom,
        id=goal.read_id,
        inputs=goal.inputs,
        external=goal.reads,
        aliases=(alias,) if alias else (),
        # As in the real engine, which keeps it only of what it manages.
        extension_ref="" if goal.reads else goal.extension,
        **options,
    )


def alias_urns(goal: Goal, stack: str, project: str, adopted: Mapping[str, str]) -> tuple[str, ...]:
    """The URNs under which ``goal`` may have been known: its own aliases first, then those that follow from its parent's.

    ``adopted`` maps the URNs of this run's resources to the alias under which their old state was found.
    """
    own = [_alias_urn(alias, goal, stack, project, adopted) for alias in goal.aliases]
    inherited = []
    if goal.parent in adopted:
        parent, old_parent = Urn.parse(goal.parent), Urn.parse(adopted[goal.parent])
        names = [(goal.name, goal.type)] + [(Urn.parse(urn).name, Urn.parse(urn).type) for urn in own]
        for name, type_ in names:
            # Children named after their parent ("app-role" under "app") follow its renaming.
            renamed = old_parent.name + name[len(parent.name) :] if name.startswith(parent.name) else name
            inherited.append(str(Urn(stack, project, f"{old_parent.qualified_type}${type_}", renamed)))
    return tuple(dict.fromkeys([*own, *inherited]))


def _alias_urn(alias: Alias, goal: Goal, stack: str, project: str, adopted: Mapping[str, str]) -> str:
    if alias.urn:
        return alias.urn
    parent = "" if alias.no_parent else adopted.get(alias.parent, alias.parent) if alias.parent else goal.parent
    prefix = ""
    if parent:
        qualified = Urn.parse(parent).qualified_type
        prefix = "" if qualified == STACK_TYPE else qualified + "$"
    qualified_type = prefix + (alias.type or goal.type)
    return str(Urn(alias.stack or stack, alias.project or project, qualified_type, alias.name or goal.name))


__all__ = ["Alias", "Goal", "Parameterization", "alias_urns", "new_state", "urn_of"]
