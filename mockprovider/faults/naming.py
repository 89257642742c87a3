"""What a rule calls things: types that can only be misspelt, and the call that a rule most likely meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from mockprovider.calls import Call
from mockprovider.errors import DefinitionError
from mockprovider.faults.when import SELECTING, When, handles
from mockprovider.hints import did_you_mean, near, suggest

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
            f"Nobody declared the type {type_!r}. {suggest(meant)} If it is a type of its own, declare it first: "
            "provider.define(ResourceType(...))."
        )


UNTOLD: Mapping[str, str] = {
    "name": "a name, as its protocol has none: leave",
    "address": "an address: run serially (parallelism = 1), or leave",
    "instance": "an instance, as its protocol has none: leave",
    "id": "an id: leave",
    "method": "an RPC, as it came over no wire: leave",
}
"""What may be told of no call at all, and what to do about it."""


def missed(when: When, calls: Sequence[Call]) -> str:
    """Why a rule fitted no call of its op, given those that came: what of the nearest is another than what is selected."""
    op = when.op.value
    if not calls:
        return f"no {op} was asked for"
    if when.type in ("", *(call.type for call in calls)):
        for word, hint in UNTOLD.items():
            if getattr(when, word) and not any(handles(call)[word] for call in calls):
                return f"no {op} told {hint} {word}={getattr(when, word)!r} out"
    wanted = " ".join(getattr(when, word) for word in SELECTING)
    near = max(calls, key=lambda call: (-len(when.apart(call)), _alike(wanted, call)))
    apart = " and ".join(f"{word} is {actual}, not {expected}" for word, (expected, actual) in when.apart(near).items())
    return f"no such {op} was asked for; of the nearest, the {apart}"


def _alike(wanted: str, call: Call) -> float:
    return SequenceMatcher(None, wanted, " ".join(handles(call).values())).ratio()
