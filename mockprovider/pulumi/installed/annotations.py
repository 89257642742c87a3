"""Annotations of generated Python as types of a package schema."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from mockprovider.pulumi.installed.document import Spec, not_understood
from mockprovider.pulumi.installed.sources import SourceFile, resources_of, source_file
from mockprovider.pulumi.package.inventing import likely_answered

ANY: Spec = {"$ref": "pulumi.json#/Any"}
SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
PLAIN = {"Any": "Any", "Archive": "Archive", "Asset": "Asset"}
"""The metaschema's own types; there, an asset is one that may also be an archive."""
WRAPPERS = frozenset({"Input", "Output", "InputType", "Awaitable", "NotRequired", "Required"})
SEQUENCES = frozenset({"Sequence", "List", "list"})
MAPPINGS = frozenset({"Mapping", "Dict", "dict"})
TYPED_DICT = "ArgsDict"
"""What the other spelling of a nested type's arguments ends in."""

DOTTED = re.compile(r"[\w.]+")
BESIDE = ("_inputs.py", "_enums.py")
"""The files of a module whose classes are known in all of its files."""


class Annotated(NamedTuple):
    """What an annotation says: a type, and whether there may be no value."""

    spec: Spec
    optional: bool = False


class Annotations:
    """Reads the annotations of one SDK, whose ``folder`` is the root of its files and ``package`` the start of its tokens."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._package = package

    def read(self, node: ast.expr | None, file: SourceFile) -> Annotated:
        """What ``node`` in ``file`` says. Raises ``DefinitionError`` for what no generator writes."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return Annotated(ANY, optional=True)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if DOTTED.fullmatch(node.value):
                return Annotated(self._named(node.value, file))
            return self.read(ast.parse(node.value, mode="eval").body, file)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union([node.left, node.right], file)
        if isinstance(node, ast.Subscript):
            return self._subscript(_name(node.value), _arguments(node), file)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return Annotated(self._named(_dotted(node), file))
        raise not_understood(str(file.path), f"the annotation {ast.unparse(node)} is of no known form")

    def _subscript(self, word: str, arguments: list[ast.expr], file: SourceFile) -> Annotated:
        if word == "Optional":
            return Annotated(self.read(arguments[0], file).spec, optional=True)
        if word in WRAPPERS:
            return self.read(arguments[0], file)
        if word in SEQUENCES:
            return Annotated({"type": "array", "items": self.read(arguments[0], file).spec})
        if word in MAPPINGS:
            return Annotated({"type": "object", "additionalProperties": self.read(arguments[-1], file).spec})
        if word == "Union":
            return self._union(arguments, file)
        if word == "Literal":
            return Annotated(_literal(ast.literal_eval(arguments[0])))
        raise not_understood(str(file.path), f"the annotation {word}[…] is of no known form")

    def _union(self, members: list[ast.expr], file: SourceFile) -> Annotated:
        nothing = [member for member in members if isinstance(member, ast.Constant) and member.value is None]
        wanted = [member for member in members if member not in nothing and not _other_spelling(member)]
        # An argument of a function may also be what a function returned, which has the same properties.
        wanted = [member for member in wanted if len(wanted) == 1 or not _text(member).startswith("outputs.")] or wanted
        read = [self.read(member, file) for member in wanted]
        return one_of([one.spec for one in read], optional=bool(nothing) or any(one.optional for one in read))

    def _named(self, dotted: str, file: SourceFile) -> Spec:
        word = dotted.rpartition(".")[2]
        if dotted.partition(".")[0] in ("pulumi", "typing", "builtins", "_builtins") or "." not in dotted:
            if word in SCALARS:
                return {"type": SCALARS[word]}
            if word in PLAIN:
                return {"$ref": f"pulumi.json#/{PLAIN[word]}"}
            if word in SEQUENCES:
                return {"type": "array", "items": ANY}
            if word in MAPPINGS:
                return {"type": "object", "additionalProperties": ANY}
        place = self._resolve(dotted.split("."), file)
        if place is None:
            return self._foreign(dotted)
        module = place[0].relative_to(self._folder).with_suffix("").as_posix()
        resource = self._listed(".".join([self._folder.name, *module.split("/")[:-1]]), word)
        type_ = {"$ref": f"#/types/{self._package}:{module.replace('/', '%2F')}:{place[1]}"}
        return resource_reference(resource, self._package) if resource else type_

    def _foreign(self, dotted: str) -> Spec:
        """A resource of another SDK, which a component shows; of any other a fake takes any value."""
        module, _, name = dotted.rpartition(".")
        return resource_reference(self._listed(module, name) if module.startswith("pulumi_") else "", self._package)

    def _listed(self, module: str, name: str) -> str:
        """The token of the resource of this name in a module of an SDK; empty for what is none."""
        return resources_of(self._folder.parent / module.partition(".")[0] / "__init__.py").get((module, name), "")

    def _resolve(self, words: list[str], file: SourceFile) -> tuple[Path, str] | None:
        """The file and the class that a dotted name in ``file`` means, if it is a nested type of this SDK."""
        *modules, name = words
        here = file.path.parent
        if not modules and name in file.places:
            return _type_in(file, name)
        first = file.imports.get(words[0])
        if first:
            levels, above, word = first
            here = file.path.parents[levels - 1].joinpath(*above.split(".")) if above else file.path.parents[levels - 1]
            if not modules:
                return _type_in(source_file(here.with_suffix(".py")), word)
            modules[0] = word
        elif modules:
            return None
        folder = here.joinpath(*modules)
        if not folder.is_relative_to(self._folder):
            return None
        module = folder.with_suffix(".py")
        files = [module] if modules and module.is_file() else [folder / beside for beside in BESIDE]
        return next((place for path in files if (place := _type_in(source_file(path), name))), None)

    def type(self, token: str) -> Spec:
        """The type that this reader made ``token`` of."""
        _, module, name = token.split(":")
        file = source_file(self._folder / f"{module}.py")
        node = file.definition(name) if file else None
        if file is None or not isinstance(node, ast.ClassDef):
            raise not_understood(str(self._folder), f"there is no type {token}")
        if any(_name(base) == "Enum" for base in node.bases):
            return _enum(node)
        properties, required = self.properties(node, file)
        answered = [name for name, spec in properties.items() if likely_answered(name, spec)]
        spec: Spec = {"type": "object", "properties": properties, "required": required}
        return {**spec, "language": {"nodejs": {"requiredOutputs": answered}}} if answered else spec

    def properties(self, node: ast.ClassDef, file: SourceFile) -> tuple[dict[str, Spec], list[str]]:
        """The properties of a class by their names on the wire, and those that always have a value."""
        properties: dict[str, Spec] = {}
        required: list[str] = []
        for name, getter in getters(node).items():
            annotated = self.read(getter.returns, file)
            text = ast.get_docstring(getter)
            properties[name] = {**annotated.spec, **({"description": text} if text else {})}
            if not annotated.optional:
                required.append(name)
        return properties, required


