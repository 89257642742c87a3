"""What somebody says of single answers, as it is kept: a test, a file, a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from mockprovider.calls import Call
from mockprovider.values import Bag, reveal, same

Matching = Mapping[str, Any] | Callable[[Bag], Any] | None
"""Which calls an answer is for: arguments with their values, or a function of the arguments."""


class Saying(Struct):
    """One thing that is said of a function's answers, or of the outputs of a type.

    Args:
        of: the names of the function or type, in either ecosystem's spelling; ``*`` stands for anything.
        answer: what it answers: a mapping, a list of these for one call after the other, or a function of the arguments.
        when: which calls it is for; all, unless given.
        name: the resource that it is for, by its name in the program or its address; every one, unless given.
        templates: whether texts in it are templates over the arguments and the places of the provider.
        lenient: whether what the schema does not have is left out, and not refused.
        origin: where it was said, as the journal shows it.
    """

    of: tuple[str, ...]
    answer: Any
    when: Matching = None
    name: str = ""
    templates: bool = False
    lenient: bool = False
    origin: str = ""
    given: int = 0

    def is_of(self, names: set[str]) -> bool:
        """Whether it is about what has these names."""
        return any(
            wanted in names or ("*" in wanted and any(fnmatchcase(name, wanted) for name in names)) for wanted in self.of
        )

    def fits(self, arguments: Bag) -> bool:
        """Whether it is for a call with these arguments."""
        if self.when is None or callable(self.when):
            return self.when is None or bool(self.when(dict(arguments)))
        return all(same(reveal(arguments.get(name)), value) for name, value in self.when.items())

    def is_for(self, call: Call) -> bool:
        """Whether it is for the resource that a call is about."""
        address = call.address.rpartition("[")[0] if call.address.endswith("]") else call.address
        return self.name in ("", call.name, call.address, address, address.rpartition(".")[2])


class Sayings(Struct):
    """What one place says: a test, a file, a preset. Later ones count before earlier ones."""

    answers: list[Saying] = field(default_factory=list)
    outputs: list[Saying] = field(default_factory=list)
    elements: dict[tuple[str, str], int] = field(default_factory=dict)
    """By type or function (nothing: all) and path in it (nothing: all)."""

    def copied(self) -> Sayings:
        """The same, of which nothing was given yet."""
        return Sayings([replace(one, given=0) for one in self.answers], [*self.outputs], dict(self.elements))


NOTHING_SAID = Sayings()


def joined(*several: Sayings) -> Sayings:
    """What several places say; later ones count before earlier ones."""
    return Sayings(
        [saying for sayings in several for saying in sayings.answers],
        [saying for sayings in several for saying in sayings.outputs],
        {key: count for sayings in several for key, count in sayings.elements.items()},
    )
