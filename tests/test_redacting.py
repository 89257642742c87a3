"""Finished cassettes that are told what is secret: what goes, what stays, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from cassette_toy import TYPE, Toy, answer, call, replayer, secret, session
from click.testing import CliRunner
from kept_cassettes import CASSETTES
from test_double_declared_secrets import SECRETS, leaked, life, provider

from mockprovider import Double, recording, replaying, tape
from mockprovider.calls import Call, Failure, Op, Reply, Status
from mockprovider.cassette import CassetteLayer, RecordedStatus
from mockprovider.cassette.model import HttpExchange, Interaction
from mockprovider.cli import main
from mockprovider.cli.cassette.redacting import AGAIN
from mockprovider.double import Wiring
from mockprovider.double.redacting import redact
from mockprovider.errors import AmbiguousError, CassetteBusyError, CassetteError, CassetteMissingError, DefinitionError
from mockprovider.redaction import Redactor, numbers
from mockprovider.tape import format as tape_format
from mockprovider.tape import rewriting
from mockprovider.tape.lock import Lock

NAMES = ("password", "conf.token", "users.root.token", "key")
PASSWORD = SECRETS[0]
URN = f"urn:pulumi:dev::shop::{TYPE}::"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a cassette will be, in the folder in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "it.json"


def record(path: Path, **options: Any) -> None:
    """A life of a database, by a recorder that is told no more than this."""
    with Double(provider=recording(path, Wiring("cloud", provider), **options)) as double:
        life(double)


class Spoken(Toy):
    """The toy, in a file that says that it is Pulumi's."""


def write(path: Path, *conversation: tuple[Call, Reply], **options: Any) -> None:
    """A cassette of calls and replies."""
    with tape.record(path, Spoken(), protocol="pulumi", provider="cloud", **options) as recorder:
        for asked, reply in conversation:
            recorder(asked, lambda _, reply=reply: reply)


def create(name: str = "logs", number: int = 1, **properties: Any) -> tuple[Call, Reply]:
    """A create with these inputs, which come back."""
    asked = call(Op.CREATE, session(number), f"{URN}{name}", properties=properties)
    return asked, Reply(value={"id": name, "properties": properties}, id=name)


def replay(path: Path) -> CassetteLayer:
    """A replay of what was written."""
    cassette = tape.load(path)
    cassette.header.protocol = "toy"
    return replayer(cassette)


def run(*arguments: Any, **options: Any) -> tuple[str, int]:
    """What the command says, and how it ends."""
    result = CliRunner().invoke(main, ["cassette", "redact", *map(str, arguments)], **options)
    return result.output, result.exit_code


def edit(path: Path, change: Any) -> None:
    """A cassette that somebody has changed by hand."""
    cassette = tape.load(path)
    change(cassette)
    path.write_bytes(tape_format.render(cassette.header, cassette.interactions))


# As if it had been told -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("masks", [(), ("conf.size",), ("key",)])
def test_it_is_what_it_would_have_been(path: Path, masks: tuple[str, ...]) -> None:
    """A cassette that is told afterwards has the bytes of one whose recording was told, masks and names of instances too."""
    told = path.with_name("told.json")
    record(path)
    record(told, secrets=NAMES, masks=masks)
    redact(path, secrets=NAMES, masks=masks)
    assert path.read_bytes() == told.read_bytes()


def test_sessions_are_ordered_as_if_it_had_been_told(path: Path) -> None:
    """Sessions are in the order of the new names of their instances, as a recording that was told has them."""

    def configured(number: int) -> tuple[Call, Reply]:
        properties = {"key": f"secret-key-{number}", "region": f"r{number}"}
        return call(Op.CONFIGURE, session(number, ""), type_="", properties=properties), answer()

    told = path.with_name("told.json")
    conversation = [*map(configured, range(1, 9)), create("a", 3)]
    write(path, *conversation)
    write(told, *conversation, redactor=Redactor(["key"]))
    redact(path, secrets=["key"])
    assert path.read_bytes() == told.read_bytes()


