"""Policies under the embedded engine: levels, remediation, unknown values, packs of ``pulumi``, and mistakes."""

from __future__ import annotations

import json
import threading

import pulumi
import pytest
from engine_toolbox import BUCKET, Bucket, make
from language_stage import policy_environment
from policy_toolbox import pack

from mockprovider import Double, Stack
from mockprovider.errors import DefinitionError, MalformedError, ProgramError, UnsupportedError
from mockprovider.pulumi.policies import PolicyPack, ResourcePolicy, StackPolicy
from mockprovider.pulumi.policies.analyzing import PackAnalyzer
from mockprovider.pulumi.policies.serving import EXECUTABLE, as_plugins, served
from mockprovider.schema import Package
from mockprovider.values import Asset, Secret


def one(check=None, remediate=None, level="mandatory", **options):
    """A pack of one policy about buckets."""

    def of_buckets(function):
        return function and (lambda resource, *more: function(resource, *more) if resource.type == BUCKET else None)

    return PolicyPack("one", [ResourcePolicy("rule", of_buckets(check), of_buckets(remediate), level=level, **options)])


def always(_, report):
    """Objects to everything."""
    report("no")


def bucket(**inputs):
    """A program of one bucket."""
    return lambda: Bucket("b", **inputs)


def secretive(acl):
    """A program of one bucket that keeps a secret."""
    return lambda: Bucket("b", acl=acl, token=pulumi.Output.secret("hush"))


@pytest.mark.parametrize(
    ("level", "told", "made"),
    [("mandatory", "mandatory", 0), ("remediate", "mandatory", 0), ("advisory", "advisory", 1), ("disabled", None, 1)],
)
def test_a_level_says_what_a_violation_does(level, told, made):
    """A mandatory one stops the resource, and so does one that nothing remedied; an advisory one is only told."""
    stack, double, _ = make(policies=[one(always, level=level, severity="high", description="Nothing is allowed.")])
    result = stack.up(bucket(), expect_failure=not made)
    assert [(found.level, found.severity) for found in result.policy_violations] == ([(told, "high")] if told else [])
    assert len(double.cloud.objects()) == made
    assert all(found.message == "Nothing is allowed.\nno" for found in result.policy_violations)


def test_a_violation_is_told_once_and_as_pulumi_prints_it():
    """The text of a result has the block of policies, and the error that a test sees has it, too."""
    stack, _, _ = make(policies=[pack()])
    with pytest.raises(ProgramError) as caught:
        stack.up(bucket(acl="public"))
    block = (
        "Policies:\n"
        "    ❌ rules@v1.2.3\n"
        "        - [mandatory]  [high]  private  (cloud:index:Bucket: b)\n"
        "          Buckets are private.\n"
        "          b is public\n"
        "        - [advisory]  tagged  (cloud:index:Bucket: b)\n"
        "          Buckets have an owner."
    )
    assert str(caught.value).endswith(block)
    assert str(caught.value).count("b is public") == 1


def test_a_preview_shows_all_and_fails():
    """A preview goes on after mandatory violations, and fails at its end; the stack is looked at all the same."""
    stack, _, _ = make(policies=[pack(), one(always)])
    result = stack.preview(lambda: (Bucket("a", acl="public"), Bucket("b"), Bucket("c")), expect_failure=True)
    assert result.summary == {"create": 3}
    mandatory = [
        (found.pack, found.policy, found.urn.rpartition("::")[2]) for found in result.policy_violations if found.mandatory
    ]
    assert mandatory == [("rules", "private", "a"), *(("one", "rule", name) for name in "abc")]
    assert [found.policy for found in result.policy_violations if "Stack::" in found.urn] == ["few"]


def test_a_stack_policy_sees_everything_at_the_end():
    """It gets outputs, dependencies and providers of all that the stack has then, and not what was replaced."""
    seen = []
    policy = StackPolicy("all", lambda resources, _: seen.append({resource.name: resource for resource in resources}))
    stack, _, _ = make(policies=[PolicyPack("p", [policy])])

    def program(name):
        first = Bucket("first", name=name)
        Bucket("second", source=first.arn)
        pulumi.export("arn", first.arn)

    stack.up(lambda: program("x"))
    stack.up(lambda: program("y"))
    last = seen[-1]
    assert set(last) == {"project-dev", "default", "first", "second"}
    assert last["first"].props["name"] == "y"
    assert last["second"].property_dependencies["source"] == (last["first"].urn,)
    assert last["first"].provider.urn == last["default"].urn
    assert last["project-dev"].props["arn"] == last["first"].props["arn"]
    stack.destroy()
    assert len(seen) == 2


