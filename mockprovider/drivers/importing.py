"""The command ``pulumi import``, with the file of what it is to import."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mockprovider.drivers.flags import without_program
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.imports import Import, Placed, import_file


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
