"""What a Python program registers. The real engine tells only the old name of a renamed resource that is left alone."""

from __future__ import annotations

from typing import Any, TypeVar

from mockprovider.urn import make

Anything = TypeVar("Anything")


def noting(program: Anything, stack: str, project: str) -> tuple[Anything, set[str]]:
    """``program``, and the URNs of what it registers once it runs, as if nothing had a parent; none where it is no function."""
    urns: set[str] = set()
    if not callable(program):
        return program, urns

    def note(resource: Any) -> None:
        urns.add(str(make(stack, project, None, resource.type_, resource.name)))

    def noted() -> Any:
        from pulumi.runtime import register_stack_transformation  # noqa: PLC0415 - importing pulumi takes half a second

        register_stack_transformation(note)
        return program()

    return noted, urns  # type: ignore[return-value] # a program, too
