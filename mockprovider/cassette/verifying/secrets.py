"""Which secrets of a recording the provider of today cannot tell, since the user sent them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.verifying.generated import leaves
from mockprovider.errors import UnknownSecretError
from mockprovider.matching import step
from mockprovider.redaction import PLACEHOLDER, numbers


def check_secrets(cassette: Cassette, order: Sequence[Interaction], given: Collection[int]) -> None:
    """Raise ``UnknownSecretError`` for secrets that are needed and not ``given``, and for numbers that there are not."""
    answered: set[int] = set()
    wanted: dict[int, str] = {}
    known: set[int] = set()
    for interaction in order:
        request, response = cassette.request(interaction), cassette.response(interaction)
        known |= {*numbers([request, response])}
        for number, path in _places(request, ""):
            if number not in answered:
                wanted.setdefault(number, f"{_of(interaction)}{path} (interaction {interaction.n})")
        answered |= {value[1] for _, value in leaves(response) if isinstance(value, tuple)}
    strange = sorted({*given} - known)
    if strange:
        has = f"It has those from 1 to {max(known)}." if known else "It has none."
        raise UnknownSecretError(f"{cassette.name} has no secret number {strange[0]}. {has}")
    missing = [number for number in sorted(wanted) if number not in given]
    if missing:
        listed = "\n".join(f"  --secret-env {number}=NAME  for {wanted[number]}" for number in missing)
        raise UnknownSecretError(
            f"{cassette.name} was recorded with secrets that its user sent, and a cassette does not have them. Put "
            f"the value of each into an environment variable, and say which:\n{listed}"
        )


def _of(interaction: Interaction) -> str:
    return f"{interaction.type}." if interaction.type else f"{interaction.op}: "


def _places(tree: Any, path: str) -> Iterator[tuple[int, str]]:
    """The secrets in a tree, and where they stand."""
    if isinstance(tree, dict) and PLACEHOLDER in tree:
        yield tree[PLACEHOLDER], path
    elif isinstance(tree, dict):
        for name, subtree in tree.items():
            yield from _places(subtree, path if name.startswith("$") else step(path, name))
    elif isinstance(tree, list):
        for subtree in tree:
            yield from _places(subtree, path)
