"""Two engines side by side: the same operations under the embedded one and the real ``pulumi``, and what must be the same.

The runs are compared after what cannot be the same has been taken out: random seeds, provider ids, addresses, times, and the
order of what has no order (resources in a state, calls for different resources).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import unified_diff
from itertools import groupby
from pprint import pformat
from typing import Any

from engine_logs import EngineLog
from engine_toolbox import BUCKET, HEIR, TYPES, Breaking, cli_of
from hook_toolbox import Noted
from pulumi import ResourceHookBinding

from mockprovider.calls import Call, Op
from mockprovider.cloud import CloudObject
from mockprovider.double import Double
from mockprovider.engine import Result, Stack
from mockprovider.errors import DefinitionError, MalformedError, ProgramError
from mockprovider.pulumi.signatures import SECRET, SENTINELS, SIGNATURE
from mockprovider.schema import Package, Property, ResourceType

COMPARED = (
    *("method", "name", "type", "id", "inputs", "prior", "prior_inputs", "preview", "timeout", "ignore_changes"),
    *("autonaming", "parameter", "package"),
)
PROVIDER_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The id of a provider, as it stands in messages."""
FIRST_MISSING = re.compile(r"(?<=depends on ')[^']+(?=' which was was not specified)")
"""Of several that a target lacks, ``pulumi`` names the first in the order of a Go map."""
FAILED_STEP = re.compile(r"(?<=step application failed: ).*", re.DOTALL)
"""Of several that fail at once, whichever was first."""
SUMMING_UP_WITH = ("update failed", "preview failed")
"""What an engine says last begins so, once a step has failed."""
VOLATILE = {"resource_status_address", "resource_status_token"}
TIMES = {"created", "modified", "sourcePosition", "stackTrace"}
PREPARING = {
    *(Op.HANDSHAKE, Op.ATTACH, Op.GET_PLUGIN_INFO, Op.PARAMETERIZE, Op.GET_SCHEMA, Op.GET_MAPPING, Op.GET_MAPPINGS),
    *(Op.CHECK_CONFIG, Op.DIFF_CONFIG, Op.CONFIGURE, Op.CANCEL),
}
"""What a provider is asked before anybody uses it, and after."""


def buckets() -> Package:
    """The package that both serve, unless told otherwise."""
    package = Package("cloud", config={"region": Property(str, forces_new=True), "tag": Property(str)})
    package.add(*TYPES, ResourceType(HEIR, dict(TYPES[0].properties), moved_from=(BUCKET,)))
    return package


BROKEN = (
    "The Pulumi CLI encountered a snapshot integrity error",
    "snapshot integrity failure",
    "had not ended after",
    "had not been marked as seen",
    "resource plan goal name",
    "invalid memory address or nil pointer",
    "must have an ID if it is a custom resource",
)
"""What is told of the real engine where it wrote an invalid state, hangs, or crashes over what is renamed: all are in the
table of docs/engines.md."""


REFUSED = ("could not be found: neither", "It is excluded: exclude what depends on it, too")
"""What ours says of what the real one passes over, which breaks its state if nothing stops it before (docs/engines.md)."""


class UnanswerableError(Exception):
    """The engines cannot be compared: the operation names what is not there, or the real one breaks its own state or hangs."""


class Watched(Stack):
    """A stack that remembers the result of an operation, whether it was expected or not."""

    result: Result | None = None
    # The real engine's doubles are served, so it can end the connection to one.
    _ends_providers = True

    def _judged(self, result: Result, what: str, *, expect_failure: bool) -> Result:
        self.result = result
        return super()._judged(result, what, expect_failure=expect_failure)