def test_a_compact_cassette_keeps_its_order(path: Path) -> None:
    """A cassette that was made smaller stays in the order that it has: only what held a secret changes."""
    path.write_bytes((CASSETTES / "terraform-local/terraform.json").read_bytes())
    before = tape.load(path)
    result = redact(path, secrets=["filename"]).result
    assert result.changed
    after = tape.load(path)
    assert [(one.n, one.session, one.method) for one in after.interactions] == [
        (one.n, one.session, one.method) for one in before.interactions
    ]


def test_numbers_of_secrets_may_be_large(path: Path) -> None:
    """A number that no recorder gives costs nothing, and secrets are numbered anew."""
    write(path, create("a", password="p" * 8, old=secret("old-secret-1")))
    path.write_text(path.read_text().replace('"$secret": 1', '"$secret": 999999998'))
    redact(path, secrets=["password"])
    assert sorted(numbers([one.request for one in tape.load(path).interactions])) == [1, 2]


def test_one_decision_after_the_other(path: Path) -> None:
    """Decisions add up, whatever their order, and a decision that is there already changes nothing."""
    told = path.with_name("told.json")
    record(path)
    record(told, secrets=NAMES)
    for name in reversed(NAMES):
        assert redact(path, secrets=[name]).result.taken != []
    assert path.read_bytes() == told.read_bytes()
    inode = path.stat().st_ino
    again = redact(path, secrets=NAMES)
    assert (again.result.changed, again.result.taken) == (False, [])
    assert path.stat().st_ino == inode


def test_a_againtakes_what_the_engine_sends(path: Path) -> None:
    """After that, a replay gives whatever secret the engine sends, wherever the provider had repeated the recorded one."""
    record(path)
    redact(path, secrets=NAMES)
    assert leaked(path.parent) == []
    inputs = {
        "password": "another-password",
        "conf": {"token": "t" * 9, "size": 1},
        "users": {"root": {"token": "u", "size": 2}},
    }
    with Double(provider=replaying(path)) as double:
        where = double.open()
        urn = "urn:pulumi:dev::p::cloud:index:Database::a"
        about: Any = {"type": "cloud:index:Database", "name": "a", "urn": urn, "session": where}
        double(
            Call(op=Op.CONFIGURE, session=where, urn="urn:pulumi:dev::p::pulumi:providers:cloud::x", inputs={"key": "k" * 8})
        )
        double(Call(op=Op.CHECK, inputs=inputs, **about))
        made = double(Call(op=Op.CREATE, inputs=inputs, **about))
    assert made.value == {**inputs, "url": "sql://root:another-password@host"}


def test_values_are_gone_wherever_they_stand(path: Path) -> None:
    """A literal value goes from requests, answers, URNs, ids, errors, exchanges over HTTP and the header's command."""
    value = "s3cr3t-value-7"
    write(
        path,
        create("a", note=f"see {value}", numbers=[1, 2]),
        create(f"x-{value}", acl="x"),
        (call(Op.UPDATE, session(), f"{URN}b", id=f"id-{value}"), Reply(status=Status(3, f"no {value} here"))),
        (call(Op.READ, session(), f"{URN}c"), Reply(failures=(Failure("gone"),), value={"was": value.encode().hex()})),
        created_by=f"make TOKEN={value}",
        faults={"faults": [{"reason": value}]},
    )
    edit(
        path,
        lambda cassette: cassette.interactions[0].http.append(
            HttpExchange(
                method="GET", url=f"https://h/?k={value}", status=200, request_headers={"Auth": value}, response={"v": [value]}
            )
        ),
    )
    result = redact(path, values=[value, "value-of-nobody"]).result
    data = path.read_bytes()
    assert [spelling for spelling in (value, value.encode().hex()) if spelling.encode() in data] == []
    assert result.missing == [2]
    assert [one.place for one in result.taken if not one.interactions] == ["the header's created_by", "the header's faults"]
    assert len(result.renamed) == 1
    header = tape.load(path).header
    assert (header.created_by, header.faults) == (
        "make TOKEN=mockprovider-secret",
        {"faults": [{"reason": "mockprovider-secret"}]},
    )
    assert redact(path, values=[value]).result.changed is False


