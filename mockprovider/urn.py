"""Pulumi's resource names: ``urn:pulumi:<stack>::<project>::<qualified type>::<name>``.

The qualified type is the types of the parents and of the resource itself, joined by ``$``. A name may hold anything, ``::``
too; the other parts may not, because that is where an engine splits.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from mockprovider.errors import MalformedError

PREFIX = "urn:pulumi:"
SEPARATOR = "::"
STACK_TYPE = "pulumi:pulumi:Stack"
"""The type of a stack's root resource, which contributes nothing to the qualified types of its children."""

PROVIDERS = "pulumi:providers:"
"""How the types of provider resources begin; the package's name follows."""

SHAPE = "urn:pulumi:<stack>::<project>::<qualified type>::<name>"


class Urn(Struct, frozen=True):
    """A URN in its parts. ``str(urn)`` is its text; equal texts are equal URNs."""

    stack: str
    project: str
    qualified_type: str
    name: str

    @classmethod
    @lru_cache(maxsize=1 << 12)  # a registration has the same few again and again
    def parse(cls, text: str) -> Urn:
        """The URN that ``text`` spells.

        As an engine does, it takes any text with the prefix and four parts, empty ones included.

        Raises:
            MalformedError: the prefix or a part is missing.
        """
        parts = text[len(PREFIX) :].split(SEPARATOR, 3) if text.startswith(PREFIX) else ()
        if len(parts) != 4:
            raise MalformedError(_complaint(text))
        return cls(*parts)

    def __str__(self) -> str:
        return f"{PREFIX}{self.stack}::{self.project}::{self.qualified_type}::{self.name}"

    @property
    def type(self) -> str:
        """The resource's own type token: the last part of the qualified type."""
        return self.qualified_type.rpartition("$")[2]

    @property
    def parent_types(self) -> tuple[str, ...]:
        """The type tokens of the parents, outermost first; without the stack's."""
        return tuple(self.qualified_type.split("$")[:-1])

    @property
    def package(self) -> str:
        """The package of the type token: ``aws`` of ``aws:s3/bucket:Bucket``, ``pulumi`` of a provider resource."""
        return self.type.partition(":")[0]


def make(stack: str, project: str, parent: Urn | str | None, type: str, name: str) -> Urn:  # noqa: A002 - the protocol's word
    """The URN of a resource of ``type`` called ``name`` under ``parent``. No parent, or a stack, contributes nothing.

    Raises:
        MalformedError: ``parent`` is no URN, or stack or project hold ``::``, which no engine would read back. That the type of
            a component holds it is bad, and engines take it.
    """
    above = Urn.parse(parent) if isinstance(parent, str) and parent else parent
    qualified = f"{above.qualified_type}${type}" if isinstance(above, Urn) and above.qualified_type != STACK_TYPE else type
    for what, part in (("stack", stack), ("project", project)):
        if SEPARATOR in part:
            raise MalformedError(f"The {what} {part!r} holds '::', which separates the parts of a URN.")
    return Urn(stack, project, qualified, name)


def reference(urn: Urn | str, id: str) -> str:  # noqa: A002 - the protocol's word
    """The provider reference ``<urn>::<id>``, by which resources name the provider instance that they belong to."""
    return f"{urn}{SEPARATOR}{id}"


def parse_reference(text: str) -> tuple[Urn, str]:
    """The URN and id of the provider reference ``text``. The id stands after the last ``::``.

    Raises:
        MalformedError: it is not a URN followed by an id.
    """
    urn, _, id_ = text.rpartition(SEPARATOR)
    if urn.startswith(PREFIX) and urn.count(SEPARATOR) >= 3:
        return Urn.parse(urn), id_
    raise MalformedError(f"{text!r} is no provider reference. Expected {SHAPE}::<id>.")


def _complaint(text: str) -> str:
    if not text:
        return f"A URN is missing: the text is empty. Expected {SHAPE}."
    if not text.startswith(PREFIX):
        return f"{text!r} is no URN: it does not start with {PREFIX!r}. Expected {SHAPE}."
    parts = text.count(SEPARATOR) + 1
    return f"{text!r} is no URN: it has {parts} of the 4 parts that '::' separates. Expected {SHAPE}."
