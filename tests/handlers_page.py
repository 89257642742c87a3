"""The tables of ``docs/handlers.md``, behind what is written by hand there. ``python tests/handlers_page.py`` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mockprovider.pulumi.op_fields import FieldUse, OpFields, op_fields

PAGE = Path(__file__).resolve().parents[1] / "docs" / "handlers.md"
MARK = "## Every op\n"


def written() -> str:
    """The text of the page."""
    head, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise SystemExit(f"{PAGE} has no line {MARK.strip()!r}, behind which the tables are written.")
    return head + mark + "".join(f"\n{section(fields)}\n" for fields in op_fields().values())


def section(fields: OpFields) -> str:
    """One op: what comes, what is wanted, and how it fails."""
    lines = [f"### `{fields.op.value}`: {fields.rpc}", ""]
    lines += [*table("Call", fields.brings), ""] if fields.brings else ["The call has no fields.", ""]
    lines += [*table("Reply", fields.wants), ""] if fields.wants else ["The reply has no fields.", ""]
    lines.append(failing(fields))
    return "\n".join(lines)


def table(what: str, uses: tuple[FieldUse, ...]) -> Iterator[str]:
    """The fields of a call or reply."""
    yield f"| `{what}` | holds | message |"
    yield "|---|---|---|"
    for use in uses:
        yield f"| `{use}` | {use.kind} | {use.wire} |"


def failing(fields: OpFields) -> str:
    """How an op fails."""
    if fields.paths:
        return "Failures: `Failure(reason, path)` names a property; with `status=` the whole call fails."
    if fields.partial:
        return "Failures: `Failure(reason, status=...)` fails the call; with `id` and `value` an object is half made."
    return "Failures: `Failure(reason, status=...)` fails the call."


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
