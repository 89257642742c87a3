"""Types from disk, in every form that people have them in; what a file is, its content tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mockprovider.cassette import FORMAT, Cassette
from mockprovider.errors import DefinitionError
from mockprovider.fake.answers import only_says, said_of
from mockprovider.fake.definitions import load
from mockprovider.fake.sayings import joined
from mockprovider.protocols import by_name, families
from mockprovider.pulumi.package.text import read_text
from mockprovider.schema import Package
from mockprovider.tape.files import load as load_cassette
from mockprovider.wire.adapter import Adapter, adapter


def read_types(files: Iterable[Path], say: Callable[[str], None] | None = None) -> list[Package]:
    """The packages that ``files`` declare; ``say`` is told what each file was taken for.

    Raises ``DefinitionError``, naming the file, for what cannot be read or served.
    """
    packages: dict[str, Package] = {}
    for file in files:
        kind, declared = _packages(file)
        for package in declared:
            if say:
                say(f"{file}: {kind}: {_counted(package)}")
            known = packages.setdefault(package.name, package)
            if known is not package and only_says(known):
                # What a schema was read from stays with it.
                package.said = joined(said_of(known), said_of(package))
                packages[package.name] = package
            elif known is not package:
                sections = (package.resources, package.functions, package.components, package.methods, package.offers)
                known.add(*(definition for section in sections for definition in section.values()))
                known.config.update(package.config)
                known.said = joined(said_of(known), said_of(package)) if package.said else known.said
    return list(packages.values())


def _counted(package: Package) -> str:
    counts = (("resource type", len(package.resources)), ("function", len(package.functions)))
    return ", ".join([package.name, *(f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts)])


def _packages(file: Path) -> tuple[str, list[Package]]:
    """What the file is, and what it declares."""
    text, origin = _text(file), str(file)
    for edge in _adapters():
        kept = edge.kept_packages(text, origin)
        if kept is not None:
            return kept
    document = read_text(text, origin)
    if isinstance(document, list) and document and isinstance(document[0], dict) and document[0].get("format") == FORMAT:
        return "a schema in a cassette", _recorded(load_cassette(file), origin)
    for edge in _adapters():
        declared = edge.declared_packages(document, text, origin)
        if declared is not None:
            return declared
    if isinstance(document, dict) and {"mockprovider", "packages"} & document.keys():
        return "a types file", load(document, origin)
    kinds = ", ".join(edge.schema_file for edge in _adapters() if edge.schema_file)
    forms = f"It may be a types file of ours, {kinds}, or a cassette in which a schema was recorded."
    if isinstance(document, dict) and document:
        keys = ", ".join(sorted(map(str, document))[:5])
        raise DefinitionError(f"{origin}: nothing here declares types: its keys are {keys}. {forms}")
    raise DefinitionError(f"{origin}: nothing here declares types. {forms}")


def _adapters() -> Iterator[Adapter]:
    """One adapter a family."""
    return (adapter(versions[0]) for versions in families().values())


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DefinitionError(f"Cannot read the types file {file}: it is no UTF-8 text.") from error
    except (OSError, ValueError) as error:
        raise DefinitionError(f"Cannot read the types file {file}: {getattr(error, 'strerror', None) or error}.") from error


def _recorded(cassette: Cassette, origin: str) -> list[Package]:
    """The packages whose schemas were recorded, one a provider."""
    parts = (
        adapter(by_name(protocol)).recorded_package(cassette.part(provider), origin)
        for provider, protocol in cassette.header.spoken.items()
    )
    packages = [package for package in parts if package is not None]
    if not packages:
        raise DefinitionError(
            f"{origin}: no schema was recorded in this cassette. Record a run in which the engine asks for it."
        )
    return packages
