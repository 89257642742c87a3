"""A test whose engine or provider breaks the contract fails at its end, unless it says why that is right."""

from __future__ import annotations

import pytest

BY_HAND = """
import pytest
from mockprovider.calls import Call, Op

def create(provider, **inputs):
    urn = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"
    provider(Call(op=Op.CREATE, session=provider.open(), urn=urn, type="cloud:index:Bucket", name="logs", inputs=inputs))
"""
NOTHING = ("-o", "provider_contract_allow=")
"""An inner run of these tests allows nothing beforehand."""


def test_a_test_that_passed_fails(run):
    """The failure names each rule once, with its source, the calls that broke it, what to do, and how to allow it."""
    result = run(BY_HAND + "def test_it(provider):\n    create(provider)\n    create(provider)\n", *NOTHING)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "The test passed, and the contract between engine and provider was broken:",
            "  PULUMI-CONFIGURE-BEFORE-USE: An instance must be configured*(Pulumi's provider implementer's guide, Configure)",
            "       1 create of urn:pulumi:dev::shop::cloud:index:Bucket::logs: this instance has not been configured.",
            "       3 create of *",
            "    Call Configure once*",
            "  PULUMI-INPUTS-ARE-CHECKED: *",
            "Allow it, where it is right here: @pytest.mark.contract(allow={'PULUMI-CONFIGURE-BEFORE-USE': 'the reason', *",
        ]
    )
    report, _, summary = result.stdout.str().partition("short test summary info")
    assert summary
    assert report.count("An instance must be configured") == 1


def test_secrets_are_not_shown(run):
    """Values in a breach are without the secrets that the test's types declare."""
    source = BY_HAND + (
        "from mockprovider import Property, ResourceType\n"
        "def test_it(provider):\n"
        '    provider.define(ResourceType("cloud:index:Bucket", {"token": Property(str, secret=True)}))\n'
        "    session = provider.open()\n"
        '    urn = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"\n'
        '    about = {"urn": urn, "type": "cloud:index:Bucket", "name": "logs", "session": session}\n'
        "    provider(Call(op=Op.CONFIGURE, session=session, inputs={}))\n"
        '    provider(Call(op=Op.CHECK, inputs={"token": "hunter-two"}, **about))\n'
        '    provider(Call(op=Op.CREATE, inputs={"token": "hunter-three"}, **about))\n'
    )
    result = run(source, *NOTHING)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*the inputs differ at token from what Check answered.*"])
    report = result.stdout.str().partition("was broken")[2].partition("-- mockprovider --")[0]
    assert "hunter" not in report