def one_of(alternatives: list[Spec], *, optional: bool) -> Annotated:
    """The type of which each alternative is one; the same two times, and what may be an asset or an archive, are one."""
    specs = [spec for index, spec in enumerate(alternatives) if spec not in alternatives[:index]]
    if specs and all(spec.get("$ref") in ("pulumi.json#/Asset", "pulumi.json#/Archive") for spec in specs):
        whole = len(specs) > 1 or specs[0]["$ref"].endswith("Asset")
        return Annotated({"$ref": f"pulumi.json#/{'Asset' if whole else 'Archive'}"}, optional)
    return Annotated(specs[0] if len(specs) == 1 else {"oneOf": specs} if specs else ANY, optional)


def resource_reference(token: str, own: str) -> Spec:
    """A reference to a resource, of the package ``own`` or another; without a token it may be anything."""
    package = token.partition(":")[0]
    abroad = "" if package == own else f"/{package}/v0.0.0/schema.json"
    return {"$ref": f"{abroad}#/resources/{quote(token, safe=':')}"} if token else ANY


def getters(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The getters of a class by the names on the wire of what they get."""
    known: dict[str, ast.FunctionDef] = {}
    for method in (line for line in node.body if isinstance(line, ast.FunctionDef)):
        for decorator in method.decorator_list:
            if _name(decorator.func if isinstance(decorator, ast.Call) else decorator) != "getter":
                continue
            words = decorator.keywords if isinstance(decorator, ast.Call) else []
            wire = next((ast.literal_eval(word.value) for word in words if word.arg == "name"), method.name)
            known[wire] = method
    return known


def _type_in(file: SourceFile | None, name: str) -> tuple[Path, str] | None:
    if file is None or name not in file.places:
        return None
    block = file.block(name)
    is_type = "Enum)" in block.partition(":\n")[0] or "_type\nclass" in block or ".type_token(" in block.partition("class ")[0]
    return (file.path, name) if is_type else None


def _literal(value: Any) -> Spec:
    kind = SCALARS.get(type(value).__name__, "string")
    return {"type": kind, "const": value}


def _enum(node: ast.ClassDef) -> Spec:
    kinds = [SCALARS[_name(base)] for base in node.bases if _name(base) in SCALARS]
    assigned = (line.value for line in node.body if isinstance(line, ast.Assign))
    return {"type": (kinds or ["string"])[0], "enum": [{"value": ast.literal_eval(value)} for value in assigned]}


def _arguments(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ast.unparse(node)


def _name(node: ast.expr) -> str:
    """The last word of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _other_spelling(node: ast.expr) -> bool:
    return _text(node).endswith(TYPED_DICT)
