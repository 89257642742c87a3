"""A Python SDK as a package: its generated classes and functions are read by ``ast``, and nothing of it is imported."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from mockprovider.pulumi.installed.annotations import Annotations, getters
from mockprovider.pulumi.installed.document import SdkIndex, Spec, index_token, not_understood
from mockprovider.pulumi.installed.sources import SourceFile, source_file

OTHERS = frozenset({"_inputs.py", "outputs.py", "_enums.py", "_utilities.py", "__init__.py", "_tables.py"})
"""Files of an SDK in which no resource and no function is."""

MARKS = re.compile(
    r"^class (?P<class>\w+)\(pulumi\.(?P<base>Custom|Component|Provider)Resource\)"
    r"|^def (?P<function>\w+)\(|^    def (?P<method>\w+)\("
    r"|super\(\w+, __self__\)\.__init__\(\s*'(?P<token>[^']+)'"
    r"|pulumi\.runtime\.(?P<how>invoke|invoke_single|call|call_single)\(\s*'(?P<called>[^']+)'",
    re.MULTILINE,
)
SECRET_INPUT = re.compile(r"""__props__\.__dict__\["(\w+)"\] = None if \w+ is None else pulumi\.Output\.secret\(""")
SECRETS = re.compile(r"additional_secret_outputs=(\[[^\]]*\])")
REPLACING = re.compile(r"replace_on_changes=(\[[^\n]*\])\)")
ARGUMENTS = re.compile(r"(\w+)\.__new__\(\1\)")


def index_sdk(folder: Path, name: str, version: str) -> SdkIndex:
    """Where the SDK in ``folder`` has its types and functions. Raises ``DefinitionError`` if none are there."""
    index = SdkIndex(name, version)
    for path in sorted(folder.rglob("*.py")):
        if path.name not in OTHERS:
            _index_file(path.read_text(encoding="utf-8"), path.relative_to(folder).as_posix(), index)
    if not (index.resources or index.functions or index.components):
        raise not_understood(str(folder), "there is no resource and no function in it")
    return index


def _index_file(text: str, path: str, index: SdkIndex) -> None:
    owner, base, function, method = "", "", "", ""
    for match in MARKS.finditer(text):
        words = match.groupdict()
        if words["class"]:
            owner, base = words["class"], words["base"]
        elif words["function"]:
            function, owner = words["function"], ""
        elif words["method"]:
            method = words["method"]
        elif words["token"] and owner:
            index_token(index, words["token"], path, owner, base, remote="remote=True" in text[match.end() : match.end() + 200])
        elif words["called"] and words["how"].startswith("call") and owner:
            index.methods[words["called"]] = (path, f"{owner}.{method}")
        elif words["called"] and function:
            index.functions.setdefault(words["called"], (path, function))


class PythonReader:
    """Reads the classes and functions of one SDK (``document.SdkReader``)."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._annotations = Annotations(folder, package)

    def resource(self, place: tuple[str, str]) -> Spec:
        """A resource or component: inputs are the properties of its arguments' class, outputs its own."""
        spec = self._class(place)
        return {**spec, "isComponent": True} if "remote=True" in self._file(place).block(place[1]) else spec

    def provider(self, place: tuple[str, str]) -> Spec:
        """The provider."""
        spec = self._class(place)
        return {key: spec[key] for key in ("inputProperties", "requiredInputs")}

    def type(self, token: str) -> Spec:
        """A nested type."""
        return self._annotations.type(token)

    def _class(self, place: tuple[str, str]) -> Spec:
        file, name = self._file(place), place[1]
        node, block = _class_in(file, name), file.block(name)
        outputs, certain = self._annotations.properties(node, file)
        arguments = ARGUMENTS.search(block)
        taken = _class_in(file, arguments[1] if arguments else f"{name}Args")
        inputs, required = self._annotations.properties(taken, file)
        python = {method.name: wire for wire, method in getters(taken).items()}
        for secret in _listed(SECRETS, block):
            for properties in (inputs, outputs):
                if secret in properties:
                    properties[secret]["secret"] = True
        for given in SECRET_INPUT.findall(block):
            inputs[python.get(given, given)]["secret"] = True
        for replacing in _listed(REPLACING, block):
            if replacing in inputs:
                inputs[replacing]["replaceOnChanges"] = True
        return {"inputProperties": inputs, "requiredInputs": required, "properties": outputs, "required": certain}

    def function(self, token: str, place: tuple[str, str]) -> Spec:
        """A function or method: its arguments, and the properties of the class that it returns."""
        file = self._file(place)
        owner, _, method = place[1].rpartition(".")
        node = _function_in(file, owner, method)
        typed = _function_in(file, "", f"{method}_output") if f"{method}_output" in file.places and not owner else node
        annotations = {argument.arg: argument.annotation for argument in (*typed.args.args, *typed.args.kwonlyargs)}
        receiver = f"#/resources/{quote(token.rpartition('/')[0], safe=':')}"
        inputs: dict[str, Spec] = {"__self__": {"$ref": receiver}} if owner else {}
        required = ["__self__"] if owner else []
        for wire, name in _sent(node):
            if name in annotations:
                inputs[wire] = self._annotations.read(annotations[name], file).spec
                if typed is not node and _needed(annotations[name]):
                    required.append(wire)
        spec: Spec = {"inputs": {"type": "object", "properties": inputs, "required": required}}
        outputs = self._returned(token, node, owner, file)
        return {**spec, **({"outputs": outputs} if outputs else {})}

    def _returned(self, token: str, node: ast.FunctionDef, owner: str, file: SourceFile) -> Spec | None:
        call = next(call for call in _calls(node) if call.args and _constant(call.args[0]) == token)
        typed = next((word.value for word in call.keywords if word.arg == "typ"), None)
        if typed is None:
            return None
        name = ast.unparse(typed)
        inside = name.removeprefix(f"{owner}.")
        if inside in file.places or (owner and inside != name):
            shape = _nested(file, owner, inside) if owner and inside != name else _class_in(file, inside)
            properties, required = self._annotations.properties(shape, file)
            return {"type": "object", "properties": properties, "required": required}
        spec = self._annotations.read(typed, file).spec
        return {"type": "object", "properties": {"result": spec}}

    def _file(self, place: tuple[str, str]) -> SourceFile:
        file = source_file(self._folder / place[0])
        if file is None:
            raise not_understood(str(self._folder), f"the file {place[0]} is gone")
        return file


def _class_in(file: SourceFile, name: str) -> ast.ClassDef:
    node = file.definition(name)
    if not isinstance(node, ast.ClassDef):
        raise not_understood(str(file.path), f"{name} is no class")
    return node


def _nested(file: SourceFile, owner: str, name: str) -> ast.ClassDef:
    return next(node for node in _class_in(file, owner).body if isinstance(node, ast.ClassDef) and node.name == name)


def _function_in(file: SourceFile, owner: str, name: str) -> ast.FunctionDef:
    body = _class_in(file, owner).body if owner else [file.definition(name)]
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise not_understood(str(file.path), f"{name} is no function")


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (call for call in ast.walk(node) if isinstance(call, ast.Call))


def _sent(node: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The arguments that a function sends: names on the wire, and in Python (``__args__['dnsName'] = dns_name``)."""
    for line in node.body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Subscript) and isinstance(line.value, ast.Name):
            target = line.targets[0]
            if isinstance(target.value, ast.Name) and target.value.id == "__args__":
                yield _constant(target.slice), line.value.id


def _needed(node: ast.expr | None) -> bool:
    """Whether a function needs this argument: one ``Optional``, inside or outside of ``Input``, is the generator's habit."""
    words = re.match(r"(?:(?:pulumi\.)?(?:Optional|Input)\[)*", ast.unparse(node)) if node else None
    return words is None or words[0].count("Optional[") < 2


def _constant(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _listed(pattern: re.Pattern[str], block: str) -> list[str]:
    match = pattern.search(block)
    return [str(item) for item in json.loads(match[1].replace("'", '"'))] if match else []
