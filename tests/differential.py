"""Programs by chance, and what is done with them, for both Pulumi engines: what a case is, and how it is written down.

A case is data that hypothesis draws and shrinks: resources, and acts, each of which changes some of them and runs an operation.
``Story.source`` writes it as the test that is run, so what a failure shows can be pasted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

KINDS: Mapping[str, str] = {
    "bucket": "Bucket({name}{options}{inputs})",
    "net": "Thing(NET, {name}{options}{inputs})",
    "component": "Component({name}{options})",
    "provider": "Cloud({name}{options}{inputs})",
    "transform": "pulumi.runtime.register_resource_transform(adding({name}))",
}
"""How a resource of each kind is written."""

TYPES: Mapping[str, str] = {"bucket": "BUCKET", "net": "NET"}
TOKENS = {**TYPES, "component": '"my:index:Component"', "provider": '"pulumi:providers:cloud"', "transform": ""}
HEIRS = {"bucket": ("Heir", "HEIR"), "component": ("Group", '"my:index:Group"')}
"""What a resource of a kind may become: how that is written, and its type."""
INPUTS: Mapping[str, tuple[str, ...]] = {
    "bucket": ("acl", "source", "name", "token", "tags"),
    "net": ("cidr", "peer", "label"),
    "provider": ("region", "tag"),
    "component": (),
    "transform": (),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "protect": ("True", "False"),
    "delete_before_replace": ("True", "False"),
    "retain_on_delete": ("True", "False"),
    "ignore_changes": ('["acl"]', '["name"]', '["tags.k"]', '["cidr"]', '["acl", "label"]', '["tags"]', '["region"]'),
    "replace_on_changes": ('["region"]', '["acl"]', '["tags.k"]', '["label"]', '["*"]', '["source"]'),
    "additional_secret_outputs": ('["arn"]', '["acl"]'),
    "custom_timeouts": ('CustomTimeouts(create="5m", delete="10s")', 'CustomTimeouts(update="1h")'),
    "replacement_trigger": ('"1"', '"2"'),
    "import_": ('"kept-0"', '"kept-1"'),
    "id": ('"kept-0"', '"kept-1"'),
    "hide_diffs": ('["acl"]', '["tags.k"]', '["label"]'),
    "version": ('"1.2.3"', '"2.0.0"'),
    "plugin_download_url": ('"https://a.example"', '"https://b.example"'),
    "env_var_mappings": ('{"FROM": "TO"}', '{"FROM": "ELSE"}'),
    "hooks": (
        *('"before_create", "after_create"', '"before_update", "after_update"', '"before_delete", "after_delete"'),
        *('"before_create!"', '"after_create!"', '"before_update!"', '"after_update!"', '"before_delete!"', '"after_delete!"'),
        *('"on_error"', '"on_error", "before_delete", "after_create"'),
    ),
    "transforms": (
        *('[adding("s")]', '[adding("s"), adding("t")]', '[adding("p", protect=True)]'),
        *('[adding("i", ignore_changes=["acl"])]', '[adding("r", replace_on_changes=["acl"])]'),
        *('[adding("d", delete_before_replace=True)]', '[adding("r", retain_on_delete=True)]'),
        '[adding("h", additional_secret_outputs=["arn"])]',
    ),
}
"""The options whose values are written as they are."""

REFERRING: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "parent": ("{}", ("component", "bucket", "net")),
    "depends_on": ("[{}]", ("bucket", "net", "component", "provider")),
    "provider": ("{}", ("provider",)),
    "providers": ("[{}]", ("provider",)),
    "deleted_with": ("{}", ("bucket", "net", "component")),
    "replace_with": ("[{}]", ("bucket", "net", "component")),
    "replacement_trigger": ("{}.urn", ("bucket", "net")),
}
"""The options that name a resource: how, and of which kinds."""

CALLING = ("hooks", "transforms")
ANY = ("parent", "depends_on", "protect", "deleted_with", "retain_on_delete", *CALLING)
REPLACED = ("delete_before_replace", "replace_on_changes", "replacement_trigger", "replace_with")
TAKES: Mapping[str, frozenset[str]] = {
    "component": frozenset({*ANY, "provider", "providers"}),
    "provider": frozenset({*ANY, *REPLACED, "version", "plugin_download_url", "env_var_mappings", "ignore_changes"}),
    "transform": frozenset(),
    **dict.fromkeys(TYPES, frozenset({*CHOICES, *REFERRING} - {"providers", "env_var_mappings"})),
}
"""The options that make sense for a kind."""

KEPT = ('both.create(BUCKET, "kept-0", acl="1", arn="arn:kept-0")', 'both.create(BUCKET, "kept-1", acl="2", arn="arn:kept-1")')


@dataclass(frozen=True)
class Value:
    """An input: a text, or what a resource has; ``secret`` or not, by itself or ``inside`` of the tags."""

    text: str = "1"
    of: int | None = None
    secret: bool = False


@dataclass(frozen=True)
class Option:
    """An option: one of its choices, or a resource."""

    name: str
    choice: str = ""
    of: int | None = None


@dataclass(frozen=True)
class Resource:
    """A resource of a program. Whom it refers to are numbers of others; they count as far as such a one stands before it."""

    kind: str = "bucket"
    inputs: tuple[tuple[str, Value], ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Edit:
    """A change of one resource: ``what`` happens to it."""

    of: int
    what: str
    item: Any = None


@dataclass(frozen=True)
class Act:
    """Some edits and events, then an operation with its options; names in options are numbers of resources."""

    operation: str
    edits: tuple[Edit, ...] = ()
    events: tuple[tuple[Any, ...], ...] = ()
    options: tuple[tuple[str, Any], ...] = ()


@dataclass
class Shape:
    """A resource at one point of a story."""

    resource: Resource
    name: str
    heir: bool = False
    """Whether it has become of the type that is the heir of its kind's."""
    former: tuple[tuple[str, str, str, str], ...] = ()
    """What it was before: names, types and parents, and how its aliases say so."""
    gone: bool = False
    inputs: dict[str, Value] = field(default_factory=dict)
    options: dict[str, Option] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """How its type is written."""
        kind = self.resource.kind
        return HEIRS[kind][1] if self.heir else TOKENS[kind]


