"""The protocol as values."""

from __future__ import annotations

from mockprovider.protocols import ProviderProtocol
from mockprovider.terraform.adapter import TerraformAdapter
from mockprovider.terraform.protocol import PROTOCOLS
from mockprovider.wire.adapter import adapter


def test_the_two_protocols() -> None:
    """Major 6 comes first; what both have beside their number is found by these names."""
    assert (
        tuple(
            ProviderProtocol(
                name=name,
                family="terraform",
                version=version,
                sends_whole_objects=True,
                sends_timeouts=True,
                adapter="mockprovider.terraform.adapter:TerraformAdapter",
                executable="terraform-provider-",
                traits="mockprovider.terraform.traits:ResourceTraits",
                starter="mockprovider.terraform.process.starter:TerraformStarter",
                contract="mockprovider.terraform.contract:CONTRACT",
            )
            for name, version in (("tfplugin6", 6), ("tfplugin5", 5))
        )
        == PROTOCOLS
    )
    assert [type(adapter(protocol)) for protocol in PROTOCOLS] == [TerraformAdapter, TerraformAdapter]
