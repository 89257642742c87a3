"""``mockprovider cassette``: recordings that broke off."""

from __future__ import annotations

import pytest
from cassette_toy import Toy, answer, call, session
from click.testing import CliRunner

from mockprovider import tape
from mockprovider.calls import Op
from mockprovider.cli import main


@pytest.fixture
def path(tmp_path):
    """Where a cassette will be."""
    return tmp_path / "it.json"


def recover(path):
    """What the command says, and its exit code."""
    result = CliRunner().invoke(main, ["cassette", "recover", str(path)])
    return result.output.replace(str(path.parent), "."), result.exit_code


def record(path, *names, dies=""):
    """Record some things, and break off during one."""

    def answers(asked):
        if asked.inputs["name"] == dies:
            raise KeyboardInterrupt
        return answer()

    recorder = tape.record(path, Toy(), protocol="toy")
    for name in names:
        try:
            recorder(call(Op.CREATE, session(), f"urn:{name}", name=name, size=1), answers)
        except KeyboardInterrupt:
            recorder._sink.abandon()
            return
    recorder.close()


def test_what_broke_off_becomes_the_cassette(path):
    """The cassette has what was answered, and what may exist in the cloud is listed with its inputs."""
    record(path, "a", "b", dies="b")

    assert recover(path) == (
        "./it.json has 1 call.\n"
        "These had been sent when it broke off, and were not answered. What they made may exist in the cloud:\n"
        '  create cloud:index:Bucket urn:b {"name": "b", "size": 1}\n',
        0,
    )
    assert recover(path) == ("./it.json is whole, with 1 call.\n", 0)


def test_a_whole_cassette_beside_a_later_recording(path):
    """A whole cassette stays, and the recording that broke off beside it is named."""
    record(path, "a", "b")
    record(path, "c", "d", dies="d")

    assert recover(path) == (
        "./it.json is whole, with 2 calls.\nA later recording of it broke off: mockprovider cassette recover ./it.json.new\n",
        0,
    )
    said, code = recover(path.with_name("it.json.new"))
    assert (said.splitlines()[0], code) == ("./it.json.new has 1 call.", 0)


def test_there_is_nothing_to_recover(path):
    """Without a recording, the error is that there is no cassette."""
    said, code = recover(path)

    assert (said.startswith("Error: There is no cassette ./it.json."), code) == (True, 1)