def name_of(number: int) -> str:
    """How the resource of that number is called, in a program and as a variable."""
    return "abcdefgh"[number]


@dataclass(frozen=True)
class Story:
    """A whole case; ``begun`` is what goes wrong in the first update."""

    resources: tuple[Resource, ...] = ()
    begun: tuple[tuple[Any, ...], ...] = ()
    acts: tuple[Act, ...] = ()

    def source(self, ended: Sequence[bool] = (), *, whole: bool = True) -> str:
        """The test of this case, as far as it is known how its operations ``ended`` (well or not) where not the ``whole``."""
        return "\n".join(self._lines(ended, whole=whole)) + "\n"

    def __repr__(self) -> str:
        return f"\n{self.source()}"

    @property
    def is_smallest(self) -> bool:
        """Whether nothing can be taken away from it."""
        return len(self.resources) == len(self.acts) == 2 and not any(resource.inputs for resource in self.resources)

    def _lines(self, ended: Sequence[bool], *, whole: bool) -> Iterator[str]:
        shapes = [
            Shape(r, name_of(at), inputs=dict(r.inputs), options={o.name: o for o in r.options})
            for at, r in enumerate(self.resources)
        ]
        yield "def test_found(make_both):"
        yield "    both = make_both(serial=True)"
        body = []
        acts = (Act("up", events=self.begun), *self.acts)[: None if whole else len(ended)]
        shown: list[str] = []
        for number, act in enumerate(acts):
            for edit in act.edits:
                _edit(shapes, edit)
            program = list(_program(shapes))
            if act.operation in ("up", "preview") and program != shown:
                body += ["", *program]
                shown = program
            body += list(_events(shapes, act))
            body.append(_operation(shapes, act, None if number >= len(ended) else not ended[number]))
            if act.events:
                body.append("both.mend()")
        text = "\n".join(body)
        for at, line in enumerate(KEPT):
            if f"kept-{at}" in text:
                yield f"    {line}"
        yield from (f"    {line}" if line else "" for line in body)


def _edit(shapes: list[Shape], edit: Edit) -> None:
    if not shapes:
        return
    at = edit.of % len(shapes)
    shape = shapes[at]
    if edit.what in ("rename", "move", "retype"):
        _move(shapes, at, edit.what, *edit.item)
    elif edit.what == "claim":
        shape.former = ((shapes[edit.item % len(shapes)].name, shape.type, _parent(shapes, at), "parts"),)
    elif edit.what == "remove":
        shape.gone = not shape.gone
    elif edit.what == "input":
        number, value = edit.item
        keys = INPUTS[shape.resource.kind]
        if keys and value is None:
            shape.inputs.pop(keys[number % len(keys)], None)
        elif keys:
            shape.inputs[keys[number % len(keys)]] = value
    elif edit.what == "option":
        shape.options[edit.item.name] = edit.item
    elif edit.what == "clear":
        shape.options.pop(edit.item, None)


