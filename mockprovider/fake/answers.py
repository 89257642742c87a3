"""What somebody says of single answers, while the schema stays: of functions, of what types compute, of how long lists are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from mockprovider.calls import Call, Op
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError
from mockprovider.fake.computing import fill_all, inventing
from mockprovider.fake.contexts import context_of, known_of, places
from mockprovider.fake.fitting import Fitting, named
from mockprovider.fake.inventing import Inventor
from mockprovider.fake.inventing.drawing import Drawing
from mockprovider.fake.inventing.inventor import nothing_said, plain
from mockprovider.fake.inventing.makers import MAKERS, MAKES, title
from mockprovider.fake.inventing.stated import Invent, Stated, whole
from mockprovider.fake.lookups import looked_up
from mockprovider.fake.sayings import NOTHING_SAID, Saying, Sayings
from mockprovider.fake.stating import Stating, replaced_by_any_input
from mockprovider.hints import did_you_mean
from mockprovider.properties import terraform_type_name
from mockprovider.schema import Component, Function, Package, ResourceType
from mockprovider.values import Bag, Value, has_unknown, reveal


class Answers:
    """All that is said of answers.

    Args:
        packages: what is declared, by name.
        presets: what is said of a package that was read from a schema, where nobody says anything else.
        cloud: has the objects that functions look up.
    """

    def __init__(
        self,
        packages: Mapping[str, Package],
        presets: Callable[[str], Sayings] = lambda _: NOTHING_SAID,
        cloud: Cloud | None = None,
    ) -> None:
        self._cloud = cloud or Cloud()
        self._packages = packages
        self._presets = presets
        self.own = Sayings()
        self.use_presets = True
        self._lock = threading.Lock()

    # Said -------------------------------------------------------------------------------------------------------------

    def check_answer(self, saying: Saying) -> None:
        """Raise ``DefinitionError`` for a function, an argument or an output that is not declared, or of another kind."""
        if saying.lenient:
            return
        function = self._function(saying.of[0])
        if isinstance(saying.when, Mapping):
            saying.when = Fitting(saying.of[0], "argument").bag(function.inputs, saying.when) if function else saying.when
        answers = saying.answer if isinstance(saying.answer, (list, tuple)) else [saying.answer]
        if not answers:
            raise DefinitionError(f"{saying.of[0]}: a list of no answers says nothing. Give one at least.")
        for answer in answers:
            if not callable(answer):
                self._fitted(saying, function, answer)

    def check_outputs(self, saying: Saying) -> None:
        """Raise ``DefinitionError`` for a type or an output that is not declared, of another kind, or the program's to set."""
        if saying.lenient:
            return
        declared = self._type(saying.of[0])
        if isinstance(saying.when, Mapping):
            saying.when = Fitting(saying.of[0], "property").bag(declared.properties, saying.when)
        if not callable(saying.answer):
            Stating(declared, lenient=saying.lenient).check(saying.answer)

    def check_said(self, said: Sayings) -> None:
        """Raise ``DefinitionError`` for what a file says of what is not declared."""
        for saying in said.answers:
            self.check_answer(saying)
        for saying in said.outputs:
            self.check_outputs(saying)
        said.elements = {self.check_elements(*key, count): count for key, count in said.elements.items()}

    def check_elements(self, of: str, path: str, count: int) -> tuple[str, str]:
        """The key of a number of elements. Raises ``DefinitionError`` for a type, function or path that is not declared."""
        if count < 0:
            raise DefinitionError(f"elements({count}): a list has no fewer elements than none. Give 0 or more.")
        if not of:
            return "", ""
        declared = self._find(of, functions=True) or self._type(of)
        properties: Mapping[str, Any] = declared.outputs if isinstance(declared, Function) else declared.properties
        for word in path.split(".") if path else ():
            name = named(properties, word)
            if name is None:
                raise DefinitionError(f"{of} has nothing at {path!r}. {did_you_mean(word, [*properties], 'There are')}")
            kind = properties[name].kind
            while kind.items is not None:
                kind = kind.items
            properties = kind.properties
        return declared.token, plain(path)

    def _find(self, name: str, *, functions: bool) -> Any:
        for package in self._packages.values():
            section: Mapping[str, Any] = package.functions if functions else package.resources
            known = section.get(name) or next((one for one in section.values() if name in names_of(one)), None)
            if known is not None:
                return known
            if not functions and name in package.components:
                return _as_type(package.components[name])
        return None

    def _function(self, name: str) -> Function | None:
        """The function of this name; ``None`` if nothing is declared in its package, so that it may have any."""
        known: Function | None = self._find(name, functions=True)
        package = self._packages.get(name.partition(":")[0])
        if known is None and (":" not in name or (package is not None and package.functions)):
            functions = [one for package in self._packages.values() for one in package.functions.values()]
            spelled = [other for one in functions for other in names_of(one) if (":" in other) == (":" in name)]
            raise DefinitionError(f"Nobody declared the function {name!r}. {did_you_mean(name, spelled, 'Declared are')}")
        return known

    def _type(self, name: str) -> ResourceType:
        known: ResourceType | None = self._find(name, functions=False)
        if known is None:
            types = [one for package in self._packages.values() for one in package.resources.values()]
            spelled = [one.token if ":" in name else one.terraform for one in types]
            raise DefinitionError(f"Nobody declared the resource type {name!r}. {did_you_mean(name, spelled, 'Declared are')}")
        return known

    # Asked ------------------------------------------------------------------------------------------------------------

    def answer(
        self, token: str, function: Function | None, arguments: Bag, call: Call, echo: Bag | None = None
    ) -> tuple[dict[str, Value], str] | None:
        """What somebody says that a call of a function is answered, checked and completed, and who says it.

        What is said of some outputs leaves the others as the cloud has them, where a function looks up what is there, or as a
        preset says. ``echo`` is what a function that nobody declared answers otherwise. A lenient place, such as a preset, adds
        to that, and leaves what the call says itself as it is.
        """
        names = names_of(function or Function(token))
        looking = function if function is not None and is_open(function) else None

        def given(saying: Saying) -> dict[str, Value]:
            answer = self._fitted(saying, function, self._next(saying, arguments, call))
            return self._added(answer, arguments, echo or {}, token) if saying.lenient else answer

        saying = _first(self._layers(token, presets=False), names, arguments)
        below = self._stored(looking, call) if looking else None
        if below is None and (looking or (saying is None and echo is not None)):
            preset = _first([self._preset(token)], names, arguments)
            below = (given(preset), preset.origin) if preset is not None else None
        if saying is None:
            return below
        return {**(below[0] if below is not None else {}), **given(saying)}, saying.origin

    def _stored(self, function: Function, call: Call) -> tuple[dict[str, Value], str] | None:
        package = self._packages.get(function.token.partition(":")[0])
        types = package.resources if package is not None else {}
        return looked_up(function, call.inputs or {}, types, self._cloud, places(call))

    def _added(self, given: Bag, arguments: Bag, echo: Bag, token: str) -> dict[str, Value]:
        _, counts = self._counts(token)
        said = {name: arguments[name] for name in given if arguments.get(name) is not None}
        return {**echo, **{name: value for name, value in given.items() if counts(plain(name)) is None}, **said}

    def _next(self, saying: Saying, arguments: Bag, call: Call) -> Any:
        answer = saying.answer
        if isinstance(answer, (list, tuple)):
            with self._lock:
                answer = answer[min(saying.given, len(answer) - 1)]
                saying.given += 1
        if callable(answer):
            return answer(dict(arguments))
        return fill_all(answer, {**places(call), **arguments}) if saying.templates else answer

    @staticmethod
    def _fitted(saying: Saying, function: Function | None, answer: Any) -> dict[str, Value]:
        fitting = Fitting(saying.of[0], lenient=saying.lenient)
        if function is not None and function.outputs:
            return fitting.bag(function.outputs, answer)
        if not isinstance(answer, Mapping):
            raise DefinitionError(f"{saying.of[0]} is to answer {answer!r}. Give a mapping of outputs to values.")
        return dict(answer)

    def tells_of(self, call: Call) -> bool:
        """Whether a preset answers an id, or an object makes others, of which one goes by it."""
        answers = (saying.answer for saying in self._preset(call.type).answers if isinstance(saying.answer, Mapping))
        if any(call.id in (answer.get("id"), *answer.get("ids", ())) for answer in answers):
            return True
        makers = ((makes, one) for type_, makes in MAKES.items() if self.use_presets for one in self._cloud.listed(type_))
        return any(makes(reveal(dict(one)), call.id) for makes, one in makers)

    def applied(self, declared: ResourceType, call: Call) -> ResourceType:
        """A type with what is said of the outputs of the resource that a call is about."""
        outputs: list[Saying] = []
        for sayings in reversed(self._layers(declared.token, presets=declared.of_schema)):
            outputs += sayings.outputs
        if not outputs:
            return declared
        names = names_of(declared)
        fitting = [one for one in outputs if one.is_of(names)]
        inputs = reveal(dict(call.inputs or call.prior_inputs or {}))
        point = ""
        for saying in fitting:
            if self._is_about(saying, call) and saying.fits(inputs):
                point = point or self._point(saying, call, inputs)
                declared = self._stated(declared, saying, inputs, call, point)
                declared = replaced_by_any_input(declared) if isinstance(saying.answer, Drawing) else declared
        return declared

    def _point(self, saying: Saying, call: Call, inputs: Bag) -> str:
        """What the generated parts of an object's outputs go by. Parallel runs of Terraform's engines do not say which resource
        it is, so its inputs have to, and of equal objects each is one of its own. What is replaced is drawn anew.
        """
        resource = call.urn or call.address
        if resource and not isinstance(saying.answer, Drawing):
            return resource
        said = resource or f"{call.id} {sorted(known_of(inputs).items())}"
        return self._cloud.new_hash(f"{call.type} {said}") if call.op is Op.CREATE and not call.preview else said

    def _is_about(self, saying: Saying, call: Call) -> bool:
        if saying.name and not (call.name or call.address) and call.prior is None and call.op.value == "create":
            raise DefinitionError(
                f"The outputs of {saying.of[0]} {saying.name!r} were said, and nothing tells which resource this call is for. "
                "Run the engine serially (terraform.parallelism = 1), or say it by inputs: when={...}."
            )
        return saying.is_for(call)

    def _stated(self, declared: ResourceType, saying: Saying, inputs: Bag, call: Call, point: str) -> ResourceType:
        if callable(saying.answer) and (call.inputs is None or has_unknown(inputs)):
            # Only the operation itself can tell.
            return declared
        is_drawn = isinstance(saying.answer, Drawing)
        # What is worked out is no template: JSON has braces.
        if is_drawn or (saying.templates and not callable(saying.answer)):
            known = known_of(inputs)
            given = self._filled(saying, call, known, point)
            if call.prior is not None and (is_drawn or not (call.urn or call.address)):
                given = self._kept(saying, given, call, known)
        else:
            given = saying.answer(inputs) if callable(saying.answer) else saying.answer
        # What a maker works out of what the program says is what the cloud makes of it.
        wins = saying.answer in MAKERS.values()
        inside = call.session.protocol.names_resources
        stating = Stating(declared, lenient=saying.lenient, inside=inside, wins=wins)
        return stating.applied(given, call.planned)

    def _kept(self, saying: Saying, given: dict[str, Any], call: Call, known: Bag) -> dict[str, Any]:
        """The outputs at an update: what is generated comes of the inputs, and stays while nothing else in its text changes."""
        prior = reveal(dict(call.prior or {}))
        before = known_of(reveal(dict(call.prior_inputs or call.prior or {})))
        was = self._filled(saying, call, {name: before[name] for name in before if name in known}, "")
        now, other = (self._filled(saying, call, known, point) for point in ("", "other"))
        return {
            name: prior[name] if name in prior and was.get(name) == now[name] != other[name] else value
            for name, value in given.items()
        }

    @staticmethod
    def _filled(saying: Saying, call: Call, known: Bag, point: str) -> dict[str, Any]:
        """What is drawn, or the outputs of templates; a lenient place says nothing of those that need what is not known yet."""
        if isinstance(saying.answer, Drawing):
            return dict(saying.answer(known, point))
        filled, context = {}, context_of(call, known, point)
        for name, text in saying.answer.items():
            try:
                filled[name] = fill_all(text, context)
            except DefinitionError:
                if not saying.lenient:
                    raise
        return filled

    def inventing(self, declared: ResourceType, id_: str, call: Call) -> Invent:
        """What makes up the values of an object."""
        elements, counts = self._counts(declared.token)
        if counts is not nothing_said and elements is not None and (declared.of_schema or (declared.token, "") in self._keys):
            declared = replace(declared, elements=elements)
        return inventing(declared, id_, counts, call.session.config, call.inputs)

    def completed(self, function: Function, given: Bag, arguments: Bag, call: Call) -> dict[str, Value]:
        """``given`` with what a declared function returns besides."""
        elements, counts = self._counts(function.token)
        # Two addresses that a program looks up by their names are not the same one; equal arguments give equal answers.
        asked = ordered({name: value for name, value in arguments.items() if value is not None})
        of = f"{function.token} {asked}" if asked else function.token
        called = title(function.token, {**arguments, **given}, str(given.get("id") or ""))
        inventor = Inventor(function.token, of, 1 if elements is None else elements, counts, call.session.config or {}, called)
        echoed = {
            name: arguments[name]
            for name, item in function.outputs.items()
            if name in function.inputs and function.inputs[name].kind == item.kind and arguments.get(name) is not None
        }
        known = {name: value for name, value in given.items() if value is not None}
        # What is said to be nothing is not made up.
        left = {name: item for name, item in function.outputs.items() if name in known or name not in (*given, *echoed)}
        return {**dict.fromkeys(given), **echoed, **whole(left, known, _calling(inventor))}

    def shown(self, declared: Component, call: Call, urn: str) -> tuple[dict[str, Value], Invent]:
        """What is said of the outputs of the component with this URN, and what makes up the others."""
        elements, counts = self._counts(declared.token, presets=True)
        invent = _calling(Inventor(declared.token, urn, 1 if elements is None else elements, counts, call.session.config or {}))
        items = self.applied(_as_type(declared), call).properties.items()
        said = {name: (item.kind, item.computed) for name, item in items if isinstance(item.computed, Stated)}
        return {name: stated.final(kind, name, None, invent) for name, (kind, stated) in said.items()}, invent

    @property
    def _keys(self) -> set[tuple[str, str]]:
        return {key for sayings in (self.own, *map(said_of, self._packages.values())) for key in sayings.elements}

    def _counts(self, token: str, *, presets: bool = False) -> tuple[int | None, Callable[[str], int | None]]:
        package = self._packages.get(token.partition(":")[0])
        if not (self.own.elements or presets) and (package is None or package.said is None):
            return None, nothing_said
        layers = [sayings.elements for sayings in self._layers(token, presets=presets)]
        usual = next((table[key] for key in ((token, ""), ("", "")) for table in layers if key in table), None)
        return usual, lambda path: next((table[token, path] for table in layers if (token, path) in table), None)

    def _preset(self, token: str) -> Sayings:
        return self._presets(token.partition(":")[0]) if self.use_presets else NOTHING_SAID

    def _layers(self, token: str, *, presets: bool) -> list[Sayings]:
        """Who says something, the one that counts first."""
        layers = [self.own]
        name = token.partition(":")[0]
        package = self._packages.get(name)
        if package is not None and package.said is not None:
            layers.append(package.said)
        if presets:
            layers.append(self._preset(token))
        return layers


