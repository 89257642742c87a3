"""The fixtures: their names, their seeds, and what they cost those who do not use them."""

from __future__ import annotations

import pytest

NAMES = ["provider", "providers", "pulumi_stack", "pulumi_cli", "terraform", "cassette"]


@pytest.mark.parametrize("name", ["provider", "pulumi_stack", "cassette"])
def test_two_names(run, name):
    """Each fixture's short name and its collision-proof name are one thing."""
    run(f"def test(mockprovider_{name}, {name}): assert mockprovider_{name} is {name}").assert_outcomes(passed=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_of_the_user_s_own(run, name):
    """A user's own fixture takes the short name, and ours are led by the collision-proof one."""
    run(
        f"""
        import pytest
        from cloud import BUCKET, program

        @pytest.fixture
        def {name}():
            return "mine"

        def test({name}, mockprovider_provider, mockprovider_pulumi_stack):
            assert {name} == "mine"
            mockprovider_provider.define(BUCKET)
            assert mockprovider_pulumi_stack.up(program).summary == {{"create": 1}}
            assert len(mockprovider_provider.cloud.objects()) == 1
        """
    ).assert_outcomes(passed=1)


def test_the_stack_is_led_to_the_provider(run):
    """A program in the stack makes objects in the provider's cloud, and the next test begins with nothing."""
    run(
        """
        import pytest
        from cloud import BUCKET, program

        @pytest.mark.parametrize("n", [1, 2])
        def test(provider, pulumi_stack, n):
            provider.define(BUCKET)
            assert not provider.cloud.objects() and not pulumi_stack.state
            pulumi_stack.up(program)
            assert provider.cloud.objects()[0]["acl"] == "private"
            assert provider.journal.ops(name="logs") == ["check", "create"]
        """
    ).assert_outcomes(passed=2)


def test_a_test_without_a_cassette(run):
    """A test that is not marked has no cassette."""
    run("def test(cassette): assert cassette is None").assert_outcomes(passed=1)


def test_seeds(run, pytester):
    """Equal seeds give equal ids, another seed gives others."""
    source = """
        from pathlib import Path
        from cloud import program

        def test(provider, pulumi_stack):
            pulumi_stack.up(program)
            with Path("ids").open("a") as ids:
                print(provider.seed, provider.cloud.objects()[0].id, file=ids)
        """
    for arguments in ((), ("--provider-seed=0",), ("--provider-seed=7",)):
        run(source, *arguments).assert_outcomes(passed=1)
    (zero, first), (again, second), (seven, other) = (line.split() for line in (pytester.path / "ids").read_text().splitlines())

    assert (zero, again, seven) == ("0", "0", "7")
    assert first == second != other


def test_a_seed_is_a_number(run):
    """What is no number is refused before any test runs."""
    run("def test(): pass", "--provider-seed=lucky").stderr.fnmatch_lines(["*--provider-seed*invalid int value: 'lucky'*"])


def test_help(run):
    """The options and the marker, with each of its arguments, are in pytest's own help."""
    run("", "--help").stdout.fnmatch_lines(
        ["mockprovider: doubles*", "*--provider-record*MODE*", "*--provider-seed*N*", "*--provider-max-age*AGE*"]
    )
    run("", "--markers").stdout.fnmatch_lines(
        [
            "@pytest.mark.cassette(path=None, command=None, protocol=None, env=None, name=None, "
            "secrets=(), public=(), masks=(), prove=False, providers=None, mode=None, unplayed=None, "
            "max_age=None, matching=None, beyond=None, http=False): replay the provider*"
        ]
    )


def test_strict_markers(run):
    """The marker is registered, so that strict runs know it."""
    run("import pytest\npytestmark = pytest.mark.cassette\ndef test(): pass", "--strict-markers").assert_outcomes(passed=1)


def test_what_is_not_used_costs_nothing(pytester):
    """A run in which no test asks for us loads nothing that is slow to load."""
    pytester.makepyfile(
        """
        import sys

        def test():
            slow = {"deepdiff", "google", "grpc", "msgpack", "msgspec", "pulumi", "zstandard", "mockprovider.double"}
            assert "mockprovider.pytest_plugin" in sys.modules
            assert not slow & set(sys.modules)
        """
    )

    pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:hypothesispytest").assert_outcomes(passed=1)


@pytest.mark.parametrize(("name", "engine"), [("pulumi_cli", "pulumi"), ("terraform", "terraform")])
def test_engines_that_are_not_there(run, monkeypatch, tmp_path, name, engine):
    """A test whose engine is not on PATH is skipped, and the reason says how to come by it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run(f"def test({name}): assert False", "-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED*There is no '{engine}' on PATH*tools/build-engines*"])


@pytest.mark.pulumi_cli
def test_the_real_pulumi(run):
    """Both names are one project under the real CLI, attached to the provider."""
    run(
        """
        from cloud import BUCKET

        def test(provider, pulumi_cli, mockprovider_pulumi_cli):
            provider.define(BUCKET)
            assert pulumi_cli is mockprovider_pulumi_cli
            up = pulumi_cli.up({"resources": {"logs": {"type": "cloud:index:Bucket", "properties": {"acl": "x"}}}})
            assert up.summary == {"create": 1}
            assert provider.cloud.objects()[0]["acl"] == "x"
        """
    ).assert_outcomes(passed=1)


TERRAFORM = """
        import pytest
        from cloud import BUCKET

        {decoration}
        def test(provider, terraform, mockprovider_terraform):
            provider.define(BUCKET)
            assert terraform is mockprovider_terraform
            assert terraform.binary.rsplit("/", 1)[-1] == "{binary}"
            terraform.write('resource "cloud_bucket" "logs" {{ acl = "x" }}')
            assert terraform.apply().summary == {{"add": 1}}
            assert provider.cloud.objects()[0]["acl"] == "x"
        """


@pytest.mark.terraform_cli
def test_the_real_terraform(run):
    """Both names are one folder under the real Terraform, reattached to the provider."""
    run(TERRAFORM.format(decoration="", binary="terraform")).assert_outcomes(passed=1)


@pytest.mark.tofu_cli
def test_the_real_tofu(run):
    """An indirect parameter runs the same test under OpenTofu."""
    decoration = '@pytest.mark.parametrize("mockprovider_terraform", ["tofu"], indirect=True)'
    run(TERRAFORM.format(decoration=decoration, binary="tofu")).assert_outcomes(passed=1)