def test_a_stack_policy_sees_what_is_no_target():
    """What the program no longer has, and no target allows to delete, is still in the stack."""
    seen = []
    policy = StackPolicy("all", lambda resources, _: seen.append({resource.name for resource in resources}))
    stack, _, _ = make(policies=[PolicyPack("p", [policy])])
    stack.up(lambda: [Bucket("a"), Bucket("b")])
    stack.up(lambda: Bucket("a"), target=["a"])
    assert [names >= {"a", "b"} for names in seen] == [True, True]


def test_a_mandatory_stack_policy_fails_what_was_done():
    """The operation fails, and its resources are there."""
    stack, double, _ = make(policies=[PolicyPack("p", [StackPolicy("no", always, level="remediate")])])
    result = stack.up(bucket(), expect_failure=True)
    assert [(found.level, found.urn) for found in result.policy_violations] == [
        ("mandatory", "urn:pulumi:dev::project::pulumi:pulumi:Stack::project-dev")
    ]
    assert len(double.cloud.objects()) == 1


def test_a_remediation_keeps_what_is_secret_inside():
    """What is secret in a map or list stays so when a policy hands it back, wherever a list has it then."""
    changing = lambda resource: {**resource.props, "acl": "x", "more": resource.props["more"][::-1]}  # noqa: E731
    with Double(Package("cloud")) as double:
        stack = Stack(double, policies=[one(remediate=changing, level="remediate")])
        hush = pulumi.Output.secret
        stack.up(lambda: Bucket("b", tags={"t": hush("hush"), "open": "a"}, more=[hush("hush too"), {"deep": hush("too")}]))
        inputs = stack.state["b"].inputs
    assert inputs["tags"] == {"t": Secret("hush"), "open": "a"}
    assert inputs["more"] == [{"deep": Secret("too")}, Secret("hush too")]


def test_a_policy_that_raises_hides_no_other_pack():
    """Every pack's violations are told, also where another one fails to run."""

    def raising(_, report):
        raise ZeroDivisionError("by zero")

    packs = [PolicyPack("p", [ResourcePolicy("a", raising)]), PolicyPack("ok", [ResourcePolicy("b", always)])]
    for policies in (packs, packs[::-1]):
        stack, _, _ = make(policies=policies)
        result = stack.up(bucket(), expect_failure=True)
        assert {violation.policy for violation in result.policy_violations} == {"b"}
        assert "by zero" in str(result.error)


def test_remediations_follow_each_other():
    """Each remediation gets what the one before has left, of its own pack and of others, and all are told."""

    def adding(mark):
        return lambda resource: {**resource.props, "acl": resource.props["acl"] + mark} if resource.type == BUCKET else None

    def marking(name, *marks):
        return PolicyPack(name, [ResourcePolicy(f"add-{mark}", None, adding(mark), level="remediate") for mark in marks])

    stack, double, _ = make(policies=[marking("p", "1", "2"), marking("q", "3")])
    program = secretive("x")
    result = stack.up(program)
    assert double.cloud.objects()[0]["acl"] == "x123"
    assert [(found.pack, found.before["acl"], found.after["acl"]) for found in result.policy_remediations] == [
        ("p", "x", "x1"),
        ("p", "x1", "x12"),
        ("q", "x12", "x123"),
    ]
    assert result.state["b"].inputs["token"] == Secret("hush")
    assert stack.up(program).summary == {}


def test_a_remediated_asset_has_a_hash():
    """What a remediation returns is hashed like what the program gives."""
    filing = one(None, lambda resource: {**resource.props, "file": Asset(text="hello world")}, "remediate")
    stack, _, _ = make(policies=[filing])
    state = stack.up(bucket()).state
    assert state["b"].inputs["file"].hash == "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"


def test_what_a_preview_does_not_know_is_an_advice():
    """A policy that looks at an unknown value cannot be run in a preview, which says so, and is run in the up."""

    def check(resource, report):
        if resource.props.get("source", "").startswith("arn:"):
            report("an arn")

    def program():
        first = Bucket("first")
        Bucket("second", source=first.arn)

    stack, _, _ = make(policies=[one(check, lambda resource: {**resource.props, "acl": resource.props["source"]}, "remediate")])
    with pytest.raises(ProgramError):
        stack.up(program)
    stack.policies = [
        one(remediate=lambda resource: {**resource.props, "acl": resource.props.get("source", "")}, level="remediate")
    ]
    assert [(found.level, "during preview" in found.message) for found in stack.preview(program).policy_violations] == [
        ("advisory", True)
    ]
    stack.policies = [one(check, level="advisory")]
    preview = stack.preview(program)
    assert [found.message for found in preview.policy_violations] == [
        "can't run policy 'rule' during preview: string value at .source can't be known during preview"
    ]
    assert [found.message for found in stack.up(program).policy_violations] == ["an arn"]


