"""A protocol of five RPCs that nothing outside this folder knows."""

from mockprovider.protocols import ProviderProtocol

TOY = ProviderProtocol(
    name="toytalk1",
    family="toy",
    version=1,
    adapter="toytalk.adapter:ToyAdapter",
    executable="toy-provider-",
    starter="toytalk.starter:ToyStarter",
)
PROTOCOLS = (TOY,)