def _first(layers: Sequence[Sayings], names: set[str], arguments: Bag) -> Saying | None:
    """The saying that counts for a call with these arguments: of one layer, the last."""
    sayings = (saying for layer in layers for saying in reversed(layer.answers))
    return next((saying for saying in sayings if saying.is_of(names) and saying.fits(arguments)), None)


def _as_type(declared: Component) -> ResourceType:
    """A component's outputs as those of a type, for what is said of either."""
    items = declared.outputs.items()
    outputs = {name: replace(item, computed=True, required=False, default=UNSET) for name, item in items}
    return ResourceType(declared.token, outputs, elements=1)


def ordered(value: Any) -> Any:
    """The same with its maps in order, at every depth: protobuf's have none, so they come in any."""
    if isinstance(value, Mapping):
        return [(name, ordered(value[name])) for name in sorted(value)]
    return [ordered(item) for item in value] if isinstance(value, (list, tuple)) else value


def _calling(inventor: Inventor) -> Invent:
    def invent(item: Any, at: str) -> Value:
        return item.computed({"id": inventor.of}) if callable(item.computed) else inventor.value(item, at)

    return invent


def said_of(package: Package) -> Sayings:
    """What the files of a package say."""
    return NOTHING_SAID if package.said is None else package.said


def only_says(package: Package) -> bool:
    """Whether a package declares nothing, and is there for what it says."""
    declares = (package.resources, package.functions, package.components, package.methods, package.offers, package.config)
    return package.said is not None and not any(declares)


def is_lenient(package: Package) -> bool:
    """Whether nobody minds if there is nothing that a package is about."""
    said = said_of(package)
    return only_says(package) and all(saying.lenient for saying in (*said.answers, *said.outputs))


def is_open(function: Function) -> bool:
    """Whether a schema alone says what a function answers."""
    return bool(function.outputs) and not function.returns


def names_of(declared: Function | ResourceType) -> set[str]:
    """The names of a type or function: its token, that without the file of its module, and Terraform's name."""
    package, module, member = declared.token.split(":", 2)
    if isinstance(declared, ResourceType):
        return {declared.token, f"{package}:{module.split('/')[0]}:{member}", declared.terraform}
    bare = member[3:] if member[:3] == "get" and member[3:4].isupper() else member
    named = declared.terraform or terraform_type_name(f"{package}:{module}:{bare}")
    return {declared.token, f"{package}:{module.split('/')[0]}:{member}", named}
