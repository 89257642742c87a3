"""Types from disk, in every form that people have them in; what a file is, its content tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mockprovider.calls import Op
from mockprovider.cassette import FORMAT, Cassette
from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions import load
from mockprovider.pulumi.package.reading import from_schema, is_schema
from mockprovider.pulumi.package.text import read_text
from mockprovider.schema import Package
from mockprovider.tape.files import load as load_cassette
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.views import build
from mockprovider.terraform.schema.reading import from_terraform_schema, from_terraform_schemas, is_terraform_schema

KINDS = (
    "a types file of ours, a Pulumi package schema (`pulumi package get-schema`, JSON or YAML), "
    "what `terraform providers schema -json` shows, or a cassette in which a schema was recorded"
)


def read_types(files: Iterable[Path], say: Callable[[str], None] | None = None) -> list[Package]:
    """The packages that ``files`` declare; ``say`` is told what each file was taken for.

    Raises ``DefinitionError``, naming the file, for what cannot be read or served.
    """
    packages: dict[str, Package] = {}
    for file in files:
        kind, found = _packages(file)
        for package in found:
            if say:
                say(f"{file}: {kind}: {_counted(package)}")
            known = packages.setdefault(package.name, package)
            if known is not package:
                sections = (package.resources, package.functions, package.components, package.methods, package.offers)
                known.add(*(each for section in sections for each in section.values()))
                known.config.update(package.config)
    return list(packages.values())


def _counted(package: Package) -> str:
    counts = (("resource type", len(package.resources)), ("function", len(package.functions)))
    return ", ".join([package.name, *(f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts)])


def _packages(file: Path) -> tuple[str, list[Package]]:
    """What the file is, and what it declares."""
    text, origin = _text(file), str(file)
    document = read_text(text, origin)
    if is_terraform_schema(document):
        return "a Terraform provider schema", from_terraform_schemas(document, origin)
    if isinstance(document, list) and document and isinstance(document[0], dict) and document[0].get("format") == FORMAT:
        return "a schema in a cassette", [_recorded(load_cassette(file), origin)]
    if is_schema(document):
        return "a Pulumi package schema", [from_schema(text, origin)]
    if isinstance(document, dict) and {"mockprovider", "packages"} & document.keys():
        return "a types file", load(document, origin)
    if isinstance(document, dict) and document:
        keys = ", ".join(sorted(map(str, document))[:5])
        raise DefinitionError(f"{origin}: nothing here declares types: its keys are {keys}. It may be {KINDS}.")
    raise DefinitionError(f"{origin}: nothing here declares types. It may be {KINDS}.")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise DefinitionError(f"Cannot read the types file {file}: {reason}.") from error


def _recorded(cassette: Cassette, origin: str) -> Package:
    """The package whose schema was recorded."""
    major = cassette.header.protocol.removeprefix("tfplugin")
    for each in cassette.interactions:
        answer: Any = cassette.response(each) if each.op == Op.GET_SCHEMA and each.status is None else None
        if answer and major == "pulumi" and answer.get("schema"):
            return from_schema(answer["schema"], origin)
        if answer and "provider" in answer and major.isdecimal():
            message = build(answer, protocol(int(major)).message("GetProviderSchema.Response"))
            return from_terraform_schema(message, cassette.header.provider, origin=origin)
    raise DefinitionError(f"{origin}: no schema was recorded in this cassette. Record a run in which the engine asks for it.")
