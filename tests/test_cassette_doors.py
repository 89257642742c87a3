"""Each cell of the table of modes is what happens from each door: a test's marker, Python, the command line."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
from cli_toolbox import serving
from mode_stage import LIVE, Answering, action, asked, assert_kept, behind, holders, keep, prepared

from mockprovider.cassette import RULES, CassetteAction, LookResult, Mode
from mockprovider.double import Double, Wiring, attached, recording, recording_all
from mockprovider.errors import AmbiguousError, CassetteBusyError, DefinitionError, MissError
from mockprovider.protocols import of_family
from mockprovider.tape import load

CELLS = [*itertools.product(Mode, [True, False], LookResult)]
REFUSED = {LookResult.MISSING: MissError, LookResult.AMBIGUOUS: AmbiguousError}


@pytest.mark.parametrize(("mode", "existed", "outcome"), CELLS)
def test_every_cell_from_python(tmp_path, mode, existed, outcome):
    """From Python, each mode does with each call what the table says, and leaves the cassette as it says."""
    path = tmp_path / "it.json"
    before = prepared(path, existed=existed)
    expected = RULES[mode].action(outcome, existed=existed)
    if not existed and expected is CassetteAction.REFUSE:
        with pytest.raises(FileNotFoundError, match="There is no cassette"):
            recording(path, behind(LIVE), mode=mode)
    else:
        with Double(provider=recording(path, behind(LIVE), mode=mode)) as double:
            if expected is CassetteAction.REFUSE:
                with pytest.raises(REFUSED[outcome]):
                    double(asked(double, outcome))
            else:
                assert action(double(asked(double, outcome)), mode) is expected
    assert_kept(path, before, expected, mode)


NEWER = (Mode.ONCE, Mode.NEW, Mode.REWRITE, Mode.VERIFY)


@pytest.mark.parametrize(
    ("mode", "existed", "outcome"), [cell for cell in CELLS if cell[0] in NEWER and (cell[1] or cell[0] is not Mode.VERIFY)]
)
def test_every_new_cell_from_the_command_line(tmp_path, mode, existed, outcome):
    """From the command line, each of the newer modes does with each call what the table says, and a refusal is exit code 1."""
    path = tmp_path / "it.json"
    before = prepared(path, existed=existed)
    expected = RULES[mode].action(outcome, existed=existed)
    with Double(provider=behind(LIVE)) as live:
        options = ["--cassette", "it.json", "--mode", mode, "--attach", live.serve().address]
        with serving(tmp_path, "record", "pulumi", *options) as process:
            address = process.stdout.readline().split(" at ")[1].split(". ")[0]
            with Double(provider=attached(address, name="cloud")) as double:
                done = action(double(asked(double, outcome)), mode)
            process.terminate()
            said = process.communicate(timeout=300)
    assert done is expected
    assert process.returncode == (expected is CassetteAction.REFUSE), said
    assert_kept(path, before, expected, mode)


@pytest.mark.parametrize(("mode", "said"), [("none", "There is no cassette it.json"), ("onse", "'onse' is no cassette mode")])
def test_a_mode_that_cannot_serve(tmp_path, mode, said):
    """Without a cassette, or with a word that is no mode, the command says so and ends."""
    with serving(tmp_path, "record", "pulumi", "--cassette", "it.json", "--mode", mode, "--attach", "localhost:1") as process:
        _, error = process.communicate(timeout=300)
    assert process.returncode == 1
    assert said in error
    assert [*tmp_path.iterdir()] == []


def test_a_cassette_that_is_there_needs_no_provider(tmp_path):
    """With ``once`` and a cassette, the command of the provider is not even looked for."""
    keep(tmp_path / "it.json")
    options = ["--cassette", "it.json", "--mode", "once", "--", "pulumi-resource-gone"]
    with serving(tmp_path, "record", "pulumi", *options) as process:
        assert process.stdout.readline().startswith("Serving cloud at ")
        process.terminate()
        process.communicate(timeout=300)


def test_words_that_are_no_mode(tmp_path):
    """A word that is no mode is refused before anything is touched."""
    with pytest.raises(DefinitionError, match="onse"):
        recording(tmp_path / "it.json", behind(LIVE), mode="onse")
    assert [*tmp_path.iterdir()] == []


# What becomes of the cassette -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("existed", [True, False])
@pytest.mark.parametrize("mode", [Mode.ONCE, Mode.NEW, Mode.ALL, Mode.REWRITE])
@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.parametrize("ending", [RuntimeError, KeyboardInterrupt])
def test_a_run_that_breaks_off_replaces_nothing(tmp_path, mode, existed, answered, ending):
    """A ``with`` block that ends in an error leaves the cassette; what was recorded is beside it, or is the first one."""
    path = tmp_path / "it.json"
    before = prepared(path, existed=existed)
    records = RULES[mode].action(LookResult.FOUND, existed=existed) is CassetteAction.RECORD
    double = Double(provider=recording(path, behind(LIVE), mode=mode))

    def breaks_off():
        with double:
            if answered:
                double(asked(double, LookResult.FOUND))
            raise ending

    with pytest.raises(ending):
        breaks_off()
    beside = {file.name: holders(file) for file in tmp_path.glob("it.json?*")}
    first = answered and not existed and mode is not Mode.ONCE
    assert (path.read_bytes() if path.exists() and not first else b"") == before
    assert first is (not existed and path.exists())
    assert beside == ({"it.json.failed": {LIVE}} if answered and records and not first else {})


def test_one_of_several_breaks_off(tmp_path):
    """Where one of several providers' blocks ends in an error, the cassette that they share stays, whichever ends last."""
    path = tmp_path / "it.json"
    keep(path)
    before = path.read_bytes()
    one, two = (Double(provider=wiring) for wiring in recording_all(path, {"a": behind(LIVE), "b": behind(LIVE)}).values())
    one(asked(one, LookResult.FOUND))
    with pytest.raises(RuntimeError), one:
        raise RuntimeError
    with two:
        two(asked(two, LookResult.FOUND))
    assert path.read_bytes() == before
    assert holders(tmp_path / "it.json.failed") == {LIVE}


