"""The rules of Pulumi's binder for package schemas, beyond types, as in ``pulumi schema check``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mockprovider.document import Node
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.package.types import keys

VERSION = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+([-+][-+.0-9A-Za-z]+)?)")
NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9_]*")
NAMESPACE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
RESERVED_NAMES = frozenset({"pulumi", "input"})

TEXTS = (
    "displayName",
    "description",
    "homepage",
    "license",
    "attribution",
    "repository",
    "logoUrl",
    "pluginDownloadURL",
    "publisher",
)
LISTS = ("keywords", "allowedPackageNames")
META_KEYS = frozenset({"moduleFormat", "supportPack"})
BASE_KEYS = frozenset({"name", "version", "parameterization"})


def check_package(members: Mapping[str, Node]) -> None:
    """Raise ``DefinitionError`` for violations of the package as a whole."""
    name = members["name"]
    if not NAME.fullmatch(name.text()):
        raise name.error(
            f"{name.value!r} is no package name: it starts with a letter and goes on with letters, digits, '-' and '_'."
        )
    if name.value in RESERVED_NAMES:
        raise name.error(f"Pulumi keeps the name {name.value!r} for itself. Choose another.")
    for key in TEXTS:
        if key in members:
            members[key].text()
    for key in LISTS:
        for node in members[key].items() if key in members else ():
            node.text()
    if "namespace" in members and not NAMESPACE.fullmatch(members["namespace"].text()):
        raise members["namespace"].error("a namespace is lower case letters and digits, in words with '-' between them.")
    _check_meta(members)
    for key in ("parameterization", "extensionParameterization"):
        if key in members:
            _check_base(members[key])
    if "parameterization" in members and "extensionParameterization" in members:
        raise members["parameterization"].error("a package has this or extensionParameterization, not both.")


def _check_meta(members: Mapping[str, Node]) -> None:
    meta = keys(members["meta"], META_KEYS) if "meta" in members else {}
    if "moduleFormat" in meta:
        try:
            re.compile(meta["moduleFormat"].text())
        except re.error as error:
            raise meta["moduleFormat"].error(f"{meta['moduleFormat'].value!r} is no pattern: {error}.") from error
    if "supportPack" in meta and meta["supportPack"].flag() and not members.get("version"):
        raise meta["supportPack"].error("a package that supports packing has a version. Add it.")


def _check_base(node: Node) -> None:
    members = node.members(needed=("baseProvider",))
    base = keys(members["baseProvider"], BASE_KEYS, needed=("name", "version"))
    base["name"].text(empty=False)
    if not VERSION.fullmatch(base["version"].text()):
        raise base["version"].error(f"{base['version'].value!r} is no semantic version. Write three numbers, such as 1.0.0.")
    if "parameter" in members:
        members["parameter"].text()


def check_token(token: str, node: Node, members: Mapping[str, Node]) -> None:
    """Raise ``DefinitionError`` for the provider's own token, or for a module inside ``index``."""
    _, module, member = token.split(":", 2)
    if module.casefold() in ("", "index") and member.casefold() == "provider":
        raise node.error(f"{token!r} is Pulumi's name for the provider itself. Choose another.")
    if member == "pulumi":
        raise node.error(f"Pulumi keeps the name {member!r} for itself. Choose another.")
    pattern = members["meta"].members().get("moduleFormat") if "meta" in members else None
    match = re.search(pattern.text(), module) if pattern else None
    if (match[1] if match and match.re.groups else module).startswith("index/"):
        raise node.error(
            f"{token!r}: nothing may be inside of the module index. Add a meta.moduleFormat that names the module's part."
        )


def check_distinct(*sections: Mapping[str, Node]) -> None:
    """Raise ``DefinitionError`` for two resources or functions whose tokens are equal but for the case of letters."""
    seen: dict[str, str] = {}
    for token, node in (member for section in sections for member in section.items()):
        other = seen.get(token.casefold())
        if other is not None:
            raise node.error(f"{other!r} and {token!r} are the same but for the case of letters. Rename one.")
        seen[token.casefold()] = token


def check_methods(
    resource: str, methods: Mapping[str, Node], functions: Mapping[str, Node], outputs: Mapping[str, Node]
) -> None:
    """Raise ``DefinitionError`` for a method that is no function of the schema, or not one of this resource."""
    for name, node in methods.items():
        token = node.text()
        if token not in functions:
            raise node.error(f"there is no function {token!r} in this schema. {did_you_mean(token, functions, 'There are')}")
        if token.rpartition("/")[0] != resource:
            raise node.error(f"{token!r} is no method of this resource. Write it as '{resource}/{name}'.")
        inputs = functions[token].members().get("inputs")
        properties = inputs.members().get("properties") if inputs else None
        if properties is None or "__self__" not in properties.members():
            raise functions[token].error("a method's inputs begin with '__self__', a reference to its resource. Add it.")
        if name in outputs:
            raise node.error(f"this resource also has a property {name!r}. One name is one thing.")


def check_circles(types: Mapping[str, Node], target: Callable[[Node], str]) -> None:
    """Raise ``DefinitionError`` for object types that require each other, so that no finite value exists.

    ``target`` gives the token of the type that a property refers to, or nothing.
    """
    done: set[str] = set()
    for start in types:
        path: list[tuple[str, list[str]]] = [(start, _required(types[start], target))] if start not in done else []
        while path:
            token, rest = path[-1]
            if not rest:
                done.add(token)
                path.pop()
                continue
            following = rest.pop()
            walked = [token for token, _ in path]
            if following in walked:
                circle = " -> ".join([*walked[walked.index(following) :], following])
                raise types[following].error(f"these types require each other without end: {circle}. Make one optional.")
            if following in types and following not in done:
                path.append((following, _required(types[following], target)))


def _required(node: Node, target: Callable[[Node], str]) -> list[str]:
    members = node.members()
    properties = members["properties"].members() if "properties" in members else {}
    needed = [entry.text() for entry in members["required"].items()] if "required" in members else []
    return [token for name in needed if name in properties and (token := target(properties[name]))]
