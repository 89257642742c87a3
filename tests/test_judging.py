"""A real provider validates and plans behind a fake cloud, and nothing else reaches it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from judge_stage import BUCKET, SECRET, UNAVAILABLE, RealProvider, real_provider
from small_terraform_engine import Engine

from mockprovider.calls import Call, Native, Op, Reply, Session
from mockprovider.double import Double, from_plugin
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.pulumi.table import TABLE
from mockprovider.schema import Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.alone import environment
from mockprovider.wire.bench import UnjudgedError

PURE = {
    *("GetProviderSchema", "GetMetadata", "GetFunctions", "GetResourceIdentitySchemas"),
    *("ValidateProviderConfig", "ValidateResourceConfig", "ValidateDataResourceConfig", "ValidateEphemeralResourceConfig"),
    *("ValidateListResourceConfig", "ValidateActionConfig", "ValidateStateStoreConfig"),
    *("PlanResourceChange", "UpgradeResourceState", "UpgradeResourceIdentity", "MoveResourceState", "CallFunction"),
}


@pytest.fixture(params=[5, 6], ids=["v5", "v6"])
def real(request: pytest.FixtureRequest) -> Iterator[RealProvider]:
    """A provider over either protocol; engines speak 6 here."""
    with real_provider(request.param) as provider:
        yield provider


@pytest.fixture
def package(real: RealProvider) -> Iterator[Package]:
    """Its package."""
    package = real.package()
    yield package
    package.judge.close()


@pytest.fixture
def double(package: Package) -> Iterator[Double]:
    """The fake cloud."""
    with Double(package) as double:
        yield double
        double.raise_errors()


@pytest.fixture
def engine(double: Double) -> Engine:
    """An engine of it."""
    return Engine(double, "cloud_bucket", "cloud_token")


def names(real: RealProvider) -> set[str]:
    """What reached the real provider, by the names of protocol 6."""
    proto = protocol(real.major)
    wire = {proto.wire_name(rpc.name): rpc.name for rpc in protocol(6).service().methods}
    return {wire[method] for method in real.reached}


# Purity ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", sorted(SERVICES))
def test_the_column_says_which_rpcs_are_pure(major: int) -> None:
    """Schemas, validation, plans, conversions of states and functions are pure, and nothing else is."""
    proto = protocol(major)
    pure = {name for name, row in SERVICES[major].methods.items() if row.pure}
    assert pure == {proto.wire_name(name) for name in PURE} & SERVICES[major].methods.keys()
    assert not any(row.pure and row.mutates for row in SERVICES[major].methods.values())


def test_pulumis_column_has_check_diff_and_the_schema() -> None:
    """Of Pulumi's RPCs, GetSchema, Check and Diff are pure."""
    assert {name for name, row in TABLE.items() if row.pure} == {"GetSchema", "Check", "Diff"}


def test_a_whole_life_reaches_the_real_provider_for_judgement_alone(real: RealProvider, engine: Engine) -> None:
    """Create, update, replace and delete, with an ephemeral resource: only pure RPCs and our own configuration reach it."""
    engine.apply({"a": {"name": "one"}, "b": {"name": "two"}})
    engine.apply({"a": {"name": "one", "acl": "public"}, "b": {"name": "three"}})
    engine.apply({"a": {"name": "four"}})
    engine.apply({})
    assert names(real) <= PURE | {"ConfigureProvider"}
    assert {"ValidateResourceConfig", "PlanResourceChange", "UpgradeResourceState"} <= names(real)
    asked = {"create", "update", "delete", "read", "open", "renew", "close"}
    assert asked <= {*engine.double.journal.ops()}
    assert real.double.cloud.objects() == []


@pytest.mark.parametrize("major", sorted(SERVICES))
def test_no_rpc_passes_that_is_not_pure(major: int) -> None:
    """Every RPC of the protocol, asked of the double over either major: those that are not pure stay with the fake."""
    with real_provider(6) as real, Double(real.package()) as double:
        service = SERVICES[major]
        for rpc, row in service.methods.items():
            cls = service.messages[rpc][0]
            session = double.open(f"tfplugin{major}", package="cloud")
            message = cls()
            if "type_name" in cls.DESCRIPTOR.fields_by_name:
                message.type_name = "cloud_token" if "Ephemeral" in rpc else "cloud_zone" if "Data" in rpc else "cloud_bucket"
            if "target_type_name" in cls.DESCRIPTOR.fields_by_name:
                message.target_type_name = "cloud_bucket"
            if rpc == "CallFunction":
                message.name = "twice"
                message.arguments.add(msgpack=b"\xa1x")
            call = row.call(message, session) if row.calls is None else row.calls([message], session)
            call.native = Native(message.SerializeToString(), message)
            try:
                double(call)
            except Exception:  # noqa: BLE001 - many of these requests are empty, and the fake refuses them as it likes
                continue
        assert names(real) <= PURE | {"ConfigureProvider"}
        assert {"CallFunction", "MoveResourceState", "ValidateDataResourceConfig"} <= names(real)


