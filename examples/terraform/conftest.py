"""The AWS provider of the modules: an excerpt of its schema, and what it says forces a replacement.

Both are facts that version 5.100.0 of the provider told: the schema by ``mockprovider schema get terraform-provider-aws``,
cut down to the types that the modules use, and ``aws.forces_new.json`` by ``mockprovider schema judge``.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from mockprovider import Double, Package, from_terraform_schema

HERE = Path(__file__).parent


@functools.cache
def _package() -> Package:
    """Read once for all tests of this process."""
    forces_new = json.loads((HERE / "aws.forces_new.json").read_text(encoding="utf-8"))
    return from_terraform_schema((HERE / "aws.schema.json").read_text(encoding="utf-8"), forces_new=forces_new)


@pytest.fixture
def aws(provider: Double) -> Double:
    """The double of the AWS provider, with three availability zones."""
    provider.define(_package())
    provider.answers("aws_availability_zones", {"names": ["eu-west-1a", "eu-west-1b", "eu-west-1c"]})
    return provider
