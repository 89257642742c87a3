"""Which recorded object each object of a replay is, where equal requests made several.

An object of a replay gets the generated values of some recorded object of its group: its *face*. Which recorded object it
stands for, its *role*, is settled by the first request that was recorded for only one object of the group. Until then, every
answer is one that all of them got. So a replay may create the objects in any order, and whatever refers to them still fits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from mockprovider.cassette.choice import Candidate, RecordedEntry
from mockprovider.cassette.holes import Birth, learn
from mockprovider.cassette.renaming import Mark, Pairing, Renaming, is_verbatim
from mockprovider.matching import digest
from mockprovider.redaction import PLACEHOLDER, Vault, neutral, stand_in

Where: TypeAlias = tuple[str, str, str, str]


class _Marked(Struct, eq=False):
    """An entry, the generated values in its request, and the births that these belong to.

    ``open``: some of the values are secrets, and which one a placeholder stands for becomes known later. ``verbatim``: nothing
    in the answer can be replaced.
    """

    entry: RecordedEntry
    atoms: list[Mark]
    roles: list[int]
    open: bool
    verbatim: bool


class Casting:
    """The objects of one replay.

    Args:
        entries: the recording, in order, each with the key under which it is looked up.
        makes: whether an entry's answer may contain new generated values.
        vault: the live secrets, by number.
    """

    def __init__(
        self, entries: Iterable[tuple[Where, RecordedEntry]], makes: Callable[[RecordedEntry], bool], vault: Vault
    ) -> None:
        listed = list(entries)
        named = any(entry.interaction.urn for _, entry in listed)
        # Calls that carry a URN are told apart by it.
        self.words = learn([] if named else [entry for _, entry in listed if makes(entry)])
        self._births: dict[int, Birth] = {birth.place: birth for birth in self.words.births}
        self._groups: dict[int, list[Birth]] = defaultdict(list)
        self._marked: dict[tuple[Where, str], list[_Marked]] = defaultdict(list)
        self._vault = vault
        secrets = {atom for birth in self.words.births for atom in birth.atoms if atom is not None and atom[0] == "secret"}
        self._stand_ins = {(kind, stand_in(number, kind)): number for _, kind, number in secrets}
        self._roles: dict[int, int] = {}
        self._played: dict[int, int] = {}
        self._origins: dict[int, dict[int, Pairing]] = {}
        self._asked: Counter[tuple[Where, str]] = Counter()
        for birth in self.words.births:
            self._groups[birth.group].append(birth)
        for where, entry in listed if self.words.births else ():
            tree, atoms = self.words.marked(entry.request)
            if atoms:
                self._marked[where, digest(neutral(tree))].append(self._of(entry, atoms))

    def _of(self, entry: RecordedEntry, atoms: list[Mark]) -> _Marked:
        open_ = any(atom[0] == "secret" for _, atom in atoms)
        return _Marked(entry, atoms, self.words.births_of(atoms), open_, is_verbatim(entry.interaction.response))

    def makes(self, entry: RecordedEntry) -> bool:
        """Whether the entry's answer created one of several equal objects."""
        return entry.place in self._births

    def blank(self, entry: RecordedEntry) -> Any:
        """The entry's answer without the values that were generated for its object."""
        return self._births[entry.place].blank

    # Finding ---------------------------------------------------------------------------------------------------------

    def matches(self, where: Where, live: Any) -> list[tuple[RecordedEntry, Pairing, Renaming]] | None:
        """The entries whose requests equal ``live`` except for generated values, each with its pairing and renaming.

        ``None`` if ``live`` has no generated values, so that entries are looked up by digest.
        """
        tree, atoms = self.words.marked(self._recognised(live) if self.words.births else live)
        if not atoms:
            return None
        faces, owners = self.words.births_of(atoms), self.words.owners(atoms)
        matches = []
        for marked in self._marked.get((where, digest(neutral(tree))), ()):
            if not marked.open and not self._agrees(marked.roles, faces, owners):
                continue
            for pairing in {self.words.pairing(marked.atoms, atoms), self._known(marked.roles, faces)} - {None}:
                renaming = self._renaming(marked, pairing or (), atoms)
                matches += [(marked.entry, pairing or (), renaming)] if renaming is not None else []
        return matches

    def _agrees(self, roles: Sequence[int], faces: Sequence[int], owners: Collection[int]) -> bool:
        """Whether what is settled allows a call with these faces to be about these roles. A quick test before the full one."""
        fits = all(self._roles[face] in roles for face in faces if face in self._roles)
        return fits and all(self._played[role] in owners for role in roles if role in self._played)

    def _renaming(self, marked: _Marked, pairing: Pairing, atoms: Sequence[Mark]) -> Renaming | None:
        if self._settled(pairing) is None:
            return None
        renaming = self.words.renaming(pairing, marked.atoms, atoms)
        if marked.verbatim and not renaming.changes_nothing:
            return None
        return renaming if not renaming.doubtful or renaming.is_sure(self._answered(marked.entry)) else None

    def _known(self, roles: Sequence[int], faces: Sequence[int]) -> Pairing | None:
        """The pairing by the settled roles, regardless of order: sets are sorted by their present values."""
        if len(roles) != len(faces) or not any(role in self._played for role in roles):
            return None
        open_roles = [role for role in roles if role not in self._played]
        open_faces = [face for face in faces if face not in self._roles]
        if len(open_roles) != len(open_faces):
            return None
        settled = ((role, self._played[role]) for role in roles if role in self._played)
        return tuple(sorted([*settled, *zip(open_roles, open_faces, strict=True)]))

    def _answered(self, entry: RecordedEntry) -> list[Mark]:
        return self.words.marked(self.blank(entry) if self.makes(entry) else entry.interaction.response)[1]

    def _recognised(self, live: Any) -> Any:
        """``live`` with the recording's number for each secret that this replay has given out."""
        if isinstance(live, list):
            return [self._recognised(subtree) for subtree in live]
        if not isinstance(live, dict):
            return live
        if PLACEHOLDER not in live:
            return {key: self._recognised(subtree) for key, subtree in live.items()}
        kind = live.get("kind", "string")
        # Any other number belongs to this replay, and must not be mistaken for one of the recording's.
        return {**live, PLACEHOLDER: self._stand_ins.get((kind, self._vault.value(live[PLACEHOLDER])), 0)}

    # Settling --------------------------------------------------------------------------------------------------------

    def _settled(self, pairing: Pairing) -> dict[int, int] | None:
        """``pairing`` as role to face, with everything that follows from it; ``None`` if it contradicts what is settled."""
        faces: dict[int, int] = {}
        pending = list(pairing)
        while pending:
            role, face = pending.pop()
            if faces.get(role) == face:
                continue
            origin = self._origins.get(face)
            if (
                role in faces
                or face in faces.values()
                or self._roles.get(face, role) != role
                or self._played.get(role, face) != face
                or (origin is not None and role not in origin)
            ):
                return None
            faces[role] = face
            pending += origin[role] if origin is not None else ()
        return faces

    def preferred(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """The candidates to choose from: where answers differ, those of the object whose values the call has, if any.

        Otherwise all of them, those of that object first.
        """
        own = [candidate for candidate in candidates if all(role == face for role, face in candidate.pairing)]
        if len({candidate.answer for candidate in candidates}) > 1:
            return own or candidates
        return [*own, *(candidate for candidate in candidates if candidate not in own)]

    def spent(self, where: Where, live: Any, candidates: Sequence[Candidate]) -> bool:
        """Whether this change was requested more often than it was recorded for any one object. Counts this request."""
        times = Counter(candidate.pairing for candidate in candidates)
        key = where, digest(live)
        if self._asked[key] >= max(times.values()):
            return True
        self._asked[key] += 1
        return False

    def spare(self, candidate: Candidate, entries: Iterable[RecordedEntry]) -> RecordedEntry | None:
        """An unused entry that differs from the candidate's only in the object: another object has used the object's own."""
        shape = self._shape(candidate.entry)
        return next((entry for entry in entries if not entry.used and self._shape(entry) == shape), None)

    def _shape(self, entry: RecordedEntry) -> tuple[str, str]:
        answer = self.blank(entry) if self.makes(entry) else entry.interaction.response
        request, answer = (neutral(self.words.marked(tree)[0]) for tree in (entry.request, answer))
        return digest(request), digest([answer, entry.interaction.status, entry.interaction.response_blob])

    def settle(self, chosen: Candidate, candidates: Sequence[Candidate]) -> Callable[[Any], Any] | None:
        """Note what follows from choosing ``chosen`` among ``candidates``. Returns the renaming of its answer."""
        open_ = [candidate for candidate in candidates if candidate.answer == chosen.answer]
        if len({candidate.pairing for candidate in candidates}) == 1 or len(open_) < len(candidates):
            for role, face in (self._settled(chosen.pairing) or {}).items():
                self._roles[face], self._played[role] = role, face
        birth = self._births.get(chosen.entry.place)
        if birth is None:
            return chosen.renaming
        face = self._face(birth)
        self._origins[face] = {
            self._births[candidate.entry.place].number: candidate.pairing
            for candidate in open_
            if candidate.entry.wave == chosen.entry.wave
        }
        if len(self._origins[face]) == 1:
            for role, other in (self._settled(((birth.number, face),)) or {}).items():
                self._roles[other], self._played[role] = role, other
        return self.words.recast(birth, face, chosen.renaming or self.words.renaming(()))

    def _face(self, birth: Birth) -> int:
        """The values for a new object: the birth's own unless they are given out already."""
        free = [other.number for other in self._groups[birth.group] if other.number not in self._origins]
        return birth.number if birth.number in free or not free else free[0]