@pytest.mark.parametrize("rpc", ["ApplyResourceChange", "ReadResource", "ImportResourceState", "ReadDataSource", "NoSuchRpc"])
def test_the_bench_lets_nothing_else_through(rpc: str) -> None:
    """Whoever asks it for an effect is refused there, by the column."""
    with real_provider() as real:
        bench = real.package().judge.bench
        before = list(real.reached)
        with pytest.raises(UnjudgedError, match="no question of judgement"):
            bench.ask(Call(op=Op.RAW, session=Session("tfplugin6"), method=rpc))
        assert real.reached == before


# Judgement -------------------------------------------------------------------------------------------------------------


def test_its_plan_counts(real: RealProvider, engine: Engine) -> None:
    """A change that it calls a replacement is one, although the schema does not say so, and another is an update."""
    engine.apply({"a": {"name": "one"}})
    (before,) = engine.double.cloud.objects()
    engine.apply({"a": {"name": "one", "acl": "public"}})
    (updated,) = engine.double.cloud.objects()
    engine.apply({"a": {"name": "two", "acl": "public"}})
    (after,) = engine.double.cloud.objects()
    assert before.id == updated.id != after.id
    assert updated["acl"] == "public"


def test_its_defaults_and_known_values_stay_and_unknown_ones_are_filled(engine: Engine) -> None:
    """What it planned is applied as it is; optional values are zero, times are times, the rest is invented."""
    engine.apply({"a": {"name": "one"}})
    (bucket,) = engine.double.cloud.objects()
    assert (bucket["name"], bucket["acl"], bucket["size"]) == ("one", "private", 0)
    assert bucket["createdAt"].endswith("Z")
    assert bucket["arn"].startswith("arn:aws:")
    engine.double.journal.clear()
    engine.apply({"a": {"name": "one"}})
    assert not {"create", "update", "delete"} & {*engine.double.journal.ops()}


def test_what_a_test_says_takes_the_place_of_what_is_made_up(double: Double, engine: Engine) -> None:
    """Outputs that the real plan leaves unknown are as said, also those that would be zero; what it knows stays."""
    double.outputs("cloud_bucket", lambda inputs: {"arn": f"arn:{inputs['name']}"})
    double.outputs("cloud_bucket", {"size": 7}, when={"name": "one"})
    engine.apply({"a": {"name": "one"}, "b": {"name": "two"}})
    one, two = sorted(double.cloud.objects(), key=lambda bucket: bucket["name"])
    assert (one["arn"], one["size"], two["arn"], two["size"]) == ("arn:one", 7, "arn:two", 0)
    double.journal.clear()
    engine.apply({"a": {"name": "one"}, "b": {"name": "two"}})
    assert not {"create", "update", "delete"} & {*double.journal.ops()}


def test_its_refusal_is_the_answer(engine: Engine) -> None:
    """A value that only its validators know to be wrong is refused in its words."""
    with pytest.raises(RuntimeError, match="expected one of 'private', 'public', got 'banana'"):
        engine.apply({"a": {"name": "one", "acl": "banana"}})
    assert engine.double.unjudged == []


def test_states_are_upgraded_by_it(real: RealProvider, engine: Engine) -> None:
    """A state of an older version goes through its own functions."""
    engine.start()
    old = {"json": b'{"id": "b-1", "name": "one"}'}
    answer = engine.ask("UpgradeResourceState", "cloud_bucket", version=0, raw_state=old)
    assert engine.coder("cloud_bucket").decode(answer.upgraded_state)[0]["acl"] == "public"
    real.refuses(Op.UPGRADE, "no such host")
    with pytest.raises(RuntimeError, match="did not convert a state"):
        engine.ask("UpgradeResourceState", "cloud_bucket", version=0, raw_state=old)


def test_functions_are_its_own(double: Double) -> None:
    """A provider function is worked out by it; the schema alone would have a value made up."""
    reply = double(Call(op=Op.FUNCTION, session=double.open("terraform"), type="cloud:index:twice", inputs={"text": "ab"}))
    assert reply.value == {"result": "abab"}


def test_a_type_that_the_user_declares_anew_is_the_users(real: RealProvider, package: Package) -> None:
    """What a test declares in the place of a type of the plugin is not asked about."""
    own = ResourceType("cloud:index:Bucket", {"name": Property(str)})
    with Double(package, own) as double:
        real.reached.clear()
        Engine(double, "cloud_bucket", "cloud_token").apply({"a": {"name": "one"}})
    assert "PlanResourceChange" not in names(real)


