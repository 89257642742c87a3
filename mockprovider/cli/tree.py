"""An operation as users of ``pulumi`` see it: a tree of resources, what becomes of each, and in the end a summary.

``OperationShown`` is told the engine's events and has the lines at any time: a tree while it goes on, and all the rest when it
has ended. It does not print.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from msgspec import Struct, field

from mockprovider import paths
from mockprovider.cli.cassette.screen import printable
from mockprovider.cli.changes import INDENT, ChangeLine, differences, listed, names_of_differences
from mockprovider.cli.columns import GAP, fitting, in_short, widths_of, without_middle
from mockprovider.engine import EngineEvent, OperationBegun, OperationEnded, Result, StepEvent
from mockprovider.errors import MalformedError
from mockprovider.paths import Path
from mockprovider.pulumi.policies.found import printed
from mockprovider.pulumi.result import Diagnostic
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.urn import PREFIX, PROVIDERS, STACK_TYPE, Urn, make
from mockprovider.values import Bag


class StepWords(Struct, frozen=True):
    """How a step is marked, and called while it is planned, begun and done."""

    mark: str
    plan: str
    doing: str
    done: str

    @property
    def failing(self) -> str:
        """What is said of a step that failed; of a part of a replacement as of the whole."""
        return f"{self.doing.split()[0]} failed" if self.doing else "failed"


WORDS: Mapping[str, StepWords] = {
    "same": StepWords("", "", "", ""),
    "create": StepWords("+", "create", "creating", "created"),
    "update": StepWords("~", "update", "updating", "updated"),
    "delete": StepWords("-", "delete", "deleting", "deleted"),
    "replace": StepWords("+-", "replace", "replacing", "replaced"),
    "create-replacement": StepWords("++", "create replacement", "creating replacement", "created replacement"),
    "delete-replaced": StepWords("--", "delete original", "deleting original", "deleted original"),
    "read": StepWords(">", "read", "reading", "read"),
    "read-replacement": StepWords(">>", "read for replacement", "reading for replacement", "read for replacement"),
    "refresh": StepWords("~", "refresh", "refreshing", "refreshed"),
    "discard": StepWords("<", "discard", "discarding", "discarded"),
    "discard-replaced": StepWords("<<", "discard original", "discarding original", "discarded original"),
    "remove-pending-replace": StepWords("~", "complete replace", "completing replace", "completed replace"),
    "import": StepWords("=", "import", "importing", "imported"),
    "import-replacement": StepWords("=>", "import replacement", "importing replacement", "imported replacement"),
}
"""The words for each op."""
PARTS = frozenset({"create-replacement", "delete-replaced", "read-replacement", "import-replacement", "discard-replaced"})
"""Steps that are parts of a replacement, which is shown as one."""
STYLES: Mapping[str, str] = {"+": "green", "-": "red", "~": "yellow", "+-": "magenta", "++": "green", "--": "red", "=": "cyan"}
"""The colours of lines, by their marks."""
TITLES = {"up": "Updating", "refresh": "Refreshing", "destroy": "Destroying"}
PREVIEWS = {"up": "update", "refresh": "refresh", "destroy": "destroy"}
COUNTED = ("create", "update", "delete", "replace", "discard", "import")
"""What a summary counts, in its order."""
BRANCH = len("├─ ")
LEAST = 4
"""A part of a tree takes so many lines: the titles, a resource, and above and below it how much is not shown."""


class TreeLine(Struct, frozen=True):
    """A line and its colour (of ``rich``)."""

    text: str
    style: str = ""


class TreeRow(Struct):
    """What is known of one resource."""

    urn: str
    type: str
    name: str
    op: str = "same"
    phase: str = "done"
    parent: str = ""
    old: ResourceState | None = None
    new: ResourceState | None = None
    seconds: float = 0.0
    said: dict[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether it failed, or an error was said of it."""
        return self.phase == "failed" or "error" in self.said

    @property
    def words(self) -> StepWords:
        """The words for what becomes of it."""
        return WORDS.get(self.op, WORDS["same"])

    @property
    def changes(self) -> tuple[Bag, Bag] | None:
        """Old and new properties, where it changes: what was read in a refresh, and inputs elsewhere."""
        if self.old is None or self.new is None or self.op == "same":
            return None
        hidden = self.new.hide_diffs
        if self.old.inputs == self.new.inputs:
            return _without(self.old.outputs, hidden), _without(self.new.outputs, hidden)
        return _without(self.old.inputs, hidden), _without(self.new.inputs, hidden)


