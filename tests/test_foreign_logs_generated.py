"""Generated conversations and damaged logs: what is exported comes back, and what is broken is refused or counted."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from foreign_logs import boot, counted, entry, kept_of, made, urn_of, written
from hypothesis import given
from hypothesis import strategies as st

from mockprovider import tape
from mockprovider.double.foreign import export_log, import_log
from mockprovider.double.reporting import proved
from mockprovider.errors import CassetteError, MalformedError

FRACTIONS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer())
"""Go writes whole numbers as integers."""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | FRACTIONS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
BAGS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)
NAMES = st.text("abc", min_size=1, max_size=3)


@st.composite
def conversations(draw):
    """The lines of a provider's life: it starts, some resources are made, read and deleted, some calls fail."""
    lines = boot(config=draw(BAGS))
    for name in sorted(draw(st.sets(NAMES, max_size=4))):
        lines += made(name, draw(BAGS))
        about = {"urn": urn_of(name), "id": f"{name}-id"}
        lines += draw(
            st.lists(
                st.sampled_from(
                    [
                        entry("Read", about, {"id": f"{name}-id", "properties": {"a": 1}}),
                        entry("Delete", {**about, "properties": {}}, {}),
                        entry(
                            "Delete",
                            {**about, "properties": {"gone": True}},
                            errors=["rpc error: code = Unavailable desc = later"],
                        ),
                    ]
                ),
                max_size=2,
                unique_by=lambda line: line["method"],
            )
        )
    return lines


@given(conversations())
def test_what_was_imported_is_exported(lines):
    """A log becomes a cassette that proves itself, and an equal log again, which becomes the same cassette."""
    with tempfile.TemporaryDirectory() as folder:
        log, cassette, again, twice = (Path(folder) / name for name in ("log", "it.json", "again", "twice.json"))
        written(log, lines)
        assert import_log(log, cassette).calls == len(lines)
        assert proved(cassette) == len(lines)
        export_log(cassette, again)
        assert counted(kept_of(again)) == counted(kept_of(log))
        import_log(again, twice)
        assert tape.load(twice).interactions == tape.load(cassette).interactions


@given(st.data())
def test_a_damaged_log_is_refused_or_loses_calls(data):
    """Bytes that are lost or wrong anywhere in a log cost calls, and are no error that is not ours."""
    whole = "".join(f"{json.dumps(line)}\n" for line in [*boot(), *made("a")]).encode()
    start = data.draw(st.integers(0, len(whole)))
    broken = whole[:start] + data.draw(st.binary(max_size=6)) + whole[start + data.draw(st.integers(0, 200)) :]
    with tempfile.TemporaryDirectory() as folder:
        log, cassette = Path(folder) / "log", Path(folder) / "it.json"
        log.write_bytes(broken)
        try:
            said = import_log(log, cassette)
        except (MalformedError, CassetteError):
            assert not cassette.exists()
            return
        assert said.calls == len(tape.load(cassette).interactions) <= 5


LINES = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["/pulumirpc.ResourceProvider/Create", "/pulumirpc.ResourceProvider/Configure", "/x/y", "z"])
        | VALUES
    },
    optional=dict.fromkeys(("request", "response", "errors", "error", "metadata", "progress"), VALUES | BAGS),
)


@given(LINES | VALUES)
def test_any_json_is_read_or_counted(line):
    """Whatever JSON stands in a line of a log, it is a call, or it is counted."""
    with tempfile.TemporaryDirectory() as folder:
        log, cassette = Path(folder) / "log", Path(folder) / "it.json"
        written(log, [*boot(), line])
        said = import_log(log, cassette)
        assert said.calls + sum(said.left_out.values()) > 3


KEPT = sorted(path for path in Path(__file__).parents[1].glob("cassettes/*pulumi*/*.json") if ".states" not in path.name)
WITH_WAY_BACK = ("Construct", "Call")


@pytest.mark.parametrize("cassette", KEPT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_kept_cassettes_come_back(cassette, tmp_path):
    """A cassette of a real provider becomes a log, and that a cassette with the same calls, components apart."""
    log, again = tmp_path / "log", tmp_path / "again.json"
    export_log(cassette, log)
    import_log(log, again)

    kept = tape.load(cassette)
    expected = [call for call in kept.interactions if call.direction == "provider" and call.method not in WITH_WAY_BACK]
    assert counted(map(_content, tape.load(again).interactions)) == counted(map(_content, expected))
    assert proved(again) == len(expected)


def _content(call):
    told = (call.status.code, call.status.message) if call.status else None
    return call.method, call.instance, call.urn, call.request, call.response, told
