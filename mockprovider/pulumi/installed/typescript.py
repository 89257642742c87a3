"""Types of generated TypeScript as types of a package schema."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from mockprovider.errors import DefinitionError
from mockprovider.pulumi.installed.annotations import ANY, Annotated, one_of, resource_reference
from mockprovider.pulumi.installed.declarations import SUFFIX, Declarations, Member, closing, declarations, split
from mockprovider.pulumi.installed.document import Spec, not_understood
from mockprovider.pulumi.installed.npm import NO_SDKS, beside, built

SCALARS = {"string": "string", "number": "number", "boolean": "boolean", "ID": "string", "URN": "string"}
"""``number`` is all that TypeScript says of integers, too."""
NOTHING = frozenset({"undefined", "null", "void", "never"})
WRAPPERS = frozenset({"Input", "Output", "Promise", "Unwrap", "OutputInstance"})
SEQUENCES = frozenset({"Array", "ReadonlyArray"})
ASSETS = {"Asset": "Asset", "Archive": "Archive"}
NESTED = "types"
"""The module of an SDK's nested types, in which no resource is."""
SHAPES = frozenset({"interface", "const"})
"""Declarations that are nested types: objects, and enumerations, which are constants."""


class TypeScript:
    """Reads the types of one SDK, whose ``folder`` is the root of its files and ``package`` the start of its tokens."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._package = package

    def read(self, tokens: list[str], file: Declarations) -> Annotated:
        """What a type says. Raises ``DefinitionError`` or ``ValueError`` for what no generator writes."""
        said = [token for token in tokens if not token.startswith(("/*", "//"))]
        if not said:
            raise not_understood(str(file.path), "a type is missing, so it cannot be read")
        return self._union(said, file)

    def _union(self, tokens: list[str], file: Declarations) -> Annotated:
        alternatives: list[list[str]] = [[]]
        position = 0
        while position < len(tokens):
            end = closing(tokens, position) if tokens[position] in ("(", "{", "[", "<") else position
            if tokens[position] == "|":
                alternatives.append([])
            else:
                alternatives[-1] += tokens[position : end + 1]
            position = end + 1
        wanted = [one for one in alternatives if one and (len(one) > 1 or one[0] not in NOTHING)]
        nothing = any(one and one not in wanted for one in alternatives)
        # A resource stands for its id.
        wanted = [one for one in wanted if len(wanted) == 1 or not self._is_class(one, file)] or wanted
        read = [self._single(one, file) for one in wanted]
        return one_of([one.spec for one in read], optional=nothing or any(one.optional for one in read))

    def _is_class(self, tokens: list[str], file: Declarations) -> bool:
        """Whether a type is one of this SDK's resources, also by way of the name under which a module exports it."""
        place = self._resolve([word for word in tokens if word != "."], file) if _is_name(tokens) else None
        if place is None:
            return False
        there, name = place
        word = there.places[name].word
        return word == "class" or (word in ("const", "type") and "import" in there.tokens(name))

    def _single(self, tokens: list[str], file: Declarations) -> Annotated:
        first = tokens[0]
        if first == "readonly" and len(tokens) > 1:
            return self._single(tokens[1:], file)
        if tokens[-2:] == ["[", "]"] and len(tokens) > 2:
            return Annotated({"type": "array", "items": self._single(tokens[:-2], file).spec})
        if first == "(" and closing(tokens, 0) == len(tokens) - 1:
            return self._union(tokens[1:-1], file)
        if first == "{" and closing(tokens, 0) == len(tokens) - 1:
            return Annotated(self._braces(tokens[1:-1], file))
        if len(tokens) == 1 and (first[0] in "\"'" or first[0].isdigit() or first[0] == "-" or first in ("true", "false")):
            value = first[1:-1] if first[0] in "\"'" else json.loads(first)
            kind = "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
            return Annotated({"type": kind, "const": value})
        return self._named(tokens, file)

    def _braces(self, tokens: list[str], file: Declarations) -> Spec:
        """``{ [key: string]: T; }`` is a map; an object without a name is none of a schema's types."""
        if not tokens or tokens[0] != "[":
            return ANY
        rest = tokens[closing(tokens, 0) + 1 :]
        return {"type": "object", "additionalProperties": self._union([one for one in rest[1:] if one != ";"], file).spec}

    def _named(self, tokens: list[str], file: Declarations) -> Annotated:
        words = [tokens[0]]
        position = 1
        while position + 1 < len(tokens) and tokens[position] == ".":
            words.append(tokens[position + 1])
            position += 2
        arguments = split(tokens[position + 1 : -1]) if tokens[position : position + 1] == ["<"] else []
        end = closing(tokens, position) + 1 if arguments else position
        if end < len(tokens) or not _is_name(words):
            raise not_understood(str(file.path), f"the type {' '.join(tokens)} is of no known form")
        word = words[-1]
        if word in WRAPPERS and arguments:
            return self._union(arguments[0], file)
        if word in SEQUENCES and arguments:
            return Annotated({"type": "array", "items": self._union(arguments[0], file).spec})
        if word == "Record" and len(arguments) == 2:
            return Annotated({"type": "object", "additionalProperties": self._union(arguments[1], file).spec})
        if words[0] == "pulumi" or (len(words) == 1 and word in SCALARS):
            return Annotated(_own(word))
        return Annotated(self._reference(words, file))

    def _reference(self, words: list[str], file: Declarations) -> Spec:
        place = self._resolve(words, file)
        if place is None or self._is_class(words, file):
            return resource_reference(self._resource(words, file), self._package)
        there, name = place
        if there.places[name].word == "type":
            tokens = there.tokens(name)
            try:
                return self.read(tokens[tokens.index("=") + 1 :], there).spec
            except (ValueError, LookupError, DefinitionError):
                # Written by hand.
                return ANY
        within = there.path.relative_to(self._folder).as_posix().removesuffix(SUFFIX)
        # Interfaces elsewhere were written by hand: what they accept is turned into text on its way.
        if there.places[name].word not in SHAPES or (there.path != file.path and not f"/{within}".count("/types/")):
            return ANY
        return {"$ref": f"#/types/{self._package}:{within.replace('/', '%2F')}:{name.replace('.', '%2F')}"}

    def _resolve(self, words: list[str], file: Declarations) -> tuple[Declarations, str] | None:
        """The file and the name there of what dotted ``words`` in ``file`` mean, if it is of this SDK."""
        name = ".".join(words)
        if name in file.places:
            return file, name
        module, inside = file.imports.get(words[0], ("", ""))
        if not module.startswith("."):
            return None
        target = Path(os.path.normpath(file.path.parent / module))
        rest = [inside, *words[1:]] if inside else words[1:]
        return self.in_module(target, rest) if target.is_relative_to(self._folder) and rest else None

    def _resource(self, words: list[str], file: Declarations) -> str:
        """The token of the resource that dotted ``words`` mean, of this SDK or of one beside it; empty for anything else."""
        module, inside = file.imports.get(words[0], ("", ""))
        place = self._resolve(words, file)
        rest = [inside, *words[1:]] if inside else words[1:]
        if place is None and module and module not in NO_SDKS and NESTED not in rest:
            folder = beside(self._folder, module)
            place = TypeScript(built(folder), "").in_module(built(folder), rest) if folder and rest else None
        return token_of(*place) if place else ""

    def in_module(self, target: Path, words: list[str]) -> tuple[Declarations, str] | None:
        """The file and the name there of what dotted ``words`` in the module ``target`` mean."""
        for path in (target.with_name(target.name + SUFFIX), target / f"index{SUFFIX}"):
            there = declarations(path)
            if there is not None:
                direct = self._resolve(words, there)
                return direct or (self.in_module(target / words[0], words[1:]) if len(words) > 1 else None)
        return None

    def type(self, token: str) -> Spec:
        """The type that this reader made ``token`` of."""
        _, module, name = token.split(":")
        file = declarations(self._folder / f"{module}{SUFFIX}")
        if file is None:
            raise not_understood(str(self._folder), f"there is no type {token}")
        full = name.replace("/", ".")
        if full in file.places and file.places[full].word == "const":
            values = {self.read(member.tokens, file).spec["const"]: member.description for member in file.members(full)}
            kind = "string" if all(isinstance(value, str) for value in values) else "number"
            return {"type": kind, "enum": [{"value": value} for value in values]}
        properties, required = self.properties(file.members(full), file)
        return {"type": "object", "properties": properties, "required": required}

    def properties(self, members: list[Member], file: Declarations) -> tuple[dict[str, Spec], list[str]]:
        """Members as properties by their names, and those that always have a value."""
        properties: dict[str, Spec] = {}
        required: list[str] = []
        for member in members:
            if member.is_method:
                continue
            annotated = self.read(member.tokens, file)
            description = {"description": member.description} if member.description else {}
            properties[member.name] = {**annotated.spec, **description}
            if not (member.optional or annotated.optional):
                required.append(member.name)
        return properties, required


def token_of(file: Declarations, name: str) -> str:
    """The token of a resource's class, also by way of a module that exports it; empty for what is no resource."""
    words, path = file.tokens(name), file.path.with_name(file.path.name.removesuffix(SUFFIX))
    if "import" in words:
        # import("./vault").Vault
        start = words.index("import")
        path, name = path.parent / words[start + 2][1:-1], words[start + 5]
    script = path.with_name(f"{path.name}.js")
    text = script.read_text(encoding="utf-8") if script.is_file() else ""
    is_called = rf"class {re.escape(name)} extends pulumi\.CustomResource\b.*?__pulumiType = [\"']([^\"']+)[\"']"
    declared = re.search(is_called, text, re.DOTALL)
    return declared[1] if declared else ""


def _is_name(tokens: list[str]) -> bool:
    return all(re.fullmatch(r"[\w$]+|\.", token) for token in tokens)


def _own(word: str) -> Spec:
    """Types of the language and of the Pulumi SDK."""
    if word in SCALARS:
        return {"type": SCALARS[word]}
    return {"$ref": f"pulumi.json#/{ASSETS[word]}"} if word in ASSETS else ANY