def test_packs_do_not_wait_for_each_other():
    """Two packs, of which each waits for the other, come to an end."""
    both = threading.Barrier(2, timeout=20)
    stack, _, _ = make(policies=[one(lambda *_: both.wait()), one(lambda *_: both.wait())])
    assert stack.up(bucket()).summary == {"create": 1}
    meeting = StackPolicy("meet", lambda *_: both.wait())
    stack.policies = [PolicyPack("p", [meeting]), PolicyPack("q", [meeting])]
    stack.up(bucket())


@pytest.mark.parametrize("kind", ["check", "remediate", "stack"])
def test_a_policy_that_raises_fails_the_operation(kind):
    """The error names what was raised; nothing is made, unless it was about the whole stack."""

    def broken(*_):
        raise ValueError("out of order")

    packs = {
        "check": one(broken),
        "remediate": one(None, broken, "remediate"),
        "stack": PolicyPack("p", [StackPolicy("all", broken)]),
    }
    stack, double, _ = make(policies=[packs[kind]])
    with pytest.raises(ProgramError, match=r"failed to .*: out of order"):
        stack.up(bucket())
    assert len(double.cloud.objects()) == (kind == "stack")


def test_a_pack_is_configured():
    """Its configuration changes levels, and policies read their own part of it."""

    def check(resource, report):
        report(resource.config["allowed"])

    config = {"all": "disabled", "rule": {"enforcementLevel": "advisory", "allowed": "nothing"}}
    rules = PolicyPack("one", [*one(check).policies, ResourcePolicy("other", always)], config=config)
    stack, _, _ = make(policies=[rules])
    assert [found.message for found in stack.up(bucket()).policy_violations] == ["nothing"]


def test_mistakes_are_told():
    """Levels, severities and names that there are not, and what is no pack at all."""
    with pytest.raises(DefinitionError, match="Did you mean 'mandatory'"):
        ResourcePolicy("a", always, level="mandatry")
    with pytest.raises(DefinitionError, match="severity"):
        ResourcePolicy("a", always, severity="huge")
    with pytest.raises(DefinitionError, match="several policies a"):
        PolicyPack("p", [ResourcePolicy("a", always), ResourcePolicy("a", always)])
    with pytest.raises(DefinitionError, match="no policy 'b'"):
        PolicyPack("p", [ResourcePolicy("a", always)], config={"b": "advisory"})
    with pytest.raises(DefinitionError, match="no level"):
        PolicyPack("p", [ResourcePolicy("a", always)], config={"a": "never"})
    stack, _, _ = make(policies=[3])
    with pytest.raises(DefinitionError, match="no policy pack"):
        stack.up(bucket())


REAL = """
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy, StackValidationPolicy

def private(args, report_violation):
    if args.resource_type == "cloud:index:Bucket" and args.props.get("acl") == "public":
        report_violation(f"{args.name} is public")

def owned(args):
    if args.resource_type == "cloud:index:Bucket" and not args.props.get("tags"):
        args.props["tags"] = {"owner": "nobody"}
        return args.props

def few(args, report_violation):
    report_violation(" ".join(sorted(resource.name for resource in args.resources)))

PolicyPack(
    name="real",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[
        ResourceValidationPolicy(name="private", description="Buckets are private.", validate=private),
        ResourceValidationPolicy(
            name="owned", description="Buckets are owned.", enforcement_level=EnforcementLevel.REMEDIATE, remediate=owned
        ),
        StackValidationPolicy(
            name="few", description="Few.", enforcement_level=EnforcementLevel.ADVISORY, validate=few
        ),
    ],
)
"""


@pytest.fixture
def real(tmp_path, pytestconfig):
    """A policy pack as users of pulumi write it in Python, with a virtual environment of its own."""
    folder = tmp_path / "policies"
    folder.mkdir()
    runtime = {"name": "python", "options": {"virtualenv": str(policy_environment(pytestconfig))}}
    (folder / "PulumiPolicy.yaml").write_text(json.dumps({"runtime": runtime, "version": "0.0.7"}))
    (folder / "__main__.py").write_text(REAL)
    return folder


def test_a_pack_of_pulumi_runs_in_its_process(real):
    """Its violations, remediations and version are those that it says, and its process ends with the operation."""
    stack, double, _ = make(policies=[real], config={"key": Secret("hush")})
    result = stack.up(bucket())
    assert double.cloud.objects()[0]["tags"] == {"owner": "nobody"}
    assert [(found.policy, found.after["tags"]) for found in result.policy_remediations] == [("owned", {"owner": "nobody"})]
    assert [(found.pack, found.version, found.level, found.message) for found in result.policy_violations] == [
        ("real", "0.0.7", "advisory", "Few.\nb default project-dev")
    ]
    with pytest.raises(ProgramError, match="b is public"):
        stack.up(bucket(acl="public"))


