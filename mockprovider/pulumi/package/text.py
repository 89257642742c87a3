"""The text of a package schema, in JSON or YAML, as data."""

from __future__ import annotations

from typing import Any

from mockprovider.document import parse
from mockprovider.errors import DefinitionError


def read_text(text: str, origin: str) -> Any:
    """The data in ``text``. Raises ``DefinitionError`` with line and column, and for a key that occurs twice."""
    # JSON is YAML, too, but the JSON reader is a hundred times faster, and has better errors.
    is_json = text.lstrip("\ufeff \t\r\n").startswith(("{", "[")) or not text.strip()
    return parse(text, origin) if is_json else _yaml(text, origin)


def _yaml(text: str, origin: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped] # noqa: PLC0415 - optional, and JSON needs none
    except ImportError as error:
        raise DefinitionError(
            f"{origin}: this is no JSON, and YAML needs PyYAML. Install mockprovider[pulumi], or convert it to JSON."
        ) from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _refuse_twice(yaml, root, origin)
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DefinitionError(f"{origin}{place}: this is no YAML: {error.problem}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DefinitionError(f"{origin}: this is no YAML that can be read: {error}.") from error


def _refuse_twice(yaml: Any, root: Any, origin: str) -> None:
    """Raise ``DefinitionError`` if an object has a key twice, of which YAML silently takes the last."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
            continue
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        twice = next((key for position, key in enumerate(keys) if key in keys[:position]), None)
        if twice is not None:
            line = node.start_mark.line + 1
            raise DefinitionError(
                f"{origin}, line {line}: one object has the key {twice!r} twice, and only one can count. Remove the other."
            )
        waiting += [value for _, value in node.value]
