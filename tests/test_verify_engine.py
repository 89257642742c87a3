"""The embedded engine beside logs of real ones: no difference where there is none, and each that is planted is found."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from click.testing import CliRunner
from engine_logs import KEPT
from foreign_logs import INSTANCE, boot, entry, made, published, urn_of, written

from mockprovider.cli.commands import main
from mockprovider.engine.verifying import CUT_OFF, mutated_logs, verify_log
from mockprovider.engine.verifying.answers import LoggedProvider, normal
from mockprovider.engine.verifying.comparing import _is_ordered
from mockprovider.engine.verifying.generations import LOADING, NAMES, NEVER, NEWER, OCCASIONAL, generation
from mockprovider.engine.verifying.hindsight import fill_hashes, hashes, note_previews
from mockprovider.engine.verifying.operations import LoggedOperation, operations
from mockprovider.errors import MalformedError
from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.signatures import ARCHIVE, ASSET, RESOURCE, SIGNATURE

LOGS = sorted(KEPT.glob("*.jsonl"))
STACK = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
ASKED = {"type": "pulumi:pulumi:Stack", "name": "shop-dev", "object": {}, "acceptSecrets": True}


def started():
    """What an engine of 2023 starts a provider with, whole."""
    lines = boot()
    configure = lines[-1]["request"]
    configure |= {"variables": {"cloud:config:region": "eu"}, "acceptResources": True}
    configure |= {"sendsOldInputs": True, "sendsOldInputsToDelete": True}
    return lines


def asked(rpc, request, response):
    """A line of the program's side."""
    return entry(f"/pulumirpc.ResourceMonitor/{rpc}", request, response)


def up(*provider, name="logs", dry=False, resource=None):
    """An operation of a program that has one resource: what starts it, what it asks of the provider, and its end."""
    registered = {"type": "cloud:index:Bucket", "name": name, "custom": True, "object": {"acl": "private"}, "parent": STACK}
    answer = {"urn": urn_of(name), "id": f"{name}-id", "object": {"acl": "private"}} if resource is None else resource
    run = {"project": "shop", "stack": "dev", "config": {"cloud:region": "eu"}, "dryRun": dry}
    return [
        asked("RegisterResource", ASKED, {"urn": STACK}),
        *provider,
        asked("RegisterResource", registered, answer),
        entry("/pulumirpc.LanguageRuntime/Run", run, {}),
    ]


def log_of(*lines):
    return "\n".join(json.dumps(line) for line in lines).encode()


def said(data):
    return [str(difference) for difference in verify_log(data).differences]


@published
def test_published_logs_have_no_difference(log):
    """Under the embedded engine, the program of each published log makes the calls that its own engine made."""
    verdict = verify_log(log.read_bytes())
    assert verdict.differences == []
    assert verdict.fields > 10


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_kept_logs_have_no_difference(log):
    """Under the embedded engine, the program of each kept log of the pinned ``pulumi`` makes the calls that this one made."""
    verdict = verify_log(log.read_bytes())
    assert verdict.differences == []
    assert verdict.since == ""


def plain(log):
    """Its lines without those of our own; empty where these have options, which no other line tells."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    asked = [line["request"] for line in lines if line["method"].startswith("/mockprovider.")]
    others = [line for line in lines if not line["method"].startswith("/mockprovider.")]
    return others if all(request.keys() <= {"operation"} for request in asked) else []


@pytest.mark.parametrize("log", [log for log in LOGS if plain(log)], ids=lambda log: log.stem)
def test_what_was_asked_for_shows_in_the_calls(log):
    """Whether an operation was a preview, a refresh or a destroy is known without a line of our own."""
    assert said(log_of(*plain(log))) == []


def test_at_least_twenty_logs_of_the_pinned_engine_are_kept():
    """They cover updates, replacements, refreshes, lookups, imports, failures, components, providers and targets."""
    assert len(LOGS) >= 20
    rpcs = Counter(json.loads(line)["method"].rpartition("/")[2] for log in LOGS for line in log.read_text().splitlines())
    wanted = {"Create", "Update", "Delete", "Read", "Diff", "Invoke", "DiffConfig", "ReadResource", "RegisterResourceOutputs"}
    assert {rpc for rpc in wanted if rpcs[rpc] < 3} == set()


@pytest.mark.trial("verify-engine-mutants", pinned=8, cases=500)
def test_each_planted_difference_is_found(seeds):
    """A log in which one call is missing, is there twice or has another field is never said to be the same."""
    for seed in seeds:
        log = LOGS[seed % len(LOGS)].read_bytes()
        for what, data in mutated_logs(log, 1, seed):
            assert verify_log(data).differences, (LOGS[seed % len(LOGS)].name, what)


def test_a_log_is_cut_into_operations():
    """A preview, an up and a destroy: what follows the program's end is its own until a provider is started."""
    deleted = entry("Delete", {"urn": urn_of("logs"), "id": "logs-id", "properties": {}}, {})
    lines = [*up(*started(), dry=True), *up(*started(), *made("logs")), *started(), deleted]
    preview, real, destroy = operations(log_of(*lines), Counter())
    assert (preview.kind, preview.preview) == ("up", True)
    assert (real.kind, real.preview, [call.rpc for call in real.provider][-2:]) == ("up", False, ["Check", "Create"])
    assert (destroy.kind, destroy.preview, destroy.run) == ("destroy", False, None)


