"""What the real engine says where a user has met with it: tests look for these words."""

from __future__ import annotations

import json
from collections.abc import Sequence


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
