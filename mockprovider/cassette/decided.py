"""What a cassette's header keeps of the decisions about places, so that a replay needs none of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mockprovider.cassette.model import Cassette, Header
from mockprovider.cassette.naming import RecordedPlaces
from mockprovider.hints import did_you_mean
from mockprovider.redaction import Places, Redactor


def note_decisions(header: Header, redactor: Redactor, types: Iterable[str]) -> None:
    """Write into the header what is decided about the places of these types, and what is not."""
    known = sorted(set(types))
    header.secrets, header.public = redactor.secret.kept(known), redactor.public.kept(known)
    header.masks, header.undecided = redactor.masks.kept(known), redactor.still_open()


def decide_as(redactor: Redactor, header: Header) -> None:
    """Take over what a recording was told about places."""
    redactor.declare(header.secrets)
    redactor.decide(redactor.public, by_type=header.public)
    redactor.decide(redactor.masks, by_type=header.masks)


def take_decisions(redactor: Redactor, cassette: Cassette) -> None:
    """Decide as the recording did: its declared places are secret, and what it left readable in a request is not."""
    decide_as(redactor, cassette.header)
    redactor.origins.replay(cassette.request(interaction) for interaction in cassette.interactions)


WORDS: Mapping[str, str] = {"secret": "secrets", "public": "public", "masks": "masks"}
"""Where a redactor keeps what users name, and what they call it."""


WITHOUT_EFFECT: Mapping[str, str] = {
    "secrets": "has nothing that could be hidden in this recording.",
    "public": "needs no decision: nothing declares it secret.",
    "masks": "has no value in this recording: it is null, or not known yet.",
}
"""Why a name that is about some place has changed nothing, by what users call it."""
HOLDS = (
    "holds the secret of {}, which is taken out there, too. Make that public as well, or leave this name out: what is left of "
    "it is readable."
)
TAKEN_OUT = "is taken out all the same: it has the form of a credential, or secrets=[...] (--secret) counts there."
OPENLY = (
    "The provider does not accept secrets, so the engine sent them like any other value, and they are readable here. Name "
    "their properties with secrets=[...] (--secret), and record again."
)


def notices(redactor: Redactor, cassette: Cassette, *, openly: bool = False) -> list[str]:
    """What whoever records should know of these decisions, and the cassette does not say, in plain sentences.

    ``openly``: secrets may have come without a mark, which is no news to whoever has named some.
    """
    said = [OPENLY] if openly and not redactor.secret.known else []
    if any(getattr(redactor, kind).given for kind in WORDS):
        places = RecordedPlaces(cassette, redactor.marks)
        said += [line for kind, word in WORDS.items() for line in _of_kind(getattr(redactor, kind), word, places)]
    return said


def _of_kind(kind: Places, word: str, places: RecordedPlaces) -> Iterator[str]:
    """What is to be said of the names of one kind."""
    unused = set(kind.unused())
    for name in kind.given:
        named = places.at(name)
        if not named and name in unused:
            yield f"{word}: {name!r} is nowhere in this recording. {did_you_mean(name, places.names)}".rstrip()
        elif word == WORDS["public"] and (secrets := places.contents(named).secrets):
            owners = places.owners(secrets, named)
            yield f"{word}: {name!r} {HOLDS.format(owners[0]) if owners else TAKEN_OUT}"
        elif name in unused:
            yield f"{word}: {name!r} {WITHOUT_EFFECT[word]}"
