"""Cassettes of older format versions, as those of today: a step for each version.

A new version adds a row to ``MIGRATIONS`` and nothing else: reading and ``mockprovider cassette migrate`` go through the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from mockprovider.matching import encode

Elements: TypeAlias = list[dict[str, Any]]
"""The header and the interactions of a file, as JSON."""

MIGRATIONS: Mapping[int, Callable[[Elements], Elements]] = {}
"""What turns a file of this version into one of the next; it may change what it is given. ``version`` is set afterwards."""


def migrated(elements: Sequence[msgspec.Raw], version: int, to: int) -> list[msgspec.Raw]:
    """The elements of a file of ``version``, as those of one of version ``to``.

    Raises ``LookupError``, ``TypeError`` or ``ValueError`` for a file that is not what its version says.
    """
    trees: Elements = [msgspec.json.decode(element) for element in elements]
    for older in range(version, to):
        trees = MIGRATIONS[older](trees)
        trees[0]["version"] = older + 1
    return [msgspec.Raw(encode(tree)) for tree in trees]