def test_a_leftover_is_deleted_in_the_operation_of_its_program():
    """Deletes after the program's end belong to it, and not to a destroy."""
    deleted = entry("Delete", {"urn": urn_of("old"), "id": "old-id", "properties": {}}, {})
    [operation] = operations(log_of(*up(*started(), *made("logs")), deleted), Counter())
    assert [call.rpc for call in operation.provider][-1] == "Delete"


@pytest.mark.parametrize("cancels", [True, False])
def test_where_an_operation_ends(cancels):
    """It is over once all its providers were cancelled, or, in a log without Cancel, once its program has ended."""
    deleted = entry("Delete", {"urn": urn_of("old"), "id": "old-id", "properties": {}}, {})
    end = [entry("Cancel", {}, {})] if cancels else []
    two = [*up(*started(), *made("logs")), *started(), deleted, *end, *end]
    assert len(operations(log_of(*two), Counter())) == (1 if cancels else 2)
    assert len(operations(log_of(*up(*started(), *made("logs")), *end, *started(), deleted, *end), Counter())) == 2


def test_a_line_of_our_own_begins_an_operation_with_its_options():
    """Logs do not have the command line; who makes one may say what was asked for."""
    line = {"method": "/mockprovider.Engine/Operation", "request": {"operation": "refresh", "target": ["x"], "preview": True}}
    [operation] = operations(log_of(line, *started()), Counter())
    assert (operation.kind, operation.preview, operation.asked) == ("refresh", True, line["request"])


def test_a_call_that_only_one_engine_makes_is_a_difference():
    """Missing calls and additional ones are both told, with the operation and the resource."""
    check, create = made("logs")
    assert said(log_of(*up(*started(), check, create))) == []
    assert verify_log(log_of(*up(*started(), check, create))).calls == 5
    assert verify_log(log_of(*up(*started(), check, create, create))).calls == 6
    [missing] = said(log_of(*up(*started(), check, create, create)))
    assert missing == f"operation 1, Create of {urn_of('logs')}: only the log's engine makes this call"
    assert said(log_of(*up(*started(), check)))[-1] == (
        f"operation 1, Create of {urn_of('logs')}: the log's engine does not make this call"
    )


def test_another_order_of_calls_about_a_resource_is_a_difference():
    """Each call is there and alike, but one resource is checked after it was created."""
    check, create = made("logs")
    assert said(log_of(*up(*started(), create, check))) == [
        f"operation 1, the order of calls about {urn_of('logs')}: the log has Create, Check, and the embedded engine asks "
        "Check, Create"
    ]


@pytest.mark.parametrize(
    ("first", "second", "differs"),
    [("Delete", "Delete", False), ("Diff", "Diff", False), ("DiffConfig", "Configure", False), ("Diff", "Update", True)],
)
def test_what_is_chance_in_the_order_of_a_log(first, second, differs):
    """Objects of one resource are deleted in any order, and a Configure may end after later calls; nothing else moves."""
    calls = [FinishedCall(rpc, "cloud", {"urn": "a", "id": rpc}, [{}]) for rpc in (first, second)]
    provider = LoggedProvider(LoggedOperation(program=(), provider=calls, packages=["cloud", "cloud"]))
    assert _is_ordered(calls, provider)
    assert _is_ordered(calls[::-1], provider) is not differs


