"""How cases for both Pulumi engines are drawn: what there may be in a program, and what may happen, by theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from differential import CALLING, CHOICES, INPUTS, REFERRING, Act, Edit, Option, Resource, Story, Value
from hypothesis import strategies as st

numbers = st.integers(0, 7)
texts = st.sampled_from(["1", "2", "3"])


def _values() -> st.SearchStrategy[Value]:
    return st.one_of(
        st.builds(Value, texts),
        st.builds(Value, texts, numbers),
        st.builds(Value, texts, st.none() | numbers, st.booleans()),
    )


def _items(kind: str) -> st.SearchStrategy[tuple[str, Value]]:
    return st.tuples(st.sampled_from(INPUTS[kind] or ("none",)), _values())


def _options_drawn(names: Sequence[str]) -> st.SearchStrategy[Option]:
    def of(name: str) -> st.SearchStrategy[Option]:
        ways = []
        if name in CHOICES:
            ways.append(st.builds(Option, st.just(name), st.sampled_from(CHOICES[name])))
        if name in REFERRING:
            ways.append(st.builds(Option, st.just(name), st.just(""), numbers))
        return st.one_of(ways)

    return st.sampled_from(list(names)).flatmap(of)


@dataclass(frozen=True)
class Theme:
    """What cases of a kind are made of: their operations, their options, and what else may happen."""

    operations: tuple[str, ...]
    options: tuple[str, ...]
    edits: tuple[str, ...] = ("input", "input", "option", "clear", "remove", "rename")
    events: tuple[str, ...] = ()
    least: int = 0
    limits: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("bucket", "bucket", "net", "component", "provider")


LIFE = ("up", "up", "up", "preview", "refresh", "destroy")
ALL = tuple(dict.fromkeys([*CHOICES, *REFERRING]))
LATER = ("hide_diffs", "providers", "plugin_download_url", "env_var_mappings", *CALLING)
EVERY = tuple(name for name in ALL if name not in LATER)
PLAIN = ("parent", "depends_on", "provider")
REPLACING = (
    *PLAIN,
    *("delete_before_replace", "replace_on_changes", "replacement_trigger", "replace_with", "deleted_with", "retain_on_delete"),
    "protect",
)
THEMES: Mapping[str, Theme] = {
    "options": Theme(LIFE, EVERY),
    "replacements": Theme(("up", "up", "preview", "destroy"), REPLACING, ("input", "option", "clear", "rename")),
    "failures": Theme(LIFE, REPLACING, events=("fault", "fault", "fault", "drift"), least=1),
    "limits": Theme(LIFE, PLAIN, limits=("target", "exclude", "replace")),
    "drift": Theme(("refresh", "up", "preview", "destroy"), EVERY, events=("drift", "vanish", "vanish")),
    "marks": Theme(LIFE, ALL, events=("mark", "mark", "fault"), limits=("target", "program")),
    "identities": Theme(
        LIFE,
        (*REPLACING, "providers", "providers"),
        ("rename", "move", "move", "retype", "claim", "input", "remove"),
        events=("fault", "mark"),
        limits=("target",),
        kinds=("bucket", "bucket", "net", "component", "component", "provider"),
    ),
    "plans": Theme(("preview", "preview", "up", "up", "refresh"), ALL, limits=("plan", "plan", "plan")),
    "imports": Theme(("import_resources", "import_resources", *LIFE), ALL, limits=("target",)),
    "callbacks": Theme(
        LIFE,
        (*REPLACING, *CALLING, *CALLING, *CALLING),
        events=("fault", "fault", "drift"),
        limits=("target", "program", "program"),
        kinds=("bucket", "bucket", "bucket", "net", "component", "provider", "transform"),
    ),
    "everything": Theme(
        (*LIFE, "import_resources"),
        ALL,
        ("input", "input", "option", "clear", "remove", "rename", "move", "retype", "claim"),
        events=("fault", "drift", "vanish", "mark"),
        limits=("target", "exclude", "replace", "program", "plan", "parallel"),
        kinds=("bucket", "bucket", "bucket", "net", "component", "component", "provider", "transform"),
    ),
}
"""What the cases are about, each for a test of its own."""


def _resources(theme: Theme) -> st.SearchStrategy[Resource]:
    def of(kind: str) -> st.SearchStrategy[Resource]:
        return st.builds(
            Resource,
            st.just(kind),
            st.lists(_items(kind), max_size=3, unique_by=lambda item: item[0]).map(tuple),
            st.lists(_options_drawn(theme.options), min_size=1, max_size=4, unique_by=lambda option: option.name).map(tuple),
        )

    return st.sampled_from(theme.kinds).flatmap(of)


def _edits(theme: Theme) -> st.SearchStrategy[Edit]:
    ways = st.sampled_from(["parts", "urn", ""] if "move" in theme.edits else ["parts", ""])
    items: Mapping[str, st.SearchStrategy[Any]] = {
        "input": st.tuples(st.integers(0, 4), st.none() | _values() | _values() | _values()),
        "option": _options_drawn(theme.options),
        "clear": st.sampled_from(theme.options),
        "remove": st.none(),
        "rename": st.tuples(ways, st.none()),
        "retype": st.tuples(ways, st.none()),
        "move": st.tuples(ways, st.none() | numbers),
        "claim": numbers,
    }
    return st.sampled_from(theme.edits).flatmap(lambda what: st.builds(Edit, numbers, st.just(what), items[what]))


def _happening(theme: Theme) -> st.SearchStrategy[tuple[Any, ...]]:
    faults = st.tuples(
        st.just("fault"),
        st.sampled_from(["create", "update", "delete"]),
        numbers,
        st.sampled_from(["clean", "partial", "clean one", "partial one"]),
    )
    drifts = st.sampled_from([("drift", "BUCKET", 'acl="drifted"'), ("drift", "NET", 'label="drifted"')])
    losses = st.tuples(st.just("vanish"), st.sampled_from(["BUCKET", "NET"]), st.integers(0, 3))
    marks = st.tuples(st.just("mark"), st.sampled_from(["taint", "taint", "untaint", "protect", "unprotect"]), numbers)
    return st.sampled_from(theme.events).flatmap(
        {"fault": faults, "drift": drifts, "vanish": losses, "mark": marks}.__getitem__
    )


def _limits(theme: Theme, operation: str) -> st.SearchStrategy[tuple[tuple[str, Any], ...]]:
    names = st.lists(numbers, min_size=1, max_size=3).map(tuple)
    takes = {
        "target": st.tuples(st.tuples(st.just("target"), names), st.tuples(st.just("target_dependents"), st.booleans())),
        "exclude": st.tuples(st.tuples(st.just("exclude"), names), st.tuples(st.just("exclude_dependents"), st.booleans())),
        "replace": st.tuples(st.tuples(st.just("replace"), names)),
        "program": st.just((("run_program", True), *((("refresh", True),) if operation in ("up", "preview") else ()))),
        "plan": st.just((("save_plan", True) if operation == "preview" else ("plan", "both.plans"),)),
        "parallel": st.just((("parallel", 4),)),
        "none": st.just(()),
    }
    if operation == "import_resources":
        return _imports()
    chosen = ["none", "none", *theme.limits]
    if operation not in ("up", "preview"):
        chosen = [name for name in chosen if name not in ("replace", "plan")]
    limits = st.sampled_from(chosen).flatmap(takes.__getitem__)
    if operation == "destroy":
        limits = limits.map(lambda given: tuple(item for item in given if item[0] != "exclude_dependents"))
    further: list[st.SearchStrategy[Any]] = [st.just(()), st.just(())]
    if operation in ("refresh", "destroy"):
        further.append(st.just((("preview", True),)))
    if operation != "refresh" and "program" in theme.limits:
        further.append(st.just((("ignore_protect", True),)))
    elif operation != "refresh":
        further.append(st.just((("refresh", True),)))
    if operation in ("up", "destroy") and "fault" in theme.events:
        further.append(st.just((("continue_on_error", True),)))
    return st.tuples(limits, st.one_of(further)).map(lambda pair: (*pair[0], *pair[1]))


def _imports() -> st.SearchStrategy[tuple[tuple[str, Any], ...]]:
    def of(protect: bool) -> st.SearchStrategy[tuple[tuple[str, Any], ...]]:
        some = st.none() | numbers
        asked = st.lists(st.tuples(numbers, st.integers(0, 1), some, some, st.just(protect)), min_size=1, max_size=3)
        previews = st.sampled_from([False, False, True])
        return st.tuples(st.tuples(st.just("imports"), asked.map(tuple)), st.tuples(st.just("preview"), previews))

    return st.booleans().flatmap(of)


def _acts(theme: Theme) -> st.SearchStrategy[Act]:
    def of(operation: str) -> st.SearchStrategy[Act]:
        edits = st.lists(_edits(theme), min_size=2 * (operation == "up"), max_size=5 if operation in ("up", "preview") else 0)
        events = st.lists(_happening(theme), min_size=theme.least, max_size=2) if theme.events else st.just([])
        return st.builds(Act, st.just(operation), edits.map(tuple), events.map(tuple), _limits(theme, operation))

    return st.sampled_from(theme.operations).flatmap(of)


def stories(theme: Theme) -> st.SearchStrategy[Story]:
    """Cases of a theme: up to eight resources, and two to five operations."""
    return st.builds(
        Story,
        st.lists(_resources(theme), min_size=2, max_size=8).map(tuple),
        st.lists(_happening(replace(theme, events=("fault",))), max_size=1).map(tuple)
        if "fault" in theme.events
        else st.just(()),
        st.lists(_acts(theme), min_size=2, max_size=4).map(tuple),
    )
