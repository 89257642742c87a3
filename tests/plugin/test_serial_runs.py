"""Tests that record under the real terraform: one resource at a time, so that each call's resource is known."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

TEST = """
    import pytest
    from cloud import BUCKET

    @pytest.mark.cassette("it.json", protocol="terraform", name="cloud")
    @pytest.mark.parametrize("mockprovider_terraform", ["{binary}"], indirect=True)
    def test(provider, terraform):
        if "record" in "{mode}":
            provider.define(BUCKET)
        {before}
        terraform.write('resource "cloud_bucket" "logs" {{\\n  count = 3\\n  acl = "x"\\n}}')
        terraform.apply()
        {after}
    """
ALL = "--provider-record=all"
BINARIES = [
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]
ADDRESSES = [f"cloud_bucket.logs[{number}]" for number in range(3)]


def three_buckets(binary: str, mode: str = "record", before: str = "pass", after: str = "pass") -> str:
    """A test of three equal buckets."""
    return TEST.format(binary=binary, mode=mode, before=before, after=after)


@pytest.mark.parametrize("binary", BINARIES)
def test_a_recorded_test_is_serial(run, pytester, binary):
    """A recorded test has the addresses in its cassette and journal, and its replay, serial too, has them in its journal."""
    asserts = f"assert {{e.call.address for e in provider.journal.entries(op='create')}} == set({ADDRESSES})"
    run(three_buckets(binary, after=asserts), ALL).assert_outcomes(passed=1)
    recorded = json.loads((pytester.path / "it.json").read_text())
    assert [call["address"] for call in recorded if call.get("op") == "create"] == ADDRESSES

    run(three_buckets(binary, "replay", after=asserts)).assert_outcomes(passed=1)


@pytest.mark.parametrize("binary", BINARIES)
def test_who_wants_it_parallel_has_no_addresses(run, pytester, binary):
    """With a parallelism of its own a test records no address."""
    run(three_buckets(binary, before="terraform.parallelism = 10"), ALL).assert_outcomes(passed=1)
    assert "address" not in (pytester.path / "it.json").read_text()
    run(three_buckets(binary, before="terraform.parallelism = 10", mode="replay")).assert_outcomes(passed=1)


@pytest.mark.parametrize("binary", BINARIES)
def test_a_failed_test_shows_the_addresses(run, binary):
    """The report of a failed test says for which resource each call was, and the engine's output that it ran serially."""
    result = run(three_buckets(binary, after="assert False"), ALL)

    for address in ADDRESSES:
        result.stdout.re_match_lines([rf".* ApplyResourceChange of cloud:index:Bucket at {re.escape(address)} -> \w+"])
    folder = re.search(r"^The engine's folder, with its state and output.txt: (.*)$", result.stdout.str(), re.M)[1]
    printed = (Path(folder) / "output.txt").read_text()
    assert printed.startswith(f"$ {binary} apply -json -parallelism=1 -auto-approve\n")
