"""What Pulumi's engines and providers owe each other."""

from mockprovider.contract import Contract
from mockprovider.pulumi.contract import answering, asking, published, recalling, remembering
from mockprovider.pulumi.contract.history import PulumiHistory
from mockprovider.pulumi.contract.lives import OBJECT, SESSION

RULES = (*asking.RULES, *remembering.RULES, *answering.RULES, *recalling.RULES, *published.RULES)

CONTRACT = Contract(rules=RULES, lives=(SESSION, OBJECT), history=PulumiHistory)
"""The rules of the provider protocol, for engines and for providers."""
