"""Defaults that are more than a value: automatic names, random text, and templates over other properties.

Names and random text depend on a seed and on the property's path alone, so that repeated checks, update plans and replays get
the same. The old value is kept until the program sets one.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call
from mockprovider.fake.computing import fields, fill_all
from mockprovider.paths import Path, show
from mockprovider.payloads import DISABLE, ENFORCE, PROPOSE, NamingOptions
from mockprovider.properties import HEX_DIGITS, Property, Random, Template
from mockprovider.values import UNKNOWN, Bag, Secret, Value


class Choices(Struct, frozen=True):
    """The sources of names and random values.

    Args:
        seed: the source of randomness; without one, there are no names and no random values.
        name: the resource's name.
        prior: the old values, which are kept; those of a list by index.
        left_open: a value that cannot be chosen yet is unknown, not absent.
        proposed: the name that the engine's options propose.
        mode: the engine's naming mode: ``PROPOSE``, ``ENFORCE`` or ``DISABLE``.
        at: the path of the properties in the resource.
    """

    seed: bytes = b""
    name: str = ""
    prior: Value = None
    left_open: bool = False
    proposed: str = ""
    mode: int = PROPOSE
    at: Path = ()

    def inside(self, segment: str | int) -> Choices:
        """The choices inside a property or at an index."""
        return replace(self, prior=self._before(segment), at=(*self.at, segment))

    def _before(self, segment: str | int) -> Value:
        prior = self.prior.value if isinstance(self.prior, Secret) else self.prior
        if isinstance(segment, str):
            return prior.get(segment) if isinstance(prior, Mapping) else None
        return prior[segment] if isinstance(prior, (list, tuple)) and segment < len(prior) else None

    def default(self, name: str, item: Property, filled: Bag) -> Value:
        """The default of an unset property with ``filled`` siblings; ``None`` if there is none.

        Raises ``DefinitionError`` for a malformed template.
        """
        if isinstance(item.default, Template):
            known = all(filled.get(field) is not None for field in fields(item.default.text))
            return fill_all(item.default.text, filled) if known else None
        before = self._before(name)
        if before is not None:
            return before
        chosen = self._named(name, item) if item.auto_name else self._drawn(name, item.default)
        return UNKNOWN if chosen is None and self.left_open else chosen

    def _drawn(self, name: str, wanted: Random) -> str | None:
        if not self.seed:
            return None
        return wanted.prefix + drawn(self.seed, show((*self.at, name)), wanted.length, wanted.alphabet)

    def _named(self, name: str, item: Property) -> str | None:
        if self.proposed and self.mode != DISABLE:
            # An enforced name stays as it is, and Check fails if it does not fit.
            return self.proposed if self.mode == ENFORCE else self.proposed[: item.max_length]
        if not self.seed or self.mode == DISABLE:
            return None
        point = show((*self.at, name))
        parts = [
            (before, field, drawn(self.seed, point, int(spec or 7), HEX_DIGITS) if field == "random" else "")
            for before, field, spec, _ in string.Formatter().parse(item.name_template)
        ]
        fixed = sum(len(before) + len(characters) for before, _, characters in parts)
        room = None if item.max_length is None else max(item.max_length - fixed, 0)
        return "".join(before + (self.name[:room] if field == "name" else characters) for before, field, characters in parts)


def drawn(seed: bytes, point: str, length: int, alphabet: str) -> str:
    """``length`` characters of ``alphabet``, determined by ``seed`` and ``point``."""
    text = ""
    while len(text) < length:
        block = sha256(b"\x1f".join((seed, point.encode(), str(len(text)).encode()))).digest()
        text += "".join(alphabet[byte % len(alphabet)] for byte in block)
    return text[:length]


def of_check(call: Call) -> Choices:
    """The choices of Pulumi's Check. Terraform sends no seed, so there nothing is chosen before apply."""
    if not call.session.protocol.names_resources:
        return Choices()
    options = call.autonaming or NamingOptions()
    return Choices(
        seed=call.seed or call.urn.encode(),
        name=call.name,
        prior=call.prior_inputs or {},
        proposed=options.proposed_name,
        mode=options.mode,
    )
