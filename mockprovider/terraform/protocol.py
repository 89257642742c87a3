"""The two versions of Terraform's provider protocol as values (``protocols``); OpenTofu speaks the same."""

from mockprovider.protocols import ProviderProtocol

PROTOCOLS = tuple(
    ProviderProtocol(
        name=f"tfplugin{major}",
        family="terraform",
        version=major,
        sends_whole_objects=True,
        sends_timeouts=True,
        adapter="mockprovider.terraform.adapter:TerraformAdapter",
        executable="terraform-provider-",
        traits="mockprovider.terraform.traits:ResourceTraits",
        starter="mockprovider.terraform.process.starter:TerraformStarter",
        contract="mockprovider.terraform.contract:CONTRACT",
    )
    for major in (6, 5)
)
