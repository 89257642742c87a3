"""How long a run of the real CLI may take."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, TYPES, Bucket

from mockprovider.errors import MockProviderError
from mockprovider.schema import Package

pytestmark = pytest.mark.pulumi_cli
PACKAGE = Package("cloud")
PACKAGE.add(*TYPES)
SERVED = (PACKAGE,)


def test_a_run_that_takes_too_long(cli, double):
    """The limit is the driver's own, and a run that exceeds it is ended."""
    assert cli.timeout == 300
    cli.timeout = 0.01
    with pytest.raises(MockProviderError, match=r"0\.01"):
        cli.up(lambda: Bucket("b"))
    assert double.cloud.objects(BUCKET) == []
