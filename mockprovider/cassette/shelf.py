"""A recording, prepared for being replayed any number of times: nothing here changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette.matching import Comparison
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.objects import Mark, OpaqueWords, RecordedObject, is_verbatim, learn
from mockprovider.cassette.objects.explaining import answer_of
from mockprovider.cassette.order import ANYWHERE, answer_digest, canonical, request_digest
from mockprovider.cassette.recorded import RecordedCall, RequestKey, Where, request_key
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.matching import digest
from mockprovider.redaction import neutral

Arrange: TypeAlias = Callable[[str, str, Any], Any]
"""Given a method, a type and a tree of a request or an answer, the tree with its sets in one order."""


def as_recorded(_method: str, _type: str, tree: Any) -> Any:
    """The tree itself, of protocols without sets."""
    return tree


class Reader(Struct, frozen=True):
    """How the calls of one recorded provider are read.

    ``transcriber`` gives its protocol's trees, ``arrange`` puts the sets in them in order. What ``unrecorded`` returns is the
    answer to a call, if it returns one: that needs no recording, whatever was recorded.
    """

    transcriber: Transcriber
    arrange: Arrange = as_recorded
    unrecorded: Callable[[Call], Reply | None] = lambda _: None


class MarkedCall:
    """A recorded call whose request has generated values.

    ``objects`` are those that the values belong to, each once; ``verbatim`` says that nothing in the answer can be replaced.
    ``content`` is equal for calls with equal requests and answers.
    """

    def __init__(self, call: RecordedCall, marks: Sequence[Mark], objects: Sequence[int]) -> None:
        self.call = call
        self.marks = marks
        self.objects = tuple(objects)
        self.verbatim = is_verbatim(call.interaction.response)
        self.content = digest(call.request), call.answer


class Alike:
    """The recorded calls whose requests are equal, generated values apart.

    ``covers`` says that for each of the objects that they are about, there is one about each object that was made with it: so
    such a call does not tell objects apart. ``uniform`` says that it does not by its answers either.
    """

    def __init__(self) -> None:
        self.calls: list[MarkedCall] = []
        self.by_values: dict[tuple[Any, ...], list[MarkedCall]] = defaultdict(list)
        self.by_order: dict[tuple[int, ...], MarkedCall] = {}
        self.by_objects: dict[tuple[int, ...], list[MarkedCall]] = defaultdict(list)
        self.covers = False
        self.uniform = False

    def add(self, marked: MarkedCall) -> None:
        """Add a call."""
        self.calls.append(marked)
        self.by_values[values_of(marked.marks)].append(marked)
        self.by_order.setdefault(marked.objects, marked)
        self.by_objects[tuple(sorted(marked.objects))].append(marked)


class Equal:
    """Recorded calls with equal requests and equal answers, without secrets, that made no object: it matters only how many."""

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        self.calls = calls

    @cached_property
    def by_wave(self) -> Mapping[int, list[RecordedCall]]:
        """Those of each time, in their order."""
        waves: dict[int, list[RecordedCall]] = defaultdict(list)
        for call in self.calls:
            waves[call.wave].append(call)
        return waves

    @cached_property
    def most(self) -> int:
        """How often one session asked."""
        return max(Counter(call.interaction.session for call in self.calls).values())


class Compartment:
    """The recorded calls that are looked up in one place: by their requests, and those of them that have secrets."""

    def __init__(self, calls: Iterable[RecordedCall]) -> None:
        self.by_digest: dict[str, list[RecordedCall]] = defaultdict(list)
        self.with_secrets: list[RecordedCall] = []
        for call in calls:
            asked = call.asked
            self.by_digest[asked.digest].append(call)
            if asked.secret:
                self.with_secrets.append(call)


def values_of(marks: Sequence[Mark]) -> tuple[Any, ...]:
    """The generated values of some marks, in their order."""
    return tuple(mark.value for mark in marks)


class Shelf:
    """A recording, by everything that a call may be looked up by.

    Args:
        cassette: the recording.
        readers: by the provider's name in the cassette: ``""`` where it holds one provider.
        compared: given a type and a tree, the tree without what is masked in it, where anything is.
        asked: what of a request is compared, if that is not all of it.
    """

    def __init__(
        self,
        cassette: Cassette,
        readers: Mapping[str, Reader],
        compared: Callable[[str, Any], Any] | None = None,
        asked: Comparison | None = None,
    ) -> None:
        self.cassette = canonical(cassette)
        self.readers = readers
        self._answers: dict[int, str] = {}
        self._equal: dict[tuple[Where, str], Equal | None] = {}
        self._compared = compared
        self._of_request = asked
        self.asked: dict[int, list[Interaction]] = defaultdict(list)
        """What was asked of the engine during an interaction, by its number."""
        for interaction in self.cassette.interactions:
            if interaction.parent is not None:
                self.asked[interaction.parent].append(interaction)
        self.instances = {session.number: session.instance for session in self.cassette.header.sessions}
        self.calls = self._calls()
        self._by_where: dict[Where, list[RecordedCall]] = defaultdict(list)
        for call in self.calls:
            self._by_where[call.where].append(call)
        self._compartments: dict[Where, Compartment] = {}
        if compared or asked or any(reader.arrange is not as_recorded for reader in readers.values()):
            # What goes through the requests may find one that it cannot read: then the cassette is damaged, used or not.
            for call in self.calls:
                call.asked  # noqa: B018 - it looks at it
        # Calls that carry a URN are told apart by it: all of Pulumi's, and of Terraform's those about a state.
        named = any(call.interaction.urn for call in self.calls if call.interaction.op != Op.RAW.value)
        unnamed = [call for call in self.calls if not (named or call.interaction.urn)]
        self.vocabulary = learn([call for call in unnamed if self._generates(call.interaction)])
        self.made: Mapping[int, RecordedObject] = {recorded.place: recorded for recorded in self.vocabulary.objects}
        self.opaque = OpaqueWords(self.calls, self.vocabulary)

    def _calls(self) -> list[RecordedCall]:
        sessions = {session.number: session for session in self.cassette.header.sessions}
        mutates = {name: cache(reader.transcriber.mutates) for name, reader in self.readers.items()}
        asking, answering = self._request, self._answered
        calls = []
        for place, interaction in enumerate(self.cassette.interactions):
            if interaction.direction == "provider":
                session = sessions[interaction.session]
                once = not interaction.preview and mutates[interaction.provider](interaction.method)
                where = where_of(interaction)
                calls.append(RecordedCall(interaction, where, place, session.wave, session.preview, once, asking, answering))
        return calls

    def there(self, where: Where) -> Compartment:
        """The calls that are looked up there. Only these requests are looked at."""
        compartment = self._compartments.get(where)
        if compartment is None:
            compartment = self._compartments[where] = Compartment(self._by_where.get(where, ()))
        return compartment

    def _generates(self, interaction: Interaction) -> bool:
        mutates = self.readers[interaction.provider].transcriber.mutates(interaction.method)
        return mutates or interaction.op == Op.PLAN.value

    def _request(self, interaction: Interaction) -> RequestKey:
        """What is compared of a recorded request; of a blob nothing, unless it has to be gone through."""
        tree = interaction.request if self._of_request is None else self.cassette.request(interaction)
        tree = self._in_order(interaction, self._unmasked(interaction.type, tree))
        if self._of_request is not None:
            tree = self._of_request(interaction.provider, interaction.op, interaction.method, interaction.type, tree)
        key = request_key(tree)
        return key if self._of_request or not interaction.request_blob else replace(key, digest=interaction.request_blob)

    def _unmasked(self, type_: str, tree: Any) -> Any:
        return tree if self._compared is None else self._compared(type_, tree)

    def _in_order(self, interaction: Interaction, tree: Any) -> Any:
        return self.readers[interaction.provider].arrange(interaction.method, interaction.type, tree)

    def arranged(self, call: RecordedCall, tree: Any) -> Any:
        """A tree of this call's request or answer, with its sets in order."""
        return self._in_order(call.interaction, tree)

    def _answered(self, interaction: Interaction) -> str:
        """Equal for equal answers, and with them for equal questions to the engine."""
        response = self._in_order(interaction, self._unmasked(interaction.type, interaction.response))
        interaction = replace(interaction, response=response) if response is not interaction.response else interaction
        # Lines of log do not count: they are for people, and may contain times.
        asked = [question for question in self.asked.get(interaction.n, ()) if question.op != Op.LOG]
        if not asked:
            return answer_digest(interaction)
        return digest([answer_digest(interaction), [request_digest(question) for question in asked]])

    def asked_with(self, key: tuple[Where, str]) -> Sequence[RecordedCall]:
        """The calls that were asked there with a request of this digest."""
        where, wanted = key
        return self.there(where).by_digest.get(wanted, ())

    def equal(self, key: tuple[Where, str]) -> Equal | None:
        """The calls of which it matters only how many there are, of those asked there with a request of this digest."""
        if key not in self._equal:
            calls = self.asked_with(key)
            alike = bool(calls) and not (calls[0].secret or calls[0].place in self.made)
            if alike and len(calls) > 1:
                alike = len({call.answer for call in calls}) == 1 and not any(call.filled for call in calls)
                alike = alike and not any(call.secret or call.place in self.made for call in calls)
            self._equal[key] = Equal(calls) if alike else None
        return self._equal[key]

    def equal_to(self, call: RecordedCall) -> Equal | None:
        """The calls that equal this one, if it matters only how many there are."""
        return self.equal((call.where, call.asked.digest))

    @cached_property
    def alike(self) -> Mapping[tuple[Where, str], Alike]:
        """The calls about objects, by where they were asked and their request without generated values."""
        groups: dict[tuple[Where, str], Alike] = defaultdict(Alike)
        for call in self.calls if self.made else ():
            tree, marks = self.vocabulary.marked(call.request)
            if marks:
                objects = self.vocabulary.objects_of(marks)
                groups[call.where, digest(neutral(tree))].add(MarkedCall(call, marks, objects))
        for group in groups.values():
            group.covers = self._covers(group)
            group.uniform = len({self.blank_digest(marked.call) for marked in group.calls}) == 1
        return groups

    @cached_property
    def about(self) -> Mapping[int, tuple[int, ...]]:
        """The objects that each call's request is about, by the call's place."""
        return {marked.call.place: marked.objects for group in self.alike.values() for marked in group.calls}

    @cached_property
    def group(self) -> Mapping[int, Alike]:
        """The calls that are equal to a call but for generated values, by the call's place."""
        return {marked.call.place: group for group in self.alike.values() for marked in group.calls}

    def _covers(self, group: Alike) -> bool:
        about = {number for marked in group.calls for number in marked.objects}
        waves = {(self.vocabulary.objects[number].kin, self.vocabulary.objects[number].wave) for number in about}
        return all(recorded.number in about for recorded in self.vocabulary.objects if (recorded.kin, recorded.wave) in waves)

    def blank(self, call: RecordedCall) -> Any:
        """The call's answer without the values that were generated for its object."""
        return self.made[call.place].blank if call.place in self.made else answer_of(call)

    def answer(self, call: RecordedCall) -> str:
        """Equal for equal answers, generated values apart."""
        if call.place not in self.made or call.interaction.response_blob:
            return call.answer
        if call.place not in self._answers:
            blank = self.arranged(call, self.blank(call))
            self._answers[call.place] = digest([blank, call.interaction.withheld])
        return self._answers[call.place]

    def blank_digest(self, call: RecordedCall) -> str:
        """Equal for answers that are equal, generated values apart."""
        return digest([neutral(self.vocabulary.marked(self.blank(call))[0]), call.interaction.status is None])

    @cached_property
    def kins(self) -> Mapping[int, list[int]]:
        """The numbers of the recorded objects of each kin, by that of the first."""
        kins: dict[int, list[int]] = defaultdict(list)
        for recorded in self.vocabulary.objects:
            kins[recorded.kin].append(recorded.number)
        return kins

    @cached_property
    def families(self) -> Mapping[int, list[RecordedObject]]:
        """The recorded objects that were made by one request at one time, by the number of the first."""
        families: dict[int, list[RecordedObject]] = defaultdict(list)
        for recorded in self.vocabulary.objects:
            families[recorded.family].append(recorded)
        return families


def where_of(interaction: Interaction) -> Where:
    """What an interaction is looked up by."""
    instance = interaction.instance if interaction.op not in ANYWHERE else ""
    return interaction.provider, instance, interaction.method, interaction.type, interaction.urn