# Configuration ---------------------------------------------------------------------------------------------------------


def configured(double: Double, **config: Any) -> Session:
    """A session that an engine configured so, and in which it planned."""
    session = double.open("terraform")
    double(Call(op=Op.CONFIGURE, session=session, method="ConfigureProvider", inputs=config))
    plan = Call(op=Op.PLAN, session=session, method="PlanResourceChange", type=BUCKET.token, inputs={"name": "x"})
    plan.proposed = plan.inputs
    assert double(plan).ok
    return session


def test_no_credential_of_the_user_reaches_it(real: RealProvider, double: Double) -> None:
    """It is configured with the program's configuration, but without what is sensitive or named like a credential."""
    configured(double, region="eu", token=SECRET, apiKey=SECRET)
    assert real.configured == [{"region": "eu"}]


def test_what_the_user_says_of_its_configuration_counts(real: RealProvider) -> None:
    """``config`` is what it is configured with, whatever the program says."""
    with Double(real.package(config={"region": "us", "token": "of a sandbox"})) as double:
        configured(double, region="eu")
    assert real.configured == [{"region": "us", "token": "of a sandbox"}]


def test_a_running_one_is_configured_once(real: RealProvider, double: Double) -> None:
    """Another configuration cannot reach a process that has one: the fake plans, and says so."""
    configured(double, region="eu")
    assert double.unjudged == []
    configured(double, region="us")
    assert real.configured == [{"region": "eu"}]
    assert "configured otherwise" in double.unjudged[0]


def test_the_environment_of_its_process_has_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of our variables a few harmless ones are left; the others are taken out, and proxies lead nowhere."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    changes = environment(os.environ, {"MORE": "1"})
    final = {name: value for name, value in {**os.environ, **changes}.items() if value is not None}
    assert SECRET not in final.values()
    assert final["PATH"] == os.environ["PATH"]
    assert (final["HTTPS_PROXY"], final["MORE"]) == ("http://127.0.0.1:9", "1")


# Where there is no judgement -------------------------------------------------------------------------------------------


def planned(double: Double, session: Session | None = None, name: str = "x") -> Reply:
    """The answer to the plan of a bucket."""
    session = session or double.open("terraform")
    return double(
        Call(op=Op.PLAN, session=session, method="PlanResourceChange", type=BUCKET.token, inputs={"name": name}, proposed={})
    )


@pytest.mark.parametrize(
    "reason",
    ["dial tcp: lookup ec2.amazonaws.com: no such host", "no valid credential sources found", "Unconfigured HTTP client"],
)
def test_the_fake_plans_where_it_needs_a_cloud(real: RealProvider, double: Double, reason: str) -> None:
    """The fake's plan is the answer, with one warning a type and session, and marks in the journal and the double."""
    real.refuses(Op.PLAN, reason)
    session = double.open("terraform")
    first, second = planned(double, session), planned(double, session)
    assert first.plan
    assert first.warnings == (f"The fake alone planned cloud_bucket: cloud cannot without a cloud ({reason})",)
    assert second.warnings == ()
    assert f"by the fake alone: {reason}" in str(double.journal)
    assert double.unjudged == [f"plan of {BUCKET.token}: {reason}"]


def test_what_it_judged_is_no_unchecked_type(real: RealProvider, double: Double, engine: Engine) -> None:
    """A type of the plugin's schema counts as known from a schema alone only where the fake planned it."""
    engine.apply({"a": {"name": "one"}})
    assert double.unchecked == {}
    real.refuses(Op.PLAN, "dial tcp: lookup ec2.amazonaws.com: no such host")
    engine.apply({"a": {"name": "one"}, "b": {"name": "two"}})
    assert double.unchecked == {"cloud": [BUCKET.token]}


def test_a_refusal_at_planning_is_no_missing_cloud(real: RealProvider, double: Double) -> None:
    """What it finds wrong when it plans is the user's mistake, and is shown."""
    real.refuses(Op.PLAN, "a bucket cannot shrink")
    reply = planned(double)
    assert [failure.reason for failure in reply.failures] == ["a bucket cannot shrink"]
    assert double.unjudged == []


def test_a_call_that_ends_its_process_is_not_asked_again(real: RealProvider, double: Double) -> None:
    """It is asked twice, in two processes, and then never more; other calls go on."""
    real.ends(Op.PLAN)
    assert planned(double).unjudged == "its process ended during the call"
    assert real.reached.count("PlanResourceChange") == 2
    assert planned(double).unjudged
    assert real.reached.count("PlanResourceChange") == 2
    Engine(double, "cloud_bucket", "cloud_token").apply({"a": {"name": "one"}})


