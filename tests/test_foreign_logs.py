"""Logs that engines wrote become cassettes, and cassettes such logs."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from click.testing import CliRunner
from foreign_logs import (
    INSTANCE,
    PROVIDER,
    SECRET,
    TYPE,
    LoggedRun,
    boot,
    by_urn,
    counted,
    entry,
    ids_of,
    kept_of,
    made,
    published,
    urn_of,
    written,
)

from mockprovider import Double, Stack, replaying_all, tape
from mockprovider.cli import main
from mockprovider.double.cassettes import deciding
from mockprovider.double.foreign import export_log, import_log
from mockprovider.double.reporting import proved
from mockprovider.errors import CassetteError, DefinitionError, MalformedError, UnsupportedError


@pytest.fixture
def log(tmp_path):
    """Where a log will be."""
    return tmp_path / "grpc.json"


@pytest.fixture
def cassette(tmp_path):
    """Where a cassette will be."""
    return tmp_path / "it.json"


def imported(log, cassette, entries, **options):
    """What becomes of a log of these lines: what was said, and the cassette."""
    return import_log(written(log, entries), cassette, **options), tape.load(cassette)


def called(recording):
    """The RPCs of a recording with the last parts of their instances."""
    return [(one.method, one.instance.rpartition("::")[2]) for one in recording.interactions]


@published
def test_published_logs_come_back(log, tmp_path, cassette):
    """Each published log becomes a cassette that answers all that it was asked, and from that an equal log."""
    said = import_log(log, cassette)
    assert proved(cassette) == said.calls > 0

    again = tmp_path / "again.json"
    assert export_log(cassette, again).calls == said.calls
    assert counted(kept_of(again)) == counted(kept_of(log))
    assert by_urn(kept_of(again)) == by_urn(kept_of(log))

    twice = tmp_path / "twice.json"
    import_log(again, twice)
    assert [*map(_content, tape.load(twice).interactions)] == [*map(_content, tape.load(cassette).interactions)]


def _content(interaction):
    return interaction.method, interaction.instance, interaction.urn, interaction.request, interaction.response


@published
def test_published_logs_may_be_committed(log, cassette):
    """A check finds nothing declared secret that is readable in what a published log became."""
    import_log(log, cassette)

    result = CliRunner().invoke(main, ["cassette", "check", str(cassette)])
    assert result.exit_code == 0, result.output


def test_a_log_of_2023(log, cassette):
    """Lines without metadata, one a call: the URNs tell the provider, and the check of its configuration tells which one."""
    said, recording = imported(log, cassette, [*boot(), *made("logs")])

    assert (said.calls, dict(said.left_out), said.notes) == (5, {}, [])
    assert (recording.header.provider, recording.header.provider_version) == ("cloud", "1.2.3")
    assert called(recording) == [
        ("GetPluginInfo", ""),
        ("CheckConfig", ""),
        ("Configure", "default"),
        ("Check", "default"),
        ("Create", "default"),
    ]


def paired(entries, name="cloud"):
    """The lines as engines since 3.213 write them: two a call, with the provider's name."""
    metadata = {"metadata": {"mode": "client", "kind": "resource", "name": name}}
    for line in entries:
        yield {**line, **metadata, "progress": "request_started"} | {"response": None}
        yield {**line, **metadata, "progress": "response_completed"}


def test_a_log_of_today(log, cassette):
    """Two lines a call are one call, also where calls interleave; a call that never ended is counted."""
    lines = [*paired([*boot(), *made("a"), *made("b")])]
    lines[8], lines[9], lines[10], lines[11] = lines[8], lines[10], lines[9], lines[11]
    said, recording = imported(log, cassette, [*lines, next(paired(made("c")))])

    assert said.left_out["without an answer"] == 1
    assert [one.urn for one in recording.interactions if one.method == "Create"] == [urn_of("a"), urn_of("b")]


def test_both_sides_of_a_call(log, cassette):
    """A call that the engine's client and the provider's server both wrote down is one call."""
    server = [{**line, "metadata": {"mode": "server"}} for line in made("logs")]
    said, recording = imported(log, cassette, [*boot(), *made("logs"), *server])

    assert len(recording.interactions) == 5
    assert said.left_out["that both sides wrote down, kept once"] == 2


