"""The command ``import``: what exists is read by id, checked, and remembered, though no program has it yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.providers.defaults import Requested, configured, requested, with_plugin
from mockprovider.engine.providers.outgoing import with_secrets
from mockprovider.engine.providers.resource_calls import ResourceIdentity
from mockprovider.engine.registrations.decision import InputsRefusedError, RefusedError, StepOp, complaint
from mockprovider.engine.registrations.goal import Goal
from mockprovider.engine.steps.kinds import EXPECTED, EngineStep, listening
from mockprovider.pulumi.stacks.imports import Import, Placed, placed
from mockprovider.pulumi.stacks.state import ResourceState, copied
from mockprovider.urn import PROVIDERS, STACK_TYPE, make, reference
from mockprovider.values import Bag, Secret, Value

FAILED_CHECK = (
    "One or more imported inputs failed to validate. {} The import will still proceed, but you will need to edit the generated "
    "code after copying it into your program."
)
"""The real engine's own words, for there is nothing to add."""


class Importing:
    """One run of the command ``import``: ``imports`` into the state of ``deployment``; ``config`` are the stack's settings."""

    def __init__(self, deployment: Deployment, imports: Sequence[Import], config: Mapping[str, Value]) -> None:
        self._course = deployment
        self._operation = deployment.operation
        self._config = config
        remembered = deployment.ledger.live
        self._places = placed(imports, self._operation.stack, self._operation.project, remembered)
        self._references = {urn: reference(urn, old.id) for urn, old in remembered.items() if old.is_provider}
        self._settled = set(remembered)

    def carry_out(self) -> None:
        """Keep what is remembered, make stack and providers where they are missing, then import what is new."""
        try:
            self._keep_all()
            stack = self._stack()
            for place in self._places:
                self._provide(place)
            waiting = [place for place in self._places if not place.asked.is_provider and not self._is_known(place)]
            while waiting and not self._course.stopped:
                urns = {place.urn for place in waiting}
                ready = [place for place in waiting if place.parent not in urns]
                waiting = [place for place in waiting if place.parent in urns]
                for place in ready:
                    self._import(place, stack)
        except EXPECTED as error:
            self._course.fail(error)

    def _keep_all(self) -> None:
        for old in self._course.ledger.base:
            if not old.delete:
                self._course.execute(EngineStep(op=StepOp.SAME, old=old, new=copied(old)))

    def _stack(self) -> str:
        known = next((urn for urn, old in self._course.ledger.live.items() if old.is_stack and not old.parent), "")
        if known:
            return known
        name = f"{self._operation.project}-{self._operation.stack}"
        urn = str(make(self._operation.stack, self._operation.project, None, STACK_TYPE, name))
        self._course.execute(EngineStep(op=StepOp.CREATE, new=ResourceState(urn=urn, type=STACK_TYPE)))
        return urn

    # Providers -------------------------------------------------------------------------------------------------------

    def _provide(self, place: Placed) -> None:
        """Make the provider resource of ``place``, or of what it imports, if there is none."""
        asked = place.asked
        if place.provider or (asked.component and not asked.remote):
            return
        wanted = self._wanted(asked)
        urn = place.urn if asked.is_provider else self._default(wanted)
        if urn in self._references:
            return
        inputs = asked.inputs if asked.is_provider else configured(wanted.package, self._config)
        parent = place.parent if asked.is_provider else ""
        new = ResourceState(urn=urn, type=PROVIDERS + wanted.package, custom=True, parent=parent)
        new.inputs = with_plugin(inputs, wanted)
        checked = self._course.registry.check(urn, None, new.inputs, b"")
        if checked.failures:
            raise InputsRefusedError([complaint(new, path, reason, new.inputs) for path, reason in checked.failures])
        # As in the real engine, it is what was asked for that is remembered, not what the provider made of it.
        self._course.execute(EngineStep(op=StepOp.CREATE, new=new))
        self._references[urn] = reference(urn, new.id)

    def _wanted(self, asked: Import) -> Requested:
        """The plugin of a provider, or of the default one: what is not asked for there is as the state's newest has it."""
        url = asked.plugin_download_url.rstrip("/")
        wanted = requested(Goal(type=asked.type, name=asked.name, version=asked.version, plugin_download_url=url), url)
        return wanted if asked.is_provider else self._course.defaults.normalized(wanted)

    def _default(self, wanted: Requested) -> str:
        return str(make(self._operation.stack, self._operation.project, None, PROVIDERS + wanted.package, wanted.name))

    # Resources -------------------------------------------------------------------------------------------------------

    def _is_known(self, place: Placed) -> bool:
        """Whether the state has the very object already; another one under the same name is refused when it is its turn."""
        old = self._course.ledger.live.get(place.urn)
        return old is not None and (old.import_id or old.id) == place.asked.id

    def _import(self, place: Placed, stack: str) -> None:
        asked = place.asked
        new = ResourceState(
            urn=place.urn,
            type=asked.type,
            custom=not asked.component,
            parent=place.parent or stack,
            protect=asked.protect,
            provider=self._reference(place),
            import_id=asked.id,
        )
        if asked.extension is not None:
            new.extension_ref = asked.extension.reference
            self._course.ledger.extensions[new.extension_ref] = asked.extension
        # Those of one level are under way together: one that fails does not stop the others.
        if self._course.called_off:
            return
        step = EngineStep(op=StepOp.IMPORT, new=new)
        try:
            with self._course.ledger.under_way("" if self._course.preview else "importing", new):
                self._take_in(asked, step, new)
        except EXPECTED as error:
            self._course.closing = self._course.closing or f": step application failed: {error}"
            self._course.fail(error, new.urn, of_step=True)
            return
        self._course.note(step)

    def _reference(self, place: Placed) -> str:
        if place.asked.component and not place.asked.remote:
            return ""
        return self._references[place.provider or self._default(self._wanted(place.asked))]

    def _take_in(self, asked: Import, step: EngineStep, new: ResourceState) -> None:
        if new.urn in self._course.ledger.live:
            raise RefusedError(f"resource '{new.urn}' already exists")
        if asked.outputs:
            new.id, new.inputs, new.outputs = asked.id, dict(asked.inputs), dict(asked.outputs)
        elif new.custom:
            self._read(asked, step, new)
        else:
            new.inputs = dict(asked.inputs)
        if new.custom:
            # What the option `import` remembers, the command does not.
            new.import_id = ""
            self._check(asked, new)
        new.created = new.modified = self._course.moment
        new.outputs = with_secrets(new.outputs, new.inputs, ())
        self._course.ledger.add(new)
        # As in the real engine, the command tells nothing of views.
        if broken := self._course.note_views(step, shown=False):
            raise broken

    def _read(self, asked: Import, step: EngineStep, new: ResourceState) -> None:
        listener = listening(self._course, step, new)
        outcome = self._course.manager(new).read(ResourceIdentity(new.urn, asked.id, views=listener), None, None)
        if outcome.outputs is None:
            raise RefusedError(f"resource '{asked.id}' does not exist")
        if outcome.inputs is None:
            package = new.type.partition(":")[0]
            raise RefusedError(
                f"provider does not support importing resources; please try updating the '{package}' plugin: "
                "its Read answered no inputs"
            )
        new.id, new.outputs = outcome.id or asked.id, outcome.outputs
        new.inputs = completed(outcome.inputs, asked.inputs)
        new.init_errors = list(outcome.init_errors)
        new.refresh_before_update = outcome.refresh_before_update

    def _check(self, asked: Import, new: ResourceState) -> None:
        """Let Check look at what is remembered: a failure is a warning, and what it makes of the inputs is dropped."""
        seed = self._operation.random_seed(new.urn)
        checked = self._course.manager(new).check(new.urn, new.inputs, new.inputs, seed)
        if not checked.failures:
            return
        package = new.provider_urn.rpartition(PROVIDERS)[2].partition("::")[0]
        advice = (
            "Try specifying a different set of properties to import with in the future."
            if asked.properties
            else f"This is almost certainly a bug in the `{package}` provider."
        )
        self._course.log("warning", FAILED_CHECK.format(advice), new.urn)
        for path, reason in checked.failures:
            self._course.log("warning", complaint(new, path, reason, new.inputs), new.urn)


def completed(read: Bag, supplied: Bag) -> dict[str, Value]:
    """What was read, with what was ``supplied`` where that is null or missing; what was supplied as a secret stays one."""
    whole = dict(read)
    for name, value in supplied.items():
        actual = read.get(name)
        if actual is None:
            whole[name] = value
        elif isinstance(value, Secret) and not isinstance(actual, Secret):
            whole[name] = Secret(actual)
    return whole
