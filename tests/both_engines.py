"""Two engines side by side: the same operations under the embedded one and the real ``pulumi``, and what must be the same.

The runs are compared after what cannot be the same has been taken out: random seeds, provider ids, addresses, times, and the
order of what has no order (resources in a state, calls for different resources).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from engine_logs import EngineLog
from engine_toolbox import TYPES, Breaking, cli_of

from mockprovider.calls import Call, Op
from mockprovider.cloud import CloudObject
from mockprovider.double import Double
from mockprovider.engine import Result, Stack
from mockprovider.schema import Package, Property

COMPARED = (
    *("method", "name", "type", "id", "inputs", "prior", "prior_inputs", "preview", "timeout", "ignore_changes"),
    *("autonaming", "parameter", "package"),
)
VOLATILE = {"resource_status_address", "resource_status_token"}
TIMES = {"created", "modified", "sourcePosition", "stackTrace"}


def buckets() -> Package:
    """The package that both serve, unless told otherwise."""
    package = Package("cloud", config={"region": Property(str, forces_new=True), "tag": Property(str)})
    package.add(*TYPES)
    return package


class Both:
    """The same operations under both engines, each with a double of its own."""

    def __init__(
        self,
        folder: Any,
        generation: str = "current",
        *,
        package: Callable[[], Package] = buckets,
        references: Any = None,
        **config: str,
    ) -> None:
        self.breaking = (Breaking(), Breaking())
        self.doubles = tuple(Double(package(), layers=(each,), generation=generation) for each in self.breaking)
        settings = {key.replace("__", ":"): value for key, value in config.items()}
        self.stack = Stack(self.doubles[0], config=settings, references=references)
        self.log = EngineLog(folder)
        self.cli = cli_of(self.doubles[1], folder, self.log.environment)
        self.cli.config(**config)
        self.results: tuple[Result, ...] = ()
        """Those of the last run."""

    def close(self) -> None:
        """End what serves."""
        self.log.keep()
        for each in self.doubles:
            each.close()

    def raise_errors(self) -> None:
        """Raise the first of the doubles' own errors."""
        for each in self.doubles:
            each.raise_errors()

    def run(self, operation: str, program: Any = None, *, fails: bool = False, **options: Any) -> dict[str, list[str]]:
        """Run one operation under both; compare calls, steps, summary and state. Returns the methods called per resource."""
        for double in self.doubles:
            double.journal.clear()
        programs = () if program is None else (program,)
        self.log.begin(operation, options)
        # Each engine is held to the update plan that it made itself.
        ours, theirs = ({**options, "plan": plan} for plan in options["plan"]) if "plan" in options else (options, options)
        embedded = getattr(self.stack, operation)(*programs, expect_failure=fails, **ours)
        real = getattr(self.cli, operation)(*programs, expect_failure=fails, **theirs)
        self.results = (embedded, real)
        assert embedded.summary == real.summary
        assert sorted(embedded.steps) == sorted(real.steps)
        assert blamed(embedded) == blamed(real)
        ours, theirs = (by_resource(double) for double in self.doubles)
        assert ours == theirs
        assert resources(self.stack.export()) == resources(self.cli.export())
        assert [rule.unfired for double in self.doubles for rule in double.faults.rules if rule.unfired] == []
        return {key.rsplit("::", 1)[-1]: [each["method"] for each in calls] for key, calls in ours.items()}

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


def blamed(result: Result) -> list[tuple[str, str]]:
    """The severities and the resources of what the user was told, without what is about no resource in particular."""
    said = {(diagnostic.severity, diagnostic.urn) for diagnostic in result.diagnostics}
    # Each engine has its own words about the stack, and the real one sums up in a last error of its own.
    return sorted((severity, urn) for severity, urn in said if urn and "::pulumi:pulumi:Stack::" not in urn)


def by_resource(double: Double) -> dict[str, list[dict[str, Any]]]:
    """What is compared of a double's calls, by the URN (or function) that they are about."""
    found = defaultdict(list)
    for entry in double.journal.entries():
        if entry.call.urn:
            found[entry.call.urn].append(_comparable(entry.call))
        elif entry.call.op is Op.INVOKE:
            found[entry.call.type].append(_comparable(entry.call))
    return dict(found)


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
    if kept.get("propertyDependencies"):
        kept["propertyDependencies"] = {key: sorted(urns or ()) for key, urns in kept["propertyDependencies"].items()}
    if kept.get("dependencies"):
        kept["dependencies"] = sorted(kept["dependencies"])
    return kept
