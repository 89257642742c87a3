"""The messages of Pulumi's SDK, without the SDK."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from mockprovider.pulumi import sdk

MODULES = sorted(path.stem for path in Path(sdk.folders()[0]).glob("*_pb2.py"))
STARTING = """
import sys
from mockprovider.double import Double
from mockprovider import ResourceType
with Double(ResourceType("cloud:index:Bucket", {"label": str})) as double:
    client = double.serve("pulumi").client()
    client.open()
    assert "pulumi" not in sys.modules, "imported"
"""


@pytest.mark.parametrize("module", MODULES)
def test_its_messages_are_the_sdks(module: str) -> None:
    """A message that is imported without the SDK and one that is imported with it are of one class."""
    ours, theirs = getattr(sdk, module), importlib.import_module(f"pulumi.runtime.proto.{module}")
    names = {name for name, value in vars(theirs).items() if isinstance(value, type)}
    assert {name: vars(ours)[name] for name in names} == {name: vars(theirs)[name] for name in names}


def test_serving_needs_no_sdk() -> None:
    """A double that is served and called has not imported the SDK."""
    subprocess.run([sys.executable, "-c", STARTING], check=True, timeout=300)


def test_without_an_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no SDK the error names it, as it would anywhere else."""
    monkeypatch.setattr(sdk, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'pulumi'"):
        sdk.folders()


def test_what_is_no_message() -> None:
    """It has no other attributes, such as stubs, and a module that the SDK does not have is an error of the import."""
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sdk.nothing
    with pytest.raises(AttributeError, match="has no attribute 'provider_pb2_grpc'"):
        _ = sdk.provider_pb2_grpc
    with pytest.raises(ModuleNotFoundError, match="nothing_pb2"):
        _ = sdk.nothing_pb2
