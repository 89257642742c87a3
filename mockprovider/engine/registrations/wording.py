"""What the real engine says where a user has met with it: tests look for these words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mockprovider.pulumi.signatures import ARCHIVE, ASSET
from mockprovider.values import Archive, Asset, Output, Secret, Value, is_unknown


def quoted(name: str) -> str:
    """``name`` as the real engine quotes names: with the quotes and escapes of Go."""
    return json.dumps(name, ensure_ascii=False)


def _command(urn: str) -> str:
    return f"or use the command:\n`pulumi state unprotect '{urn}'`"


PROGRAM = "`protect` flag from the resource in your Pulumi program and run `pulumi up`"


def undeletable(urn: str) -> str:
    """Why a protected resource is not deleted."""
    return (
        f"resource {quoted(urn)} cannot be deleted\nbecause it is protected. To unprotect the resource, "
        f"either remove the {PROGRAM}, {_command(urn)}"
    )


def irreplaceable(urn: str, because: str = "") -> str:
    """Why a protected resource is not replaced, be it ``because`` of another."""
    cause = f" as part of replacing {quoted(because)} " if because else "\n"
    command = f", {_command(urn)}" if because else ""
    return (
        f"unable to replace resource {quoted(urn)}{cause}as it is currently marked for protection. "
        f"To unprotect the resource, remove the {PROGRAM}{command}"
    )


def left_out(urn: str, missing: str, *, excluded: bool) -> str:
    """Why ``urn``, a target, cannot have what is ``missing``; the real engine says the same of what is ``excluded``."""
    hint = " It is excluded: exclude what depends on it, too." if excluded else ""
    return f"Resource '{urn}' depends on '{missing}' which was was not specified in --target list.{hint}"


def unasked_for(urn: str) -> str:
    """Why ``urn`` is not deleted along with a target."""
    return (
        f"Resource '{urn}' will be destroyed but was not specified in --target list.\n"
        "Either include resource in --target list or pass --target-dependents to proceed."
    )


def duplicate(urn: str) -> str:
    """Why ``urn`` is not registered again."""
    return f"Duplicate resource URN '{urn}'; try giving it a unique name"


def claimed(urn: str, alias: str, claimant: str) -> str:
    """Why ``urn`` cannot be what ``claimant`` is, by an alias or by its own name."""
    if urn == alias:
        return f"Duplicate resource URN '{urn}' conflicting with alias on resource with URN '{claimant}'"
    of_both = f"applied to resource with URN '{urn}' conflicting with resource with URN '{claimant}'"
    return f"Duplicate resource alias '{alias}' {of_both}"


def denied(package: str, urn: str) -> str:
    """Why a resource has no default provider."""
    return f"Default provider for '{package}' disabled. '{urn}' must use an explicit provider."


def changed_provider(reference: str, urn: str) -> str:
    """Why what is no target cannot have another provider."""
    return (
        f"provider {reference} for resource {urn} has not been registered yet, this is due to a change of providers mixed with "
        "--target. Change your program back to the original providers"
    )


def hooks_without_program(names: Sequence[str]) -> str:
    """Why what has these hooks for its deletion is not deleted without the program."""
    return f"Resource has delete hooks registered, but the program is not running. Hooks: {', '.join(names)}"


RUN_PROGRAM = (
    "You must run with the `--run-program` flag to use delete hooks during destroy. "
    "The embedded engine takes it as destroy(program, run_program=True)."
)
"""What to do about that."""


def listed(reasons: Sequence[str]) -> str:
    """What failed after an object was made, or half made."""
    count = f"{len(reasons)} error{'s' if len(reasons) > 1 else ''} occurred:"
    return "\n".join([count, *(f"\t* {reason}" for reason in reasons), "", ""])


# Values ----------------------------------------------------------------------------------------------------------------


def show(value: Value) -> str:
    """A value as the real engine prints it, but for secrets, which it prints in the clear."""
    value = bare(value)
    if is_unknown(value):
        return "output<string>{}"
    return f"{{{_text(value)}}}"


def _text(value: Any) -> str:
    form = next((form for cls, form in FORMS.items() if isinstance(value, cls)), str)
    return form(value)


def number(value: float) -> str:
    """A number as the real engine prints it: the shortest digits, without a point where it is whole."""
    return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)


FORMS: Mapping[type, Callable[[Any], str]] = {
    Secret: lambda _: "[secret]",
    dict: lambda bag: f"map[{' '.join(f'{key}:{show(bag[key])}' for key in sorted(bag))}]",
    list: lambda items: f"[{' '.join(map(show, items))}]",
    bool: lambda flag: str(flag).lower(),
    float: number,
    type(None): lambda _: "<nil>",
    Asset: lambda asset: f"&{{{ASSET} {asset.hash} {asset.text or ''} {asset.path or ''} {asset.uri or ''}}}",
    Archive: lambda archive: f"&{{{ARCHIVE} {archive.hash} map[] {archive.path or ''} {archive.uri or ''}}}",
}
"""How the real engine prints what is inside of the braces."""


def bare(value: Value) -> Value:
    """A value out of its output."""
    while isinstance(value, Output):
        value = Secret(value.value) if value.secret else value.value
    return value
