"""What a rule calls things: types that can only be misspelt, and the call that a rule most likely meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from mockprovider.calls import Op
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean, near

CLOSE = 0.85
"""How alike a declared type must be to be the one that was meant; ``Bucket`` and ``BucketPolicy`` are not that alike."""


def check(type_: str, declared: Mapping[str, str], *, strict: bool = False, foreign: bool = False) -> None:
    """Raise ``DefinitionError`` for a type that can only be misspelt; ``declared`` has Terraform's name for each token.

    Types need no declaration. But one that differs from a declared one in a letter or two is a typing error, unless one name
    continues the other (``Bucket``, ``BucketV2``). ``foreign`` types go by the names of a protocol of their own.
    """
    if not isinstance(type_, str):
        raise DefinitionError(f"Calls go by type tokens, and this is a {type(type_).__name__}: give its token, a string.")
    if type_ in declared:
        return
    if ":" not in type_:
        token = next((token for token, name in declared.items() if name == type_), "")
        if foreign and not token:
            return
        wanted = f"Write {token!r}." if token else "Write it as 'package:module:Member', e.g. 'cloud:index:Bucket'."
        raise DefinitionError(f"Calls and objects go by type tokens, and {type_!r} is none. {wanted}")
    if strict:
        hint = did_you_mean(type_, declared, "Declared are", alike=0.3)
        raise DefinitionError(f"Nobody declared the type {type_!r}, and this double is strict. {hint}")
    meant = near(type_, declared, CLOSE)
    if meant and not meant.startswith(type_) and not type_.startswith(meant):
        raise DefinitionError(
            f"Nobody declared the type {type_!r}. Did you mean {meant!r}? If it is a type of its own, declare it first: "
            "provider.define(ResourceType(...))."
        )


def missed(op: Op, type_: str | None, name: str | None, others: Sequence[tuple[str, str]], *, address: bool = False) -> str:
    """Why a rule about ``type_`` and ``name`` fitted no call of its op, given the types and names of those that came.

    With ``address``, the names are addresses.
    """
    if not others:
        return f"no {op.value} was asked for"
    if type_ in (None, *(other for other, _ in others)) and not any(known for _, known in others):
        if address:
            return f"no {op.value} told an address: run serially (parallelism = 1), or leave address={name!r} out"
        return f"no {op.value} told a name, as its protocol has none: leave name={name!r} out"
    wanted = f"{type_ or ''} {name or ''}"
    near = max(others, key=lambda other: SequenceMatcher(None, wanted, " ".join(other)).ratio())
    parts = [("type", type_, near[0]), ("address" if address else "name", name, near[1])]
    apart = " and ".join(
        f"{part} is {actual!r}, not {expected!r}" for part, expected, actual in parts if expected not in (None, actual)
    )
    return f"no such {op.value} was asked for; of the nearest, the {apart}"