class OperationShown:
    """One operation on its way to the screen. ``details`` are each property, instead of the tree. Thread-safe: what is told in
    the engine's threads is drawn in the terminal's.
    """

    def __init__(self, *, details: bool = False) -> None:
        self._details = details
        self._lock = threading.Lock()
        self._begun = OperationBegun("up", "", "", preview=False)
        self._rows: dict[str, TreeRow] = {}
        self._before: Bag = {}
        self._ended: OperationEnded | None = None

    @property
    def begun(self) -> bool:
        """Whether there is anything to show."""
        return bool(self._rows) or self._ended is not None

    @property
    def result(self) -> Result | None:
        """What it came to, once it has ended."""
        return self._ended.result if self._ended else None

    def tell(self, event: EngineEvent) -> None:
        """Note what has happened."""
        with self._lock:
            if isinstance(event, OperationBegun):
                self._begun, self._rows, self._ended = event, {}, None
            elif isinstance(event, StepEvent):
                self._step(event)
            elif isinstance(event, OperationEnded):
                self._ended = event
            else:
                said = self._row(event.urn).said
                said[event.severity] = said.get(event.severity, 0) + 1

    def _row(self, urn: str) -> TreeRow:
        """The row of a resource, or of the stack, which what is about no resource is said of."""
        begun = self._begun
        stack = str(make(begun.stack, begun.project, None, STACK_TYPE, f"{begun.project}-{begun.stack}"))
        urn = urn if urn.startswith(PREFIX) else stack
        if urn not in self._rows:
            parsed = Urn.parse(urn)
            self._rows[urn] = TreeRow(urn, parsed.type, parsed.name, parent="" if urn == stack else stack)
        return self._rows[urn]

    def _step(self, event: StepEvent) -> None:
        row = self._row(event.urn)
        state = event.new or event.old
        row.parent = state.parent if state else ""
        row.phase = event.phase
        # A resource that is replaced is one row, whatever steps that consists of.
        part = event.op in PARTS and (row.op == "replace" or event.phase == "done")
        if part and event.op != "create-replacement":
            return
        if not (part and row.op == "replace"):
            row.op = event.op
        row.seconds = max(row.seconds, event.seconds)
        row.old, row.new = event.old or row.old, event.new
        if event.type == STACK_TYPE and event.old is not None:
            self._before = event.old.outputs

    # The tree --------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What goes on, and with which stack."""
        begun = self._begun
        what = f"Previewing {PREVIEWS[begun.kind]}" if begun.preview else TITLES[begun.kind]
        return f"{what} ({begun.stack}):"

    def tree(self, width: int | None = None) -> list[TreeLine]:
        """The resources that change, with those that they stand in; in so many columns of text, or any number."""
        with self._lock:
            rows = list(self._placed())
        if not rows:
            return []
        cells = [("", "Type", "Name", "Plan" if self._begun.preview else "Status", "Info")]
        cells += [
            (row.words.mark, lead + in_short(row.type), row.name, self._status(row), self._info(row)) for lead, row in rows
        ]
        widths = widths_of(cells, width)
        lines = []
        for mark, *columns, info in cells:
            text = GAP.join(without_middle(cell, room).ljust(room) for cell, room in zip(columns, widths, strict=True))
            lines.append(TreeLine(fitting(f" {mark:<2} {text}{GAP}{info}".rstrip(), width), STYLES.get(mark, "")))
        return [TreeLine(lines[0].text, "bold"), *lines[1:]]

    def now(self, width: int, height: int) -> list[TreeLine]:
        """What goes on, in so many lines at most: of a tree that is higher, the part with what was begun last."""
        head, tree = [TreeLine(fitting(self.title, width), "bold"), TreeLine("")], self.tree(width)
        room = height - len(head)
        if len(tree) <= room or room < LEAST:
            return (head + tree)[-height:]
        # Without the titles, and with a line above and one below that say how much is not shown.
        rows, room = tree[1:], room - 3
        with self._lock:
            busy = [place for place, (_, row) in enumerate(self._placed()) if row.phase == "begun"]
        end = min(max(busy[-1] + 1 if busy else len(rows), room), len(rows))
        above, below = (TreeLine(f"    … {count} more" if count else "", "dim") for count in (end - room, len(rows) - end))
        return [*head, tree[0], above, *rows[end - room : end], below]

    def _placed(self) -> Iterator[tuple[str, TreeRow]]:
        """The rows to show, each with the branches that lead to it."""
        shown = {urn for urn, row in self._rows.items() if self._counts(row)}
        for urn in list(shown):
            while urn in self._rows and (urn := self._rows[urn].parent):
                shown.add(urn)
        below: dict[str, list[TreeRow]] = {}
        for row in self._rows.values():
            if row.urn in shown or row.type == STACK_TYPE:
                stands_in = row.parent if row.parent in self._rows else ""
                below.setdefault(stands_in, []).append(row)

        def walk(urn: str, lead: str) -> Iterator[tuple[str, TreeRow]]:
            rows = below.get(urn, [])
            for row in rows:
                last = row is rows[-1]
                own = "" if not urn else "└─ " if last else "├─ "
                yield lead + own, row
                yield from walk(row.urn, lead + ("" if not urn else "   " if last else "│  "))

        return walk("", "")

    def _counts(self, row: TreeRow) -> bool:
        default = row.type.startswith(PROVIDERS) and row.name.startswith("default")
        return bool(row.said) or (not default and row.op != "same") or row.phase == "failed"

    def _status(self, row: TreeRow) -> str:
        words = row.words
        if self._begun.preview:
            return words.plan
        if row.failed:
            return f"**{words.failing}**"
        if row.phase == "begun":
            return words.doing
        return f"{words.done} ({row.seconds:.2f}s)" if words.done else ""

    def _info(self, row: TreeRow) -> str:
        changes = row.changes
        names = names_of_differences(*changes) if changes else ""
        said = [f"{count} {_plural(severity, count)}" for severity, count in row.said.items()]
        return "; ".join(([f"[diff: {names}]"] if names else []) + said)

    # The rest --------------------------------------------------------------------------------------------------------

    def lines(self, width: int | None = None) -> list[TreeLine]:
        """All that there is to say of an operation that has ended."""
        result = self.result
        body = self._detailed() if self._details else self.tree(width)
        blocks = [[TreeLine(self.title, "bold")] + ([] if self._details else [TreeLine("")]) + body]
        if result is not None:
            outputs = self._outputs()
            if self._details and outputs:
                # As under pulumi, where they stand among the properties of the stack.
                blocks[0] += [TreeLine(f"{INDENT}--outputs:--", "bold"), *outputs[1:]]
                outputs = []
            # As under pulumi: what policies forbid ends what is said.
            forbidden = any(violation.mandatory for violation in result.policy_violations)
            blocks += [_policies(result), self._diagnostics(result), outputs, [] if forbidden else self._summary(result)]
        return [line for block in blocks if block for line in (*block, TreeLine(""))][:-1]

    def _detailed(self) -> list[TreeLine]:
        """Each resource with its properties; what does not change is left out."""
        lines = []
        for lead, row in self._placed():
            if row.op == "same" and row.type != STACK_TYPE:
                continue
            depth, mark = len(lead) // BRANCH, row.words.mark
            here = INDENT * depth
            failed = ", failed" if row.phase == "failed" else ""
            head = f"{here}{mark:<2}{row.type}: ({row.words.plan or 'same'}{failed})"
            lines.append(TreeLine(head, STYLES.get(mark, "bold")))
            if row.old is not None and row.old.id:
                lines.append(TreeLine(f"{here}{INDENT}[id={printable(row.old.id)}]", "dim"))
            lines.append(TreeLine(f"{here}{INDENT}[urn={row.urn}]", "dim"))
            lines += [_coloured(line) for line in _properties(row, depth + 1)]
        return lines

    def _diagnostics(self, result: Result) -> list[TreeLine]:
        by_urn: dict[str, list[Diagnostic]] = {}
        for diagnostic in result.diagnostics:
            by_urn.setdefault(diagnostic.urn, []).append(diagnostic)
        lines = [TreeLine("Diagnostics:", "bold")]
        for urn, said in by_urn.items():
            lines.append(TreeLine(f"  {self._called(urn)}:"))
            for diagnostic in said:
                style = {"error": "red", "warning": "yellow"}.get(diagnostic.severity, "")
                first, *more = f"{diagnostic.severity}: {diagnostic.message}".rstrip().splitlines()
                lines += [TreeLine(f"    {printable(line)}", style) for line in (first, *more)]
        return lines if by_urn else []

    def _called(self, urn: str) -> str:
        if not urn:
            return f"{STACK_TYPE} ({self._begun.project}-{self._begun.stack})"
        return f"{Urn.parse(urn).type} ({Urn.parse(urn).name})" if urn.startswith("urn:") else urn

    def _outputs(self) -> list[TreeLine]:
        result = self.result
        now = next((state.outputs for state in result.state.every if state.is_stack), {}) if result else {}
        shown = differences(self._before, now, 1, all_=True) if self._begun.kind != "destroy" else []
        # As under pulumi, a preview shows outputs only where they are known to change, and the first ones are not marked.
        if self._begun.preview and all(line.mark == " " or line.text.endswith("[unknown]") for line in shown) and self._before:
            return []
        lines = shown if self._before else listed(now)
        return [TreeLine("Outputs:", "bold"), *map(_coloured, lines)] if shown else []

    def _summary(self, result: Result) -> list[TreeLine]:
        counts = dict(result.summary)
        stacks = [op for op, urn in result.steps if urn.startswith("urn:") and Urn.parse(urn).type == STACK_TYPE]
        for op in stacks:
            if op in ("create", "delete"):
                counts[op] = counts.get(op, 0) + 1
        lines = [TreeLine("Resources:", "bold")]
        for op in COUNTED:
            if count := counts.get(op, 0):
                words = WORDS[op]
                what = f"to {words.plan}" if self._begun.preview else words.done
                lines.append(TreeLine(f"    {words.mark:<2}{count} {what}", STYLES.get(words.mark, "")))
        kinds = [count for op, count in counts.items() if op in COUNTED]
        unchanged = sum(1 for op, urn in result.steps if op == "same" and not Urn.parse(urn).type.startswith(PROVIDERS))
        pieces = [f"{sum(kinds)} changes"] if len(kinds) > 1 else []
        pieces += [f"{unchanged} unchanged"] if unchanged else []
        lines += [TreeLine(f"    {'. '.join(pieces)}")] if pieces else []
        failed = sum(row.failed for row in self._rows.values())
        lines += [TreeLine(f"    {failed} errored", "red")] if failed else []
        if not self._begun.preview and self._ended:
            lines += [TreeLine(""), TreeLine(f"Duration: {_duration(self._ended.seconds)}")]
        return lines