class Both:
    """The same operations under both engines, each with a double of its own. ``serial`` has both take one step at a time."""

    def __init__(
        self,
        folder: Any,
        generation: str = "current",
        *,
        package: Callable[[], Package] = buckets,
        references: Any = None,
        serial: bool = False,
        **config: str,
    ) -> None:
        self._arguments: dict[str, Any] = {"arguments": ("--parallel", "1")} if serial else {}
        self.breaking = (Breaking(), Breaking())
        self.doubles = tuple(Double(package(), layers=(each,), generation=generation) for each in self.breaking)
        settings = {key.replace("__", ":"): value for key, value in config.items()}
        self.stack = Watched(self.doubles[0], config=settings, references=references, parallel=1 if serial else None)
        self.log = EngineLog(folder)
        self.cli = cli_of(self.doubles[1], folder, self.log.environment)
        self.cli.config(**config)
        self.results: tuple[Result, ...] = ()
        """Those of the last run."""
        self.compares_words = True
        """Whether the words of errors must be the same, and not only whom they are about."""
        self.plans: tuple[Any, ...] = ()
        """The update plans of the last preview that saved any."""
        self.noted = Noted()
        """What hooks were told in the current run."""
        self.ended: list[bool] = []
        """How each operation ended under the embedded engine: well, or not."""

    def close(self) -> None:
        """End what serves."""
        self.log.keep()
        for each in self.doubles:
            each.close()

    def raise_errors(self) -> None:
        """Raise the first of the doubles' own errors."""
        for each in self.doubles:
            each.raise_errors()

    def run(self, operation: str, program: Any = None, *, fails: bool | None = False, **options: Any) -> dict[str, list[str]]:
        """Run one operation under both; compare calls, steps, summary, state and cloud. Returns the methods called per
        resource. Where nobody knows whether it ``fails``, the embedded engine finds out.
        """
        for double in self.doubles:
            double.journal.clear()
        programs = () if program is None else (program,)
        # Each engine is held to the update plan that it made itself.
        plans = options.pop("plan", ()) or (None, None)
        our_options, their_options = ({**options, **({"plan": plan} if plan else {})} for plan in plans)
        self.log.begin(operation, their_options)
        self.noted.calls.clear()
        embedded = self._embedded(operation, programs, fails, our_options)
        told_ours = self.noted.by_resource()
        self.ended.append(embedded.succeeded)
        if fails is None:
            told = (str(embedded.error), *(diagnostic.message for diagnostic in embedded.diagnostics))
            if refused := [message for message in told if any(words in message for words in REFUSED)]:
                raise UnanswerableError(refused[0])
        fails = not embedded.succeeded
        try:
            arguments = {} if operation == "import_resources" else self._arguments
            if parallel := their_options.pop("parallel", None):
                arguments = {"arguments": ("--parallel", str(parallel))}
            real = getattr(self.cli, operation)(*programs, expect_failure=fails, **their_options, **arguments)
        except MalformedError as error:
            # An invalid state of the real engine, where ours refuses (docs/engines.md).
            raise UnanswerableError(str(error)) from error
        except ProgramError as error:
            if any(words in str(error) for words in BROKEN):
                raise UnanswerableError(str(error)) from error
            raise
        told = (real.output, *(diagnostic.message for diagnostic in real.diagnostics))
        if broken := [words for words in BROKEN for message in told if words in message]:
            raise UnanswerableError(f"{broken[0]}: {real.error}")
        self.results = (embedded, real)
        told_theirs = self.noted.by_resource()
        asked = [by_resource(double) for double in self.doubles]
        existing = [sorted((str(each.type), each.id, dict(each)) for each in objects) for objects in self.objects()]
        _same("calls", *asked)
        _same("calls of hooks", told_ours, told_theirs)
        twice = Counter(real.steps) - Counter(embedded.steps)
        if twice and {op for op, _ in twice} == {"same"} and not {urn for _, urn in twice} & set(embedded.state):
            raise UnanswerableError(
                "the real engine also keeps the old name of a target that an alias renames (docs/engines.md)"
            )
        _same("steps", sorted(embedded.steps), sorted(real.steps))
        _same("summaries", embedded.summary, real.summary)
        _same("diagnostics", *(blamed(result, words=self.compares_words) for result in self.results))
        ours, theirs = (resources(engine.export()) for engine in (self.stack, self.cli))
        read = {found["urn"] for found in ours if found.get("external")}
        if any(found.get("delete") and found["urn"] in read and found not in theirs for found in ours):
            raise UnanswerableError("the real engine has forgotten what a read takes the place of (docs/engines.md)")
        _same("states", ours, theirs)
        _same("clouds", *existing)
        if options.get("save_plan") and embedded.succeeded:
            self.plans = (embedded.plan, real.plan)
            _same("plans", *(comparable_plan(plan) for plan in self.plans))
        assert [
            rule.unfired for double in self.doubles for rule in double.faults.rules if rule.unfired and not rule.when.optional
        ] == []
        return {key.rsplit("::", 1)[-1]: [each["method"] for each in calls] for key, calls in asked[0].items()}

    def _embedded(self, operation: str, programs: Any, fails: bool | None, options: Any) -> Result:
        self.stack.result = None
        try:
            result: Result = getattr(self.stack, operation)(*programs, expect_failure=bool(fails), **options)
        except ProgramError:
            if fails is not None or self.stack.result is None:
                raise
            return self.stack.result
        except DefinitionError as error:
            if fails is not None:
                raise
            raise UnanswerableError(str(error)) from error
        return result

    def adopt(self, deployment: Any) -> None:
        """Start both from an exported stack, each with a cloud that has its objects."""
        self.stack.import_(deployment, cloud=self.doubles[0].cloud)
        self.cli.import_(deployment, cloud=self.doubles[1].cloud)

    def hand_over(self) -> None:
        """Let the real engine go on from where the embedded one is; the calls so far are forgotten."""
        key = self.cli.export()["deployment"]["secrets_providers"]
        self.cli.import_(self.stack.export(secrets_providers=key), cloud=self.doubles[1].cloud)
        for double in self.doubles:
            double.journal.clear()

    def breaks(self, rule: Callable[[Any], Any]) -> None:
        """Give both doubles a fault: ``rule`` is given ``faults.on`` of each. The next run fails the test if it never fires."""
        for double in self.doubles:
            rule(double.faults.on)

    def hooks(self, name: str, *when: str) -> ResourceHookBinding:
        """Hooks of the resource of that name, which note what they are told; the kinds with ``!`` fail."""
        bound = {}
        for kind in when:
            hook = f"{name} {kind}"
            failing = kind.endswith("!")
            if kind == "on_error":
                bound[kind] = [self.noted.error_hook(hook, lambda args: len(args.errors) < 2)]
            else:
                bound[kind.rstrip("!")] = [self.noted.hook(hook, fails=failing)]
        return ResourceHookBinding(**bound)

    def mend(self) -> None:
        """Take all faults away."""
        for double in self.doubles:
            double.faults.clear()

    def create(self, type_: str, id_: str, **properties: Any) -> None:
        """Let an object exist in both clouds."""
        for double in self.doubles:
            double.cloud.create(type_, id_, properties)

    def drift(self, type_: str, **changes: Any) -> None:
        """Change all objects of a type in both clouds."""
        for double in self.doubles:
            for found in double.cloud.objects(type_):
                double.cloud.drift(type_, found.id, **changes)

    def vanish(self, type_: str, number: int) -> None:
        """Take the object of that number, in the order of ids, out of both clouds, if there are so many of the type."""
        for double in self.doubles:
            for found in sorted(double.cloud.objects(type_), key=lambda each: each.id)[number : number + 1]:
                double.cloud.vanish(type_, found.id)

    def mark(self, command: str, name: str) -> None:
        """Mark a resource in both states, as ``taint`` or ``protect`` do, if it is there once."""
        if [resource.name for resource in self.stack.state.every].count(name) == 1:
            self.log.begin(command, {"names": [name]})
            for engine in (self.stack, self.cli):
                getattr(engine, command)(name)

    def objects(self) -> list[list[CloudObject]]:
        """What exists in each cloud."""
        return [double.cloud.objects() for double in self.doubles]

    def said(self) -> list[str]:
        """What the user was told of errors in the last run, by each engine."""
        return [
            "\n".join(diagnostic.message for diagnostic in result.diagnostics if diagnostic.severity == "error")
            for result in self.results
        ]

    def fail(self, op: Op, name: str) -> None:
        """Let the next call of ``op`` for ``name`` fail under both."""
        for each in self.breaking:
            each.fail(op, name)


