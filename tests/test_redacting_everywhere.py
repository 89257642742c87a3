"""Thousands of secrets that nobody had declared: after ``redact`` no file has one in any spelling, and replays are right."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_secrets_everywhere import DATABASE, NAMES, Case, leaked, lived

from mockprovider import Double, Property, ResourceType, recording, replaying
from mockprovider.double import Wiring
from mockprovider.double.redacting import redact
from mockprovider.schema import Kind

PLAIN = ResourceType(
    DATABASE.token,
    {
        "name": Property(str, forces_new=True),
        "key": Property(str),
        "size": Property(int),
        "conf": Property({"token": Property(str), "size": Property(int)}),
        "users": Property(Kind("array", items=Kind("object", properties={"pin": Property(str), "name": Property(str)}))),
        "labels": Property(dict[str, str]),
        "note": Property(list[str]),
        "url": Property(str, computed="sql://{name}:{key}@host/{id}"),
    },
)
"""The database without a word of what is secret in it."""


@pytest.mark.parametrize("family", ["pulumi", "terraform"])
@pytest.mark.trial("redact", pinned=4, cases=150)
def test_what_is_redacted_is_in_no_file(seeds: Iterator[int], family: str) -> None:
    """A recording that hid nothing and is told afterwards has no secret in any spelling, and gives other ones back."""
    all_names = NAMES if family == "pulumi" else (f"cloud_database.{NAMES[0].rpartition('.')[2]}", *NAMES[1:])
    for seed in seeds:
        case = Case(seed)
        inputs = str(case.inputs(case.words("")))
        names = [name for name in all_names if f"'{name.rpartition('.')[2]}'" in inputs]
        words, others = case.words("recorded"), case.words("live")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / "it.json"
            types = (PLAIN,) if family == "terraform" else ()
            with Double(*types, provider=recording(path, Wiring("cloud", case.provider(words, PLAIN)), family)) as double:
                answers = lived(double, family, case.inputs(words), named=True)
            assert leaked(folder, words) != []
            redact(path, secrets=names)
            assert leaked(folder, words) == []
            once = path.read_bytes()
            assert not redact(path, secrets=names).result.changed
            assert path.read_bytes() == once

            with Double(*types, provider=case.provider(others, PLAIN)) as behind:
                expected = lived(behind, family, case.inputs(others), named=True)
            for run, messages in ((words, answers), (others, expected)):
                with Double(*types, provider=replaying(path)) as double:
                    assert lived(double, family, case.inputs(run), named=True) == messages