def test_a_type_that_never_answers_is_given_up(real: RealProvider, double: Double) -> None:
    """After three different questions that ended its process, nothing is asked of that type; one that has answered goes on."""
    assert planned(double, name="fine").unjudged == ""
    real.ends(Op.PLAN)
    for name in "abcd":
        assert planned(double, name=name).unjudged
    assert real.reached.count("PlanResourceChange") == 1 + 2 * 4
    with Double(real.package()) as fresh:
        for name in "abcd":
            assert planned(fresh, name=name).unjudged
    assert real.reached.count("PlanResourceChange") == 1 + 2 * 4 + 2 * 3


def test_one_question_that_ends_it_leaves_the_others(real: RealProvider, double: Double) -> None:
    """What one test asked changes no other's answers: another question of the same type is judged."""
    real.ends(Op.PLAN)
    assert planned(double, name="bad").unjudged
    real.answers.clear()
    assert planned(double, name="good").unjudged == ""
    assert planned(double, name="bad").unjudged


def test_a_call_that_another_ended_is_asked_again(real: RealProvider, double: Double) -> None:
    """A process that is lost once costs nothing: the answer is that of the next one."""
    lost = iter([Reply(status=UNAVAILABLE)])
    real.answers[Op.PLAN] = lambda _: next(lost, None)
    assert planned(double).unjudged == ""
    assert double.unjudged == []


def test_a_hang_ends_at_the_deadline(real: RealProvider) -> None:
    """What does not answer within ``patience`` is not waited for, and not asked again."""
    package = real.package(patience=0.2)
    real.answers[Op.PLAN] = lambda call: call.session.cancelled.wait(2) and None
    with Double(package) as double:
        assert planned(double).unjudged == "no answer came within 0.2 s"
        assert planned(double).unjudged
    assert real.reached.count("PlanResourceChange") == 1


def test_a_provider_that_cannot_be_configured_leaves_planning_to_the_fake(real: RealProvider, double: Double) -> None:
    """Its validation goes on, without a configuration."""
    real.refuses(Op.CONFIGURE, "STS says no")
    engine = Engine(double, "cloud_bucket", "cloud_token")
    engine.apply({"a": {"name": "one"}})
    assert double.unjudged == [f"plan of {BUCKET.token}: it cannot be configured without a cloud: STS says no"]
    with pytest.raises(RuntimeError, match="expected one of"):
        engine.apply({"a": {"name": "one", "acl": "banana"}})


# Doors -----------------------------------------------------------------------------------------------------------------


def test_processes_end_when_nobody_asks(real: RealProvider) -> None:
    """After ``idle`` seconds all are ended, and a later question starts them again."""
    package = real.package(idle=0.0)
    with Double(package) as double:
        planned(double)
        package.judge.bench._look()
        assert package.judge.bench.working == 0
        assert planned(double).unjudged == ""
        package.judge.close()


def test_no_process_ends_during_a_question(real: RealProvider) -> None:
    """A question that takes longer than ``idle`` is answered, and all processes end only after it."""
    package = real.package(idle=0.0)
    bench = package.judge.bench
    working: list[int] = []

    def late(_: Call) -> None:
        bench._look()
        working.append(bench.working)

    real.answers[Op.PLAN] = late
    with Double(package) as double:
        assert planned(double).unjudged == ""
        assert (working, real.reached.count("PlanResourceChange")) == ([1], 1)
        bench._look()
        assert bench.working == 0
        package.judge.close()


@pytest.mark.parametrize(
    ("plugin", "error", "words"),
    [
        ("terraform-provider-nowhere", PluginError, "There is no executable 'terraform-provider-nowhere'"),
        ("sh", DefinitionError, "named after no protocol's rule"),
        ([], PluginError, "There is no executable ''"),
        (["sh", "-c", "exit 3", "terraform-provider-x"], PluginError, r"ended \(exit code 3\) before it said where it listens"),
    ],
)
def test_what_is_no_plugin_is_refused(plugin: Any, error: type[Exception], words: str) -> None:
    """A clear error says what to give instead."""
    with pytest.raises(error, match=words):
        from_plugin(plugin)


def test_pulumi_engines_pass_a_terraform_judge_by(double: Double, real: RealProvider) -> None:
    """The same package served to Pulumi is the fake's alone."""
    real.reached.clear()
    session = double.open("pulumi")
    reply = double(Call(op=Op.CREATE, session=session, type=BUCKET.token, inputs={"name": "one"}))
    assert reply.ok
    assert real.reached == []
    assert double.unchecked == {"cloud": [BUCKET.token]}