def test_what_is_no_providers_call(log, cassette):
    """Calls of programs, language hosts and policies are counted by what they are, as are components and unknown RPCs."""
    others = [
        entry("/pulumirpc.LanguageRuntime/Run", {}, {}),
        entry("/pulumirpc.ResourceMonitor/SupportsFeature", {"id": "x"}, {}),
        entry("/pulumirpc.Analyzer/Analyze", {}, {}),
        entry("/pulumirpc.Engine/Log", {}, {}),
        entry("/odd.Service/Odd", {}, {}),
        entry("Construct", {"type": "cloud:index:Site", "name": "site"}, {"urn": "u"}),
        entry("Frobnicate", {}, {}),
    ]
    said, recording = imported(log, cassette, [*boot(), *made("logs"), *others])

    assert len(recording.interactions) == 5
    assert {what for what, count in said.left_out.items() if count} == {
        "of the language host",
        "of programs to the engine's monitor",
        "of policy packs",
        "to the engine's own service",
        "of odd.Service",
        "of components and methods: nothing tells what their provider asked the engine meanwhile",
        "of RPCs that this version does not know",
    }


def test_several_providers(log, cassette):
    """The providers of a log share a cassette, each with the start that belongs to it; one of them can be chosen."""
    mail = "mail:index:Box"
    lines = [*boot(), *boot("mail", {"host": "x"}, version="9.0.0"), *made("logs"), *made("box", type_=mail)]
    _, recording = imported(log, cassette, lines)

    assert recording.header.providers == {"cloud": "pulumi", "mail": "pulumi"}
    versions = {one.provider: one.response["version"] for one in recording.interactions if one.method == "GetPluginInfo"}
    assert versions == {"cloud": "1.2.3", "mail": "9.0.0"}
    assert proved(cassette) == 10

    said, alone = imported(log, cassette, lines, chosen=["mail"], replace=True)
    assert (alone.header.provider, len(alone.interactions), said.left_out["of other providers"]) == ("mail", 5, 5)
    with pytest.raises(DefinitionError, match=r"no call of the provider 'mial'. Did you mean 'mail'"):
        imported(log, cassette, lines, chosen=["mial"], replace=True)


def test_two_instances(log, cassette):
    """Whose resource it is says the program's side of the log, where a provider was configured twice."""
    east = INSTANCE.replace("default", "east")
    registered = [
        entry(
            "/pulumirpc.ResourceMonitor/RegisterResource",
            {"provider": f"{east}::1" if name == "a" else ""},
            {"urn": urn_of(name)},
        )
        for name in "ab"
    ]
    start = [*boot(), *boot(config={"region": "us"}, instance=east)]
    _, recording = imported(log, cassette, [*start, *made("b"), *made("a"), *registered])
    assert {(one.urn[-1], one.instance) for one in recording.interactions if one.method == "Create"} == {
        ("a", east),
        ("b", INSTANCE),
    }

    said, _ = imported(log, cassette, [*start, *made("b")], replace=True)
    assert said.notes[0].startswith("2 calls of cloud do not say which provider instance they are for.")


def test_without_configure(log, cassette):
    """Of a log that starts in the middle it is said that a replay answers only who configures nothing."""
    said, recording = imported(log, cassette, made("logs"))

    assert said.notes[0].startswith("2 calls of cloud come before any Configure: a replay answers them only where nobody")
    assert called(recording) == [("Check", ""), ("Create", "")]


def test_errors(log, cassette, tmp_path):
    """A call that failed has the status that its text stands for, and comes back as that text."""
    failed = entry("Read", {"urn": urn_of("a"), "id": "a"}, errors=["rpc error: code = NotFound desc = no\nbucket"])
    odd = entry("Delete", {"urn": urn_of("a"), "id": "a"}, errors=["context canceled"])
    _, recording = imported(log, cassette, [*boot(), failed, odd])

    assert [(one.status.code, one.status.message) for one in recording.interactions if one.status] == [
        ("NOT_FOUND", "no\nbucket"),
        ("UNKNOWN", "context canceled"),
    ]
    export_log(cassette, tmp_path / "again.json")
    assert [call[3] for call in kept_of(tmp_path / "again.json") if call[3]] == [
        failed["errors"],
        ["rpc error: code = Unknown desc = context canceled"],
    ]


