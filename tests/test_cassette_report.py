"""The report on a recording: what it holds, what a replay of it will refuse, and the way out of each thing that is wrong."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from cassette_toy import Toy, answer, call, recorded, replayer, reported, said, secret, session
from kept_cassettes import KEPT
from kept_cassettes import recorded as kept_recordings
from msgspec.structs import replace

from mockprovider import tape
from mockprovider.calls import Call, Op, Reply, Session, Status
from mockprovider.cassette import Cassette, Library, Reader
from mockprovider.cassette.misses import SERIAL
from mockprovider.cassette.report import CassetteReport, lines, prove
from mockprovider.cassette.report.words import size
from mockprovider.double import Double, Wiring
from mockprovider.double.reporting import proved
from mockprovider.double.reporting import reported as reported_file
from mockprovider.drivers.sources import absent
from mockprovider.errors import AmbiguousError, CassetteError, MissError
from mockprovider.pulumi.transcript import PulumiTranscript
from mockprovider.redaction import Redactor

BUCKET, KEY = "cloud:index:Bucket", "Key"
FINGERPRINTS = ("9f1c2ab07e", "77c3b0aa51")
PAIR = ("k-8d1f2a", "k-77c3b0")
PASSWORD = "hunter2-very-secret"


def create(type_: str = BUCKET, urn: str = "", address: str = "", **inputs: Any) -> Call:
    asked = call(Op.CREATE, session(), urn, type_, **inputs)
    asked.address = address
    return asked


def pair(*addresses: str) -> list[tuple[Call, Reply]]:
    """Two equal keys, and a certificate of each that was computed from it."""
    places = addresses or ("", "")
    keys = [(create(KEY, address=place, size=4), answer(id=id_)) for place, id_ in zip(places, PAIR, strict=True)]
    certificates = [
        (create("Cert", name=f"c{number}", key=id_), answer(fingerprint=fingerprint))
        for number, (id_, fingerprint) in enumerate(zip(PAIR, FINGERPRINTS, strict=True))
    ]
    return [*keys, *certificates]


def test_a_recording_without_a_flaw_needs_one_line() -> None:
    """Of a recording in which nothing is wrong there is one line: how many calls, what they changed, and how large it is."""
    others = [(call(op, session()), answer()) for op in (Op.READ, Op.CHECK)]
    cassette = recorded((create(name="a"), answer()), *others)
    assert said(cassette, file_bytes=1234, blob_bytes=2_500_000) == [
        "the recording: 3 calls (1 create, 1 read), 1 KB and 2.5 MB in blobs."
    ]
    assert said(recorded((call(Op.CHECK, session()), answer()))) == ["the recording: 1 call."]


def test_sizes_have_units() -> None:
    """Sizes are in the unit that people read."""
    assert [size(count) for count in (1, 999, 1000, 999_499, 999_500)] == ["1 byte", "999 bytes", "1 KB", "999 KB", "1.0 MB"]


def test_calls_are_counted_by_method_and_type() -> None:
    """As data, a report counts calls by what they ask for, method and type."""
    counts = reported(recorded(*pair(), (call(Op.CHECK, session()), answer()))).methods
    assert [(one.op, one.method, one.type, one.count) for one in counts] == [
        ("check", "Check", BUCKET, 1),
        ("create", "Create", "Cert", 2),
        ("create", "Create", KEY, 2),
    ]


def test_secrets_are_named_by_place() -> None:
    """A secret is one however often it was met, its places are named by type and path, and its value is nowhere."""
    conf = {"tokens": {"key": [secret(PASSWORD), secret("another-one-77")]}}
    cassette = recorded(
        (create(password=secret(PASSWORD), conf=conf), answer(url=f"db://root:{PASSWORD}@host", note={"$secret": 1})),
        (call(Op.CONFIGURE, session(), type_="", token=secret(PASSWORD)), answer()),
        (create("Gone"), Reply(status=Status(2, f"no {PASSWORD} here"))),
    )
    report = reported(cassette)
    assert report.secrets == 2
    assert report.secret_places == {"": ["token"], BUCKET: ["password", "tokens.key", "url"], "Gone": ["message"]}
    assert lines(report)[1] == (
        f"2 secrets taken out, at token, Gone.message, {BUCKET}.password, {BUCKET}.tokens.key, {BUCKET}.url."
    )
    assert "hunter2" not in json.dumps(report.to_json())


def test_a_long_list_is_cut() -> None:
    """Of many places a few are shown, and how many more there are."""
    cassette = recorded((create(**{f"p{number}": secret(f"secret-number-{number}") for number in range(7)}), answer()))
    assert said(cassette)[1].endswith(f"{BUCKET}.p3, {BUCKET}.p4 and 2 more.")


def test_decisions_about_places_are_told() -> None:
    """What is readable in spite of a declaration, and what is not compared, is named."""
    asked = create(url=secret("https://jobs.example.com"), at="today")
    redactor = Redactor(public=[f"{BUCKET}.url"], masks=["at"])
    assert said(recorded((asked, answer()), redactor=redactor))[1:] == [
        f"Readable, since it was decided so: {BUCKET}.url.",
        "Not compared: at.",
    ]


def test_what_was_withheld_has_a_reason() -> None:
    """Answers that could not be recorded are named with the reason, and a replay refuses them."""
    cassette = recorded((create(name="a"), answer()), (create(name="b"), answer()))
    first = replace(cassette.interactions[0], response=None, withheld="the provider's stream broke off")
    report = reported(Cassette(cassette.header, [first, cassette.interactions[1]]))
    assert [(one.interactions, one.why) for one in report.withheld] == [([1], "the provider's stream broke off")]
    assert report.refused == report.withheld
    assert lines(report)[1:] == ["A replay refuses interaction 1: the provider's stream broke off. Record again."]


def test_a_secret_in_a_urn_is_told() -> None:
    """A call in whose URN a secret was cannot be replayed, and the report says so."""
    asked = create(urn="urn:it", password=secret("pass-w0rd-1"))
    cassette = recorded((asked, answer()), (create(urn="urn:pass-w0rd-1"), answer()))
    assert said(cassette)[2:] == [
        "A replay refuses interaction 2: a secret is part of a URN, where a replay cannot put it back. Leave secrets out of "
        "names, or decide that this is none (public=[...], --public), and record again."
    ]


def test_verbatim_bytes_are_named() -> None:
    """What is kept as bytes is named with its place and how often, and the bytes that a protocol shows as such are not."""
    packed = b64encode(b"packed").decode()
    cassette = recorded(
        *((create(name=n, body={"$msgpack": packed}), answer(key={"$bytes": packed}, u={"$unknown": ""})) for n in "ab")
    )
    report = reported(cassette)
    assert [(one.type, one.path, one.key, one.count) for one in report.verbatim] == [(BUCKET, "body", "$msgpack", 2)]
    assert lines(report)[1:] == [
        "Kept as bytes, in which no secret can be found, and which match equal bytes alone: cloud:index:Bucket.body $msgpack "
        "(2). Look there before you commit."
    ]


# Equal objects


def test_equal_objects_that_a_replay_tells_apart() -> None:
    """A family whose dependents can be renamed is in the data, and needs no line."""
    streams = [(create("Stream", name=f"s{number}", key=id_), answer(arn=f"arn:{id_}")) for number, id_ in enumerate(PAIR)]
    report = reported(recorded(*pair()[:2], *streams))
    (family,) = report.families
    assert (family.type, len(family.interactions), family.told_apart, family.why) == (KEY, 2, True, "")
    assert (report.refused, len(lines(report))) == ([], 1)


def test_equal_objects_that_nothing_tells_apart() -> None:
    """A family whose dependents were computed from it is refused: the line says by which answer, and the way out."""
    cassette = recorded(*pair())
    report = reported(cassette)
    (family,) = report.families
    numbers = ", ".join(map(str, family.interactions))
    assert (family.told_apart, family.addressed) == (False, False)
    assert [one.interactions for one in report.refused] == [family.interactions]
    (line,) = lines(report)[1:]
    assert line.startswith(f"2 equal Key (interactions {numbers}) cannot be told apart, so each replay refuses them. ")
    assert "fingerprint may have been computed from the object" in line
    assert line.endswith(f"{SERIAL} Or give the resources inputs that differ.")
    with pytest.raises(AmbiguousError) as refused:
        replayer(cassette)(create(KEY, size=4))
    assert family.why in str(refused.value)


def test_equal_objects_with_addresses() -> None:
    """A family whose objects have an address each is told apart by these alone; one address for both is none."""
    report = reported(recorded(*pair("key.a", "key.b")))
    (family,) = report.families
    assert (family.told_apart, family.addressed, report.refused) == (False, True, [])
    assert "are told apart by their addresses alone" in lines(report)[1]
    (family,) = reported(recorded(*pair("key.a", "key.a"))).families
    assert not family.addressed


# Schemas


def test_a_large_schema_in_the_file_is_told() -> None:
    """A schema that would be a blob, were there no placeholder in it, is named with its size; a small one is data alone."""
    cassette = recorded((call(Op.GET_SCHEMA, session(), type_=""), answer(text="x" * 70_000)))
    report = reported(cassette)
    assert [(one.interaction, one.method, one.bytes) for one in report.schemas] == [(1, "GetSchema", 70_011)]
    assert "The schema in interaction 1 stands in the file itself, with 70 KB" in lines(report)[1]
    small = reported(recorded((call(Op.GET_SCHEMA, session(), type_=""), answer(text="x"))))
    assert (len(small.schemas), len(lines(small))) == (1, 1)


def test_notices_of_the_recorder_are_part_of_it() -> None:
    """What only the recorder knew stands at the end of the report."""
    assert said(recorded((create(), answer())), notices=["Look."])[1:] == ["Look."]


# Files


@pytest.mark.parametrize(("kept", "engine"), [(kept, engine) for kept, engine in kept_recordings()])
def test_each_kept_cassette_has_a_report(kept: Any, engine: str) -> None:
    """Of each committed cassette there is a report that finds nothing to refuse, and is plain data."""
    report = reported_file(kept.path(engine))
    assert (report.refused, report.withheld, report.verbatim) == ([], [], [])
    assert report.file_bytes == kept.path(engine).stat().st_size
    assert json.loads(json.dumps(report.to_json()))["calls"] == report.calls == sum(one.count for one in report.methods)
    assert len(lines(report)) <= 3


def kept_lines(name: str) -> list[str]:
    report = kept_report(name)
    return [line.replace(report.name, f"{name}.json") for line in lines(report)]


def kept_report(name: str) -> CassetteReport:
    return reported_file(KEPT[name].path("terraform"))


def test_what_is_said_of_kept_cassettes() -> None:
    """The reports on a cloud service and on a password are two lines each."""
    assert kept_lines("terraform-aws") == [
        "terraform-aws.json: 223 calls (12 create, 9 update, 12 delete, 48 read), 476 KB and 8 KB in blobs.",
        "4 secrets taken out, at access_key, secret_key, aws_ssm_parameter.value.",
    ]
    assert kept_lines("terraform-random") == [
        "terraform-random.json: 111 calls (7 create, 10 delete, 36 read), 104 KB.",
        "4 secrets taken out, at random_password.bcrypt_hash, random_password.id, random_password.result.",
    ]
    assert all(family.told_apart for family in kept_report("terraform-random-names").families)


# Proof


def proof(cassette: Cassette, transcriber: Toy | None = None) -> list[tuple[int, str]]:
    library = Library(cassette, {"": Reader(transcriber or Toy())})
    return [(one.interaction, one.message) for one in prove(library, lambda one: session(one.number))]


def test_a_recording_that_replays_is_proved() -> None:
    """Each recorded call gets its own answer again: with secrets of each kind, failures, changes, equal creates."""
    on, off = secret(value=True), secret(value=False)
    cassette = recorded(
        (call(Op.CONFIGURE, session(), type_="", token=secret(PASSWORD)), answer()),
        (create(a=on, b=off, size=secret(77), password=secret(PASSWORD)), answer(url=f"db://root:{PASSWORD}@host", on=off)),
        (create("Gone"), Reply(status=Status(2, f"no {PASSWORD} here"))),
        (create(urn="urn:a", name="a"), answer(size=1)),
        (call(Op.READ, session(), "urn:a"), answer(size=1)),
        (call(Op.UPDATE, session(), "urn:a", size=2), answer(size=2)),
        (call(Op.READ, session(), "urn:a"), answer(size=2)),
        *pair("key.a", "key.b"),
    )
    assert proof(cassette) == []


@pytest.mark.parametrize(("kept", "engine"), [(kept, engine) for kept, engine in kept_recordings()])
def test_each_kept_cassette_is_proved(kept: Any, engine: str) -> None:
    """Each committed cassette answers all that it was asked."""
    cassette = tape.load(kept.path(engine))
    assert proved(kept.path(engine)) == sum(one.direction == "provider" for one in cassette.interactions)


def test_what_a_replay_refuses_is_said_in_its_words() -> None:
    """A call that is refused is named with the message that a replay has for it."""
    cassette = recorded(*pair())
    numbers = reported(cassette).families[0].interactions
    failed = proof(cassette)
    assert [number for number, _ in failed] == numbers
    with pytest.raises(AmbiguousError) as refused:
        replayer(cassette)(create(KEY, size=4))
    told = str(refused.value).replace(" (provider instance east)", "")
    assert {message.replace(" (provider instance east)", "") for _, message in failed} == {told}


def test_withheld_answers_fail_the_proof() -> None:
    """An answer that was withheld is no proof, with the reason."""
    (first,) = recorded((create(name="a"), answer())).interactions
    withheld = replace(first, response=None, withheld="it was not to be had")
    ((number, message),) = proof(replace(recorded((create(name="a"), answer())), interactions=[withheld]))
    assert (number, "it was withheld when it was recorded: it was not to be had." in message) == (1, True)


def test_an_answer_that_cannot_be_restored_fails_the_proof() -> None:
    """An answer of which no message can be made is named, whatever its protocol stumbles over."""

    class Stumbling(Toy):
        def restore(self, method: str, response: dict[str, Any], call: Call) -> Reply:
            raise KeyError("size")

    ((_, message),) = proof(recorded((create(name="a"), answer())), Stumbling())
    assert message == (
        "the recording: interaction 1 (Create of cloud:index:Bucket) is damaged: KeyError: 'size'. Restore the file, or "
        "record it again."
    )


def test_another_answer_fails_the_proof() -> None:
    """A call that gets another call's answer, as one that comes before its time, is named with both."""
    one, other = (create(tags=[*order], name="a") for order in ("ab", "ba"))
    cassette = recorded((one, answer(size=1)), (other, answer(size=2)))
    sessions = [replace(cassette.header.sessions[0], number=number, wave=number) for number in (1, 2)]
    later, earlier = (replace(each, session=number) for each, number in zip(cassette.interactions, (2, 1), strict=True))
    header = replace(cassette.header, sessions=sessions)
    library = Library(Cassette(header, [earlier, later]), {"": Reader(Toy())})
    library.shelf.calls.reverse()
    assert prove(library, lambda one: session(one.number))[0].message.splitlines() == [
        f"Interaction 1 (Create of {BUCKET}) gets another answer than was recorded:",
        "  size: recorded 2, replayed 1",
    ]