def _same(what: str, ours: Any, theirs: Any) -> None:
    lines = [] if ours == theirs else [pformat(each, width=150, sort_dicts=True).splitlines() for each in (theirs, ours)]
    assert ours == theirs, f"the {what} differ:\n" + "\n".join(unified_diff(*lines, "pulumi", "embedded", "", "", 2, ""))


def blamed(result: Result, *, words: bool = True) -> list[tuple[str, str, str]]:
    """The severity, the resource and the words of what the user was told, without what is about no resource in particular."""
    # Each engine has its own words about the stack, but for the last error, which sums up.
    about = [each for each in result.diagnostics if each.urn and "::pulumi:pulumi:Stack::" not in each.urn]
    last = [each for each in result.diagnostics if each.message.startswith(SUMMING_UP_WITH)]
    several = len({each.urn for each in about if each.severity == "error"}) > 1
    chances = {PROVIDER_ID: "ID", FIRST_MISSING: "URN", **({FAILED_STEP: "one of them"} if several else {})}
    return sorted({(each.severity, each.urn, _without(chances, each.message) if words else "") for each in (*about, *last)})


def _without(chances: Mapping[re.Pattern[str], str], message: str) -> str:
    for pattern, word in chances.items():
        message = pattern.sub(word, message)
    return message