def test_a_text_around_an_earlier_secret(path: Path) -> None:
    """A property that has an earlier secret in a text is hidden as a whole, elsewhere too, and replays with other values."""
    password = "correct horse battery"

    def conversation(password: str) -> tuple[tuple[Call, Reply], ...]:
        url = f"sql://root:{password}@host"
        first = create("a", password=password, url=url)
        return first, create("b", note=f"use {url}; twice: {url}", again=url), create("c", note=f"pw {password}")

    write(path, *conversation(password), redactor=Redactor(["password"]))
    redact(path, secrets=["url"])
    text = path.read_text()
    assert "sql://" not in text
    assert "root" not in text
    again = replay(path)
    for asked, reply in conversation("something else"):
        assert again(asked).value == reply.value


def test_sessions_stay_as_they_were_told_apart(path: Path) -> None:
    """Where two instances become one name, what cannot be told apart any more is refused, and never guessed."""

    def configured(number: int, key: str, size: int) -> tuple[tuple[Call, Reply], ...]:
        where = session(number, "")
        return (
            (call(Op.CONFIGURE, where, type_="", properties={"key": key}), answer()),
            (call(Op.INVOKE, where, type_="cloud:index:size"), answer(size=size)),
        )

    write(path, *configured(1, "first-key-1", 1), *configured(2, "second-key-2", 2))
    assert len({one.instance for one in tape.load(path).interactions}) == 2
    redact(path, secrets=["key"])
    sessions = tape.load(path).header.sessions
    assert len({one.instance for one in sessions}) == 1
    again = replay(path)
    where = session(7, "")
    again(call(Op.CONFIGURE, where, type_="", properties={"key": "third-key-3"}))
    with pytest.raises(AmbiguousError):
        again(call(Op.INVOKE, where, type_="cloud:index:size"))


# Public and undecided -----------------------------------------------------------------------------------------------------


def openly(path: Path, **options: Any) -> None:
    """A value that the provider shows openly, in a place that is marked as secret."""
    link = "https://queue.example/1"
    asked = call(Op.CREATE, session(), f"{URN}p", type_="cloud:index:Parameter", properties={"value": secret(link)})
    shown = call(Op.CREATE, session(), f"{URN}q"), Reply(value={"id": "q", "properties": {"url": link}}, id="q")
    write(path, shown, (asked, answer(properties={"value": secret(link)})), **options)


def test_an_open_decision_is_made(path: Path) -> None:
    """What nobody had decided about becomes public in the header, or is taken out, and is open no more."""
    openly(path)
    before = path.read_bytes()
    assert (
        tape.load(path).header.undecided == {"cloud:index:Parameter": ["properties.value"]} or tape.load(path).header.undecided
    )
    redact(path, public=["cloud:index:Parameter.value"])
    header = tape.load(path).header
    assert (header.undecided, header.public) == ({}, {"cloud:index:Parameter": ["value"]})
    assert b"https://queue" in path.read_bytes()
    assert redact(path, public=["cloud:index:Parameter.value"]).result.changed is False

    path.write_bytes(before)
    redact(path, secrets=["cloud:index:Parameter.value"])
    assert tape.load(path).header.undecided == {}
    assert b"https://queue" not in path.read_bytes()


def test_an_open_place_whose_value_is_gone_is_open_no_more(path: Path) -> None:
    """A value that goes as a literal leaves no undecided place behind."""
    openly(path)
    redact(path, values=["https://queue.example/1"])
    assert tape.load(path).header.undecided == {}


def test_what_was_public_can_become_secret(path: Path) -> None:
    """A later decision for secret takes the place of an earlier one for public."""
    openly(path)
    redact(path, public=["value"])
    redact(path, secrets=["value"])
    header = tape.load(path).header
    assert (header.public, header.secrets) == ({}, {"*": ["value"]})
    assert b"https://queue" not in path.read_bytes()


# Refused ------------------------------------------------------------------------------------------------------------------


