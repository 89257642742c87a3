"""Secrets out of trees before they are kept, and back into them when they are used.

Declared secret are the ``value`` of what a protocol marks as a secret object (and of outputs marked secret), and what stands
under a declared name in a value: the fields of a protocol's own messages are never meant. In a declared place every string,
number and boolean becomes a placeholder; the keys of objects stay, so that a reader sees the shape. A secret of six characters
or more is also taken out wherever else it turns up: as a whole string, inside a string, inside JSON in a string, inside
base64. Shorter ones go from their declared places only: ``prod`` elsewhere is hardly ever the secret. A key cannot be a
placeholder: it loses the secret in it for good. Words of the protocol are never taken for secrets.

- ``{"$secret": 3}`` is the third secret; ``kind`` says ``number``, ``bool`` or ``base64`` where it is no plain string;
- ``{"$text": ["a", {"$secret": 3}]}`` is a string with a secret in it; ``as`` says how it is spelled there (``json``,
  ``html``, ``ascii``: inside JSON as JavaScript, Go or Python writes it);
- ``{"$literal": {...}}`` is an object that has one of these three keys of its own.

Placeholders are numbers and not digests, because the digest of a weak password can be guessed.
"""

from mockprovider.redaction.credentials import known_form, looks_random
from mockprovider.redaction.declared import ANY, DEEP, Declarations, Declared, Name, Names, Steps, declared, of_secret, steps
from mockprovider.redaction.marks import UNMARKED, Marks
from mockprovider.redaction.masks import MASK
from mockprovider.redaction.placeholders import (
    LITERAL,
    PLACEHOLDER,
    PLAIN_BYTES,
    RESERVED,
    SHORTEST,
    STAND_IN,
    TEXT,
    UNKNOWN,
    Tree,
    encode,
    fill,
    is_plain,
    neutral,
    numbers,
    placeholder,
    renumber,
    stand_in,
)
from mockprovider.redaction.places import EVERY, Places, Policy
from mockprovider.redaction.redactor import NAMELESS, Hidden, Redactor
from mockprovider.redaction.vault import CHUNK, Vault

__all__ = [
    "ANY",
    "CHUNK",
    "DEEP",
    "EVERY",
    "LITERAL",
    "MASK",
    "NAMELESS",
    "PLACEHOLDER",
    "PLAIN_BYTES",
    "RESERVED",
    "SHORTEST",
    "STAND_IN",
    "TEXT",
    "UNKNOWN",
    "UNMARKED",
    "Declarations",
    "Declared",
    "Hidden",
    "Marks",
    "Name",
    "Names",
    "Places",
    "Policy",
    "Redactor",
    "Steps",
    "Tree",
    "Vault",
    "declared",
    "encode",
    "fill",
    "is_plain",
    "known_form",
    "looks_random",
    "neutral",
    "numbers",
    "of_secret",
    "placeholder",
    "renumber",
    "stand_in",
    "steps",
]