def test_secrets_that_the_log_marks(log, cassette, tmp_path):
    """A secret leaves the cassette where the provider's side marks it, where the program's does, and where a name says it."""
    program = entry(
        "/pulumirpc.ResourceMonitor/RegisterResource",
        {"object": {"auth": {"password": {**SECRET, "value": "correct horse"}}}},
        {"urn": urn_of("a")},
    )
    calls = made("a", {"auth": {"password": "correct horse"}, "pin": "0815-4711"}, token={**SECRET, "value": "battery staple"})
    imported(log, cassette, [*boot(), *calls, program], redactor=deciding(secrets=["pin"]))
    said = export_log(cassette, tmp_path / "again.json")

    for text in (cassette.read_text(), (tmp_path / "again.json").read_text()):
        assert not [secret for secret in ("correct horse", "battery staple", "0815-4711") if secret in text]
    assert said.secrets == 3


def test_secrets_that_a_schema_declares(log, cassette):
    """The schema in a log says which properties are secret, though no message marks them."""
    bucket = {"properties": {"key": {"type": "string", "secret": True}}, "inputProperties": {}}
    schema = {"name": "cloud", "version": "1.2.3", "resources": {TYPE: bucket}}
    described = entry("GetSchema", {}, {"schema": json.dumps(schema)})
    imported(log, cassette, [*boot(), described, *made("a", key="opensesame")])

    assert "opensesame" not in cassette.read_text()


def test_lists(log, cassette, tmp_path):
    """The messages of a stream are the answer to the request before them, and come back as such lines."""
    request = {"token": TYPE}
    lines = [
        entry("List", request),
        *(entry("List", request, {"result": {"id": name}}) for name in "ab"),
        entry("List", request),
    ]
    _, recording = imported(log, cassette, [*boot(), *lines])
    assert [len(one.response["messages"]) for one in recording.interactions if one.method == "List"] == [2, 0]

    export_log(cassette, tmp_path / "again.json")
    listed = [json.loads(line) for line in (tmp_path / "again.json").read_text().splitlines() if "/List" in line]
    assert [line.get("response") for line in listed] == [None, {"result": {"id": "a"}}, {"result": {"id": "b"}}, None]


def test_lines_that_break_off(log, cassette):
    """A killed engine's last line, and what the next one wrote behind it on the same line, cost one call."""
    lines = [json.dumps(line) for line in [*boot(), *made("a")]]
    log.write_text("\n".join([*lines[:4], lines[4][:30] + json.dumps(made("b")[1]), '"text"', lines[4][:-9]]))
    said = import_log(log, cassette)

    assert [one.urn for one in tape.load(cassette).interactions if one.method == "Create"] == [urn_of("b")]
    assert said.left_out["broken off in the middle of a line"] == 2
    assert said.left_out["lines that are no call"] == 1


def test_fields_of_later_engines(log, cassette):
    """A field that this version does not know is left out and counted; a message that is none costs its call."""
    check, create = made("a")
    newer = {**check, "request": {**check["request"], "vibe": 1}}
    wrong = {**create, "request": {"urn": 7}}
    said, recording = imported(log, cassette, [*boot(), newer, create, wrong])

    assert len(recording.interactions) == 5
    assert said.left_out["with fields that this version does not know; kept without these"] == 1
    assert said.left_out["with messages that cannot be read"] == 1


def test_an_array(log, cassette):
    """An array of such objects, as test kits keep them, is read as the lines would be."""
    log.write_text(json.dumps([*boot(), *made("a")]))

    assert import_log(log, cassette).calls == 5


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty. Such a log is what `pulumi` writes with PULUMI_DEBUG_GRPC=FILE"),
        (b"\x00\xff\xfe" * 99, "no line of it is about a call"),
        (b"[1, 2]", "no line of it is about a call"),
        (b'[{"method"', "begins as a JSON array and is none"),
        (b'{"method": "/pulumirpc.LanguageRuntime/Run"}\n', "has no answered call of a provider"),
        (b"[" * 99999, "begins as a JSON array and is none"),
        (b"\xef\xbb\xbf", "no line of it is about a call"),
    ],
    ids=["empty", "binary", "numbers", "torn array", "no provider", "deep", "mark"],
)
def test_what_is_no_log(log, cassette, data, why):
    """Each file that is none is refused with what it is, and nothing is written."""
    log.write_bytes(data)

    with pytest.raises(MalformedError, match=why):
        import_log(log, cassette)
    assert [path.name for path in log.parent.iterdir()] == ["grpc.json"]