def test_a_field_that_differs_is_told_with_both_values():
    """A changed input is a difference at its path."""
    check, create = made("logs")
    create["request"]["properties"] = {"acl": "public"}
    [difference] = said(log_of(*up(*started(), check, create)))
    assert difference == (
        f"operation 1, Create of {urn_of('logs')} properties.acl: the log has 'public', and the embedded engine sends 'private'"
    )


@pytest.mark.parametrize("value", [{"later": True}, "text"])
def test_what_this_version_does_not_know_inside_of_a_field_is_compared(value):
    """A field of a later version, or a value of another kind, is no part of the message that is read, and yet a difference."""
    log = next(log for log in LOGS if '"inputDependencies":{"domain":{}}' in log.read_text())
    changed = log.read_text().replace(
        '"inputDependencies":{"domain":{}}', f'"inputDependencies":{{"domain":{json.dumps(value)}}}'
    )
    assert any("inputDependencies.domain" in line for line in said(changed.encode()))


def unnamed(value, names):
    """A request without these fields of its resource references."""
    if isinstance(value, list):
        return [unnamed(part, names) for part in value]
    if not isinstance(value, dict):
        return value
    left_out = names if value.get(SIGNATURE) == RESOURCE else ()
    return {name: unnamed(part, names) for name, part in value.items() if name not in left_out}


@pytest.mark.parametrize(("names", "differs"), [({"name", "type"}, False), ({"type"}, True), ({"name", "type", "urn"}, True)])
def test_older_engines_did_not_name_what_a_reference_refers_to(names, differs):
    """What no reference in a log says is excused, and all of it is compared where one says a part."""
    lines = [json.loads(line) for line in (KEPT / "references-to-resources.jsonl").read_text().splitlines()]
    providers = [line for line in lines if "/pulumirpc.ResourceProvider/" in line["method"]]
    for line in providers:
        line["request"] = unnamed(line["request"], names)
    assert bool(said(log_of(*lines))) is differs


@pytest.mark.parametrize(("properties", "differs"), [({}, False), ({"acl": "x"}, True)])
def test_older_engines_sent_an_empty_object_for_none(properties, differs):
    """An import was read with empty properties once; others are a difference."""
    lines = [json.loads(line) for line in (KEPT / "reading-and-importing.jsonl").read_text().splitlines()]
    reads = [line["request"] for line in lines if line["method"].endswith("ResourceProvider/Read")]
    bare = [request for request in reads if "properties" not in request]
    assert bare
    for request in bare:
        request["properties"] = properties
    assert bool(said(log_of(*lines))) is differs


def test_true_is_not_one():
    """JSON tells a truth value from a number, and so does the comparison."""
    check, create = made("logs")
    create["request"]["properties"] = {"acl": "private", "on": True}
    check["response"]["inputs"] = {"acl": "private", "on": 1}
    assert any("properties.on" in line for line in said(log_of(*up(*started(), check, create))))


def test_a_failed_create_that_left_an_object_is_known_by_what_follows():
    """Logs have no details of errors; the next operation's calls have the object's id and outputs."""
    check, create = made("logs")
    failed = {**create, "errors": ["rpc error: code = Unknown desc = slow"]}
    failed.pop("response")
    first = up(*started(), check, failed)[:-2]
    end = entry("/pulumirpc.LanguageRuntime/Run", {"project": "shop", "stack": "dev", "config": {"cloud:region": "eu"}}, {})
    registered = up()[1]
    registered = {name: item for name, item in registered.items() if name != "response"} | {"errors": ["it failed"]}
    deleted = entry(
        "Delete",
        {"urn": urn_of("logs"), "id": "new", "properties": {"acl": "private", "size": 1}, "oldInputs": {"acl": "private"}},
        {},
    )
    plugin, _, configured = started()
    assert said(log_of(*first, registered, end, plugin, configured, deleted)) == []