def _move(shapes: Sequence[Shape], at: int, what: str, way: str, of: int | None) -> None:
    """Give a resource another name, type or parent, with or without an alias that says so in its ``way``."""
    shape = shapes[at]
    was = (shape.name, shape.type, _parent(shapes, at), way)
    if what == "rename":
        shape.name += "2"
    elif what == "retype":
        shape.heir = shape.resource.kind in HEIRS
    elif of is None:
        shape.options.pop("parent", None)
    else:
        shape.options["parent"] = Option("parent", of=of)
    shape.former = (*shape.former[-1:], was) if way else ()


def _referred(shapes: Sequence[Shape], at: int, of: int | None, kinds: Sequence[str]) -> str:
    """The variable of the nearest resource of such a kind before ``at``, counted from ``of``; empty if there is none."""
    known = [number for number in range(at) if shapes[number].resource.kind in kinds and not shapes[number].gone]
    return name_of(known[(of or 0) % len(known)]) if known else ""


def _parent(shapes: Sequence[Shape], at: int) -> str:
    """The variable of a resource's parent, if it has one."""
    option = shapes[at].options.get("parent")
    return _referred(shapes, at, option.of, REFERRING["parent"][1]) if option else ""


def _aliases(shapes: Sequence[Shape], at: int) -> Iterator[str]:
    """What says what a resource was, by what differs, or by its whole URN."""
    shape = shapes[at]
    parent = _parent(shapes, at)
    for name, type_, old_parent, way in shape.former:
        known = old_parent if old_parent and not shapes["abcdefgh".index(old_parent)].gone else ""
        if way == "urn":
            yield f'create_urn("{name}", {type_}{f", {known}" if known else ""})'
            continue
        parts = [f'name="{name}"'] if name != shape.name else []
        parts += [f"type_={type_}"] if type_ != shape.type else []
        parts += [f"parent={known or 'ROOT_STACK_RESOURCE'}"] if known != parent else []
        if parts:
            yield f"Alias({', '.join(parts)})"


def _value(shapes: Sequence[Shape], at: int, key: str, value: Value) -> str:
    text = f'"{value.text}"'
    if value.of is not None:
        found = _referred(shapes, at, value.of, ("bucket", "net"))
        if found:
            text = (
                f"{found}.id" if value.text != "1" or shapes["abcdefgh".index(found)].resource.kind == "net" else f"{found}.arn"
            )
    if key == "tags":
        text = f'{{"k": {text}, "l": "1"}}'
    return f"Output.secret({text})" if value.secret else text


def _options(shapes: Sequence[Shape], at: int) -> Iterator[str]:
    shape = shapes[at]
    kind = shape.resource.kind
    reading = "id" in shape.options and kind == "bucket"
    # The SDK for Python fails where a transform meets a trigger.
    transformed = any(other.resource.kind == "transform" or "transforms" in other.options for other in shapes)
    left_out = {"replacement_trigger"} if transformed else set()
    for name, option in shape.options.items():
        if (name in ("import_", "id") and kind != "bucket") or name not in TAKES[kind] - left_out:
            continue
        if reading and name not in ("id", "parent", "provider", "depends_on", "transforms"):
            continue
        if name == "hooks":
            yield f'hooks=both.hooks("{name_of(at)}", {option.choice})'
            continue
        if option.of is None:
            yield f"{name}={option.choice}"
            continue
        form, kinds = REFERRING[name]
        found = _referred(shapes, at, option.of, kinds)
        if found:
            yield f"{name}={form.format(found)}"
    aliases = [] if reading else [*dict.fromkeys(_aliases(shapes, at))]
    if aliases:
        yield f"aliases=[{', '.join(aliases)}]"