def test_a_long_line(log, cassette):
    """A line of ten megabytes is read like any other."""
    said, _ = imported(log, cassette, [*boot(), *made("a", {"content": "x" * 10_000_000})])

    assert said.calls == 5


def test_nothing_is_replaced_unasked(log, cassette, tmp_path):
    """A cassette and a log that are there stay unless their replacement is asked for; a cassette is no log."""
    imported(log, cassette, [*boot(), *made("a")])
    before = cassette.read_bytes()

    with pytest.raises(CassetteError, match=r"is there already. To replace that cassette, add --force"):
        import_log(log, cassette)
    with pytest.raises(CassetteError, match=r"is there already. To replace that file, add --force"):
        export_log(cassette, log)
    with pytest.raises(CassetteError, match=r"is a cassette already. Replay it: mockprovider replay it.json"):
        import_log(cassette, tmp_path / "other.json")
    assert cassette.read_bytes() == before
    export_log(cassette, log, replace=True)
    assert import_log(log, cassette, replace=True).calls == 5


def test_a_log_that_cannot_be_recorded(log, cassette):
    """A failed import leaves the cassette that was there, and nothing beside it."""
    imported(log, cassette, [*boot(), *made("a")])
    before = cassette.read_bytes()
    log.write_text("nothing")

    with pytest.raises(MalformedError):
        import_log(log, cassette, replace=True)
    assert cassette.read_bytes() == before
    assert sorted(path.name for path in log.parent.iterdir()) == ["grpc.json", "it.json"]


def test_terraform_has_no_such_log(tmp_path):
    """A cassette of Terraform's protocol is refused in plain words."""
    cassette = tmp_path / "tf.json"
    cassette.write_text('[{"format": "mockprovider-cassette", "version": 1, "protocol": "tfplugin6"}]')

    with pytest.raises(UnsupportedError, match="terraform engines write no log of their calls that it could become"):
        export_log(cassette, tmp_path / "grpc.json")


def test_from_the_command_line(log, cassette):
    """Both commands say what they made, what they left out, and that secrets are placeholders."""
    host = entry("/pulumirpc.LanguageRuntime/Run", {}, {})
    written(log, [*boot(), *made("a", token={**SECRET, "value": "battery staple"}), host])

    def run(*words):
        result = CliRunner().invoke(main, ["cassette", *map(str, words)])
        return result.exit_code, result.output.replace(f"{log.parent}/", "")

    assert run("import", log, "--into", cassette, "--mask", "acl") == (
        0,
        "Imported it.json: 5 calls (1 create), 2 KB.\n"
        "1 secret taken out, at cloud:index:Bucket.token.\n"
        "Not compared: acl.\n"
        "Left out: 1 call of the language host.\n",
    )
    assert tape.load(cassette).header.created_by == "mockprovider cassette import grpc.json --into it.json --mask acl"
    again = log.with_name("again.json")
    assert run("export", cassette, "--into", again) == (
        0,
        "again.json: 5 calls, in the order of it.json.\n"
        "It lacks what no cassette keeps: random seeds, addresses, proposed names, what the engine said of itself.\n"
        "1 secret became a placeholder, such as mockprovider-secret-1.\n",
    )
    assert json.loads(again.read_text().splitlines()[0])["method"] == f"{PROVIDER}GetPluginInfo"
    code, output = run("import", log.with_name("no.json"), "--into", cassette, "--force")
    assert (code, output) == (1, "Error: no.json: No such file or directory.\n")


@published
def test_published_logs_are_replayed_to_the_embedded_engine(log, cassette):
    """The program of each published log gets from its cassette what it got from the cloud."""
    import_log(log, cassette)
    run = LoggedRun(log)

    with ExitStack() as ending:
        wirings = replaying_all(cassette, unplayed="allow")
        doubles = {name: ending.enter_context(Double(provider=wiring)) for name, wiring in wirings.items()}
        stack = Stack(doubles, project=run.project, name=run.stack, config=run.config)
        assert ids_of(stack.up(run.program, preview=run.previews).state) == run.ids
        if run.destroys:
            stack.destroy()
        for double in doubles.values():
            double.raise_errors()