def _policies(result: Result) -> list[TreeLine]:
    lines = printed(result.policy_packs, result.policy_violations, result.policy_remediations)
    styles = {"Policies:": "bold", "[mandatory]": "red", "[advisory]": "yellow"}
    return [
        TreeLine(printable(line), next((style for word, style in styles.items() if line.strip(" -").startswith(word)), ""))
        for line in lines
    ]


def _without(bag: Bag, hidden: Iterable[Path]) -> Bag:
    """A bag without what the option ``hideDiffs`` names; what is not there hides nothing."""
    for path in hidden:
        with suppress(MalformedError):
            bag = paths.delete(bag, path)
    return bag


def _properties(row: TreeRow, depth: int) -> list[ChangeLine]:
    if row.op == "same":
        return []
    if row.changes:
        return differences(*row.changes, depth)
    state = row.new or row.old
    return listed(state.inputs, depth) if state and state.type != STACK_TYPE else []


def _coloured(line: ChangeLine) -> TreeLine:
    return TreeLine(str(line), STYLES.get(line.mark, ""))


def _plural(severity: str, count: int) -> str:
    word = {"info": "message"}.get(severity, severity)
    return word if count == 1 else f"{word}s"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f}s" if seconds >= 1 else f"{seconds * 1000:.0f}ms"
