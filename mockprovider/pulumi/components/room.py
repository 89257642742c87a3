"""Components and methods of a fake: Pulumi's Construct and Call, over the way back to the engine."""

from __future__ import annotations

import string
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.catalogue import Catalogue, failed, nearest
from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.computing import fields
from mockprovider.pulumi.components.monitor import EngineRefusedError, Monitor, Registered, settled, urns_of
from mockprovider.pulumi.package.inventing import invented
from mockprovider.pulumi.stacks.resource_options import CONSTRUCT, INHERITED
from mockprovider.schema import Component, Method, Property
from mockprovider.values import (
    UNKNOWN,
    Bag,
    Output,
    ResourceReference,
    Secret,
    Value,
    has_secret,
    has_unknown,
    is_unknown,
    map_value,
    reveal,
    texts,
)

SAID = ("parent", "property_dependencies")
"""The options that a component's registration says of itself, because they follow from what Construct sent."""

SELF = "__self__"
"""The argument of a method with its receiver."""

Context = Mapping[str, Value]
"""Values by their names in templates: inputs, ``name``, children and receivers (``logs.arn``, ``self.url``)."""


class Way:
    """What a component's or a method's function gets: its inputs, and the way back to the engine."""

    def __init__(self, call: Call, declared: Collection[str], inputs: Bag) -> None:
        self.call = call
        self._declared = declared
        self.inputs, self._dependencies = settled(inputs)
        """The checked inputs. Secrets are in ``Secret``; values that a preview does not know are ``UNKNOWN``."""
        for name, urns in {**call.extra.get("inputDependencies", {}), **call.extra.get("argDependencies", {})}.items():
            self._dependencies[name] = tuple(sorted({*urns, *self._dependencies.get(name, ())}))
        self.monitor = Monitor(call)
        self.preview = self.monitor.preview

    def log(self, message: str, severity: str = "info") -> None:
        """Show ``message`` to the engine's user, if the engine can."""
        if self.call.session.engine is not None:
            self.call.session.engine.log(severity, message, self.call.urn)

    def output(self, name: str) -> Output:
        """An input with its dependencies, so that values made from it depend on the same resources."""
        value = self.inputs.get(name)
        plain, secret = (value.value, True) if isinstance(value, Secret) else (value, False)
        return Output(plain, secret, self._dependencies.get(name, ()))

    def context(self) -> dict[str, Value]:
        """The names that templates may use, with their values."""
        return {"name": self.call.name, **{name: self.output(name) for name in (*self._declared, *self.inputs)}}

    def fill(self, template: Value, **more: Value) -> Value:
        """``template`` with its names replaced, at every depth: unknown, secret and dependent if a value that it uses is."""
        context = {**self.context(), **more}
        return map_value(template, lambda part: filled(part, context) if isinstance(part, str) else part)


class Site(Way):
    """A component under construction, which is registered already.

    ``urn`` is its URN, ``name`` its name.
    """

    def __init__(self, call: Call, declared: Component, inputs: Bag, catalogue: Catalogue) -> None:
        super().__init__(call, declared.inputs, inputs)
        self._catalogue = catalogue
        self.name = call.name
        self.children: dict[str, Registered] = {}
        self._outputs: dict[str, Value] = {}
        own = _own(call)
        if "resource_hooks" in call.extra:
            own["hooks"] = call.extra["resource_hooks"]
        bag = {name: self.output(name) for name in self.inputs}
        parent = str(call.extra.get("parent", ""))
        registered = self.monitor.register_resource(call.type, call.name, bag, parent=parent, custom=False, **own)
        self.urn = registered.urn
        self.said, self.invent = catalogue.answers.shown(declared, call, self.urn)
        """What a test says of its outputs, and what makes up others."""

    def resource(self, type: str, name: str, inputs: Bag | None = None, **options: Any) -> Registered:  # noqa: A002
        """Register a child and wait for it. ``options`` are fields of ``RegisterResourceRequest``, by their names.

        A child inherits protection and providers from its component, unless ``options`` set them. Raises
        ``EngineRefusedError`` if the engine does not register it.
        """
        given = {**self._inherited(type), **options}
        if options.get("remote"):
            given = {"custom": False, "providers": self.call.extra.get("providers", {}), **given}
        child = self.monitor.register_resource(type, name, inputs or {}, **{"parent": self.urn, **given})
        self.children[name] = child
        return child

    def shown_child(self, name: str, type_: str) -> Registered:
        """A child with what its type requires, for the output ``name``: only a component's code knows what else it sets."""
        package = self._catalogue.packages.get(type_.partition(":")[0])
        declared = package.resources.get(type_) if package else None
        required = {key: item for key, item in (declared.properties if declared else {}).items() if item.required}
        inputs = {key: invented(item, key, self.urn, type_) for key, item in required.items()}
        return self.resource(type_, f"{self.name}-{name}", inputs)

    def _inherited(self, type_: str) -> dict[str, Any]:
        extra = self.call.extra
        inherited = {option.wire: extra[option.construct] for option in INHERITED if option.construct in extra}
        provider = self.call.extra.get("providers", {}).get(type_.split(":", 1)[0])
        return {**inherited, **({"provider": provider} if provider else {})}

    def outputs(self, **outputs: Value) -> None:
        """Set outputs of the component; further calls add to them."""
        self._outputs |= outputs

    @property
    def shown(self) -> dict[str, Value]:
        """The outputs so far."""
        return dict(self._outputs)