def test_older_engines_left_a_version_of_the_state_out_of_a_default_provider_s_name():
    """Before 3.132 a default provider took over the version of another one in the state, and kept its name; and where two are
    configured alike, each of the log's nameless calls is taken for the one whose turn it is.
    """
    mine, config, whole = INSTANCE.replace("default", "mine"), {"region": "eu"}, {"region": "eu", "version": "1.2.3"}
    explicit = {"type": "pulumi:providers:cloud", "name": "mine", "custom": True, "object": config, "parent": STACK}
    registered = asked("RegisterResource", {**explicit, "version": "1.2.3"}, {"urn": mine, "id": "mine-id", "object": whole})

    def begun(instance, olds, news):
        lines = started()
        lines[1] = entry("CheckConfig", {"urn": instance, "olds": olds, "news": news}, {"inputs": news})
        lines[2] = {**lines[2], "request": {**lines[2]["request"], "args": news}}
        if olds:
            lines.insert(2, entry("DiffConfig", {"urn": instance, "olds": olds, "news": news, "oldInputs": olds}, {}))
        return lines

    check, create = made("logs")
    diff = {"urn": urn_of("logs"), "id": "logs-id", **{key: {"acl": "private"} for key in ("olds", "news", "oldInputs")}}
    again = {**check, "request": {**check["request"], "olds": {"acl": "private"}}}
    first = up(*begun(INSTANCE, {}, config), *begun(mine, {}, whole), registered, check, create)
    second = up(
        *begun(INSTANCE, config, whole),
        *begun(mine, whole, whole),
        registered,
        again,
        entry("Diff", diff, {"changes": "DIFF_NONE"}),
    )
    assert said(log_of(*first, *second)) == []


def test_a_read_that_failed_and_found_an_object_is_known_by_its_diff():
    """A refresh that reads an object with initialization errors compares it; one whose Read only failed does not."""
    first = [*up(*started(), *made("logs"))]
    about = {"urn": urn_of("logs"), "id": "logs-id"}
    failed = {**entry("Read", {**about, "inputs": {"acl": "private"}, "properties": {"acl": "private"}}), "errors": ["slow"]}
    failed["request"]["properties"] |= made("logs")[1]["response"]["properties"]
    found = {"olds": {"acl": "public"}, "news": {"acl": "private"}, "oldInputs": {"acl": "public"}}
    plugin, _, configured = started()
    begun = [plugin, configured, failed]
    assert said(log_of(*first, *begun)) == []
    assert said(log_of(*first, *begun, entry("Diff", {**about, **found}, {"changes": "DIFF_SOME"}))) == []


def test_a_default_provider_is_called_by_its_own_id_where_the_log_s_is_named():
    """What a transform was told names the log's default provider, which nobody has registered."""
    lines = up(*started(), *made("logs"), *made("child"))
    configure = next(line["request"] for line in lines if line["method"].endswith("/Configure"))
    configure |= {"urn": INSTANCE, "id": "logged", "name": "default", "type": "pulumi:providers:cloud"}
    registered = next(line for line in lines if line["request"].get("name") == "logs")
    child = json.loads(json.dumps(registered).replace("logs", "child"))
    child["request"]["provider"] = f"{INSTANCE}::logged"
    lines.insert(-1, child)
    assert said(log_of(*lines)) == []


def test_an_operation_without_an_end_is_compared_as_far_as_it_got():
    """Of an engine that was killed nobody knows what it would still have asked; what it did ask is compared."""
    check, create = made("logs")
    *lines, run = up(*started(), check, create)
    begun = {name: item for name, item in run.items() if name != "response"} | {"progress": "request_started"}
    cut = [begun, *lines[: lines.index(create)], {**lines[-1], "progress": "request_started"}]
    verdict = verify_log(log_of(*cut))
    assert (verdict.differences, verdict.left_out[CUT_OFF]) == ([], 1)
    check["request"]["news"] = {"acl": "other"}
    assert "news.acl" in [difference.field for difference in verify_log(log_of(*cut)).differences]


def test_an_operation_without_provider_calls_is_one():
    """Its resources are in the state afterwards; a registration that was refused has an empty answer."""
    component = {"type": "my:index:Component", "name": "c", "object": {}, "parent": STACK}
    lines = up()
    lines[1] = asked("RegisterResource", component, {"urn": urn_of("c").replace("cloud:index:Bucket", "my:index:Component")})
    assert (verify_log(log_of(*lines)).operations, said(log_of(*lines))) == (1, [])
    lines[1] = asked("RegisterResource", {**component, "type": "wrong", "custom": True}, {"urn": "taken"})
    assert ["the program: RegisterResource of c was refused" in line for line in said(log_of(*lines))] == [True]
    lines[1]["response"] = {}
    assert said(log_of(*lines)) == []


