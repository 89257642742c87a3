"""The fixture that freezes a test's own time."""

from __future__ import annotations

import sys
import time


def test_time_stands_still_and_moves_with_the_provider(run):
    """The test, its program and its provider have one time: it moves by what the provider waits, and is real again after."""
    before = time.monotonic()
    result = run(
        """
        import time
        from datetime import UTC, date, datetime
        import pulumi

        def test_it(frozen_time, provider, pulumi_stack):
            provider.faults.on.create().latency(2700)
            seen = []

            def program():
                seen.append(datetime.now(UTC))
                pulumi.CustomResource("cloud:index:Bucket", "logs", {"day": str(date.today())})

            pulumi_stack.up(program)
            assert set(seen) == {datetime(2025, 1, 1, tzinfo=UTC)}
            assert datetime.now(UTC) == datetime(2025, 1, 1, 0, 45, tzinfo=UTC)
            assert provider.clock.now() == time.time()
            assert provider.cloud.objects()[0]["day"] == "2025-01-01"
            provider.clock.advance(15 * 60)
            frozen_time.tick(1)
            assert datetime.now(UTC) == datetime(2025, 1, 1, 1, 0, 1, tzinfo=UTC)

        def test_after():
            assert time.time() > datetime(2025, 6, 1, tzinfo=UTC).timestamp()

        def test_long_name(mockprovider_frozen_time, frozen_time):
            assert frozen_time is mockprovider_frozen_time
        """
    )
    result.assert_outcomes(passed=3)
    assert time.monotonic() - before < 2700


def test_all_doubles_of_a_test_have_it(run):
    """Also a double that the test made in place of the plugin's goes by the frozen time."""
    result = run(
        """
        import pytest
        from mockprovider import Double

        @pytest.fixture
        def mockprovider_provider():
            with Double() as own:
                yield own

        def test_it(provider, frozen_time):
            assert provider.clock is frozen_time
        """
    )
    result.assert_outcomes(passed=1)


def test_a_failure_under_frozen_time(run):
    """A test that fails has its report, and how long it took is of the machine's time."""
    result = run(
        "def test_it(provider, frozen_time):\n    frozen_time.tick(10**6)\n    assert not provider.name\n", "--durations=5"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*What the engine asked:*"])
    result.stdout.no_fnmatch_line("*in 1000*s*")


def test_without_freezegun(run, monkeypatch):
    """Where freezegun is not installed, the test is skipped, and says what to install."""
    monkeypatch.setitem(sys.modules, "freezegun", None)
    result = run("def test_it(frozen_time):\n    pass\n", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*This needs freezegun: pip install 'mockprovider[[]time]'"])
