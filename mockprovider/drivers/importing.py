"""The command ``pulumi import``, with the file of what it is to import."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from mockprovider.drivers.flags import without_program
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.result import Result
from mockprovider.pulumi.stacks.imports import Import, Placed, import_file, placed
from mockprovider.pulumi.stacks.options import Options


@contextmanager
def import_command(places: Sequence[Placed], path: Path, *, preview: bool) -> Iterator[tuple[str, ...]]:
    """The command that imports ``places`` by the file ``path``, which is there while the block runs.

    Its generated code is not asked for: no language host answers for it. Raises ``DefinitionError`` where the command cannot
    do what is asked.
    """
    path.write_text(json.dumps(import_file(places)), encoding="utf-8")
    protect = str(_protecting([place.asked for place in places])).lower()
    chosen = without_program(preview=preview)
    try:
        yield ("import", *chosen, "--generate-code=false", f"--protect={protect}", f"--file={path}")
    finally:
        # It holds secrets in plain text.
        path.unlink()


def _protecting(imports: Sequence[Import]) -> bool:
    protected = {asked.protect for asked in imports}
    if len(protected) > 1:
        raise DefinitionError("pulumi import protects all resources of a run, or none: import them in two runs.")
    return protected.pop()


class ImportCommand(Protocol):
    """The command as methods of the driver."""

    folder: Path
    project: str
    stack: str

    def export(self, *, show_secrets: bool = True) -> dict[str, Any]:
        """``pulumi stack export``."""

    def _operate(self, arguments: tuple[str, ...], program: Any, options: Options, *, expect_failure: bool) -> Result:
        """Run an operation."""

    def import_resources(self, imports: Sequence[Import], *, preview: bool = False, expect_failure: bool = False) -> Result:
        """``pulumi import``, of each of ``imports``, or only its preview. Arguments and errors as for ``Stack``."""
        remembered = {resource["urn"] for resource in self.export(show_secrets=False)["deployment"].get("resources") or ()}
        places = placed(imports, self.stack, self.project, remembered)
        with import_command(places, self.folder / "imports.json", preview=preview) as command:
            return self._operate(command, {}, {}, expect_failure=expect_failure)

    def import_resource(self, type_: str, name: str, id_: str, *, protect: bool = True, expect_failure: bool = False) -> Result:
        """``import_resources`` of one resource, with the defaults of ``Import``."""
        one = Import(type=type_, name=name, id=id_, protect=protect)
        return self.import_resources([one], expect_failure=expect_failure)