def test_a_log_of_several_stacks_is_refused():
    """Runs of two stacks that wrote to one file, one after the other or at once, are no life of a stack."""
    lines = up(*started(), *made("logs"))
    other = json.loads(json.dumps(lines).replace("urn:pulumi:dev::shop", "urn:pulumi:prod::shop"))
    for mixed in ([*lines, *other], [line for pair in zip(lines, other, strict=True) for line in pair]):
        with pytest.raises(MalformedError, match="several stacks: dev of shop, prod of shop"):
            verify_log(log_of(*mixed))


@pytest.mark.parametrize("asked", [{"imports": ["logs"]}, {"imports": [{"color": 1}]}, {"plan": [1]}, {"target": 7}])
def test_a_line_of_our_own_that_asks_for_what_cannot_be(asked):
    """Its operation does not begin, and the difference says why."""
    line = {"method": "/mockprovider.Engine/Operation", "request": {"operation": "up", **asked}}
    assert "the embedded engine ended the operation" in said(log_of(line, *up(*started(), *made("logs"))))[0]


def test_each_row_of_generations_names_what_the_protocol_has():
    """A field or RPC that is excused exists; so a row cannot outlive what it excuses."""
    for row in (*NEWER, *OCCASIONAL, NEVER):
        assert row.rpcs | row.again <= PROVIDER.methods.keys()
        for rpc, _, path in (field.partition(".") for field in row.fields | row.emptied):
            rpcs = PROVIDER.methods if rpc == "*" else [rpc]
            names = {field.json_name for name in rpcs for field in PROVIDER.messages[name][0].DESCRIPTOR.fields}
            assert path.split(".")[0] in names, (rpc, path)


@pytest.mark.parametrize("data", [b"", b"{}\n", b'{"method": 1}\n', b"\xff\x00", b"[1, 2]", b"null\n" * 3])
def test_what_is_no_log_is_refused(data):
    """Nothing to compare is an error, and no success."""
    with pytest.raises(MalformedError, match="no log of an engine's calls"):
        verify_log(data)


@pytest.mark.parametrize("rpc", ["GetPluginInfo", "Configure"])
def test_an_operation_that_cannot_begin_is_a_difference(rpc):
    """Without what starts a provider a destroy ends at once; that is told, and the log's calls are missing."""
    deleted = entry("Delete", {"urn": urn_of("logs"), "id": "logs-id", "properties": {"acl": "private"}}, {})
    plugin, _, configured = started()
    begun = [line for line in (plugin, configured) if not line["method"].endswith(rpc)]
    lines = [*up(*started(), *made("logs")), plugin, configured, deleted]
    assert said(log_of(*lines, *begun)) != []


@pytest.mark.parametrize("response", [{}, {"inputs": 1}, {"inputs": None}, {"failures": [{}]}, 7, {"inputs": {"a": [[]]}}])
def test_a_damaged_answer_is_a_difference_and_no_crash(response):
    """What a provider cannot have answered ends in differences, whatever it is."""
    check, create = made("logs")
    verify_log(log_of(*up(*started(), {**check, "response": response}, create)))


def test_the_command_sums_up_and_its_exit_code_says_it(tmp_path):
    """Exit code 0 without a difference, 1 with one, 2 for what is no log; the last line has the sums."""
    check, create = made("logs")
    same = written(tmp_path / "same.json", up(*started(), check, create))
    other = written(tmp_path / "other.json", up(*started(), check))
    assert CliRunner().invoke(main, ["verify-engine", str(same)]).exit_code == 0
    assert CliRunner().invoke(main, ["verify-engine", str(same), str(other)]).exit_code == 1
    kept = [str(log) for log in LOGS[:2]]
    run = CliRunner().invoke(main, ["verify-engine", *kept, "--mutants", "2"])
    assert run.exit_code == 0, run.output
    *_, mutants, sums = run.output.splitlines()
    assert mutants == "4 changed logs, 0 not noticed"
    assert sums.startswith("2 logs, ")
    assert sums.endswith(" fields, 0 differences")
    (tmp_path / "none.json").write_text("{}")
    run = CliRunner().invoke(main, ["verify-engine", str(tmp_path / "none.json")])
    assert run.exit_code == 2
    assert "none.json: this is no log of an engine's calls" in run.output


