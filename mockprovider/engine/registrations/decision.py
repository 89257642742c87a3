"""What to do with a registration: one pure function of what is remembered, what is wanted and what the provider said.

No provider is called here. ``prepare`` says which inputs Check is to see, ``decide`` what follows from the diff, and
``STEPS`` which steps a decision is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from mockprovider.engine.registrations.goal import Goal
from mockprovider.engine.registrations.ignoring import with_ignored
from mockprovider.engine.registrations.wording import irreplaceable, show
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import Value, has_unknown, reveal, same

TRIGGER = "replacementTrigger"
"""What a replacement is blamed on that no property asks for: the real engine names nothing there."""


class StepOp(StrEnum):
    """A step's name, as the engine's events, plan files and policies spell it."""

    SAME = "same"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    REPLACE = "replace"
    CREATE_REPLACEMENT = "create-replacement"
    DELETE_REPLACED = "delete-replaced"
    READ = "read"
    READ_REPLACEMENT = "read-replacement"
    REFRESH = "refresh"
    DISCARD = "discard"
    DISCARD_REPLACED = "discard-replaced"
    REMOVE_PENDING_REPLACE = "remove-pending-replace"
    IMPORT = "import"
    IMPORT_REPLACEMENT = "import-replacement"


class Decision(StrEnum):
    """What a registration needs: the name of the steps that carry it out."""

    CREATE = "create"
    SAME = "same"
    UPDATE = "update"
    REPLACE = "replace"
    """Create first; the old instance is deleted after the program has ended."""
    DELETE_AND_REPLACE = "delete and replace"
    """Delete first, with all dependents that must go; then create."""
    RESUME = "resume"
    """Delete-before-replace of an instance that an earlier run deleted already: its dependents are looked at again."""
    RECREATE = "recreate"
    """This run deleted it, because something that it depends on was deleted before replacement."""
    TAKE_OVER = "take over"
    """It was only read until now; the read object is not ours to delete."""


STEPS: Mapping[Decision, tuple[StepOp, ...]] = {
    Decision.CREATE: (StepOp.CREATE,),
    Decision.SAME: (StepOp.SAME,),
    Decision.UPDATE: (StepOp.UPDATE,),
    Decision.REPLACE: (StepOp.CREATE_REPLACEMENT, StepOp.REPLACE),
    Decision.DELETE_AND_REPLACE: (StepOp.DELETE_REPLACED, StepOp.REPLACE, StepOp.CREATE_REPLACEMENT),
    Decision.RESUME: (StepOp.REPLACE, StepOp.CREATE_REPLACEMENT),
    Decision.RECREATE: (StepOp.REPLACE, StepOp.CREATE_REPLACEMENT),
    Decision.TAKE_OVER: (StepOp.CREATE_REPLACEMENT, StepOp.REPLACE),
}
"""The steps of each decision, in order. ``replace`` is only reported; the other steps carry it out."""

KEEPS_OLD: frozenset[Decision] = frozenset({Decision.REPLACE, Decision.TAKE_OVER})
"""Where the old instance is kept, marked for deletion, until the program has ended."""


class Prepared(Struct, frozen=True):
    """What Check is to be given: old inputs (``None`` where they do not count), new inputs, and the paths that could
    not be ignored.
    """

    old_inputs: dict[str, Value] | None
    inputs: dict[str, Value]
    not_ignored: tuple[str, ...] = ()


class RefusedError(Exception):
    """A registration that must not be carried out."""


class InputsRefusedError(RefusedError):
    """What Check has against inputs: each complaint is told by itself."""

    def __init__(self, complaints: Sequence[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class Objection(Struct, frozen=True):
    """Why a replacement is not allowed. It stops an up; a preview shows it with this severity and goes on."""

    message: str
    severity: str = "error"


def prepare(old: ResourceState | None, goal: Goal, *, recreating: bool = False) -> Prepared:
    """The bags of the first Check. An object that is gone, external or being recreated has no old inputs there."""
    if old is None or old.external or recreating:
        return Prepared(None, goal.inputs)
    inputs, refused = with_ignored(goal.inputs, old.inputs, goal.ignore_changes)
    return Prepared(old.inputs, inputs, refused)


def imports(old: ResourceState | None, goal: Goal) -> bool:
    """Whether the option ``import`` asks for an import: nothing is there yet, or something of another id."""
    known = (old.import_id or old.id) if old else ""
    return bool(goal.custom and goal.import_id and (old is None or old.external or known != goal.import_id))


def forced(
    old: ResourceState,
    goal: Goal,
    replaced: Collection[str],
    *,
    provider_replaced: Callable[[], bool],
    asked_for: bool = False,
) -> Diff | None:
    """The replacement that the engine wants without asking Diff, blamed on a key; ``None`` if there is none.

    ``replaced`` are the URNs that this run replaces, ``asked_for`` says that the user wants this resource replaced,
    ``provider_replaced`` that DiffConfig does: it is asked only where nothing else is certain.
    """
    if triggers(goal.replacement_trigger, old.replacement_trigger):
        return Diff(Changes.SOME, replaces=(TRIGGER,))
    if asked_for:
        return Diff(Changes.SOME, replaces=("id",))
    if any(urn in replaced for urn in goal.replace_with):
        return Diff(Changes.SOME, replaces=("replaceWith",))
    if provider_replaced():
        return Diff(Changes.SOME, replaces=("provider",))
    return None


def triggers(new: Value, old: Value) -> bool:
    """Whether a replacement trigger went off: an unknown counts as changed, null on either side is no trigger."""
    if has_unknown(new):
        return True
    new, old = reveal(new), reveal(old)
    return new is not None and old is not None and not same(new, old)


def decide(old: ResourceState | None, goal: Goal, diff: Diff | None = None, *, recreating: bool = False) -> Decision:
    """What to do about ``goal``, where ``old`` is remembered and ``diff`` was answered (``replaceOnChanges`` already applied).

    ``diff`` is not needed where nothing comparable is remembered. Whether a replacement is allowed is for ``objections`` to
    say.
    """
    if old is None:
        return Decision.CREATE
    if recreating:
        return Decision.RECREATE
    if old.external:
        return Decision.TAKE_OVER
    diff = diff or Diff(Changes.NONE)
    changed = diff.changes == Changes.SOME
    if old.pending_replacement or (changed and diff.wants_replacement):
        return _replacement(old, goal, diff)
    # A resource with initialization errors is updated even where nothing changed.
    return Decision.UPDATE if changed or old.init_errors else Decision.SAME


def objections(
    old: ResourceState, new: ResourceState, goal: Goal, diff: Diff, *, ignore_protect: bool = False
) -> list[Objection]:
    """What speaks against a replacement: protection before and after, or an import that would lose its id."""
    against = []
    if goal.protect and old.protect and not ignore_protect:
        against.append(Objection(irreplaceable(new.urn)))
    if goal.import_id:
        keys = (key for key in diff.replaces if key != TRIGGER)
        changes = (f"{key}: {show(old.inputs.get(key))} => {show(new.inputs.get(key))}" for key in keys)
        message = (
            "previously-imported resources that still specify an ID may not be replaced; "
            "please remove the `import` declaration from your program;\n" + "\n".join(changes)
        )
        against.append(Objection(message, "warning"))
    return against


def complaint(new: ResourceState, path: str, reason: str, inputs: Mapping[str, Value]) -> str:
    """What Check has against the ``inputs`` of ``new``, or against one of them."""
    about = f"{new.type} resource '{new.name}'"
    where = f": property {path} value {show(inputs.get(path))}" if path else ""
    return f"{about}{where} has a problem: {reason}"


def _replacement(old: ResourceState, goal: Goal, diff: Diff) -> Decision:
    first = diff.delete_before_replace if goal.delete_before_replace is None else goal.delete_before_replace
    if not first:
        # As in the real engine, this also creates first what an earlier run has deleted, and deletes it a second time.
        return Decision.REPLACE
    return Decision.RESUME if old.pending_replacement else Decision.DELETE_AND_REPLACE


def deletion(old: ResourceState) -> StepOp:
    """The step by which a resource that the program no longer has leaves the state."""
    if old.delete:
        return StepOp.DISCARD_REPLACED if old.external else StepOp.DELETE_REPLACED
    if old.pending_replacement:
        return StepOp.REMOVE_PENDING_REPLACE
    return StepOp.DISCARD if old.external else StepOp.DELETE


def calls_delete(old: ResourceState, deleted: Collection[str]) -> bool:
    """Whether the provider is asked to delete: not for what is external, retained, a component, or goes with its owner."""
    gone_with_owner = bool(old.deleted_with) and old.deleted_with in deleted
    return old.custom and not old.external and not old.retain_on_delete and not gone_with_owner
