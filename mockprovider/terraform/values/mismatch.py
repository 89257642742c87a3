"""Values that do not fit their type: errors that name the path, what is needed and what is nearest."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.types import Type


def expect(value: Any, kinds: type | tuple[type, ...], declared: Type, path: str) -> Any:
    """``value`` itself, if it is of one of the Python types ``kinds``. Raises ``MalformedError`` if not."""
    if not isinstance(value, kinds):
        raise wrong(value, declared, path)
    return value


def wrong(value: Any, declared: Type, path: str) -> MalformedError:
    """The error of a value that is no ``declared``."""
    # The value itself may be a secret.
    return MalformedError(f"{path or 'value'}: expected {declared.name}, got {type(value).__name__}.")


def check_names(found: Mapping[str, Any], declared: Type, path: str) -> None:
    """Raises ``MalformedError`` for a name that is no attribute of the object type ``declared``."""
    for name in found:
        if name not in declared.attributes:
            near = get_close_matches(str(name), declared.attributes, 1)
            hint = f" Did you mean {near[0]!r}?" if near else f" It has {', '.join(sorted(declared.attributes)) or 'none'}."
            raise MalformedError(f"{path or 'object'}: there is no attribute {name!r}.{hint}")


def join(path: str, name: str) -> str:
    """The path of an attribute of what is at ``path``."""
    return f"{path}.{name}" if path else name
