"""An npm SDK as a package: tokens and secrets from its JavaScript, types from its declarations. Nothing of it is run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote, unquote

from mockprovider.pulumi.installed.declarations import SUFFIX, Declarations, Member, closing, declarations, split
from mockprovider.pulumi.installed.document import SdkIndex, Spec, index_token, not_understood
from mockprovider.pulumi.installed.typescript import TypeScript

MARKS = re.compile(
    r"^(?:exports\.\w+ = )?class (?P<class>\w+) extends pulumi\.(?P<base>Custom|Component|Provider)Resource\b"
    r"|^(?:async )?function (?P<function>\w+)\(|^    (?:async )?(?P<method>\w+)\([^\n]*\) \{$"
    r"|__pulumiType = [\"'](?P<token>[^\"']+)[\"']"
    r"|pulumi\.runtime\.(?P<how>invoke|invokeSingle|call|callSingle)\(\s*[\"'](?P<called>[^\"']+)[\"']",
    re.MULTILINE,
)
SECRET_INPUT = re.compile(r"""nputs\["(\w+)"\] = [^\n]*pulumi\.secret\(""")
SECRETS = re.compile(r"additionalSecretOutputs: (\[[^\]]*\])")
REPLACING = re.compile(r"replaceOnChanges: (\[[^\n]*\]) \}")


def index_npm(folder: Path, name: str, version: str) -> SdkIndex:
    """Where the SDK in ``folder`` has its types and functions. Raises ``DefinitionError`` if none are there."""
    index = SdkIndex(name, version)
    for path in npm_files(folder):
        _index_file(path.read_text(encoding="utf-8"), path.relative_to(folder).as_posix(), index)
    if not (index.resources or index.functions or index.components):
        raise not_understood(
            str(folder), "there is no resource and no function in its JavaScript. If it has sources alone, build it"
        )
    return index


def npm_files(folder: Path) -> list[Path]:
    """The JavaScript files of an SDK, without the packages that it has for itself."""
    files = (path for path in folder.rglob("*.js") if "node_modules" not in path.relative_to(folder).parts)
    return sorted(path for path in files if path.name != "index.js" or "__pulumiType" in path.read_text(encoding="utf-8"))


def _index_file(text: str, path: str, index: SdkIndex) -> None:
    owner, base, function, method, remote = "", "", "", "", False
    for match in MARKS.finditer(text):
        words = match.groupdict()
        if words["class"]:
            owner, base = words["class"], words["base"]
            remote = "true /*remote*/" in text[match.end() :].partition("\nclass ")[0]
        elif words["function"]:
            function, owner = words["function"], ""
        elif words["method"]:
            method = words["method"]
        elif words["token"]:
            index_token(index, words["token"], path, owner, base, remote=remote)
        elif words["called"] and words["how"].startswith("call") and owner:
            index.methods[words["called"]] = (path, f"{owner}.{method}")
        elif words["called"] and function:
            index.functions.setdefault(words["called"], (path, function))


class NodeReader:
    """Reads the JavaScript and declarations of one SDK (``document.SdkReader``)."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._types = TypeScript(folder, package)

    def resource(self, place: tuple[str, str]) -> Spec:
        """A resource or component: inputs are the properties of its constructor's arguments, outputs its own."""
        spec = self._class(place)
        return {**spec, "isComponent": True} if "true /*remote*/" in self._script(place) else spec

    def provider(self, place: tuple[str, str]) -> Spec:
        """The provider."""
        spec = self._class(place)
        return {key: spec[key] for key in ("inputProperties", "requiredInputs")}

    def type(self, token: str) -> Spec:
        """A nested type."""
        return self._types.type(token)

    def _class(self, place: tuple[str, str]) -> Spec:
        file, name, script = self._file(place), place[1], self._script(place)
        members = file.members(name)
        outputs, certain = self._types.properties(members, file)
        constructor = next(member for member in members if member.name == "constructor")
        inputs, required = self._arguments(constructor, file)
        for secret in _listed(SECRETS, script):
            for properties in (inputs, outputs):
                if secret in properties:
                    properties[secret]["secret"] = True
        for given in SECRET_INPUT.findall(script):
            if given in inputs:
                inputs[given]["secret"] = True
        for replacing in _listed(REPLACING, script):
            if replacing in inputs:
                inputs[replacing]["replaceOnChanges"] = True
        return {"inputProperties": inputs, "requiredInputs": required, "properties": outputs, "required": certain}

    def _arguments(self, signature: Member, file: Declarations) -> tuple[dict[str, Spec], list[str]]:
        """The properties of the parameter ``args`` or ``state``; other parameters than these and ``opts`` are arguments."""
        parameters = {}
        for tokens in split(signature.tokens[1 : closing(signature.tokens, 0)]):
            plain = [token for token in tokens if not token.startswith(("/*", "//"))]
            name, optional = plain[0], plain[1] == "?"
            parameters[name] = (plain[2 + optional :], optional)
        if "args" in parameters:
            shape = self._shape(parameters["args"][0], file)
            return shape or ({}, [])
        sent = {name: value for name, value in parameters.items() if name not in ("name", "opts")}
        inputs = {name: self._types.read(tokens, file).spec for name, (tokens, _) in sent.items()}
        return inputs, [name for name, (_, optional) in sent.items() if not optional]

    def _shape(self, tokens: list[str], file: Declarations) -> tuple[dict[str, Spec], list[str]] | None:
        """The properties of a type that has a name, and those that always have a value."""
        reference = self._types.read(tokens, file).spec.get("$ref", "")
        if not reference.startswith("#/types/"):
            return None
        spec = self.type(unquote(reference.removeprefix("#/types/")))
        return (spec["properties"], spec["required"]) if "properties" in spec else None

    def function(self, token: str, place: tuple[str, str]) -> Spec:
        """A function or method: its arguments, and the properties of the object that it returns."""
        file = self._file(place)
        owner, _, name = place[1].rpartition(".")
        signature = self._signature(file, owner, name)
        inputs, required = self._arguments(signature, file)
        if owner:
            receiver = f"#/resources/{quote(token.rpartition('/')[0], safe=':')}"
            inputs, required = {"__self__": {"$ref": receiver}, **inputs}, ["__self__", *required]
        spec: Spec = {"inputs": {"type": "object", "properties": inputs, "required": required}}
        returned = signature.tokens[closing(signature.tokens, 0) + 2 :]
        if "void" in returned:
            return spec
        shape = self._shape(returned, file)
        if shape:
            return {**spec, "outputs": {"type": "object", "properties": shape[0], "required": shape[1]}}
        return {**spec, "outputs": {"type": "object", "properties": {"result": self._types.read(returned, file).spec}}}

    def _signature(self, file: Declarations, owner: str, name: str) -> Member:
        if owner:
            return next(member for member in file.members(owner) if member.name == name and member.is_method)
        if name not in file.places:
            raise not_understood(str(file.path), f"there is no function {name}")
        tokens = file.tokens(name)
        return Member(name, False, "", tokens[: tokens.index(";")] if ";" in tokens else tokens, is_method=True)

    def _file(self, place: tuple[str, str]) -> Declarations:
        path = self._folder / (place[0].removesuffix(".js") + SUFFIX)
        file = declarations(path)
        if file is None:
            raise not_understood(str(path), "it is not there, and only declarations have types")
        return file

    def _script(self, place: tuple[str, str]) -> str:
        """The JavaScript of a class."""
        try:
            text = (self._folder / place[0]).read_text(encoding="utf-8")
        except OSError as error:
            raise not_understood(str(self._folder), f"the file {place[0]} is gone") from error
        return text[max(text.find(f"class {place[1]} "), 0) :].partition("\nclass ")[0]


def _listed(pattern: re.Pattern[str], text: str) -> list[str]:
    match = pattern.search(text)
    return [str(item) for item in json.loads(match[1])] if match else []
