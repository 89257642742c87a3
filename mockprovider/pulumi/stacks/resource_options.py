"""The resource options, each in one place: a field with a row says all that the engine's modules must know to carry it along.

To add an option that is remembered, add a field to ``RememberedOptions``. Requests read it, goals and states hold it, children
inherit it, components hand it on, references in it are followed, and exports name it, because all of these go by ``OPTIONS``.
What an option *does* is for the modules that decide.

What is a flag (``bool | None``), a string, a list or a map of strings needs no more. A message of its own needs a function that
reads it (``engine.requests.READERS``) and one each way for exports (``pulumi.exporting.FORMS``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from msgspec import Struct, field
from msgspec.structs import fields, replace

from mockprovider.values import Value


class Timeouts(Struct, frozen=True):
    """The resource option ``customTimeouts``, in seconds; 0 leaves it to the provider."""

    create: float = 0.0
    update: float = 0.0
    delete: float = 0.0
    read: float = 0.0


class Alias(Struct, frozen=True):
    """A former identity: a whole ``urn``, or the parts of one that differ."""

    urn: str = ""
    name: str = ""
    type: str = ""
    stack: str = ""
    project: str = ""
    parent: str = ""
    no_parent: bool = False


class Option(Struct, frozen=True):
    """The row of one option.

    Args:
        wire: its field in ``RegisterResourceRequest``, and in ``ReadResourceRequest`` where that has it.
        state: its key in an exported state; empty if it is not remembered.
        construct: its field in ``ConstructRequest``, for the component's own registration; empty if it is not handed on.
        inherited: whether children have their parent's where they do not set it, as in the SDKs.
        urns: whether it holds URNs, which follow renamed resources, and count as dependencies.
        since: the first version of Pulumi that had it; empty for those of version 3.0 and before.
        also: further fields of requests that belong to it.
        late: whether a mistake in it is found only when the provider is there, as in the real engine.
        name: the field in Python, filled in from the class.
        shape: ``flag``, ``text``, ``list``, ``map``, or ``own`` for a type of its own, filled in from the annotation;
            ``reference`` for a provider, its URN and its id.
    """

    wire: str
    state: str = ""
    construct: str = ""
    inherited: bool = False
    urns: bool = False
    since: str = ""
    also: tuple[str, ...] = ()
    late: bool = False
    name: str = ""
    shape: str = ""


def everywhere(name: str, **row: Any) -> Option:
    """The row of an option that has one name in requests, in states and in ``ConstructRequest``."""
    return Option(name, name, name, **row)


Texts = tuple[str, ...]


class RememberedOptions(Struct, kw_only=True):
    """The options that a program gives and a state keeps. A flag that was not given is ``None``."""

    dependencies: Annotated[Texts, everywhere("dependencies", urns=True)] = ()
    property_dependencies: Annotated[
        dict[str, Texts], Option("propertyDependencies", "propertyDependencies", "inputDependencies", urns=True)
    ] = field(default_factory=dict)
    replace_with: Annotated[Texts, Option("replace_with", "replaceWith", "replace_with", urns=True, since="3.207")] = ()
    deleted_with: Annotated[str, everywhere("deletedWith", inherited=True, urns=True, since="3.46")] = ""
    provider: Annotated[str, Option("provider", "provider", urns=True, shape="reference")] = ""
    parent: Annotated[str, everywhere("parent", urns=True)] = ""
    protect: Annotated[bool | None, everywhere("protect", inherited=True)] = None
    additional_secret_outputs: Annotated[Texts, everywhere("additionalSecretOutputs")] = ()
    custom_timeouts: Annotated[Timeouts, everywhere("customTimeouts", late=True)] = Timeouts()
    import_id: Annotated[str, Option("importId", "importID")] = ""
    retain_on_delete: Annotated[bool | None, everywhere("retainOnDelete", inherited=True, since="3.25")] = None
    ignore_changes: Annotated[Texts, everywhere("ignoreChanges")] = ()
    hide_diffs: Annotated[tuple[tuple[str | int, ...], ...], Option("hideDiffs", "hideDiff", since="3.190", late=True)] = ()
    """Property paths, in segments, whose changes are not shown."""
    replace_on_changes: Annotated[Texts, everywhere("replaceOnChanges", since="3.6")] = ()
    replacement_trigger: Annotated[
        Value, Option("replacement_trigger", "replacementTrigger", "replacement_trigger", since="3.208")
    ] = None
    resource_hooks: Annotated[dict[str, Texts], Option("hooks", "resourceHooks", since="3.182")] = field(default_factory=dict)
    """The names of the hooks that are bound to it, by their kind as the state spells it (``BeforeCreate`` and so on)."""


class AskedOptions(RememberedOptions, kw_only=True):
    """All options: also those that matter while a program runs, and are not in a state."""

    aliases: Annotated[tuple[Alias, ...], Option("aliases", construct="aliases", also=("aliasURNs",), late=True)] = ()
    delete_before_replace: Annotated[
        bool | None, Option("deleteBeforeReplace", construct="deleteBeforeReplace", also=("deleteBeforeReplaceDefined",))
    ] = None
    version: Annotated[str, Option("version")] = ""
    plugin_download_url: Annotated[str, Option("pluginDownloadURL", since="3.21")] = ""
    plugin_checksums: Annotated[tuple[tuple[str, bytes], ...], Option("pluginChecksums", since="3.49")] = ()
    environment: Annotated[dict[str, str], Option("envVarMappings", since="3.210")] = field(default_factory=dict)
    """Of a provider: which variables its process gets under which names."""
    providers: Annotated[dict[str, str], Option("providers", construct="providers")] = field(default_factory=dict)
    """Of a component: the providers of its children by package."""


def _rows(of: type[Struct]) -> tuple[Option, ...]:
    """The rows of a class, with the names and shapes of their fields."""
    hints = get_type_hints(of, include_extras=True)
    rows = []
    for named in fields(of):
        kind, row = get_args(hints[named.name])
        rows.append(replace(row, name=named.name, shape=row.shape or _shape(kind)))
    return tuple(rows)


def _shape(kind: Any) -> str:
    if get_origin(kind) is dict:
        return "map"
    return {str: "text", bool | None: "flag", Texts: "list"}.get(kind, "own")


OPTIONS: tuple[Option, ...] = _rows(AskedOptions)
"""Every option, in the order of the classes."""
REMEMBERED: tuple[Option, ...] = tuple(row for row in OPTIONS if row.state)
"""Those that a state keeps."""
INHERITED: tuple[Option, ...] = tuple(row for row in OPTIONS if row.inherited)
"""Those that children have from their parents."""
CONSTRUCT: tuple[Option, ...] = tuple(row for row in OPTIONS if row.construct)
"""Those that a remote component is told, for its own registration."""
_ELSEWHERE = {"dependencies": "depends_on", "import_id": "import", "hide_diffs": "hide_diff"}
IN_CALLBACKS: Mapping[str, Option] = {_ELSEWHERE.get(row.name, row.name): row for row in OPTIONS}
"""The rows by the fields of what callbacks (transforms, hooks) are told of options."""
BY_WIRE: Mapping[str, Option] = {name: row for row in OPTIONS for name in (row.wire, *row.also)}
"""The rows by the fields of requests."""


FLAGS: tuple[str, ...] = tuple(row.name for row in REMEMBERED if row.shape == "flag")
"""The names of the remembered flags: in a state they are true or false."""
_NAMES = tuple(row.name for row in REMEMBERED)
_VALUES = attrgetter(*_NAMES)
_WITH_URNS = tuple((row.name, row.shape) for row in REMEMBERED if row.urns)
_NOT_GIVEN = (None, "", ())


def remembered(options: RememberedOptions) -> dict[str, Any]:
    """The remembered options of a goal or of a state, by name; a flag that was not given is false."""
    kept = dict(zip(_NAMES, _VALUES(options), strict=True))
    for name in FLAGS:
        kept[name] = bool(kept[name])
    return kept


def inherited(options: RememberedOptions, parent: RememberedOptions) -> dict[str, Any]:
    """What ``options`` leave to the ``parent``, by name."""
    return {
        row.name: value
        for row in INHERITED
        if getattr(options, row.name) in _NOT_GIVEN and (value := getattr(parent, row.name)) not in _NOT_GIVEN
    }


def urns(options: RememberedOptions, *, parent: bool = True, provider: bool = True) -> Iterator[str]:
    """The URNs in ``options``, with ``parent`` and ``provider`` or without; may repeat."""
    for name, shape in _WITH_URNS:
        value = getattr(options, name)
        if not value:
            continue
        if shape == "list":
            yield from value
        elif shape == "map":
            for of_key in value.values():
                yield from of_key
        elif shape == "reference":
            if provider:
                yield value.rpartition("::")[0]
        elif parent or name != "parent":
            yield value


def with_urns(options: RememberedOptions, now: Callable[[str], str], *, repairing: bool = False) -> dict[str, Any]:
    """The fields that hold URNs, by name, with what is ``now`` in the place of each; an empty string takes one out.

    ``repairing`` is what a refresh of the real engine does: keys without URNs are left out, and providers stay as they are.
    """

    def changed(shape: str, value: Any) -> Any:
        if shape == "list":
            return tuple(urn for old in value if (urn := now(old)))
        if shape == "map":
            lists = {key: changed("list", of_key) for key, of_key in value.items()}
            return {key: of_key for key, of_key in lists.items() if of_key} if repairing else lists
        if shape == "reference":
            urn, _, id_ = value.rpartition("::")
            return value if repairing else f"{now(urn)}::{id_}"
        return now(value)

    return {name: changed(shape, value) if (value := getattr(options, name)) else value for name, shape in _WITH_URNS}
