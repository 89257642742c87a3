"""Writing types files: the way back, for what data can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET

from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions.behaviours import dump_behaviour
from mockprovider.fake.definitions.components import dump_component, dump_method
from mockprovider.fake.definitions.reading import FORMAT, load
from mockprovider.schema import Function, Kind, Package, Property, Random, ResourceType, Template


def dump(packages: Iterable[Package]) -> dict[str, Any]:
    """The types file, as data for ``json.dumps``, that declares ``packages``; ``load`` reads it back to the same.

    Raises ``DefinitionError`` for what data cannot hold: a Python function above all.
    """
    found = {"mockprovider": FORMAT, "packages": {each.name: _dump_package(each) for each in packages}}
    load(found, "the types file made of these packages")
    return found


def _dump_package(package: Package) -> dict[str, Any]:
    if package.offers:
        offered = ", ".join(package.offers)
        raise DefinitionError(
            f"A types file cannot hold provider functions and ephemeral resources, and {package.name} has {offered}. "
            "Keep them in Python."
        )
    return {
        "version": package.version,
        **_given("config", _dump_properties(package.config, f"the configuration of {package.name}")),
        **_given("resources", {token: _dump_resource(each) for token, each in package.resources.items()}),
        **_given("functions", {token: _dump_function(each) for token, each in package.functions.items()}),
        **_given("components", {name: dump_component(each, _dump_properties) for name, each in package.components.items()}),
        **_given("methods", {name: dump_method(each, _dump_properties) for name, each in package.methods.items()}),
    }


def _given(key: str, value: Any) -> dict[str, Any]:
    return {key: value} if value else {}


def _dump_resource(declared: ResourceType) -> dict[str, Any]:
    regular = ResourceType(declared.token)
    if declared.upgrades:
        raise _python(f"{declared.token}: what upgrades a state", "the upgrade that drops what is gone")
    if isinstance(declared.moved_from, Mapping) and declared.moved_from:
        raise _python(f"{declared.token}: what converts a moved object", "names of types, whose objects are taken as they are")
    return {
        **_given("description", declared.description),
        **_given("id", declared.id if declared.id != regular.id else ""),
        **_given("terraform", declared.terraform if declared.terraform != regular.terraform else ""),
        **_given("version", declared.version),
        **_given("deleteBeforeReplace", declared.delete_before_replace),
        **_given("timeouts", dict(declared.timeouts)),
        **_given("behaviours", [dump_behaviour(each, declared.token) for each in declared.behaviours]),
        **_given("diffNeedsKnown", declared.diff_needs_known),
        **_given("identity", list(declared.identity)),
        **_given("movedFrom", list(declared.moved_from)),
        **({} if declared.importable is True else {"importable": declared.importable}),
        **_given("legacyTypeSystem", declared.legacy_type_system),
        **_given("properties", _dump_properties(declared.properties, declared.token)),
    }


def _dump_function(declared: Function) -> dict[str, Any]:
    if callable(declared.returns):
        raise _python(f"{declared.token}: what it returns", 'values and templates such as {"zone": "zone-{region}"}')
    return {
        **_given("inputs", _dump_properties(declared.inputs, declared.token)),
        **_given("returns", dict(declared.returns)),
    }


def _dump_properties(properties: Mapping[str, Property], owner: str) -> dict[str, Any]:
    return {name: _dump_property(item, f"{owner}: property {name!r}") for name, item in properties.items()}


def _dump_property(item: Property, owner: str) -> dict[str, Any]:
    if callable(item.default):
        raise _python(f"{owner}: default", "a plain value")
    if callable(item.computed):
        raise _python(f"{owner}: computed", "true, or a template such as 'arn:cloud:::{id}'")
    return {
        **_dump_kind(item.kind, owner),
        **_given("required", item.required),
        **_dump_default(item),
        **{key: getattr(item, word) for key, word in LIMITS.items() if getattr(item, word) is not None},
        **_given("pattern", item.pattern),
        **_given("autoName", item.auto_name),
        **_given("deleteBeforeReplace", item.delete_before_replace),
        **_given("unreadable", item.unreadable),
        **_given("computed", item.computed),
        **_given("optional", item.optional),
        **_given("forcesNew", item.forces_new),
        **_given("secret", item.secret and not item.write_only),
        **_given("writeOnly", item.write_only),
        **_given("conflictsWith", list(item.conflicts_with)),
        **_given("enum", list(item.enum)),
        **_given("description", item.description),
        **_given("terraform", item.terraform),
    }


LIMITS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_items",
    "maxItems": "max_items",
}


def _dump_default(item: Property) -> dict[str, Any]:
    if isinstance(item.default, Template):
        return {"defaultTemplate": item.default.text}
    if isinstance(item.default, Random):
        return {"defaultRandom": {name: getattr(item.default, name) for name in Random.__struct_fields__}}
    return {} if item.default is UNSET else {"default": item.default}


def _dump_kind(kind: Kind, owner: str) -> dict[str, Any]:
    if kind.name == "object":
        return {"type": "object", "properties": _dump_properties(kind.properties, owner)}
    items = {"items": _dump_kind(kind.items, owner)} if kind.items else {}
    return {"type": kind.name, **items, **_given("enum", list(kind.enum))}


def _python(what: str, instead: str) -> DefinitionError:
    return DefinitionError(
        f"{what} is a Python function, and a types file cannot hold Python. Use {instead}, or keep the declaration in Python."
    )