def test_the_command_as_json(tmp_path):
    """With --json each difference is an object."""
    check, create = made("logs")
    create["request"]["properties"] = {"acl": "public"}
    log = written(tmp_path / "it.json", up(*started(), check, create))
    run = CliRunner().invoke(main, ["verify-engine", str(log), "--json"])
    [told] = json.loads(run.output)["logs"]
    assert told["operations"] == 1
    assert {"operation": 1, "call": f"Create of {urn_of('logs')}", "field": "properties.acl"}.items() <= {
        key: value for one in told["differences"] if one["field"] == "properties.acl" for key, value in one.items()
    }.items()


def test_many_differences_are_cut_short_unless_all_are_asked_for(tmp_path):
    """The first twenty say what is wrong; the rest is counted."""
    lines = [line for i in range(30) for line in made(f"b{i}")]
    log = written(tmp_path / "it.json", up(*started(), *made("logs"), *lines))
    short = CliRunner().invoke(main, ["verify-engine", str(log)]).output
    whole = CliRunner().invoke(main, ["verify-engine", str(log), "--all"]).output
    assert "more, which --all shows" in short
    assert whole.count("only the log's engine") == 60


def test_a_planted_difference_is_one():
    """One answered call of a provider is taken out, doubled or changed, and all other lines stay as they are."""
    asks = {"urn": urn_of("logs"), "type": "Bucket"}
    check, create = made("logs")
    begun = {**create, "progress": "request_started"}
    failed = {**entry("Update", {"urn": urn_of("logs"), "news": {"acl": "y"}}), "errors": ["no"]}
    lines = up(*started(), check, begun, create, entry("Delete", asks), failed)
    touched, kinds = set(), set()
    for what, data in mutated_logs(log_of(*lines), 300, 7):
        changed = [json.loads(line) for line in data.splitlines()]
        at = int(what.removeprefix("line ").partition(":")[0]) - 1
        assert lines[at] is not begun
        touched.add(lines[at]["method"].rpartition("/")[2])
        rest = [line for line in lines if line is not lines[at]]
        kinds.add(kind := what.split()[-2:][0] + what.split()[-1])
        if kind == "isanother":
            other = changed.pop(at)
            assert (changed, other == lines[at], other["method"]) == (rest, False, lines[at]["method"])
        elif kind == "theretwice":
            assert (changed.pop(at), changed) == (lines[at], lines)
        else:
            assert changed == (rest if lines[at] is not create else [line for line in rest if line is not begun])
    assert touched == {"GetPluginInfo", "CheckConfig", "Configure", "Check", "Create", "Update"}
    assert kinds == {"isanother", "theretwice", "leftout"}
    assert list(mutated_logs(log_of(*up(entry("Delete", asks))), 3, 7)) == []


READ = {"Read": {"id": "1", "urn": "u", "properties": {"a": 1}}}


@pytest.mark.parametrize(
    ("answered", "later", "preview"),
    [
        ({"a": 2}, {"Diff": {"urn": "u", "olds": {"a": 1}}}, True),
        ({"a": 2}, {"Diff": {"urn": "u", "olds": {"a": 2}}}, False),
        ({"a": 1}, {"Diff": {"urn": "u", "olds": {"a": 1}}}, False),
        ({"a": 2}, {"Diff": {"urn": "v", "olds": {"a": 1}}}, False),
        ({"a": 2}, {"Check": {"urn": "u", "olds": {"a": 1}}}, False),
        ({"a": 2}, {}, False),
    ],
)
def test_a_refresh_that_was_forgotten_was_a_preview(answered, later, preview):
    """What it read is not what a later call has, which has what was known before."""
    parts = [
        LoggedOperation([], [FinishedCall(rpc, "", request, [{"properties": answered}]) for rpc, request in calls.items()], [])
        for calls in (READ, later)
    ]
    note_previews(parts)
    assert parts[0].preview == preview