CHANCE = {"seed", "manifest"}
"""What plans say of random numbers and of times."""


def comparable_plan(plan: Any) -> Any:
    """A plan without chance: seeds, times, the ids of providers, the SDK's order of dependencies; and without secrets."""
    if isinstance(plan, dict) and plan.get(SIGNATURE) == SECRET:
        return "secret"
    if isinstance(plan, dict):
        return {key: comparable_plan(value) for key, value in _ordered(plan).items() if key not in CHANCE}
    if isinstance(plan, list):
        return [comparable_plan(item) for item in plan]
    known = isinstance(plan, str) and "pulumi:providers:" in plan and not plan.endswith(SENTINELS["string"])
    return plan.rpartition("::")[0] if known else plan


def _ordered(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same with what a resource depends on in one order: the SDK has these as sets."""
    ordered = dict(options)
    if options.get("propertyDependencies"):
        ordered["propertyDependencies"] = {key: sorted(urns or ()) for key, urns in options["propertyDependencies"].items()}
    if options.get("dependencies"):
        ordered["dependencies"] = sorted(options["dependencies"])
    return ordered


def by_resource(double: Double) -> dict[str, list[dict[str, Any]]]:
    """What is compared of a double's calls, by the URN (or function) that they are about.

    Not of a Configure that nobody needs: the real engine does not wait for it, and may have ended before it was sent. Nor in
    which order one resource's objects are deleted, one after the other, or diffed, since several targets of a destroy would
    each replace it: the real engine goes through these as Go does a map.
    """
    found = defaultdict(list)
    entries = double.journal.entries()
    used = {entry.call.session.number for entry in entries if entry.call.op not in PREPARING}
    for entry in entries:
        if entry.call.op is Op.CONFIGURE and entry.call.session.number not in used:
            continue
        if entry.call.urn:
            found[entry.call.urn].append(_comparable(entry.call))
        elif entry.call.op is Op.INVOKE:
            found[entry.call.type].append(_comparable(entry.call))
    return {about: [*_unordered(calls)] for about, calls in found.items()}


def _unordered(calls: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The calls of one resource, with deletions and diffs that follow each other in an order of their own."""
    for method, some in groupby(calls, key=lambda call: call["method"]):
        following = list(some)
        yield from sorted(following, key=str) if method in ("Delete", "Diff") else following


def _comparable(call: Call) -> dict[str, Any]:
    fields = {name: getattr(call, name) for name in COMPARED}
    if call.op is Op.CONFIGURE:
        del fields["id"]
    return fields | {"extra": {key: value for key, value in call.extra.items() if key not in VOLATILE}}


def resources(exported: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is compared of an exported state."""
    found = [_resource(each) for each in exported["deployment"].get("resources") or ()]
    return sorted(found, key=lambda each: (each["urn"], str(each.get("id")), bool(each.get("delete"))))


def _resource(found: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in found.items() if key not in TIMES}
    if kept["type"].startswith("pulumi:providers:") or kept["type"] == "pulumi:index:Stash":
        kept["id"] = "generated"
    if kept.get("provider"):
        kept["provider"] = kept["provider"].rpartition("::")[0]
    return _ordered(kept)
