"""What Pulumi's engines and providers owe each other."""

from mockprovider.contract import Contract, Party
from mockprovider.pulumi.contract import answering, asking, published, recalling, remembering
from mockprovider.pulumi.contract.engines import EnginesHistory
from mockprovider.pulumi.contract.lives import OBJECT, SESSION
from mockprovider.pulumi.contract.providers import ProvidersHistory

RULES = (*asking.RULES, *remembering.RULES, *answering.RULES, *recalling.RULES, *published.RULES)

CONTRACT = Contract(
    rules=RULES, lives=(SESSION, OBJECT), histories={Party.ENGINE: EnginesHistory, Party.PROVIDER: ProvidersHistory}
)
"""The rules of the provider protocol, for engines and for providers."""
