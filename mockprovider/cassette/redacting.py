"""Decisions about places in a finished cassette: it becomes what it would be had its recording been told.

What is gone from a file cannot come back, so a place that is to be public must still be readable. The value of a secret that
was taken out earlier is not known here: a text around it that is now secret as a whole is known by its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette.decided import WITHOUT_EFFECT
from mockprovider.cassette.instances import PREFIX, instance_name, without_part
from mockprovider.cassette.model import Cassette, Header, HttpExchange, Interaction
from mockprovider.cassette.naming import Named, RecordedPlaces
from mockprovider.cassette.order import rearranged, renumbered
from mockprovider.cassette.scrubbing import Scrubber
from mockprovider.errors import CassetteError, DefinitionError
from mockprovider.matching import differences, encode
from mockprovider.redaction import (
    EVERY,
    NAMELESS,
    SHORTEST,
    Marks,
    Names,
    Redactor,
    Vault,
    fill,
    neutral,
    numbers,
    steps,
)

GONE = (
    "{name}: --public {place!r} cannot be done: what was there is not in the file any more. Record it again with public=[...] "
    "(--public)."
)
TOO_SHORT = (
    f"The value in line {{line}} has fewer than {SHORTEST} characters, so that it may be a part of other words. Name the "
    "property that holds it: --secret NAME."
)
INSTANCE = (
    "{name}: interaction {n} (Configure) has one of these values at {places}. A digest of what is configured names the "
    "provider's instance, and it would still tell of the value. Name the property, too: --secret {secret}."
)
UNKNOWN_INSTANCE = (
    "{name}: interaction {n} (Configure) would change, and the name of its provider instance ({instance}) is a digest that "
    "cannot be made again from what the file has. Record it again with these decisions."
)


class Decisions(Struct, frozen=True):
    """What is decided about places, in the words of ``recording``, and ``values`` that are secret wherever they stand."""

    secrets: Names = ()
    public: Names = ()
    masks: Names = ()
    values: Sequence[str] = ()


class TakenOut(Struct, frozen=True):
    """A place from which something was taken, as somebody would name it, and the interactions that had it there.

    There are none where it is in the header.
    """

    place: str
    interactions: tuple[int, ...] = ()


class RedactedCassette(Struct):
    """What became of a cassette. Interactions have the numbers of the new one.

    ``withheld`` lost their answer, and ``renamed`` have lost a part of the name that they are found by: no replay gives them.
    ``nowhere`` are the names, by the word for their kind, that are about no place of it, ``names`` those that could be given,
    and ``missing`` the values that it did not have, by line.
    """

    cassette: Cassette
    changed: bool
    taken: list[TakenOut]
    withheld: list[int]
    renamed: list[int]
    notes: list[str]
    nowhere: dict[str, list[str]]
    names: list[str]
    missing: list[int]


def redacted(cassette: Cassette, marks: Marks, decisions: Decisions) -> RedactedCassette:
    """The cassette with these decisions.

    Raises ``DefinitionError`` for what is no name or too short a value, and ``CassetteError`` for what cannot be done.
    """
    return _Redaction(cassette, marks, decisions).done()


def check_values(values: Sequence[str]) -> None:
    """Raise ``DefinitionError`` for a value that is too short to be looked for."""
    for line, value in enumerate(values, 1):
        if len(value) < SHORTEST:
            raise DefinitionError(TOO_SHORT.format(line=line))


class _Redaction:
    """One cassette on its way."""

    def __init__(self, cassette: Cassette, marks: Marks, decisions: Decisions) -> None:
        check_values(decisions.values)
        self._old = cassette
        self._marks = marks
        self._decisions = decisions
        self._places = RecordedPlaces(cassette, marks)
        self._named = {
            kind: {name: self._places.at(name) for name in dict.fromkeys(getattr(decisions, kind))}
            for kind in ("secrets", "public", "masks")
        }
        self._check_public()
        self._redactor = self._deciding()

    # What is decided ---------------------------------------------------------------------------------------------------

    def _check_public(self) -> None:
        header = self._old.header
        for name, named in self._named["public"].items():
            known = all(self._is_in(place, header.public) for place in named)
            if not known and self._places.contents(named).secrets:
                raise CassetteError(GONE.format(name=self._old.name, place=name))

    def _is_in(self, place: Named, by_type: Mapping[str, Iterable[str]]) -> bool:
        return any(place in self._places.at(name, token) for token, names in by_type.items() for name in names)

    def _without(self, by_type: Mapping[str, list[str]], kind: str) -> dict[str, list[str]]:
        """Those names by type of which not all places are named as ``kind`` now, or lie in one that is."""
        covering = {place for named in self._named[kind].values() for place in named}

        def stays(token: str, name: str) -> bool:
            named = self._places.at(name, token)
            return not named or not all(
                any((type_, path[:end]) in covering for end in range(len(path) + 1)) for type_, path in named
            )

        kept = {token: [name for name in names if stays(token, name)] for token, names in by_type.items()}
        return {token: names for token, names in kept.items() if names}

    def _deciding(self) -> Redactor:
        """A redactor with the decisions of the header and the new ones, which knows the given values."""
        header, decisions = self._old.header, self._decisions
        redactor = Redactor(decisions.secrets, marks=self._marks, public=decisions.public, masks=decisions.masks)
        redactor.vault.reserve(_highest(self._old))
        redactor.declare(header.secrets)
        redactor.decide(redactor.public, by_type=self._without(header.public, "secrets"))
        redactor.decide(redactor.masks, by_type=header.masks)
        # What nobody has decided about stays readable. These are no decisions to be kept.
        self._public = redactor.public.kept(self._types)
        redactor.decide(redactor.public, by_type=self._without(header.undecided, "secrets"))
        for value in decisions.values:
            redactor.vault.number(value, "string")
        return redactor

    @property
    def _types(self) -> set[str]:
        header = self._old.header
        tokens = {token for names in (header.secrets, header.public, header.masks) for token in names} - {EVERY}
        return tokens | {interaction.type for interaction in self._old.interactions}

    # What becomes of it ------------------------------------------------------------------------------------------------

    def done(self) -> RedactedCassette:
        """The cassette, and what is to be said of it."""
        learning = Scrubber(self._redactor, self._old.blobs)
        for interaction in self._old.interactions:
            # A later one may declare what an earlier one has.
            self._scrubbed(learning, interaction)
        scrubber = Scrubber(self._redactor, self._old.blobs)
        pairs = [(interaction, self._scrubbed(scrubber, interaction)) for interaction in self._old.interactions]
        instances = dict(self._instances(pairs))
        kept = [replace(new, instance=instances.get((new.provider, new.instance), new.instance)) for _, new in pairs]
        changed = Cassette(self._header(kept), kept, self._old.blobs, self._old.name)
        cassette, numbered = _in_order(self._old, changed)
        return RedactedCassette(
            cassette,
            changed=changed != self._old,
            taken=self._taken(pairs, numbered),
            withheld=[numbered[new.n] for old, new in pairs if new.withheld and not old.withheld],
            renamed=[numbered[new.n] for old, new in pairs if (old.urn, old.instance) != (new.urn, new.instance)],
            notes=[*self._notes()],
            nowhere={kind: [name for name in named if not named[name]] for kind, named in self._named.items()},
            names=self._places.names,
            missing=self._missing(),
        )

    def _scrubbed(self, scrubber: Scrubber, interaction: Interaction) -> Interaction:
        scrubbed = scrubber.scrubbed(interaction, self._redactor.names(interaction.type))
        if interaction.http:
            http = convert(self._nameless(to_builtins(interaction.http)), list[HttpExchange])
            scrubbed = replace(scrubbed, http=http)
        return scrubbed

    def _nameless(self, tree: Any) -> Any:
        """A tree that no placeholder may stand in, with a word for each secret."""
        hidden = self._redactor.hide(tree, again=True).tree
        return fill(hidden, lambda *_: NAMELESS) if hidden != tree else tree

    def _header(self, interactions: list[Interaction]) -> Header:
        header, types = self._old.header, self._types
        after = RecordedPlaces(Cassette(header, interactions, self._old.blobs), self._marks)
        open_ = self._without(self._without(header.undecided, "secrets"), "public")
        undecided = {
            token: [name for name in names if not after.at(name, token) or after.contents(after.at(name, token)).is_readable]
            for token, names in open_.items()
        }
        return replace(
            header,
            created_by=self._nameless(header.created_by),
            faults=self._nameless(header.faults),
            aliases=self._nameless(header.aliases),
            secrets=self._redactor.secret.kept(types),
            public=self._public,
            masks=self._redactor.masks.kept(types),
            undecided={token: names for token, names in undecided.items() if names},
        )

    def _instances(self, pairs: Iterable[tuple[Interaction, Interaction]]) -> Iterator[tuple[tuple[str, str], str]]:
        """The new names of provider instances that are called after a digest of what configures them."""
        listed = [*pairs]
        before = Redactor(marks=self._marks)
        before.decide(before.masks, by_type=self._old.header.masks)
        for old, new in listed:
            if old.op != Op.CONFIGURE or not old.instance.startswith(PREFIX) or old.instance != without_part(old.instance):
                continue
            # What a replay knows when the call comes: the places that are declared, and no value from elsewhere.
            alone = self._deciding_alone()
            names = alone.names(old.type)
            request = alone.hide(old.request, names, again=True).tree
            self._check_instance(old, request, new.request)
            was = instance_name(before.compared(old.request, before.names(old.type)))
            now = instance_name(alone.compared(request, names))
            if was not in (now, old.instance):
                raise CassetteError(UNKNOWN_INSTANCE.format(name=self._old.name, n=old.n, instance=old.instance))
            if was != now:
                yield (old.provider, old.instance), now
                parts = {other.instance for other, _ in listed if without_part(other.instance) == old.instance}
                yield from (((old.provider, part), part.replace(old.instance, now, 1)) for part in parts)

    def _deciding_alone(self) -> Redactor:
        alone = Redactor(marks=self._marks)
        alone.vault.reserve(_highest(self._old))
        for mine, theirs in ((alone.secret, self._redactor.secret), (alone.public, self._redactor.public)):
            alone.decide(mine, theirs.given, theirs.by_type)
        alone.decide(alone.masks, self._redactor.masks.given, self._redactor.masks.by_type)
        return alone

    def _check_instance(self, old: Interaction, declared: Any, scrubbed: Any) -> None:
        places = [self._place("", difference.path) for difference in differences(neutral(declared), neutral(scrubbed))]
        if places:
            raise CassetteError(
                INSTANCE.format(name=self._old.name, n=old.n, places=", ".join(dict.fromkeys(places)), secret=places[0])
            )

    # What is said of it ------------------------------------------------------------------------------------------------

    def _place(self, type_: str, path: str, field: str = "") -> str:
        inside = [step for step in steps(self._redactor.mask(path)) if step]
        end = next((at for at, step in enumerate(inside) if step.startswith("$")), len(inside))
        place = self._marks.named(inside[:end]) if inside[:end] else field
        return f"{type_}.{place}" if type_ else place

    def _taken(self, pairs: Iterable[tuple[Interaction, Interaction]], numbered: Mapping[int, int]) -> list[TakenOut]:
        taken: dict[str, list[int]] = defaultdict(list)
        for old, new in pairs:
            for place in self._changed_places(old, new):
                taken[place].append(numbered[new.n])
        header = self._old.header
        fields = {"created_by": header.created_by, "faults": header.faults, "aliases": header.aliases}
        for field, value in fields.items():
            if self._nameless(value) != value:
                taken[f"the header's {field}"] = []
        return [TakenOut(place, tuple(sorted(set(numbers)))) for place, numbers in sorted(taken.items())]

    def _changed_places(self, old: Interaction, new: Interaction) -> Iterator[str]:
        before, after = _trees(self._old, old), _trees(self._old, new)
        withheld = new.withheld != old.withheld
        for field, tree in before.items():
            if tree == after[field] or (withheld and field in ("response", "status")):
                continue
            for difference in differences(tree, after[field]):
                yield self._place(old.type, difference.path, FIELDS.get(field, field))

    def _notes(self) -> Iterator[str]:
        for kind in ("secrets", "masks"):
            for name, named in self._named[kind].items():
                if named and not self._places.contents(named).has_value:
                    yield f"{kind}: {name!r} {WITHOUT_EFFECT[kind]}"
        header = self._old.header
        for name, named in self._named["public"].items():
            if named and not any(self._is_in(place, kept) for place in named for kept in (header.undecided, header.public)):
                yield f"public: {name!r} {WITHOUT_EFFECT['public']}"

    def _missing(self) -> list[int]:
        """The lines of the values that are nowhere in the file."""
        vault = Vault()
        lines = {vault.number(value, "string"): line for line, value in enumerate(self._decisions.values, 1)}
        header = self._old.header
        seen = {secret.number for secret in vault.found(encode([header.created_by, header.faults, header.aliases]))}
        for interaction in self._old.interactions if lines else ():
            seen |= {
                secret.number for secret in vault.found(encode([_trees(self._old, interaction), to_builtins(interaction.http)]))
            }
        return sorted(line for number, line in lines.items() if number not in seen)


FIELDS = {"urn": "URN", "status": "the status", "instance": "the provider instance"}
"""What the fields of an interaction are called, where they have another name."""


def _trees(cassette: Cassette, interaction: Interaction) -> dict[str, Any]:
    status = interaction.status
    return {
        "urn": interaction.urn,
        "instance": interaction.instance,
        "id": interaction.id,
        "address": interaction.address,
        "request": cassette.request(interaction),
        "response": cassette.response(interaction),
        "status": status and {"message": status.message, "details": status.details},
        "http": to_builtins(interaction.http),
    }


def _highest(cassette: Cassette) -> int:
    """The highest number of a secret. Blobs have none."""
    trees = (
        (one.request, one.response, one.status and [one.status.message, one.status.details]) for one in cassette.interactions
    )
    return max((number for several in trees for tree in several for number in numbers(tree)), default=0)


def _in_order(old: Cassette, changed: Cassette) -> tuple[Cassette, dict[int, int]]:
    """The changed cassette in the order that the old one was in: one that was made smaller is not ranked as it was recorded."""
    arrangements: list[Callable[[Cassette], tuple[Cassette, dict[int, int]]]] = [
        rearranged,
        lambda cassette: rearranged(cassette, rank=False),
    ]
    for arranged in arrangements:
        if arranged(old)[0] == old:
            return arranged(changed)
    return renumbered(changed), {interaction.n: interaction.n for interaction in changed.interactions}
