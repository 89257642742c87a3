"""``mockprovider cassette verify``: what it says, its exit codes, and what it leaves."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path

import pytest
from cli_toolbox import serving
from click.testing import CliRunner
from verify_stage import on, record, today

from mockprovider import Double, recording_all
from mockprovider.calls import Call, Op
from mockprovider.cli import main
from mockprovider.double import real

FILES = Path(__file__).parents[1] / "examples" / "files" / "provider.py"


@pytest.fixture(scope="module")
def cassette(tmp_path_factory):
    """A recorded life."""
    path = tmp_path_factory.mktemp("cli") / "it.json"
    record(path, "terraform", 6)
    return path


def run(*arguments, env=None):
    """The result of the command."""
    return CliRunner().invoke(main, ["cassette", "verify", *map(str, arguments)], env=env)


def test_the_same_provider_is_said_to_be_so(cassette):
    """Where all is answered as recorded there is one line, and the exit code is 0."""
    with today("terraform", 6) as address:
        result = run(cassette, "--attach", address)
    assert (result.exit_code, len(result.output.splitlines())) == (0, 1)
    assert (
        "it.json: of 18 recorded calls 18 answered as recorded. 3 made-up values were other ones, consistently."
        in result.output
    )


def test_a_difference_is_listed_at_its_call(cassette):
    """Each call that is answered differently has its place, what was recorded and what it is now; the exit code is 1."""
    with today("terraform", 6, on(Op.READ, lambda reply: type(reply)())) as address:
        result = run(cassette, "--attach", address)
        data = run(cassette, "--attach", address, "--json")
    assert (result.exit_code, data.exit_code) == (1, 1)
    assert "read (ReadResource) of cloud_disk is answered differently\n  new_state.msgpack: recorded {" in result.output
    tree = json.loads(data.output)
    assert (tree["same"], tree["left"], len(tree["calls"])) == (False, [], 18)
    assert [one["op"] for one in tree["calls"] if one["outcome"] == "differs"] == ["read"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--attach", "127.0.0.1:1", "--", "x"), "Name the provider: its command after --, or --attach HOST:PORT"),
        ((), "Name the provider: its command after --"),
        (("--", "no-such-executable"), "There is no executable 'no-such-executable'"),
        (("--", "false"), "false ended (exit code 1) before it said where it listens"),
        (("--attach", "nowhere"), "'nowhere' is no address"),
        (("--secret-env", "x", "--attach", "127.0.0.1:1"), "'x' is no N=NAME"),
        (("--secret-env", "1=NOT_SET_ANYWHERE", "--attach", "127.0.0.1:1"), "NOT_SET_ANYWHERE is not set or empty"),
        (("--secret-env", "9=HOME", "--attach", "127.0.0.1:1"), "has no secret number 9. It has those from 1 to 1."),
        (("--provider", "mail=false", "--provider", "mail=true"), "two of them have one name"),
        (("--provider", "mail"), "write NAME=COMMAND"),
    ],
)
def test_what_cannot_be_asked_is_one_error(cassette, arguments, told):
    """Where nothing can be asked there is one error that says why, and the exit code is 2."""
    result = run(cassette, *arguments)
    assert (result.exit_code, result.output.count("Error: ")) == (2, 1)
    assert told in result.output


def test_what_is_no_cassette_is_refused(tmp_path):
    """An empty file, another file, and none at all: one error each."""
    empty = tmp_path / "empty.json"
    empty.write_bytes(b"")
    for path in (empty, FILES, tmp_path / "none.json"):
        result = run(path, "--", "false")
        assert (result.exit_code, result.output.count("Error: ")) == (2, 1), result.output


def test_ctrl_c_says_what_is_left(cassette, tmp_path):
    """Interrupted in the midst of an update, it says which objects it has made, and which change waits for its answer."""
    arrived, release = threading.Event(), threading.Event()

    def waits(call, proceed):
        reply = proceed(call)
        if call.op is Op.UPDATE:
            arrived.set()
            release.wait(60)
        return reply

    with today("terraform", 6, waits) as address:
        with serving(tmp_path, "cassette", "verify", str(cassette), "--attach", address) as process:
            assert arrived.wait(60)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=300)
        release.set()
    assert process.returncode == 2
    assert "These were made and not deleted. Delete by hand what is not meant to be:\n  cloud_disk " in told
    assert "What this was to make may exist, too: update cloud_disk" in told
    assert "It was interrupted after " in told
    assert "Traceback" not in told


def test_several_providers_are_started_by_name(tmp_path, monkeypatch):
    """A cassette of two real providers is asked of two, each with its own sessions; one alone is refused with the names."""
    monkeypatch.setenv("FILES_FOLDER", str(tmp_path))
    cassette, command = tmp_path / "both.json", [sys.executable, str(FILES)]
    wirings = recording_all(cassette, {name: real(command, "pulumi", name=name) for name in ("one", "two")})
    doubles = {name: Double(provider=wiring) for name, wiring in wirings.items()}
    for name, double in doubles.items():
        urn = f"urn:pulumi:dev::p::files:index:File::{name}"
        words = {"session": double.open(), "type": "files:index:File", "name": name, "urn": urn}
        inputs = {"path": f"{name}.txt", "content": name}
        made = double(Call(op=Op.CREATE, inputs=inputs, **words))
        double(Call(op=Op.DELETE, id=made.id, prior=made.value, prior_inputs=inputs, **words))
    for double in doubles.values():
        double.close()

    line = f"{sys.executable} {FILES}"
    both = run(cassette, "--provider", f"one={line}", "--provider", f"two={line}")
    assert (both.exit_code, both.output.count("4 answered as recorded")) == (0, 1), both.output
    alone = run(cassette, "--provider", f"one={line}")
    assert alone.exit_code == 2
    assert "The cassette holds one, two, and there is one." in alone.output
