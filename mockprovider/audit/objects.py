"""The two sides of an audit as data: what exists, and what an engine remembers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct

from mockprovider.values import Bag


class ExistingObject(Struct, frozen=True):
    """An object that exists.

    Args:
        type: its type's token, or Terraform's name of a type that nobody declared.
        id: its id.
        properties: what it is made of, in plain text.
        resource: the URN or address of the resource that it was made for; empty where nobody knows.
        inputs: what it was made of, as the engine asked; ``None`` where nobody knows.
        is_ours: whether a provider call made it; one that was only read or imported existed before.
    """

    type: str
    id: str
    properties: Bag
    resource: str = ""
    inputs: Bag | None = None
    is_ours: bool = True

    def __str__(self) -> str:
        return f"{self.type} {self.id or '(without an id)'}"

    def __repr__(self) -> str:
        # Properties may be secret, and this is what a failed assertion shows.
        return f"<{self}{f' of {self.resource}' if self.resource else ''}>"


def as_it_is(properties: Bag) -> Bag:
    """The properties themselves: this engine remembers all of them."""
    return properties


class RememberedObject(Struct, frozen=True):
    """One object as an engine remembers it.

    Args:
        type: as of ``ExistingObject``; empty where only the id is known.
        id: its id; empty where the engine has none.
        properties: what the engine remembers, in plain text, ``UNKNOWN`` where that cannot be read; ``None`` if no value of it
            is to be compared.
        resource: its URN or address.
        inputs: what the program wanted of it, which counts where ``properties`` say nothing.
        secrets: names of properties whose values must not be shown.
        is_whole: whether what ``properties`` do not name is not there.
        waits: whether it waits for its deletion: the old instance of a replacement.
        is_unordered: whether its lists may be sets, which have no order.
        visible: what of an object's properties an engine may remember.
    """

    type: str
    id: str
    properties: Bag | None
    resource: str = ""
    inputs: Bag | None = None
    secrets: Collection[str] = ()
    is_whole: bool = True
    waits: bool = False
    is_unordered: bool = False
    visible: Callable[[Bag], Bag] = as_it_is

    def __str__(self) -> str:
        about = f" ({self.resource})" if self.resource else ""
        return f"{' '.join(filter(None, (self.type, self.id or '(without an id)')))}{about}"

    def __repr__(self) -> str:
        return f"<{self}>"


class CutOff(Struct, frozen=True):
    """An operation that began, and of which nobody knows how it ended.

    Args:
        kind: ``creating``, ``updating``, ``deleting``, ``reading`` or ``importing``.
        type: the type of its object.
        id: the object's id; empty where it had none yet.
        resource: its URN or address; empty where nobody knows.
        is_remembered: whether the engine's state says so; otherwise it is a call that the provider never answered.
    """

    kind: str
    type: str
    id: str = ""
    resource: str = ""
    is_remembered: bool = True

    def __str__(self) -> str:
        about = f" ({self.resource})" if self.resource else ""
        return f"{' '.join(filter(None, (self.kind, self.type, self.id)))}{about}"


class Remedies(Struct, frozen=True):
    """What an engine's user does about each finding: a sentence each, ``{type}``, ``{name}`` and ``{id}`` filled in.

    ``nameless`` stands for the name of a resource that nobody knows, and ``called`` gives the engine's name of a type.
    """

    adopt: str = ""
    forget: str = ""
    refresh: str = ""
    settle: str = ""
    nameless: str = ""
    called: Callable[[str], str] = str


class EngineMemory(Struct, frozen=True):
    """What one engine remembers: objects, operations that were cut off, and how many resources were left out, by package."""

    objects: Sequence[RememberedObject]
    cut_off: Sequence[CutOff] = ()
    left_out: Mapping[str, int] = {}
    remedies: Remedies = Remedies()


class Evidence(Struct, frozen=True):
    """What is known of what exists.

    Args:
        objects: what exists.
        is_whole: whether nothing else exists, as in a fake's cloud; otherwise others may, of which this says nothing.
        gone: the types and ids of what certainly does not exist any more.
        cut_off: calls that the provider never answered.
        forgotten: how many entries the journal has forgotten, of which this therefore knows nothing.
    """

    objects: Sequence[ExistingObject]
    is_whole: bool = True
    gone: Collection[tuple[str, str]] = ()
    cut_off: Sequence[CutOff] = ()
    forgotten: int = 0