def test_an_executable_is_a_pack(tmp_path):
    """A program that prints its port is asked over gRPC, and finds what the same pack finds in this process."""

    def program():
        for name in "abc":
            Bucket(name, acl="x", token=pulumi.Output.secret("hush"))

    levels = ("mandatory", "remediate", "advisory")
    here, _, _ = make(policies=[pack(levels)])
    with as_plugins([pack(levels)], tmp_path / "packs") as paths:
        there, _, _ = make(policies=paths)
        for operation in ("preview", "up"):
            ours, theirs = (getattr(stack, operation)(program) for stack in (here, there))
            assert ours.policy_violations == theirs.policy_violations
            assert ours.policy_remediations == theirs.policy_remediations
        assert ours.policy_packs == theirs.policy_packs == [("rules", "1.2.3")]


def test_a_pack_is_told_of_the_operation(tmp_path):
    """It hears of project, stack, organization, configuration with its secrets, and whether this is a preview."""
    heard = []

    class Listening(PackAnalyzer):
        def ConfigureStack(self, request):  # noqa: N802 - the RPC's name
            heard.append(request)
            return super().ConfigureStack(request)

    with served(Listening(one(always, level="advisory"))) as port:
        executable = tmp_path / "pack"
        executable.write_text(EXECUTABLE.format(port=port))
        executable.chmod(0o755)
        stack, _, _ = make(policies=[executable], config={"aws:region": "eu", "key": Secret("hush")}, organization="acme")
        stack.preview(bucket())
        stack.up(bucket())
    assert [request.dry_run for request in heard] == [True, False]
    assert {(request.project, request.stack, request.organization) for request in heard} == {("project", "dev", "acme")}
    assert dict(heard[0].config) == {"aws:region": "eu", "project:key": "hush"}
    assert list(heard[0].config_secret_keys) == ["project:key"]


def test_a_violation_may_have_a_severity_of_its_own():
    """What is reported with a severity has that, and what is not has the policy's; the worst is printed first."""

    def check(_, report):
        report("so so")
        report("bad", severity="critical")

    stack, _, _ = make(policies=[one(check, level="advisory", severity="low")])
    result = stack.up(bucket())
    assert [(found.message, found.severity) for found in result.policy_violations] == [("so so", "low"), ("bad", "critical")]
    assert str(result).index("bad") < str(result).index("so so")


def test_a_pack_hears_that_the_operation_is_cancelled(tmp_path):
    """An interrupt while a pack is asked cancels the pack, and the operation fails as cancelled."""
    cancelled = threading.Event()

    class Interrupted(PackAnalyzer):
        def Cancel(self, request):  # noqa: N802 - the RPC's name
            cancelled.set()
            return super().Cancel(request)

    def check(resource, _):
        stack.cancel()
        assert cancelled.wait(20)

    with served(Interrupted(one(check))) as port:
        executable = tmp_path / "pack"
        executable.write_text(EXECUTABLE.format(port=port))
        executable.chmod(0o755)
        stack, double, _ = make(policies=[executable])
        with pytest.raises(ProgramError, match="cancelled"):
            stack.up(bucket())
    assert double.cloud.objects() == []


def test_packs_that_cannot_be_run(tmp_path):
    """A folder without its file, a file that is not executable, another language, and those that end at once are told apart."""

    def refused(path, error, said):
        stack, _, _ = make(policies=[path])
        with pytest.raises(error, match=said):
            stack.up(bucket())

    refused(tmp_path, MalformedError, "PulumiPolicy.yaml")
    (tmp_path / "pack").write_text("")
    refused(tmp_path / "pack", MalformedError, "nor executable")
    (tmp_path / "pack").write_text("#!/bin/sh\necho 9\necho bye >&2\n")
    (tmp_path / "pack").chmod(0o755)
    refused(tmp_path / "pack", MalformedError.__mro__[1], "nothing answers there[^*]*bye")
    (tmp_path / "PulumiPolicy.yaml").write_text("runtime: nodejs\n")
    refused(str(tmp_path), UnsupportedError, "nodejs")
    (tmp_path / "PulumiPolicy.yaml").write_text("runtime: python\n")
    (tmp_path / "__main__.py").write_text("raise ValueError('not today')")
    refused(tmp_path, MalformedError.__mro__[1], "ended|not today")
