"""``mockprovider cassette``: recordings that broke off, and whether a recording may be committed."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from cassette_toy import Toy, answer, call, secret, session
from click.testing import CliRunner

from mockprovider import tape
from mockprovider.calls import Op
from mockprovider.cli import main
from mockprovider.pulumi.signatures import SECRET, SIGNATURE
from mockprovider.pulumi.transcript import PulumiTranscript
from mockprovider.redaction import Redactor


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
        '  create cloud:index:Bucket urn:b {"name": "b", "size": 1}\n'
        "Look there, and delete by hand what is not meant to be.\n",
        0,
    )
    assert recover(path) == ("./it.json is whole, with 1 call.\n", 0)


def test_a_whole_cassette_beside_a_later_recording(path):
    """A whole cassette stays; the recording that broke off beside it is named with what it waited for, and how to keep it."""
    record(path, "a", "b")
    record(path, "c", "d", dies="d")

    assert recover(path) == (
        "./it.json is whole, with 2 calls.\n"
        "A later recording of it broke off after 1 call: ./it.json.new.\n"
        "To keep that, move ./it.json away and run this again.\n"
        "These had been sent when it broke off, and were not answered. What they made may exist in the cloud:\n"
        '  create cloud:index:Bucket urn:d {"name": "d", "size": 1}\n'
        "Look there, and delete by hand what is not meant to be.\n",
        0,
    )
    path.rename(path.with_name("first.json"))
    said, code = recover(path)
    assert (said.splitlines()[0], "urn:d" in said, code) == ("./it.json has 1 call.", True, 0)


def test_an_earlier_recording_that_broke_off(path):
    """What the recordings before the last one were waiting for is listed, too; those that waited for nothing are not named."""
    record(path, "a", dies="a")
    record(path, "b", "c", dies="c")
    record(path, "d")
    path.with_name("it.json.failed").write_bytes(path.read_bytes())

    said, code = recover(path)
    assert [line.partition("{")[0].strip() for line in said.splitlines()] == [
        "./it.json is whole, with 1 call.",
        *(
            line
            for name, urn in (("torn", "a"), ("torn2", "c"))
            for line in (
                f"Another recording of it is ./it.json.{name}.",
                "These had been sent when it broke off, and were not answered. What they made may exist in the cloud:",
                f"create cloud:index:Bucket urn:{urn}",
                "Look there, and delete by hand what is not meant to be.",
            )
        ),
    ]
    assert code == 0


def test_there_is_nothing_to_recover(path):
    """Without a recording, the error is that there is no cassette."""
    said, code = recover(path)

    assert (said.startswith("Error: There is no cassette ./it.json."), code) == (True, 1)


# What it holds


def test_a_report_on_a_cassette(path):
    """The command says what a cassette holds in a line or two, and with --json all of it as data."""
    taken(path, [({"note": {SIGNATURE: SECRET, "value": WORD}}, {"id": "b-1"})])

    said = CliRunner().invoke(main, ["cassette", "report", str(path)])
    assert said.output.splitlines() == [
        f"{path}: 1 call (1 create), {path.stat().st_size} bytes.",
        f"1 secret taken out, at {TYPE}.note.",
    ]
    data = json.loads(CliRunner().invoke(main, ["cassette", "report", str(path), "--json"]).output)
    assert (data["calls"], data["secrets"], data["secret_places"], data["refused"]) == (1, 1, {TYPE: ["note"]}, [])


def test_a_report_on_what_is_no_cassette(path):
    """A file that is missing or no cassette is an error in one line."""
    path.write_text("[]")
    for file in (path, path.with_name("other.json")):
        said = CliRunner().invoke(main, ["cassette", "report", str(file)])
        assert (said.exit_code, said.output.startswith("Error: "), "Traceback" in said.output) == (1, True, False)


# Whether it may be committed

WORD, TYPE = "correct/horse battery", "cloud:index:Bucket"
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


def check(*arguments, env=None):
    """What the command says, a line each, and its exit code."""
    result = CliRunner().invoke(main, ["cassette", "check", *map(str, arguments)], env=env)
    return result.output.splitlines(), result.exit_code


def taken(path, conversation, **decided):
    """A Pulumi cassette of calls and answers whose messages are these bags."""
    with tape.record(path, Bags(), protocol="pulumi", redactor=Redactor(**decided)) as recorder:
        for inputs, outputs in conversation:
            recorder(call(Op.CREATE, session(), f"urn:{len(inputs)}", **inputs), lambda _, value=outputs: answer(**value))
    return path


def edited(path, message, **properties):
    """Change properties of the first interaction by hand."""
    header, first, *others = json.loads(path.read_text())
    first[message]["properties"] |= properties
    path.write_text(json.dumps([header, first, *others]))


class Bags(Toy):
    """The toy, with the place in messages where Pulumi has properties."""

    marks = PulumiTranscript.marks

    def request(self, asked):
        return {"properties": super().request(asked)}

    def reply(self, reply, asked):
        return {"properties": super().reply(reply, asked)}


def test_a_clean_cassette_passes(path):
    """A cassette whose secrets are gone passes without a word, and so does a file that is none."""
    other = path.with_name("package.json")
    other.write_text('{"password": "x"}')
    taken(path, [({"password": WORD, "key": secret("another-secret")}, {"url": f"x:{WORD}"})], names=["password"])
    assert check(path, other) == ([], 0)


def test_a_declared_secret_that_is_readable(path):
    """A declared place that was filled in by hand fails with its place, and so does that value elsewhere; it is not shown."""
    taken(path, [({"password": WORD, "note": f"x {WORD}"}, {"key": secret("another-secret")})], names=["password"])
    edited(path, "request", password="filled-in-by-hand", note="see filled-in-by-hand")
    lines, code = check(path)
    assert code == 1
    assert lines == [
        f"{path}: {TYPE}.note (interaction 1): a declared secret is readable. Record again.",
        f"{path}: {TYPE}.password (interaction 1): a declared secret is readable. Record again.",
        "1 of 1 file must not be committed.",
    ]


def test_a_marked_secret_that_is_readable(path):
    """A value that the protocol marks as secret fails where it is readable."""
    taken(path, [({"key": secret("another-secret")}, {})])
    edited(path, "request", key=secret("by-hand"))
    lines, code = check(path)
    assert (lines[0], code) == (
        f"{path}: {TYPE}.key.value (interaction 1): a declared secret is readable. Record again.",
        1,
    )


def test_what_is_undecided_fails(path):
    """A place that holds what the provider shows openly fails until it is decided, either way."""
    conversation = [({}, {"url": "https://queue/1"}), ({"value": secret("https://queue/1")}, {})]
    lines, code = check(taken(path, conversation))
    assert (lines[0], code) == (
        f"{path}: {TYPE}.value: it is declared secret and holds what the provider shows openly elsewhere. Decide with "
        "public=[...] or secrets=[...], and record again; or move it to public in the file's header.",
        1,
    )
    assert check(taken(path, conversation, public=["value"])) == ([], 0)
    assert check(taken(path, conversation, names=["value"])) == ([], 0)
    taken(path, conversation)
    path.write_text(path.read_text().replace('"undecided"', '"public"'))
    assert check(path) == ([], 0)


@pytest.mark.parametrize(
    "spelled",
    [
        WORD,
        f"see {WORD}.",
        quote(WORD, safe=""),
        WORD.encode().hex(),
        WORD.encode().hex().upper(),
        base64.b64encode(f"a:{WORD}".encode()).decode(),
        base64.urlsafe_b64encode(f"ab:{WORD}".encode()).decode(),
    ],
)
@pytest.mark.parametrize("large", [False, True], ids=["file", "blob"])
def test_a_value_of_the_environment(path, spelled, large):
    """The value of a variable is found in every spelling, in the file and in its blobs, and is not shown."""
    taken(path, [({}, {"a": {"b": spelled}, "c": "x" * 70_000 * large})])
    assert check(path)[1] == 0
    lines, code = check("--value-env", "MY_SECRET", path, env={"MY_SECRET": WORD})
    assert code == 1
    assert lines[0] == f"{path}: {TYPE}.a.b (interaction 1): a declared secret is readable. Record again."
    assert spelled not in "\n".join(lines)


def test_a_variable_that_is_not_set(path):
    """A value that is not there cannot be looked for, which is wrong usage and no success."""
    lines, code = check("--value-env", "MY_SECRET", taken(path, []), env={"MY_SECRET": ""})
    assert (lines[-1], code) == ("Error: --value-env: MY_SECRET is not set or empty.", 2)


def test_one_more_name(path):
    """A property that is named to the command is looked at as if it had been named to the recording."""
    taken(path, [({"pin": 1234}, {})])
    assert check(path) == ([], 0)
    assert check("--secret", f"{TYPE}.pin", path)[1] == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [(TOKEN, "a GitHub token"), (f"x {TOKEN}", "a GitHub token"), ("kT9" * 3 + "bX2zQ8vW4mR7pL1nJ6", "a random text")],
)
def test_look_alikes_are_warnings(path, text, kind):
    """What looks like a credential is a warning with its place, once, without its value, and the command succeeds."""
    lines, code = check(taken(path, [({"note": text}, {"note": text})]))
    assert code == 0
    assert lines == [
        f"{path}: warning: {TYPE}.note (interaction 1): it looks like {kind}. If it is one, revoke it, name its "
        "property with secrets=[...], and record again."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "arn:aws:iam::123456789012:role/service-role/MyVeryLongRoleName2024",
        "urn:pulumi:dev::shop::cloud:index:Bucket::logs",
        "/usr/local/lib/python3.11/site-packages/Thing",
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "ThisIsAnOrdinaryResourceNameInCamelCase",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8kT9bX2zQ8vW4mR7pL1nJ6kT9bX2zQ8vW4mR7pL1nJ",
        "2026-11-22T14:00:00.123456789Z",
    ],
)
def test_what_is_no_look_alike(path, text):
    """Names, URNs, paths, digests, times and public keys are no credentials."""
    assert check(taken(path, [({"note": text}, {})])) == ([], 0)


def test_what_is_seen_often_is_one_line(path):
    """A property that has a credential of a kind in many interactions is one line, which counts them."""
    tokens = [TOKEN[:-1] + digit for digit in "1234567"]
    lines, code = check(taken(path, [({"n": {"token": token}}, {"n": {"token": token}}) for token in tokens]))
    assert (lines[0].partition(": it looks like")[0], len(lines), code) == (
        f"{path}: warning: {TYPE}.n.token (interactions 1, 2, 3, 4, 5 and 2 more)",
        1,
        0,
    )
    for line in edited(path, "request", n=secret("by-hand-and-readable")) or check(path)[0]:
        assert "by-hand" not in line


def test_what_is_in_the_header(path):
    """What stands in the header is named there."""
    header, *others = json.loads(taken(path, []).read_text())
    path.write_text(json.dumps([{**header, "created_by": f"record {TOKEN}"}, *others]))
    assert check(path)[0][0].startswith(f"{path}: warning: the header, created_by: it looks like a GitHub token.")


@pytest.mark.parametrize("left", ["", "\n", "[]", " [] \n"])
def test_an_emptied_cassette(path, left):
    """A file of which nothing is left is no other file that could be passed over."""
    path.write_text(left)
    lines, code = check(path)
    assert (str(path) in lines[0], "empty" in lines[0], code) == (True, True, 1)


def test_a_misspelt_name_to_look_for(path):
    """A name that is in none of the files is a warning with the place that was meant; one that is in some is none."""
    other = taken(path.with_name("other.json"), [({"token": "x"}, {})])
    taken(path, [({"password": WORD}, {})], names=["password"])
    options = ["--secret", "password", "--secret", "token", "--secret", "pasword", "--secret", f"{TYPE}.tokn"]
    lines, code = check(*options, path, other)
    assert lines[1:-1] == [
        "warning: --secret: 'pasword' is nowhere in these files. Did you mean 'password'?",
        f"warning: --secret: '{TYPE}.tokn' is nowhere in these files. Did you mean '{TYPE}.token'?",
    ]
    assert code == 1


def test_a_name_that_is_none(path):
    """An empty name is refused."""
    lines, code = check("--secret", "", taken(path, []))
    assert (lines[0].startswith("Error: ['']"), code) == (False, 1)
    assert lines == ["Error: ('',) is no list of names. Name properties, such as 'password' or 'aws_ssm_parameter.value'."]


def test_files_that_cannot_be_read(path):
    """A damaged cassette fails in a line, and the others are looked at all the same."""
    torn = path.with_name("torn.json")
    torn.write_bytes(taken(path, [({"note": TOKEN}, {})]).read_bytes()[:-3])
    lines, code = check(torn, path, path.with_name("none.json"))
    assert code == 1
    assert [line.split(": ")[0] for line in lines] == [
        f"{torn} is torn",
        str(path),
        f"There is no cassette {path.with_name('none.json')}. Did you mean 'torn.json'? To record it",
        "2 of 3 files must not be committed.",
    ]
