"""Types files and Pulumi package schemas, from disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mockprovider.errors import DefinitionError
from mockprovider.fake._document import parse
from mockprovider.fake.definitions import load
from mockprovider.pulumi.package_schema import from_schema, is_schema
from mockprovider.schema import Package


def read_types(files: Iterable[Path]) -> list[Package]:
    """The packages that ``files`` declare. Raises ``DefinitionError``, naming the file, for what cannot be read or served."""
    packages: dict[str, Package] = {}
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
            raise DefinitionError(f"Cannot read the types file {file}: {reason}.") from error
        for package in _packages(text, str(file)):
            known = packages.setdefault(package.name, package)
            if known is not package:
                known.add(*package.resources.values(), *package.functions.values())
                known.config.update(package.config)
    return list(packages.values())


def _packages(text: str, origin: str) -> list[Package]:
    document = parse(text, origin)
    return [from_schema(text, origin)] if is_schema(document) else load(document, origin)