def test_what_is_gone_cannot_be_public(path: Path) -> None:
    """A place whose value is no longer in the file is not made public, and the file stays as it is."""
    record(path, secrets=NAMES)
    before = path.read_bytes()
    with pytest.raises(CassetteError, match="not in the file any more"):
        redact(path, public=["password"])
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        ({"secrets": ["pasword"]}, "--secret: 'pasword' is nowhere in this cassette. Did you mean 'password'"),
        ({"masks": ["conf.tokn"]}, "--mask: 'conf.tokn' is nowhere"),
        ({"public": ["nobody"]}, "--public: 'nobody' is nowhere"),
        ({"secrets": ["url"], "public": ["url"]}, "is named as secret and as public"),
        ({"secrets": [""]}, "is no list of names"),
        ({"values": ["long enough", "short"]}, "The value in line 2 has fewer than 6"),
    ],
)
def test_words_that_cannot_be_meant(path: Path, decisions: dict[str, Any], said: str) -> None:
    """A name that is nowhere, a contradiction and a value that is too short are refused before anything is written."""
    record(path)
    before = path.read_bytes()
    with pytest.raises(DefinitionError, match=said):
        redact(path, **decisions)
    assert path.read_bytes() == before


def test_a_value_in_the_configuration_needs_its_name(path: Path) -> None:
    """A digest of the configuration would still tell of a value in it, so the property has to be named; then it works."""
    record(path)
    before = path.read_bytes()
    with pytest.raises(CassetteError, match="--secret key"):
        redact(path, values=[SECRETS[3]])
    assert path.read_bytes() == before
    redact(path, values=[SECRETS[3]], secrets=["key"])
    assert SECRETS[3] not in path.read_text()


def test_an_instance_that_nobody_can_name_again(path: Path) -> None:
    """Where the name of an instance is no digest of what the file has, nothing that would change it is done."""
    record(path)

    def rename(cassette: Any) -> None:
        for one in [*cassette.interactions, *cassette.header.sessions]:
            one.instance = one.instance and "config-0123456789abcdef"

    edit(path, rename)
    before = path.read_bytes()
    with pytest.raises(CassetteError, match="cannot be made again"):
        redact(path, secrets=["key"])
    assert path.read_bytes() == before
    redact(path, secrets=["password"])
    assert PASSWORD not in path.read_text()