class Called(Way):
    """A running method: ``receiver`` is the resource that it belongs to, ``inputs`` its other arguments."""

    def __init__(self, call: Call, declared: Collection[str], inputs: Bag) -> None:
        super().__init__(call, declared, {name: value for name, value in inputs.items() if name != SELF})
        receiver = reveal(inputs.get(SELF))
        self.receiver: ResourceReference | None = receiver if isinstance(receiver, ResourceReference) else None
        self._self: Registered | None = None

    @property
    def self(self) -> Registered:
        """The receiver's properties, from the engine. Raises ``EngineRefusedError`` if the engine does not know it."""
        if self._self is None:
            urn = self.receiver.urn if self.receiver else ""
            self._self = self.monitor.get_resource(urn)
        return self._self


class Components:
    """The calls that need the engine's monitor."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {Op.CONSTRUCT: self._construct, Op.CALL: self._call}

    def _construct(self, call: Call) -> Reply:
        package = self._catalogue.packages.get(call.type.split(":", 1)[0])
        declared = package.components.get(call.type) if package else None
        if declared is None and not self._catalogue.strict:
            # As with resources, an undeclared component has the inputs of the call, and shows them as outputs.
            properties = dict.fromkeys(call.inputs or {}, Property("any"))
            declared = Component(call.type, properties, properties)
        if declared is None:
            known = [token for candidate in self._catalogue.packages.values() for token in candidate.components]
            return failed(f"Nobody declared the component {call.type!r}.{nearest(call.type, known)}", "invalid_argument")
        inputs = with_defaults(declared.inputs, call.inputs or {})
        if wrong := self._wrong(declared, inputs):
            return Reply(failures=wrong)
        try:
            return _constructed(declared, Site(call, declared, inputs, self._catalogue))
        except EngineRefusedError as error:
            return error.reply

    def _call(self, call: Call) -> Reply:
        declared = self._methods().get(call.type)
        if declared is None:
            return failed(
                f"Nobody declared the method {call.type!r}.{nearest(call.type, [*self._methods()])}", "invalid_argument"
            )
        inputs = with_defaults(declared.inputs, call.inputs or {})
        if wrong := self._wrong(declared, inputs):
            return Reply(failures=wrong)
        try:
            return _answered(_returned(declared, Called(call, declared.inputs, inputs)), "returnDependencies")
        except EngineRefusedError as error:
            return error.reply

    def _methods(self) -> dict[str, Method]:
        """All methods: that of a provider has no package in its token."""
        return {token: method for package in self._catalogue.packages.values() for token, method in package.methods.items()}

    def _wrong(self, declared: Component | Method, inputs: Bag) -> tuple[Failure, ...]:
        values, _ = settled(inputs)
        strange = [name for name in values if name not in declared.inputs and name != SELF] if self._catalogue.strict else []
        reasons = (f"{declared.token} has no input {name!r}.{nearest(name, list(declared.inputs))}" for name in strange)
        return (*failures(declared.inputs, values), *map(Failure, reasons, strange))


def _own(call: Call) -> dict[str, Any]:
    """The options of a Construct that are those of the component's own registration, by their names there."""
    own: dict[str, Any] = {}
    for option in CONSTRUCT:
        if option.construct in call.extra and option.name not in SAID:
            own[option.wire] = call.extra[option.construct]
            if option.shape == "flag":
                own |= dict.fromkeys(option.also, True)
    return own