@pytest.mark.parametrize(
    ("before", "within", "options"),
    [
        ("@pytest.mark.contract(allow={'PULUMI-*': 'by hand'})", "", NOTHING),
        ("", "    provider.contract.allow('PULUMI-*', because='by hand')\n", NOTHING),
        ("", "", ("-o", "provider_contract_allow=PULUMI-CONFIGURE-*: by hand\nPULUMI-INPUTS-*: by hand")),
    ],
    ids=["marker", "python", "ini"],
)
def test_it_is_allowed(run, before, within, options):
    """A marker, a line of the test, and the ini file can each say which rules may be broken, and why."""
    result = run(f"{BY_HAND}\n{before}\ndef test_it(provider):\n{within}    create(provider)\n", *options)
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "complaint"),
    [
        ("'PULUMI-*'", "*@pytest.mark.contract takes rules with reasons: *"),
        ("allow=['PULUMI-*']", "*@pytest.mark.contract takes rules with reasons: *"),
        ("allow={'PULUMI-NEVER': 'x'}", "*No rule of the contract is called 'PULUMI-NEVER'.*"),
        ("allow={'PULUMI-*': ' '}", "*PULUMI-[*] is allowed without a reason. Say why it is right here: *"),
    ],
)
def test_what_allows_nothing(run, marker, complaint):
    """A marker that names no rule, or gives no reason, fails the setup and says so."""
    result = run(f"{BY_HAND}\n@pytest.mark.contract({marker})\ndef test_it(provider): pass\n", *NOTHING)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([complaint])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("PULUMI-*", "*provider_contract_allow = PULUMI-[*]: say why, *"),
        ("PULUMI-NEVER: x", "*provider_contract_allow: No rule of the contract is called 'PULUMI-NEVER'.*"),
        ("PULUMI-*:", "*provider_contract_allow: PULUMI-[*] is allowed without a reason.*"),
    ],
)
def test_a_line_that_allows_nothing(run, line, complaint):
    """A line of the ini file without a reason, or of no rule, is one usage error before any test runs."""
    result = run(BY_HAND + "def test_it(provider): pass\n" * 2, "-o", f"provider_contract_allow={line}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([complaint])
    result.stdout.no_fnmatch_line("*test_it*")


@pytest.mark.parametrize("id_", ["pulumi-*", "Pulumi-Configure-Before-Use"])
def test_ids_are_of_any_case(run, id_):
    """An id is the same in small letters."""
    source = f"{BY_HAND}\n@pytest.mark.contract(allow={{'{id_}': 'x', 'pulumi-inputs-*': 'y'}})\n"
    run(f"{source}def test_it(provider):\n    create(provider)\n", *NOTHING).assert_outcomes(passed=1)


def test_permissions_that_nothing_needed(run):
    """A permission that no test of the run needed is told at its end, once, unless it stands in the ini file."""
    source = f"""{BY_HAND}
shared = pytest.mark.contract(allow={{"PULUMI-*": "by hand", "PULUMI-DIFF-*": "in vain"}})

@shared
@pytest.mark.parametrize("number", [1, 2])
def test_it(provider, number):
    create(provider)

@shared
def test_it_not(provider):
    provider.contract.allow("PULUMI-ID-WAS-ISSUED", because="in vain, too")

@pytest.mark.contract(allow={{"PULUMI-UPDATE-*": "it never came so far"}})
def test_that_fails(provider):
    assert 0
"""
    result = run(source, "-o", "provider_contract_allow=TF-*: of no use")
    result.assert_outcomes(passed=3, failed=1)
    lines = [line for line in result.stdout.str().splitlines() if line.startswith("allowed, and broken in no test")]
    assert lines == [
        "allowed, and broken in no test of this run: PULUMI-DIFF-* (in vain)",
        "allowed, and broken in no test of this run: PULUMI-ID-WAS-ISSUED (in vain, too)",
    ]


def test_warnings(run):
    """Rules that fail no test are told at the end of the run, each once, with how often they were broken."""
    source = f"""{BY_HAND}
from mockprovider.calls import Failure, Reply

def half(call, proceed):
    return Reply(id="i-1", value={{}}, failures=(Failure("late"),)) if call.op is Op.CREATE else proceed(call)

@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.contract(allow={{"PULUMI-INPUTS-*": "by hand", "PULUMI-CONFIGURE-*": "by hand"}})
def test_it(provider, number):
    provider.use(half)
    for _ in range(number + 1):
        create(provider)
"""
    result = run(source, *NOTHING)
    result.assert_outcomes(passed=2)
    (line,) = [line for line in result.stdout.str().splitlines() if "warning: " in line]
    rule = "PULUMI-HALF-MADE-IS-REMEMBERED"
    assert line == f"warning: {rule} was broken 3 times in 2 tests. mockprovider contract rules {rule} tells of it."
    (first,) = [line for line in result.stdout.str().splitlines() if line.startswith("  first in ")]
    assert "::test_it[" in first
    assert "create of urn:pulumi:dev::shop::cloud:index:Bucket::logs: " in first


@pytest.mark.parametrize("mark", ["xfail", "xfail(strict=True)"])
def test_a_breach_that_is_expected(run, mark):
    """A test that is marked xfail fails as expected if its engine breaks the contract, and else it passes unexpectedly."""
    source = f"{BY_HAND}\n@pytest.mark.{mark}\ndef test_it(provider):\n    create(provider)\n"
    run(source, *NOTHING).assert_outcomes(xfailed=1)
    kept = run(source.replace("    create(provider)", "    pass"), *NOTHING)
    kept.assert_outcomes(**{"failed" if "strict" in mark else "xpassed": 1})


def test_a_failed_test_says_its_own(run):
    """A test that failed by itself is not failed again for what its engine broke on the way."""
    result = run(BY_HAND + "def test_it(provider):\n    create(provider)\n    assert 0\n", *NOTHING)
    result.assert_outcomes(failed=1)
