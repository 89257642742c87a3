"""Tests of several providers that share a cassette: recorded, replayed, and explained where they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ALL = "--provider-record=all"
BINARIES = [
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]
MARKED = """
    import pytest
    from mockprovider import Property, ResourceType
    from mockprovider.calls import Call, Op

    pytestmark = pytest.mark.cassette("it.json", protocol="{family}", providers={{"cloud": None, "mail": None}})

    def asked(double, **inputs):
        token = double.name + ":index:Thing"
        urn = "urn:pulumi:dev::p::" + token + "::a" if "{family}" == "pulumi" else ""
        op = Op.CREATE if urn else Op.PLAN
        return double(Call(op=op, session=double.open(double.speaks), type=token, urn=urn, name="a", inputs=inputs))

    {test}
    """
UNDER_TERRAFORM = """
    import pytest
    from mockprovider import Property, ResourceType

    @pytest.mark.cassette("it.json", protocol="terraform", providers={{"cloud": None, "mail": None}})
    @pytest.mark.parametrize("mockprovider_terraform", ["{binary}"], indirect=True)
    def test(providers, terraform):
        for double in providers.values() if {records} else ():
            arn = Property(str, computed="arn:{{id}}")
            double.define(ResourceType(f"{{double.name}}:index:Thing", {{"of": str, "arn": arn}}))
        terraform.parallelism = {parallelism}
        terraform.write('''
            resource "cloud_thing" "a" {{
              count = 4
            }}
            resource "mail_thing" "b" {{
              count = 4
              of    = cloud_thing.a[count.index].arn
            }}
        ''')
        state = terraform.apply().state
        arns, ofs = ([one["attributes"][name] for one in resource["instances"]]
                     for resource, name in zip(state["resources"], ["arn", "of"]))
        assert len(set(arns)) == 4
        assert arns == ofs
        terraform.destroy()
    """


def marked(test: str, family: str = "terraform") -> str:
    """A test file of two fakes."""
    return MARKED.format(test=test, family=family)


def cassette(pytester: pytest.Pytester) -> list[dict[str, object]]:
    elements: list[dict[str, object]] = json.loads((pytester.path / "it.json").read_text())
    return elements


@pytest.mark.parametrize("binary", BINARIES)
def test_the_engine_has_all_of_them(run, pytester, binary):
    """Equal resources of one provider, and one of another for each, are recorded and replay serially and in parallel."""

    def of(parallelism: int | None, *, records: bool = False) -> str:
        return UNDER_TERRAFORM.format(binary=binary, parallelism=parallelism, records=records)

    run(of(None, records=True), ALL).assert_outcomes(passed=1)
    header, *interactions = cassette(pytester)
    assert header["providers"] == {"cloud": "tfplugin6", "mail": "tfplugin6"}
    assert {call["provider"] for call in interactions} == {"cloud", "mail"}
    for parallelism in (None, 10, 10):
        run(of(parallelism)).assert_outcomes(passed=1)


@pytest.mark.parametrize("family", ["pulumi", "terraform"])
def test_each_double_has_its_name(run, pytester, family):
    """The doubles are there by name; what each was asked is recorded once and replayed, in either family."""
    test = "def test(providers):\n        assert [asked(one, of=name).ok for name, one in providers.items()] == [True, True]"
    run(marked(test, family), ALL).assert_outcomes(passed=1)
    assert [(call["provider"], call["type"]) for call in cassette(pytester)[1:]] in (
        [("cloud", "cloud:index:Thing"), ("mail", "mail:index:Thing")],
        [("cloud", "cloud_thing"), ("mail", "mail_thing")],
    )
    run(marked(test, family)).assert_outcomes(passed=1)


def test_a_miss_of_one_fails_the_test(run):
    """A call that one of them was not asked when it was recorded fails the test, though the engine swallowed the error."""
    swallowed = "try:\n            asked(providers['mail'], of='other')\n        except Exception as error:\n            "
    keep = swallowed + "providers['mail'].errors.append(error)"
    run(marked("def test(providers):\n        asked(providers['mail'], of='x')"), ALL).assert_outcomes(passed=1)
    result = run(marked(f"def test(providers):\n        {keep}"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*MissError: *it.json holds no answer to *", '*of*: recorded "x", now "other"*'])


def test_a_failed_test_explains_each(run, pytester):
    """A failed test shows what each was asked, keeps a folder for each, and leaves the earlier recording as it was."""
    run(marked("def test(providers):\n        asked(providers['mail'], of='x')"), ALL).assert_outcomes(passed=1)
    before = cassette(pytester)
    result = run(marked("def test(providers):\n        asked(providers['cloud'], of='y')\n        assert False"), ALL)
    result.stdout.fnmatch_lines(
        [
            "What the engine asked cloud:",
            "*plan of cloud:index:Thing -> ok",
            "What the engine asked mail:",
            "  nothing",
            "Recorded into *it.json.failed: the test failed, so *it.json stays as it was.",
            "Kept in *: cloud/cloud.json, cloud/events.json, cloud/journal.json, mail/cloud.json, *",
        ]
    )
    assert cassette(pytester) == before


def test_a_secret_of_one_is_hidden_in_what_is_kept_of_all(run, pytester):
    """What one provider was given in secret is in no file that is kept of another one that was given it openly."""
    secret = 'ResourceType("cloud:index:Thing", {"of": Property(str, secret=True)})'
    test = f"""def test(providers):
        providers["cloud"].define({secret})
        for double in providers.values():
            asked(double, of="hunter-two-secret")
        assert False"""
    result = run(marked(test), ALL)
    folder = Path(next(line for line in result.outlines if line.startswith("Kept in ")).split()[2].rstrip(":"))
    kept = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.json")}
    assert len(kept) == 6
    assert not any("hunter-two" in text for text in kept.values())
    assert "hunter-two" not in (pytester.path / "it.json").read_text()


@pytest.mark.parametrize("fixture", ["provider", "pulumi_stack"])
def test_fixtures_of_one_provider(run, fixture):
    """What is for one provider refuses a test of several, and says what to use."""
    result = run(marked(f"def test({fixture}):\n        pass", "pulumi"), ALL)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*DefinitionError: This test has several providers, cloud, mail, and mockprovider_provider is for one. "
            "Use the fixture providers, which has a double for each, and pulumi_cli or terraform, which run with all of them."
        ]
    )


@pytest.mark.pulumi_cli
def test_the_real_pulumi_has_all_of_them(run, pytester):
    """A program of two packages runs under the real pulumi with both, and replays from the one cassette."""
    test = """def test(providers, pulumi_cli):
        providers["cloud"].define(ResourceType("cloud:index:Bucket", {}))
        providers["mail"].define(ResourceType("mail:index:Box", {"of": str}))
        pulumi_cli.up({"resources": {
            "logs": {"type": "cloud:index:Bucket"},
            "box": {"type": "mail:index:Box", "properties": {"of": "${logs.id}"}},
        }})
        pulumi_cli.destroy()
        assert [double.journal.ops().count("create") for double in providers.values()] == [1, 1]"""
    run(marked(test, "pulumi"), ALL).assert_outcomes(passed=1)
    assert {call["provider"] for call in cassette(pytester)[1:]} == {"cloud", "mail"}
    run(marked(test, "pulumi")).assert_outcomes(passed=1)


@pytest.mark.terraform_cli
def test_a_fixture_that_prepares_the_double(run):
    """A test's own version of the long-named fixture is what an engine is led to, also where the test does not ask for it."""
    run("""
        import pytest
        from mockprovider import ResourceType

        @pytest.fixture
        def mockprovider_provider(mockprovider_provider):
            mockprovider_provider.define(ResourceType("cloud:index:Thing", {"of": str}))
            return mockprovider_provider

        def test(terraform):
            terraform.write('resource "cloud_thing" "a" {}')
            terraform.apply()
        """).assert_outcomes(passed=1)


def test_other_providers_than_recorded(run):
    """A cassette that holds other providers than the test names is refused before anything runs."""
    run(marked("def test(providers):\n        asked(providers['mail'], of='x')"), ALL).assert_outcomes(passed=1)
    result = run(marked("def test(providers):\n        pass").replace('"mail": None', '"post": None'))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*CassetteError: *it.json holds cloud, mail, and the test has cloud, post. Record it again."])


def test_a_provider_that_is_none_of_the_test_s(run):
    """Whoever asks for a provider that is not there is told which there are, and not just its name."""
    result = run(marked("def test(providers):\n        providers['post']"), ALL)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*DefinitionError: There is no provider 'post' here. There are: cloud, mail."])


def test_a_cassette_of_several_needs_no_names(run):
    """A test that only replays may leave the names to the cassette."""
    run(marked("def test(providers):\n        asked(providers['mail'], of='x')"), ALL).assert_outcomes(passed=1)
    source = marked("def test(providers):\n        asked(providers['mail'], of='x')")
    run(source.replace(', providers={"cloud": None, "mail": None}', "")).assert_outcomes(passed=1)
