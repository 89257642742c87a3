"""The protocol that the command line serves a fake over."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from cli_toolbox import serving
from mode_stage import prepared

from mockprovider.calls import Call, Op
from mockprovider.double import Double, attached

TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Bucket": {"properties": {"acl": "string"}}}}}}


@pytest.mark.parametrize(("options", "expected"), [([], 6), (["--protocol", "5"], 5)])
def test_a_protocol_can_be_chosen(options, expected, tmp_path):
    """The variable that is told leads engines to the chosen protocol, 6 unless one is given."""
    types = tmp_path / "types.json"
    types.write_text(json.dumps(TYPES))
    with serving(tmp_path, "serve", "terraform", "--types", str(types), *options) as process:
        lines = [process.stdout.readline() for _ in range(4)]
        process.terminate()
        process.communicate(timeout=300)

    described = json.loads(lines[3].split("=", 1)[1].strip().strip("'"))
    assert {each["ProtocolVersion"] for each in described.values()} == {expected}


def test_nothing_is_declared(tmp_path):
    """Who serves without declaring types is told what becomes of what is asked."""
    with serving(tmp_path, "serve", "pulumi") as process:
        line = process.stderr.readline()

    assert line.startswith("No types are declared, so any resource of the package mock is taken as it comes")


def test_nobody_reads_what_it_says(tmp_path):
    """Calls are answered also when standard error is closed, as at the end of a pipe."""
    with serving(tmp_path, "serve", "pulumi", "--port", "0") as process:
        process.stderr.readline()
        address = process.stdout.readline().split(" at ")[1].split(". ")[0]
        process.stderr.close()
        with Double(provider=attached(address, name="mock")) as double:
            asked = {"type": "mock:index:Bucket", "name": "b", "urn": "urn:pulumi:dev::p::mock:index:Bucket::b"}
            replies = [double(Call(op=Op.CHECK, session=double.open(), inputs={"a": "b"}, **asked)) for _ in range(3)]

    assert [(reply.status, reply.inputs) for reply in replies] == [(None, {"a": "b"})] * 3


def test_recording_with_decisions(tmp_path):
    """What the options name is secret in the recording, which says how it was made; what was misspelt is told at the end."""
    options = ["--prove", "--secret", "mock:index:Bucket.key", "--secret", "kee", "--mask", "at"]
    asked = {"type": "mock:index:Bucket", "name": "b", "urn": "urn:pulumi:dev::p::mock:index:Bucket::b"}
    with Double() as fake:
        behind = fake.serve().address
        with serving(tmp_path, "record", "pulumi", "--cassette", "it.json", *options, "--attach", behind) as process:
            address = process.stdout.readline().split(" at ")[1].split(". ")[0]
            with Double(provider=attached(address, name="mock")) as double:
                inputs = {"key": "hunter2-very-secret", "at": "today"}
                double(Call(op=Op.CHECK, session=double.open(), inputs=inputs, **asked))
            process.terminate()
            told, _ = process.communicate(timeout=300)

    text = (tmp_path / "it.json").read_text()
    header = json.loads(text)[0]
    assert "hunter2" not in text
    assert header["created_by"].endswith(f"--cassette it.json {' '.join(options)} --attach HOST:PORT")
    assert (header["secrets"], header["masks"]) == ({"*": ["kee"], "mock:index:Bucket": ["key"]}, {"*": ["at"]})
    size = f"{len(text) / 1000:.0f} KB" if len(text) >= 1000 else f"{len(text)} bytes"
    assert told.endswith(
        f"Recorded it.json: 1 call, {size}.\n1 secret taken out, at mock:index:Bucket.key.\nNot compared: at.\n"
        "secrets: 'kee' is nowhere in this recording. Did you mean 'key'?\nA replay of it answers all 1 calls as recorded.\n"
    )


def test_a_recording_of_a_provider_that_does_not_run(tmp_path):
    """That nothing listens where the provider is said to run is said at once, and that no engine has called after a while."""
    with Double() as fake:
        target = fake.serve().address
    with serving(tmp_path, "record", "pulumi", "--cassette", "it.json", "--attach", target) as process:
        said = [process.stderr.readline() for _ in range(2)]
        process.terminate()
        _, rest = process.communicate(timeout=300)

    assert said[0].startswith(f"Nothing listens at {target} yet (")
    assert said[1].startswith("No engine has called yet. It has to run with the variable above")
    assert rest == "Error: No engine called, so nothing was recorded into it.json.\n"


def test_an_engine_that_has_called_is_not_missed(tmp_path):
    """Where a call has come, nothing is said of engines that have not called."""
    with Double() as fake:
        behind = fake.serve().address
        with serving(tmp_path, "record", "pulumi", "--cassette", "it.json", "--attach", behind) as process:
            address = process.stdout.readline().split(" at ")[1].split(". ")[0]
            with Double(provider=attached(address, name="mock")) as double:
                double(Call(op=Op.CHECK, session=double.open(), type="mock:index:Bucket", name="b", urn="urn:b", inputs={}))
            process.terminate()
            _, said = process.communicate(timeout=300)

    assert not any(words in said for words in ("Nothing listens", "No engine has called"))


@pytest.mark.parametrize("existed", [True, False])
def test_a_provider_that_did_not_start_for_a_call(tmp_path, existed):
    """A recording that lacks a call, because its provider did not start, says so in the end and replaces no cassette."""
    before = prepared(tmp_path / "it.json", existed=existed)
    with Double() as fake:
        port = fake.serve().address.rpartition(":")[2]
        # It starts the second time that it is asked to.
        command = ["sh", "-c", f"mkdir started && exit 7; echo {port}; exec sleep 300"]
        with serving(tmp_path, "record", "pulumi", "--cassette", "it.json", "--", *command) as process:
            address = process.stdout.readline().split(" at ")[1].split(". ")[0]
            with Double(provider=attached(address, name="mock")) as double:
                asked = {"type": "mock:index:Bucket", "name": "b", "urn": "urn:pulumi:dev::p::mock:index:Bucket::b"}
                words = {"session": double.open(), "inputs": {"a": "b"}, **asked}
                refused, made = (double(Call(op=op, **words)) for op in (Op.CHECK, Op.CREATE))
            process.terminate()
            _, said = process.communicate(timeout=300)

    assert (bool(refused.failures), bool(made.id), process.returncode) == (True, True, 1)
    kept = "it.json.failed" if existed else "it.json"
    assert f"What was recorded until then is {kept}.\nError: sh ended (exit code 7) before it said where it listens." in said
    assert [one["method"] for one in json.loads((tmp_path / kept).read_text())[1:]] == ["Create"]
    assert not existed or (tmp_path / "it.json").read_bytes() == before


def addresses(process):
    """Where each provider is served, and the variable for engines, as the command says at first."""
    served = {}
    while (line := process.stdout.readline()).startswith("Serving "):
        _, name, _, address, *_ = line.split()
        served[name] = address.rstrip(".")
    process.stdout.readline()
    return served, process.stdout.readline().strip()


def hashed(served):
    """What each provider answers to a check and a create of its file."""
    replies = []
    for name, address in served.items():
        with Double(provider=attached(address, name=name)) as double:
            urn = "urn:pulumi:dev::p::files:index:File::f"
            words = {"session": double.open(), "type": "files:index:File", "name": "f", "urn": urn}
            inputs = {"path": f"{name}.txt", "content": name}
            replies.append(
                (
                    double(Call(op=Op.CHECK, inputs=inputs, **words)).inputs,
                    double(Call(op=Op.CREATE, inputs=inputs, **words)).id,
                )
            )
    return replies


def test_several_providers_share_a_cassette(tmp_path, monkeypatch):
    """All providers that are named are served and recorded until Ctrl-C; the cassette serves them all, and says how."""
    monkeypatch.setenv("FILES_FOLDER", str(tmp_path))
    command = f"{sys.executable} {Path(__file__).parents[1] / 'examples' / 'files' / 'provider.py'}"
    options = [option for name in ("one", "two") for option in ("--provider", f"{name}={command}")]
    plan = tmp_path / "plan.json"
    plan.write_text('{"faults": []}', encoding="utf-8")
    with serving(tmp_path, "record", "pulumi", "--cassette", "it.json", "--faults", str(plan), *options) as process:
        served, variable = addresses(process)
        one, two = (address.rpartition(":")[2] for address in served.values())
        assert variable == f"export PULUMI_DEBUG_PROVIDERS='one:{one},two:{two}'"
        recorded = hashed(served)
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    header, *kept = json.loads((tmp_path / "it.json").read_text())
    methods = [(interaction["provider"], interaction["method"]) for interaction in kept]
    assert methods == [(name, method) for name in ("one", "two") for method in ("Check", "Create")]
    assert told.splitlines()[-1].startswith("Recorded it.json: 4 calls (2 create)")
    assert header["providers"] == {"one": "pulumi", "two": "pulumi"}
    options = [f"--provider '{name}={Path(sys.executable).name} provider.py'" for name in ("one", "two")]
    assert header["created_by"] == f"mockprovider record pulumi --cassette it.json --faults plan.json {' '.join(options)}"

    with serving(tmp_path, "replay", "it.json") as process:
        served, _ = addresses(process)
        assert list(served) == ["one", "two"]
        assert hashed(served) == recorded
        process.terminate()
        process.communicate(timeout=300)
    assert process.returncode == 0
