"""What stacks, SDKs and plans are told that they cannot take: each is said at once, with what to do about it."""

from __future__ import annotations

import json
from pathlib import Path

import pulumi
import pytest
from engine_toolbox import Bucket, make

from mockprovider import Double, Stack, from_sdk
from mockprovider.errors import DefinitionError, MalformedError, MockProviderError, UnsupportedError


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"provider": 3}, "provider=3 is no provider: give a Double"),
        ({"provider": {"cloud": 3}}, "provider={'cloud': 3} is no provider: give a Double"),
        ({"project": 3}, "project=3 is no project: give its name, or its folder as a Path."),
        ({"name": 3}, "name=3 is no name of a stack: give text, such as 'dev'."),
        ({"organization": 3}, "organization=3 is no name of an organization"),
        ({"config": 3}, "config=3 is no configuration: give a mapping"),
        ({"references": []}, r"references=\[\] is no mapping of stacks: give"),
        ({"parallel": 0}, "parallel=0 is no number of steps that may run at once: give 1"),
        ({"parallel": "4"}, "parallel='4' is no number of steps"),
        ({"timeout": 0}, "timeout=0 is no time: give seconds, more than 0."),
        ({"on_event": 3}, "on_event=3 is no function: give one that takes an event"),
        ({"policies": "rules"}, "policies='rules' is no list of policy packs: give one, of PolicyPack"),
    ],
)
def test_what_a_stack_cannot_be_told(arguments, complaint):
    """Each argument of another kind is refused where the stack is made."""
    with Double() as double, pytest.raises(DefinitionError, match=complaint):
        Stack(**{"provider": double, **arguments})


@pytest.mark.parametrize("argument", [{"parallel": 0}, {"timeout": -1}])
def test_what_an_operation_cannot_be_told(argument):
    """What a stack refuses is refused of its operations, too, before anything is done."""
    stack, double, _ = make()
    with pytest.raises(DefinitionError, match=f"{next(iter(argument))}=.* give"):
        stack.up(lambda: Bucket("b"), **argument)
    assert double.cloud.objects() == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"command": ["true"], "program": lambda: None}, r"A program and command=\['true'\] cannot be given together"),
        ({"cwd": "infra", "program": lambda: None}, "cwd='infra' is the folder of a command, and there is none"),
        ({"interpreter": "python", "program": lambda: None}, "interpreter='python' is what runs a project's folder"),
        ({"interpreter": "python", "command": ["true"]}, "interpreter='python' is what runs a project's folder"),
    ],
)
@pytest.mark.parametrize("operation", ["up", "preview"])
def test_words_about_another_program(operation, words, complaint):
    """What would be passed over is refused, before anything is deleted because another program lacks it."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b") and None)
    with pytest.raises(DefinitionError, match=complaint):
        getattr(stack, operation)(**words)
    assert len(double.cloud.objects()) == 1


def test_policy_packs_that_are_nowhere(tmp_path):
    """A folder that is not there is told with the one that is near, and one without its file with what it lacks."""
    (tmp_path / "rules").mkdir()
    for path, complaint in (
        (tmp_path / "rule", "no policy pack at .*rule. Did you mean 'rules'. Give the folder of a policy pack"),
        (tmp_path / "rules", "no PulumiPolicy.yaml at .* Give the folder of a policy pack"),
    ):
        stack, _, _ = make()
        stack.policies = [str(path)]
        with pytest.raises(MalformedError, match=complaint):
            stack.up(lambda: Bucket("b"))


@pytest.mark.parametrize(
    ("sdk", "complaint"),
    [
        ("json", "'json' is a Python module, and no SDK of Pulumi: those are called pulumi_NAME"),
        ("pulumi", "'pulumi' is a Python module, and no SDK of Pulumi"),
        ("randm", r"no SDK pulumi_randm in this environment. Did you mean 'random'\? Install it \(pip install pulumi-randm\)"),
        ("", "'' is no SDK: give its name"),
        (3, "3 is no SDK: give its name, such as 'pulumi_aws'"),
    ],
)
def test_what_is_no_sdk(sdk, complaint):
    """What is no SDK is told as what it is."""
    with pytest.raises(DefinitionError, match=complaint):
        from_sdk(sdk)


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("{}", MalformedError, "plan.json is no update plan: it is empty. Save one by"),
        ("[1]", MalformedError, r"plan.json is no update plan: it holds \[1\]"),
        ('{"deployment": {}}', MalformedError, "plan.json is no update plan: it is an exported stack"),
        ('{"resourcePlan": {}}', MalformedError, "it has no 'manifest', its keys are resourcePlan. Save one"),
        ("{", MalformedError, "plan.json is no update plan: .*line 1"),
    ],
)
def test_files_that_are_no_plan(tmp_path: Path, text: str, error: type[MockProviderError], complaint: str) -> None:
    """A file that is no update plan is named, with what it is and how to get one."""
    path = tmp_path / "plan.json"
    path.write_text(text, encoding="utf-8")
    for plan in (path, str(path)):
        with pytest.raises(error, match=complaint):
            make()[0].up(lambda: Bucket("b"), plan=plan)


def test_a_plan_that_is_encrypted(tmp_path):
    """A plan whose secrets only the stack's own key opens is named, with the option that saves it open."""
    stack, _, _ = make()
    plan = stack.preview(lambda: Bucket("b", token=pulumi.Output.secret("hush")), save_plan=True).plan
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan).replace('"plaintext"', '"ciphertext"'), encoding="utf-8")
    with pytest.raises(UnsupportedError, match=r"plan.json has secrets .* preview --save-plan=FILE --show-secrets"):
        stack.up(lambda: Bucket("b"), plan=path)
