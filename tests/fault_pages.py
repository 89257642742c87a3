"""The page of each kind of fault: what it is, what it takes, and what engines did, all from where it is written."""

from __future__ import annotations

import inspect
import re
import sys

from fault_stage import OUTCOMES, ROWS, rows

from mockprovider.faults import KINDS, Phase
from mockprovider.faults.fault import EVERY, Fault

PAGES = OUTCOMES.parent / "faults"
EXAMPLES = {"latency": "2700", "drift": '{"acl": "public"}', "altered": 'values={"acl": "public"}'}
"""What the example gives a kind that takes what it cannot do without."""


def page(word: str, kind: type[Fault]) -> str:
    """The page of a kind, as Markdown."""
    module = inspect.getdoc(sys.modules[kind.__module__]) or ""
    does, _, arguments = (inspect.getdoc(kind) or "").partition("\nArgs:\n")
    op = "read" if kind.ops.isdisjoint({"create"}) else "create"
    parts = [
        f"# {word}",
        module.strip(),
        f'```text\nprovider.faults.on.{op}("cloud:index:Bucket").{word}({EXAMPLES.get(word, "")})\n```',
        does.strip(),
        _listed(arguments),
        f"It acts at {_ops(kind)}, in the {_phases(kind)}.",
        _seen(word),
        "All kinds, and how to choose the call: [faults](../faults.md).",
    ]
    return "\n\n".join(re.sub("(?<!`)``(?!`)", "`", part) for part in parts if part) + "\n"


def _listed(arguments: str) -> str:
    """The arguments of a docstring, one a line."""
    texts = re.split(r"\n(?! )", inspect.cleandoc(arguments)) if arguments.strip() else []
    named = (re.sub(r"\s+", " ", text).partition(": ") for text in texts)
    return "\n".join(f"- `{name}`: {text}" for name, _, text in named)


def _ops(kind: type[Fault]) -> str:
    if kind.ops == EVERY:
        return "every call"
    if len(EVERY - kind.ops) < 4:
        return f"every call but {', '.join(f'`{op.value}`' for op in sorted(EVERY - kind.ops))}"
    return ", ".join(f"`{op.value}`" for op in sorted(kind.ops))


def _phases(kind: type[Fault]) -> str:
    first, *others = [f"`{Phase(phase).value}`" for phase in kind.phases]
    return f"phase {first}" + (f" unless told, or {' or '.join(others)}" if others else "")


def _seen(word: str) -> str:
    tried = rows([row for row in ROWS if f".{word}(" in row])
    return f"What engines did ([how to read this](../faults.md#what-engines-do)):\n\n{tried}"


def write() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for word, kind in KINDS.items():
        (PAGES / f"{word}.md").write_text(page(word, kind), encoding="utf-8")


if __name__ == "__main__":
    write()