def _program(shapes: Sequence[Shape]) -> Iterator[str]:
    yield "@one_by_one"
    yield "def program():"
    last = ""
    for at, shape in enumerate(shapes):
        if shape.gone:
            continue
        kind = shape.resource.kind
        options = ", ".join(_options(shapes, at))
        inputs = "".join(
            f", {key}={_value(shapes, at, key, value)}" for key, value in shape.inputs.items() if key in INPUTS[kind]
        )
        written = KINDS[kind].format(
            name=f'"{shape.name}"', options=f", ResourceOptions({options})" if options else "", inputs=inputs
        )
        if kind == "transform":
            yield f"    {written}"
            continue
        if shape.heir:
            written = HEIRS[kind][0] + written[written.index("(") :]
        yield f"    {name_of(at)} = {written}"
        yield f"    yield {name_of(at)}"
        last = name_of(at) if kind in TYPES else last
    yield f'    pulumi.export("last", {last}.id)' if last else "    yield from ()"


def _events(shapes: Sequence[Shape], act: Act) -> Iterator[str]:
    previews = act.operation == "preview" or ("preview", True) in act.options
    for what, *rest in act.events:
        if what == "fault":
            op, number, how = rest
            op = {"refresh": "read", "destroy": "delete"}.get(act.operation, op)
            # Over the wire, a Read does not say that it belongs to a preview, which faults leave alone.
            if previews:
                continue
            targets = [shape for shape in shapes if shape.resource.kind in TYPES and not shape.gone]
            if not targets:
                continue
            target = targets[number % len(targets)]
            who = target.type
            if how.endswith("one"):
                who += f', name="{target.name}"'
            # Deletions that do not depend on each other come in any order, so that the first may be any.
            error = '.error("no").always()' if op == "delete" else '.error("no")'
            failing = '.partial(reasons=["slow"])' if how.startswith("partial") and op != "delete" else error
            yield f"both.breaks(lambda on: on.{op}({who}){failing}.optional())"
        elif what == "mark":
            command, number = rest
            yield f'both.mark("{command}", "{shapes[number % len(shapes)].name}")'
        elif what == "drift":
            yield f"both.drift({', '.join(rest)})"
        else:
            yield f"both.vanish({rest[0]}, {rest[1]})"


def _imports(shapes: Sequence[Shape], asked: Sequence[tuple[int, int, int | None, int | None, bool]]) -> Iterator[str]:
    """What the command ``import`` is asked for: resources by number, with an id, a parent, a provider; each of them once."""
    seen = set()
    for number, id_, parent, provider, protect in asked:
        shape = shapes[number % len(shapes)]
        kind = shape.resource.kind
        if shape.name in seen or kind == "transform":
            continue
        seen.add(shape.name)
        further = {"component": "component=True", "provider": 'inputs={"region": "1"}'}.get(kind, f'id="kept-{id_}"')
        parts = [f'type={shape.type}, name="{shape.name}", {further}']
        parts += [] if parent is None else [f'parent="{shapes[parent % len(shapes)].name}"']
        served = [other.name for other in shapes if other.resource.kind == "provider"]
        parts += [f'provider="{served[provider % len(served)]}"'] if kind in TYPES and served and provider is not None else []
        yield f"Import({', '.join(parts)}, protect={protect})"


def _operation(shapes: Sequence[Shape], act: Act, fails: bool | None) -> str:
    given = []
    chosen = False
    for name, value in act.options:
        if name == "imports":
            given.append(f"imports=[{', '.join(_imports(shapes, value))}]")
        elif isinstance(value, tuple):
            chosen_from = (shapes[number % len(shapes)] for number in value)
            names = dict.fromkeys(s.name for s in chosen_from if not s.gone and s.resource.kind != "transform")
            chosen = bool(names)
            if names:
                given.append(f"{name}=[{', '.join(f'{chr(34)}{found}{chr(34)}' for found in names)}]")
        elif chosen or not name.endswith("_dependents"):
            given.append(f"{name}={value}")
    # Deletions that do not depend on each other come in any order, so where one fails the others must go on.
    failing = [event[1] for event in act.events if event[0] == "fault"]
    hooked = any("delete!" in shape.options["hooks"].choice for shape in shapes if "hooks" in shape.options)
    deletes = {"destroy": bool(failing) or hooked, "up": "delete" in failing or hooked}
    if deletes.get(act.operation) and ("continue_on_error", True) not in act.options:
        given.append("continue_on_error=True")
    program = ["program"] if act.operation in ("up", "preview") or ("run_program", True) in act.options else []
    told = [] if fails is False else [f"fails={fails}"]
    return f"both.run({', '.join([f'{chr(34)}{act.operation}{chr(34)}', *program, *given, *told])})"