def test_hashes_of_files():
    """What a log sent of a file, or of an archive's files, tells the hash of what has none; no other asset gets one."""
    file, text = {SIGNATURE: ASSET, "path": "f"}, {SIGNATURE: ASSET, "text": "t"}
    archive = {SIGNATURE: ARCHIVE, "assets": {"b": {**file, "hash": "1"}, "a": {**text, "hash": "2"}}}
    sent = {"news": {"file": {**file, "hash": "1"}, "text": {**text, "hash": "2"}, "open": {SIGNATURE: ASSET, "path": "g"}}}
    calls = [
        FinishedCall("Check", "", {**sent, "olds": {"file": {**file, "hash": "old"}}}, []),
        FinishedCall("Create", "", {"args": [{**archive, "hash": "3"}, {**file, "hash": "later"}]}, []),
    ]
    known = hashes(LoggedOperation([], calls, []))
    assert sorted(known.values()) == ["1", "3"]
    bag = json.loads(
        json.dumps([file, {**file, "hash": "own"}, text, archive, {**archive, "assets": {"a": {**file, "hash": "9"}}}])
    )
    fill_hashes(bag, known)
    assert [asset.get("hash") for asset in bag] == ["1", "own", None, "3", None]


def test_a_request_that_cannot_be_read():
    """It is compared as it stands, and one that can be read in the words of this version."""
    assert normal("Nothing", {"a": 1}) == {"a": 1}
    assert normal("Create", {"urn": 7}) == {"urn": 7}
    assert normal("Create", {"urn": "u", "later": 1}) == {"urn": "u", "later": 1}


@pytest.mark.parametrize(
    ("rpc", "request_", "shown"),
    [
        ("Handshake", {}, "3.143"),
        ("Handshake", {"configureWithUrn": True}, "3.154"),
        ("Handshake", {"supportsViews": True}, "3.168"),
        ("Handshake", {"supportsRefreshBeforeUpdate": True}, "3.172"),
        ("Handshake", {"invokeWithPreview": True}, "3.206"),
        ("Handshake", {"acceptsByteString": True}, "3.225"),
        ("Configure", {"sendsOldInputsToDelete": True}, "3.89"),
        ("Configure", {"sendsOldInputs": True}, "3.74"),
        ("Create", {"urn": "u", "name": "n"}, "3.132"),
        ("Configure", {"urn": "u", "name": "n"}, None),
        ("Read", {"urn": "u", "id": "i"}, "3.198"),
        ("Read", {"urn": "u", "id": "i", "properties": {}}, None),
        ("Check", {"news": {"list": [{SIGNATURE: RESOURCE, "urn": "u", "name": "n"}]}}, "3.227"),
        ("Check", {"news": {"of": {SIGNATURE: RESOURCE, "urn": "u"}}}, None),
        ("Construct", {"organization": "o"}, "3.233"),
    ],
)
def test_the_signs_of_generations(rpc, request_, shown):
    """A call with the sign of a version excuses nothing that came with this version, and all that came with the others."""
    engine = generation([FinishedCall(rpc, "", request_, [{}])])
    since = {row.since for row in (*NEWER, *OCCASIONAL)} - {row.since for row in engine.excused}
    assert since == {"3.143", shown} if rpc == "Handshake" else since == {shown} - {None}
    assert engine.names_by_version is (NAMES not in engine.excused)
    assert LOADING not in engine.excused


@pytest.mark.parametrize(
    ("rpc", "path", "excused"),
    [
        ("Check", "randomSeed", True),
        ("Check", "urn", False),
        ("Check", "autonaming.proposedName", True),
        ("Check", "autonaming.mode", False),
        ("Create", "resourceStatusToken", True),
        ("Configure", "id", True),
        ("Configure", "urn", True),
        ("Handshake", "programDirectory", True),
        ("Handshake", "loaderTarget", True),
        ("Handshake", "resolverTarget", True),
        ("Handshake", "configureWithUrn", True),
        ("Invoke", "preview", True),
        ("Delete", "oldInputs[0].a", True),
        ("Construct", "monitorEndpoint", True),
        ("Construct", "inputs", False),
    ],
)
def test_what_an_old_engine_is_excused_from(rpc, path, excused):
    """Of a log without any sign, fields that came later, and those that are never the same, may differ."""
    assert generation([]).excuses_field(rpc, path) is excused


@pytest.mark.parametrize(
    ("rpc", "ours", "theirs"),
    [
        ("Handshake", True, False),
        ("GetMappings", True, True),
        ("Cancel", True, True),
        ("GetPluginInfo", False, True),
        ("CheckConfig", False, True),
        ("Create", False, False),
    ],
)
def test_calls_that_an_old_engine_is_excused_from(rpc, ours, theirs):
    """Some calls only today's engine makes, others only the log's, and those that say nothing of an engine either."""
    assert (generation([]).excuses_new(rpc), generation([]).excuses_old(rpc)) == (ours, theirs)