def _constructed(declared: Component, site: Site) -> Reply:
    for key, child in declared.children.items():
        name = str(reveal(site.fill(child.name or f"{{name}}-{key}", **_context(site.children))))
        properties = site.fill(dict(child.properties), **_context(site.children))
        inputs = {field: value for field, value in properties.items() if value is not None}
        site.children[key] = site.resource(child.type, name, inputs)
    if declared.construct is not None:
        site.outputs(**(declared.construct(site) or {}))
    outputs = {**dict(_computed(declared, site)), **site.shown, **site.said}
    site.monitor.register_resource_outputs(site.urn, outputs)
    reply = _answered(outputs, "stateDependencies")
    reply.extra = {**reply.extra, "urn": site.urn}
    return reply


def _computed(declared: Component, site: Site) -> Iterable[tuple[str, Value]]:
    context = _context(site.children)
    for name, item in declared.outputs.items():
        if isinstance(item.computed, str):
            value = site.fill(item.computed, **context)
        elif name in site.inputs and name not in site.shown:
            value = site.output(name)
        else:
            continue
        if value is None:
            continue
        yield name, Output(value.value, True, value.dependencies) if item.secret and isinstance(value, Output) else value


def _context(children: Mapping[str, Registered]) -> dict[str, Value]:
    """The children by their names in templates: ``key.property``, ``key.id`` and ``key.urn``."""
    context: dict[str, Value] = {}
    for key, child in children.items():
        context |= {f"{key}.{name}": child.output(name) for name in ("urn", "id", *child.outputs)}
        # In a preview any other property is unknown, since nobody knows yet which there will be.
        if child.preview:
            context[f"{key}.*"] = Output(UNKNOWN, dependencies=(child.urn,))
    return context


def _returned(declared: Method, called: Called) -> Bag:
    if callable(declared.returns):
        return declared.returns(called) or {}
    names = [name for text in texts(dict(declared.returns)) for name in fields(text)]
    context = {}
    if any(name.startswith("self.") for name in names):
        context = _context({"self": called.self})
    return dict(called.fill(dict(declared.returns), **context))


def _answered(outputs: Bag, where: str) -> Reply:
    values, dependencies = settled(outputs)
    return Reply(value=values, extra={where: dependencies})


def filled(template: str, context: Context) -> Value:
    """``template`` with its names replaced. One that is a single name gives the value itself, of its own kind, or ``None``.

    Raises ``DefinitionError`` for an unknown name, or a malformed template.
    """
    names = fields(template)
    if not names:
        return template
    whole = f"{{{names[0]}}}" == template
    if whole and names[0] in context and reveal(context[names[0]]) is None:
        return None
    parts = [_looked_up(name, template, context) for name in names]
    plain = [reveal(part) for part in parts]
    if whole:
        value = plain[0]
    elif any(map(has_unknown, plain)):
        value = UNKNOWN
    else:
        pieces = zip(string.Formatter().parse(template), [*map(str, plain), ""], strict=False)
        value = "".join(literal + (text if field is not None else "") for (literal, field, _, _), text in pieces)
    urns = set().union(*map(urns_of, parts))
    secret = any(map(has_secret, parts))
    if not urns and not secret:
        return value
    return Output(UNKNOWN if is_unknown(value) else value, secret, tuple(sorted(urns)))


def _looked_up(name: str, template: str, context: Context) -> Value:
    if name in context and reveal(context[name]) is not None:
        return context[name]
    later = name.partition(".")[0] + ".*"
    if "." in name and later in context:
        return context[later]
    have = ", ".join(sorted(key for key, value in context.items() if reveal(value) is not None and not key.endswith(".*")))
    raise DefinitionError(f"Template {template!r} needs {name!r}, which is not there. There is: {have}.")


__all__ = ["Called", "Components", "Site", "Way", "filled"]
