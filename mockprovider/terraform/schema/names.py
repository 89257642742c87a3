"""Names that Terraform's language allows, and those that it reserves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from mockprovider.errors import DefinitionError
from mockprovider.schema import Property
from mockprovider.terraform.schema.declared import attribute_names

NAME = re.compile(r"[^\W\d][\w-]*")
DATA = frozenset({"count", "depends_on", "for_each", "lifecycle", "provider"})
RESOURCE = DATA | {"connection", "provisioner"}
PROVIDER = frozenset({"alias", "count", "depends_on", "for_each", "lifecycle", "locals", "source", "version"})
"""The meta-arguments of each sort of block: the engine reads them and does not send them to providers."""


def check_arguments(what: str, properties: Mapping[str, Property], reserved: Collection[str]) -> None:
    """Raise ``DefinitionError``, naming ``what``, for an invalid attribute name, and for an argument with a reserved one."""
    with served(what):
        for attribute, name in attribute_names(properties).items():
            _check(attribute, name, reserved if properties[name].is_input else ())


def _check(attribute: str, name: str, reserved: Collection[str]) -> None:
    if not NAME.fullmatch(attribute):
        raise DefinitionError(
            f"property {name!r} would be the attribute {attribute!r}, and a name there is letters, digits, _ and -, after "
            "a letter. Give it terraform='another_name'."
        )
    if attribute in reserved:
        raise DefinitionError(
            f"property {name!r} would be the argument {attribute!r}, which the engine keeps for itself, so that no "
            "configuration could set it. Give it terraform='another_name'."
        )


@contextmanager
def served(what: str) -> Iterator[None]:
    """Name ``what`` in a ``DefinitionError``."""
    try:
        yield
    except DefinitionError as error:
        raise DefinitionError(f"{what} cannot be served to Terraform: {error}") from error