def test_a_cassette_in_use(path: Path) -> None:
    """While somebody records the cassette, it is not touched."""
    record(path)
    before = path.read_bytes()
    lock = Lock(path)
    try:
        with pytest.raises(CassetteBusyError):
            redact(path, secrets=["password"])
    finally:
        lock.release()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["it.json"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails(path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """A full disk and Ctrl-C leave the file as it was, and nothing beside it."""
    record(path)
    before = path.read_bytes()

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises((CassetteError, KeyboardInterrupt)) as raised:
        redact(path, secrets=["password"])
    assert isinstance(raised.value, KeyboardInterrupt) or "No space left" in str(raised.value)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["it.json"]


def test_a_folder_that_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not even a lock can be made, that is said."""
    record(path)

    def read_only(_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(rewriting, "Lock", read_only)
    with pytest.raises(CassetteError, match=r"Cannot rewrite .*it\.json: Read-only file system\. It is as it was\."):
        redact(path, secrets=["password"])


@pytest.mark.parametrize("missing", ["gone.json", "gone/it.json"])
def test_a_cassette_that_is_not_there(path: Path, missing: str) -> None:
    """A file that is not there is said to be missing, and no lock is left where it would be."""
    with pytest.raises(CassetteMissingError, match="There is no cassette"):
        redact(path.parent / missing, secrets=["password"])
    assert [*path.parent.iterdir()] == []


def test_all_or_none(path: Path) -> None:
    """Of several cassettes, none is written where one of them cannot be; a name has to be in one of them only."""
    other = path.with_name("other.json")
    record(path)
    write(other, create("a", note="mine", label="x"))
    files = [path.read_bytes(), other.read_bytes()]
    path.with_name("torn.json").write_bytes(files[1][:-30])
    output, code = run(path, other, "torn.json", "--secret", "password")
    assert (code, "is torn" in output) == (1, True)
    assert [path.read_bytes(), other.read_bytes()] == files
    assert run(path, other, "--secret", "password", "--secret", "label")[1] == 0
    assert PASSWORD not in path.read_text()
    assert '"label": "x"' not in other.read_text()


# Files --------------------------------------------------------------------------------------------------------------------

LARGE = "x" * 70_000


def large_answer(name: str) -> tuple[Call, Reply]:
    """A question with an answer that is a blob."""
    return call(Op.INVOKE, session(), type_=f"cloud:index:{name}"), answer(**{"return": {"all": LARGE, "of": name}})


def with_blob(path: Path, token: str = "blob-secret-1") -> None:
    """A cassette whose only call has a large answer with a secret."""
    asked = call(Op.INVOKE, session(), type_="cloud:index:all")
    write(path, (asked, answer(properties={"all": [{"token": token, "pad": LARGE}]})))


def test_a_blob_that_held_it_is_gone(path: Path) -> None:
    """The blob that held a secret is removed, with its folder, and the answer is in the file without it."""
    with_blob(path)
    blobs = path.parent / "blobs"
    assert len([*blobs.iterdir()]) == 1
    result = redact(path, secrets=["token"])
    assert len(result.removed) == 1
    assert not blobs.exists()
    assert "blob-secret-1" not in path.read_text()
    assert replay(path)(call(Op.INVOKE, session(3), type_="cloud:index:all")).value["properties"]["all"][0]["pad"] == LARGE


@pytest.mark.parametrize("user", ["other.json", "other.json.failed", "notes.txt"])
def test_a_blob_that_others_use_stays(path: Path, user: str) -> None:
    """A blob that another file of the folder names stays; it is said, it is exit code 1, and both together are 0."""
    with_blob(path)
    other = path.with_name(user)
    other.write_bytes(path.read_bytes())
    output, code = run(path, "--secret", "token")
    assert (code, f"still holds it: {user}" in output) == (1, True)
    assert len([*(path.parent / "blobs").iterdir()]) == 1
    if user == "other.json":
        assert run(path, other, "--secret", "token")[1] == 0
        assert not (path.parent / "blobs").exists()


def test_a_blob_stays_while_somebody_records_beside_it(path: Path) -> None:
    """While another cassette of the folder is recorded, which may come to use any blob, none is removed."""
    with_blob(path)
    lock = Lock(path.with_name("other.json"))
    try:
        result = redact(path, secrets=["token"])
    finally:
        lock.release()
    assert result.removed == []
    assert "is being recorded" in next(iter(result.kept.values()))[0]


def test_a_link_leads_to_the_file(path: Path) -> None:
    """A symbolic link stays one, and the file that it leads to is redacted and as private as it was."""
    record(path)
    path.chmod(0o600)
    link = path.with_name("link.json")
    link.symlink_to(path)
    redact(link, secrets=["password"])
    assert link.is_symlink()
    assert PASSWORD not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_dry_run_writes_nothing(path: Path) -> None:
    """With ``--dry-run`` it is said what would go, and nothing does."""
    with_blob(path)
    before = path.read_bytes()
    output, code = run(path, "--secret", "token", "--dry-run")
    assert code == 0
    assert "would be taken out" in output
    assert path.read_bytes() == before
    assert len([*(path.parent / "blobs").iterdir()]) == 1


# The command --------------------------------------------------------------------------------------------------------------


def test_what_it_says(path: Path) -> None:
    """The command says where something was taken out, with the interactions, and no value."""
    record(path)
    output, code = run(path, "--secret", "password", "--secret", "key")
    assert code == 0
    assert output == (
        "it.json: secrets taken out at 3 places.\n"
        "interactions  place\n"
        "2, 3          cloud:index:Database.password\n"
        "3             cloud:index:Database.url\n"
        "1             key\n"
        f"{AGAIN}\n"
    )
    assert run(path, "--secret", "password") == ("it.json: nothing to take out.\n", 0)


def test_values_come_from_standard_input(path: Path) -> None:
    """Values are read a line each, from standard input or a file, and none of them is ever said."""
    write(path, create("a", note="see first-value-1"))
    output, code = run(path, "--values-from", "-", input="first-value-1\r\n\n  \nsecond-value-2\n")
    assert code == 0
    assert "The value in line 2 is nowhere." in output
    assert "value-" not in output.replace("--values", "")
    assert "first-value-1" not in path.read_text()


def test_what_it_says_as_json(path: Path) -> None:
    """With ``--json`` all of it is data."""
    record(path)
    output, code = run(path, "--secret", "password", "--json")
    (said,) = json.loads(output)["cassettes"]
    assert code == 0
    assert (said["name"], said["changed"], said["withheld"]) == ("it.json", True, [])
    assert said["taken"][0] == {"place": "cloud:index:Database.password", "interactions": [2, 3]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["it.json"], "Say what is secret"),
        (["it.json", "--values-from", "nothing.txt"], "--values-from: nothing.txt cannot be read: No such file"),
        (["it.json", "--values-from", "bytes.txt"], "it is no text in UTF-8"),
        (["gone.json", "--secret", "a"], "There is no cassette gone.json"),
    ],
)
def test_bad_words(path: Path, arguments: list[str], said: str) -> None:
    """Without anything to decide, and with files that cannot be read, it says so and ends."""
    record(path)
    path.with_name("bytes.txt").write_bytes(b"\xff\xfe\x00")
    output, code = run(*arguments)
    assert said in output
    assert code in (1, 2)


def test_an_answer_that_has_to_be_withheld(path: Path) -> None:
    """A secret in the key of a map cannot be replaced: the answer is withheld, which is said."""
    value = "key-with-secret-9"
    write(path, (call(Op.INVOKE, session(), type_="cloud:index:all"), answer(by={value: 1})))
    path.with_name("values").write_text(value)
    output, code = run(path, "--values-from", "values")
    assert code == 0
    assert "these are withheld" in output
    assert value not in path.read_text()
    assert tape.load(path).interactions[0].withheld


def test_a_request_that_cannot_be_told_any_more(path: Path) -> None:
    """Where a secret was the key of a map in a request, the answer is withheld, a large one too, and the file is readable."""
    value = "key-with-secret-9"
    _, large = large_answer("one")
    write(path, (call(Op.INVOKE, session(), type_="cloud:index:one", args={value: 1}), large))
    redact(path, values=[value])
    assert value not in path.read_text()
    (one,) = tape.load(path).interactions
    assert (bool(one.withheld), one.response_blob) == (True, "")


@pytest.mark.parametrize("response", [5, "text", [1], {"resource_schemas": 7}, {"resource_schemas": [None]}])
@pytest.mark.parametrize("command", ["redact", "prune", "migrate"])
def test_hostile_trees(path: Path, command: str, response: Any) -> None:
    """A cassette whose trees are not what its protocol says is refused in a sentence, and stays as it is."""
    path.write_bytes((CASSETTES / "fake-terraform/terraform.json").read_bytes())

    def spoil(cassette: Any) -> None:
        next(one for one in cassette.interactions if one.op == "get_schema").response = response

    edit(path, spoil)
    before = path.read_bytes()
    more = ["--secret", "name"] if command == "redact" else []
    result = CliRunner().invoke(main, ["cassette", command, "it.json", *more])
    assert (result.exit_code, "is damaged" in result.output) == (1, True), result.output
    assert isinstance(result.exception, SystemExit)
    assert path.read_bytes() == before


def test_a_failed_recording_is_redacted_too(path: Path) -> None:
    """A recording that lies beside its cassette is a file like any other; that it is there is said of the cassette."""
    record(path)
    failed = path.with_name("it.json.failed")
    failed.write_bytes(path.read_bytes())
    output, _ = run(path, "--secret", "password")
    assert "it.json.failed is another recording of it" in output
    redact(failed, secrets=["password"])
    assert PASSWORD not in failed.read_text()


def test_statuses_and_details(path: Path) -> None:
    """The message and the details of an error are redacted like an answer."""
    write(path, create("a", note="n"))
    edit(
        path,
        lambda cassette: cassette.interactions.append(
            Interaction(
                n=2,
                session=1,
                op="read",
                method="Read",
                request={},
                status=RecordedStatus(code="UNKNOWN", message="bad token-value-1", details={"inside": ["token-value-1"]}),
            )
        ),
    )
    redact(path, values=["token-value-1"])
    assert "token-value-1" not in path.read_text()