def test_the_proof_of_a_file_is_an_error_with_a_few_messages(tmp_path: Path) -> None:
    """What fails in a file is one error, which shows a few of many messages, equal ones once."""
    path = tmp_path / "it.json"
    with tape.record(path, PulumiTranscript(), protocol="pulumi") as recorder:
        for number in range(9):
            asked = Call(op=Op.CREATE, session=Session("pulumi"), type=BUCKET, urn=f"urn:{number}", inputs={"a": number})
            recorder(asked, lambda _: Reply(id="b-1", value={}))
    assert proved(path) == 9
    header, *interactions = json.loads(path.read_text())
    for interaction in interactions[1:]:
        del interaction["response"]
        interaction["withheld"] = "it was not to be had"
    path.write_text(json.dumps([header, *interactions]))
    with pytest.raises(CassetteError) as failed:
        proved(path)
    first, *messages, last = str(failed.value).splitlines()
    assert first == f"A replay of {path} fails, for 8 of its 9 calls:"
    assert (len(messages), last) == (5, "And 3 more like these.")


# A type that was never recorded


def test_a_miss_of_a_type_that_was_never_recorded() -> None:
    """A call about a type that the recording does not have says so, and which it has; of a recorded type it says nothing."""
    replay = replayer(recorded(*((create(f"Type{number}", name="a"), answer()) for number in range(10))))
    with pytest.raises(MissError, match=r"Nothing about Other was recorded, only about Type0, .*, Type7 and 2 more."):
        replay(create("Other", name="a"))
    with pytest.raises(MissError) as missed:
        replay(create("Type1", name="b"))
    assert "Nothing about" not in str(missed.value)


def test_what_an_engine_says_of_a_missing_type() -> None:
    """What engines say of a type that no schema has is explained by the double that replays, and by no other."""
    cassette = recorded((create("random_pet"), answer()))
    double = Double(provider=Wiring("random", library=Library(cassette, {"": Reader(Toy())})))
    for words in ('resource type "random_uuid"', 'data source "random_uuid"', 'ephemeral resource "random_uuid"'):
        explained = absent(f"Error: Invalid type\nThe provider hashicorp/random does not support {words}.", [Double(), double])
        assert explained.startswith(
            "\nThe provider is replayed from the recording. Nothing about random_uuid was recorded, only about"
        )
    assert absent('The provider does not support resource type "random_pet".', [double]) == ""
    assert absent("Error: Unsupported argument", [double]) == ""