@pytest.mark.parametrize("mode", [Mode.ALL, Mode.REWRITE])
def test_nothing_of_an_earlier_recording_stays(tmp_path, mode):
    """With ``all`` as with ``rewrite``, no call, no decision and no provider of an earlier recording is in the new one."""
    path = tmp_path / "it.json"
    together = recording_all(path, {"a": behind("early"), "b": behind("early")}, masks=["a"], secrets=["s"])
    with Double(provider=together["a"]) as one, Double(provider=together["b"]) as two:
        for double, outcome in itertools.product((one, two), LookResult):
            double(asked(double, outcome))
    with Double(provider=recording(path, behind(LIVE), mode=mode)) as double:
        double(asked(double, LookResult.FOUND))
    cassette = load(path)
    assert [one.op for one in cassette.interactions] == ["create"]
    assert (cassette.header.providers, cassette.header.masks, cassette.header.secrets) == ({}, {}, {})
    assert holders(path) == {LIVE}


def test_who_waits_for_the_lock_replays(tmp_path, monkeypatch):
    """Whoever finds no cassette, and has the lock only after another has recorded it, replays that one and lets go."""
    path = tmp_path / "it.json"
    from mockprovider import tape  # noqa: PLC0415 - what is patched

    class Late(tape.Draft):
        def __init__(self, *arguments, **options):
            monkeypatch.undo()
            keep(path, "first")
            super().__init__(*arguments, **options)

    monkeypatch.setattr(tape, "Draft", Late)
    with Double(provider=recording(path, behind(LIVE), mode="once")) as double:
        assert double(asked(double, LookResult.FOUND)).id == "first"
        with Double(provider=recording(path, behind("next"))) as other:
            other(asked(other, LookResult.FOUND))
    assert holders(path) == {"next"}


def test_many_at_once(tmp_path):
    """Of many that record ``once`` at a time, one records; the others are refused or replay, and the cassette is whole."""
    path = tmp_path / "it.json"

    def once(name):
        try:
            with Double(provider=recording(path, behind(name), mode="once")) as double:
                return double(asked(double, LookResult.FOUND)).id
        except CassetteBusyError:
            return "busy"

    with ThreadPoolExecutor(8) as pool:
        answered = {*pool.map(once, "abcdefgh")} - {"busy"}
    assert len(answered) == 1
    assert holders(path) == answered
    assert [*tmp_path.glob("*.new")] == []


def test_a_provider_that_does_not_start_holds_no_lock(tmp_path):
    """Where recording cannot begin, the cassette is free for the next one."""
    path = tmp_path / "it.json"
    with pytest.raises(DefinitionError, match="One cassette holds providers of one engine"):
        recording_all(
            path, {"a": behind(LIVE), "b": Wiring("b", Answering(LIVE), protocol=of_family("terraform"))}, mode="once"
        )
    with Double(provider=recording(path, behind(LIVE), mode="once")) as double:
        double(asked(double, LookResult.FOUND))
    assert holders(path) == {LIVE}
