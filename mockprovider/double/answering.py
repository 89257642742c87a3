"""What a test says of single answers of the fake, while what is declared stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from mockprovider.cloud import Cloud
from mockprovider.double.declared import DeclaredPackages
from mockprovider.double.judged import unjudged, unjudged_types
from mockprovider.errors import DefinitionError
from mockprovider.fake import Fake
from mockprovider.fake.answers import Answers, is_lenient, only_says, said_of
from mockprovider.fake.sayings import Matching, Saying, joined
from mockprovider.journal import Journal
from mockprovider.schema import Package, Property

GivenAnswer: TypeAlias = Mapping[str, Any] | Callable[[dict[str, Any]], Mapping[str, Any]]


class Answering:
    """A double whose fake can be told what to answer."""

    _fake: Fake
    _past: Any
    is_fake: bool
    packages: DeclaredPackages
    define: Callable[..., None]
    cloud: Cloud
    journal: Journal

    def answers(self, function: str, answer: GivenAnswer | Sequence[GivenAnswer], *, when: Matching = None) -> None:
        """Say what a function (a data source) answers, from the next call on. What is left out comes from the schema.

        Args:
            function: its token, or Terraform's name of the data source.
            answer: outputs with their values, by their names in either ecosystem; a function of the arguments that returns
                these; or a list of both, for one call after the other, of which the last repeats.
            when: arguments that the calls have, with these values, or a function of the arguments; every call, unless given.

        The answer that was said last, of those that fit a call, counts. Raises ``DefinitionError`` for a function, an argument
        or an output that is not declared, with the nearest, for a value of another kind, and on a double of a real provider.
        """
        self._package(function.partition(":")[0])
        answers, saying = self._told, Saying((function,), answer, when, origin="as the test says")
        answers.check_answer(saying)
        answers.own.answers.append(saying)

    def outputs(self, type_: str, outputs: GivenAnswer, *, name: str = "", when: Matching = None) -> None:
        """Say what a type computes, from the next create or update on; ``id`` is the id of new objects.

        Args:
            type_: its token, or its name in Terraform; a component's token.
            outputs: computed properties with their values, or a function of the inputs that returns these. What the program
                sets stays as it is.
            name: the resource that it is for: its name in the program, or its address in Terraform's configuration, which is
                known in serial runs (``terraform.parallelism = 1``).
            when: inputs that the resource has, with these values, or a function of the inputs.

        Later ones count before earlier ones. What a plan has promised stays. Raises ``DefinitionError`` as ``answers`` does,
        and for a property that is no output.
        """
        self._package(type_.partition(":")[0])
        answers, saying = self._told, Saying((type_,), outputs, when, name)
        answers.check_outputs(saying)
        answers.own.outputs.append(saying)

    def elements(self, count: int, of: str = "", path: str = "") -> None:
        """Say how many elements generated lists have.

        Args:
            count: so many.
            of: a type or function, by token or Terraform name; all that a schema declares, unless given.
            path: a list in it, by the names that lead there: ``domain_validation_options``, ``zones.ids``. Maps, and lists that
                a program may set, are empty unless one is named.

        Raises ``DefinitionError`` for what is not declared, and a number below 0.
        """
        answers = self._told
        answers.own.elements[answers.check_elements(of, path, count)] = count

    @property
    def presets(self) -> bool:
        """Whether ready-made answers are given where a schema alone says what a provider has. It applies from the next call."""
        return self._told.use_presets

    @presets.setter
    def presets(self, wanted: bool) -> None:
        self._told.use_presets = wanted

    @property
    def doubts(self) -> list[str]:
        """Lines about properties of declared types that programs probably misspelt until now; a strict double refuses them."""
        return self._fake.doubts

    @property
    def unjudged(self) -> list[str]:
        """What the fake checked or planned alone, where a real provider could not: a line each, and why."""
        return unjudged(self.journal)

    @property
    def unchecked(self) -> dict[str, list[str]]:
        """Types in use, by package, that are known from a schema alone: nothing validates values, or knows what replaces."""
        types: dict[str, list[str]] = {}
        alone = {name: unjudged_types(self.journal, package.judge) for name, package in self.packages.items() if package.judge}
        for token in dict.fromkeys(event.type for event in self.cloud.events) if self.is_fake else ():
            package = self.packages.get(token.partition(":")[0])
            declared = package.resources.get(token) if package else None
            if package is None or declared is None or (package.judge and token not in alone.get(package.name, ())):
                continue
            if declared.of_schema and not forces(declared.properties):
                types.setdefault(declared.package, []).append(token)
        return types

    @property
    def _told(self) -> Answers:
        if not (self.is_fake or self._past):
            raise DefinitionError(
                "Only the fake can be told what to answer: what answers here is a provider of its own. A fault changes its "
                "answers: provider.faults.on.invoke(...).altered(...)."
            )
        return self._fake.answers

    def _declare(self, package: Package) -> None:
        """Serve a package. One that declares nothing, and says answers, joins the declared one of its name."""
        package = package.copied()
        known = self.packages.get(package.name)
        if known is not None and only_says(package):
            known.said = joined(said_of(known), said_of(package))
        elif known is not None and only_says(known):
            package.said = joined(said_of(known), said_of(package))
            self.packages[package.name] = package
        elif known is not None or not is_lenient(package):
            self.packages[package.name] = package

    def _package(self, name: str) -> Package | None:
        """The package that a session is for, without a name the first. What it builds on is declared now, if nobody did."""
        if name not in self.packages and name in self.packages.offered:
            self.define(next(package.beside[name] for package in self.packages.values() if name in package.beside)())
        package = self.packages.get(name) if name else next(iter(self.packages.values()), None)
        for other in package.beside if package else ():
            if other not in self.packages:
                self._package(other)
        return package

    def _check_said(self) -> None:
        """Raise ``DefinitionError`` for what files say of what is not declared."""
        for package in self.packages.values():
            if package.said:
                self._fake.answers.check_said(said_of(package))


def forces(properties: Mapping[str, Property]) -> bool:
    """Whether a change of some property is known to force a replacement."""
    return any(item.forces_new for item in properties.values())
