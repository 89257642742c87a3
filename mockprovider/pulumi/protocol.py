"""Pulumi's provider protocol as a value (``protocols``)."""

from mockprovider.protocols import ProviderProtocol

PULUMI = ProviderProtocol(
    name="pulumi",
    family="pulumi",
    adapter="mockprovider.pulumi.adapter:PulumiAdapter",
    is_default=True,
    names_resources=True,
    imports_by_reading=True,
    functions_need_known=True,
    executable="pulumi-resource-",
    starter="mockprovider.pulumi.process.starter:PulumiStarter",
    way_back="mockprovider.pulumi.wayback:WayBack",
    traits="mockprovider.pulumi.traits:ResourceTraits",
    room="mockprovider.pulumi.room:PulumiRoom",
    generations="mockprovider.pulumi.generations:named",
    contract="mockprovider.pulumi.contract:CONTRACT",
)
PROTOCOLS = (PULUMI,)
