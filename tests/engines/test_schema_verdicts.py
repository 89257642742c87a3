"""Package schemas, right and wrong, before ``pulumi schema check`` and here."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from real_schemas import real_schema

from mockprovider import from_schema
from mockprovider.errors import DefinitionError

pytestmark = [pytest.mark.pulumi_cli, pytest.mark.filterwarnings("ignore::mockprovider.errors.MockProviderWarning")]

SECONDS = 120
CASES = int(os.environ.get("SCHEMA_MUTANTS", "24"))
VALUES = (None, 1, -1.5, "x", "", [], {}, True, ["x"], {"a": 1})
TOLD_BY_PROSE = frozenset({"description", "keywords", "homepage", "license", "repository", "deprecationMessage", "displayName"})
ANYTHING_GOES = ("outputs", "returnType")
"""Where Pulumi reads whatever stands there as something: only what is a type is one here."""


TAKEN = (
    *("random", "terraform-bridge-random", "tls", "terraform-bridge-tls", "kubernetes", "kubernetes-2026"),
    *("azure-native", "azure-native-whole", "akamai", "docker"),
)
"""Those of aws and azure of 2021 have references to nothing, which today's command refuses; eks and awsx refer to packages that
it would have to download.
"""


@pytest.mark.parametrize("name", TAKEN)
def test_what_pulumi_takes_is_taken(name, pytestconfig, tmp_path):
    """Real schemas pass both."""
    text = real_schema(name, pytestconfig)
    assert _refused(text, tmp_path) == ""
    assert len(from_schema(text).resources) > 1


def test_no_mutant_that_pulumi_takes_is_refused(pytestconfig, tmp_path):
    """A schema in which something was removed, renamed, copied or replaced is read, if Pulumi reads it."""
    known = {name: json.loads(real_schema(name, pytestconfig)) for name in ("random", "tls")}
    for seed in range(CASES):
        rng = random.Random(seed)
        document, change = _mutated(known[rng.choice(sorted(known))], rng)
        text = json.dumps(document)
        complaint = _complaint(text)
        assert not complaint or _refused(text, tmp_path), f"seed {seed}, {change}: {complaint}"


def _complaint(text: str) -> str:
    try:
        from_schema(text)
    except DefinitionError as error:
        return str(error)
    return ""


def _refused(text: str, folder: Path) -> str:
    """What ``pulumi schema check`` has against a schema, empty if nothing."""
    path = folder / "schema.json"
    path.write_text(text, encoding="utf-8")
    checked = subprocess.run(
        ["pulumi", "schema", "check", str(path)], check=False, capture_output=True, text=True, timeout=SECONDS
    )
    return (checked.stderr or checked.stdout or "refused") if checked.returncode else ""


def _mutated(document: dict[str, Any], rng: random.Random) -> tuple[dict[str, Any], Any]:
    document = copy.deepcopy(document)
    paths = [path for path in _paths(document) if not _is_prose(path)]
    kinds: dict[str, list[tuple[Any, ...]]] = {}
    for path in paths:
        kinds.setdefault(str(path[-1]) if len(path) > 2 else "", []).append(path)
    *above, key = rng.choice(kinds[rng.choice(sorted(kinds))])
    parent: Any = document
    for step in above:
        parent = parent[step]
    how = rng.choice(["remove", "replace", "replace", "rename", "copy"])
    if how == "replace":
        parent[key] = rng.choice(VALUES)
    elif how == "rename" and isinstance(parent, dict):
        parent[rng.choice([f"{key}s", key[:-1], key.upper(), f"{key} x", f":{key}"])] = parent.pop(key)
    elif how == "copy" and isinstance(parent, dict):
        parent[rng.choice([key.swapcase(), f"{key}x"])] = copy.deepcopy(parent[key])
    else:
        how = "remove"
        del parent[key]
    return document, (how, [*above, key])


def _paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in members:
        yield (*path, key)
        yield from _paths(value, (*path, key))


def _is_prose(path: tuple[Any, ...]) -> bool:
    return path[-1] in TOLD_BY_PROSE or "language" in path or any(word in path for word in ANYTHING_GOES)
