"""Writing types files from declarations that data can express."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from mockprovider.document import encode, stated
from mockprovider.errors import DefinitionError
from mockprovider.fake.answers import said_of
from mockprovider.fake.behaviours import Behaving
from mockprovider.fake.definitions.reading import load
from mockprovider.fake.definitions.saying import write_said
from mockprovider.fake.definitions.shapes import (
    FORMAT,
    ChildShape,
    ComponentShape,
    FunctionShape,
    ItemsShape,
    MethodShape,
    PackageShape,
    PropertyShape,
    ResourceShape,
    TypesFile,
)
from mockprovider.schema import Component, Function, Kind, Method, Package, Property, Random, ResourceType, Template

T = TypeVar("T", bound=Struct)

BESIDE = ("provider", "provider_meta")
"""What a published schema says beside its types, each of which has its own part."""


def dump(packages: Iterable[Package]) -> dict[str, Any]:
    """The types file of ``packages`` as data for ``json.dumps``; ``load`` reads it back to equal packages.

    Raises ``DefinitionError`` for what data cannot express, such as a Python function.
    """
    data = encode(TypesFile(mockprovider=FORMAT, packages={package.name: _package(package) for package in packages}))
    load(data, "the types file made of these packages")
    return data


def _shape(shape: type[T], declared: Struct, **words: Any) -> T:
    """The ``shape`` with the fields of ``declared`` of the same names; ``words`` are the fields that differ."""
    return shape(**{name: value for name, value in stated(declared).items() if name in shape.__struct_fields__} | words)


def _package(package: Package) -> PackageShape:
    if package.offers:
        offered = ", ".join(package.offers)
        raise DefinitionError(
            f"A types file cannot hold provider functions and ephemeral resources, and {package.name} has {offered}. "
            "Keep them in Python."
        )
    return PackageShape(
        version=package.version,
        address=package.address,
        config=_properties(package.config, f"the configuration of {package.name}"),
        terraform_schema={key: package.terraform_schema[key] for key in BESIDE if key in package.terraform_schema},
        resources={token: _resource(declared) for token, declared in package.resources.items()},
        functions={token: _function(declared) for token, declared in package.functions.items()},
        components={token: _component(declared) for token, declared in package.components.items()},
        methods={token: _method(declared) for token, declared in package.methods.items()},
        **write_said(said_of(package)),
    )


def _resource(declared: ResourceType) -> ResourceShape:
    traits = {name: value for trait in declared.traits for name, value in stated(trait).items()}
    if traits.get("upgrades"):
        raise _python(f"{declared.token}: what upgrades a state", "the upgrade that drops what is gone")
    if isinstance(declared.moved_from, Mapping) and declared.moved_from:
        raise _python(f"{declared.token}: what converts a moved object", "names of types, whose objects are taken as they are")
    for behaviour in declared.behaviours:
        _check_behaviour(behaviour, declared.token)
    return _shape(
        ResourceShape,
        declared,
        **{name: value for name, value in traits.items() if name in ResourceShape.__struct_fields__},
        terraform=declared.terraform if declared.terraform != ResourceType(declared.token).terraform else "",
        moved_from=tuple(declared.moved_from),
        properties=_properties(declared.properties, declared.token),
    )


def _check_behaviour(behaviour: Any, owner: str) -> None:
    kinds = get_args(Behaving)
    if type(behaviour) not in kinds or any(callable(value) for value in asdict(behaviour).values()):
        raise DefinitionError(
            f"{owner}: the behaviour {behaviour!r} is written in Python, which a types file cannot hold. Use one of "
            f"{', '.join(kind.__struct_config__.tag for kind in kinds)}, or keep the declaration in Python."
        )


def _function(declared: Function) -> FunctionShape:
    if callable(declared.returns):
        raise _python(f"{declared.token}: what it returns", 'values and templates such as {"zone": "zone-{region}"}')
    outputs = {name: replace(item, computed=False, optional=False) for name, item in declared.outputs.items()}
    return _shape(
        FunctionShape,
        declared,
        inputs=_properties(declared.inputs, declared.token),
        outputs=_properties(outputs, declared.token),
    )


def _method(declared: Method) -> MethodShape:
    if callable(declared.returns):
        raise DefinitionError(f"{declared.token} is a Python function, which data cannot hold. Write values and templates.")
    return _shape(MethodShape, declared, inputs=_properties(declared.inputs, declared.token))


def _component(declared: Component) -> ComponentShape:
    if declared.construct is not None:
        raise DefinitionError(f"{declared.token} is built by a Python function, which data cannot hold. List its children.")
    return _shape(
        ComponentShape,
        declared,
        inputs=_properties(declared.inputs, declared.token),
        outputs=_properties(declared.outputs, declared.token),
        children={key: _shape(ChildShape, child) for key, child in declared.children.items()},
    )


def _properties(properties: Mapping[str, Property], owner: str) -> dict[str, Any]:
    return {name: _property(item, f"{owner}: property {name!r}") for name, item in properties.items()}


def _property(item: Property, owner: str) -> PropertyShape:
    if callable(item.default):
        raise _python(f"{owner}: default", "a plain value")
    if callable(item.computed):
        raise _python(f"{owner}: computed", "true, or a template such as 'arn:cloud:::{id}'")
    words = _kind(item.kind, owner) | _default(item.default) | {"enum": item.enum or item.kind.enum}
    return _shape(PropertyShape, item, **words, secret=item.secret and not item.write_only)


def _default(default: Any) -> dict[str, Any]:
    if isinstance(default, Template):
        return {"default": UNSET, "default_template": default.text}
    return {"default": UNSET, "default_random": asdict(default)} if isinstance(default, Random) else {}


def _kind(kind: Kind, owner: str) -> dict[str, Any]:
    words: dict[str, Any] = {"type": kind.name}
    if kind.name == "object":
        words["properties"] = _properties(kind.properties, owner)
    elif kind.items:
        words["items"] = ItemsShape(**_kind(kind.items, owner))
    return words | ({"enum": kind.enum} if kind.enum else {})


def _python(what: str, instead: str) -> DefinitionError:
    return DefinitionError(
        f"{what} is a Python function, and a types file cannot hold Python. Use {instead}, or keep the declaration in Python."
    )
