"""What Terraform's engines and providers owe each other; OpenTofu's owe the same."""

from mockprovider.contract import Contract, Party
from mockprovider.terraform.contract import answering, asking, validating
from mockprovider.terraform.contract.engines import EnginesHistory
from mockprovider.terraform.contract.lives import EPHEMERAL, SESSION
from mockprovider.terraform.contract.providers import ProvidersHistory

CONTRACT = Contract(
    rules=(*asking.RULES, *answering.RULES, *validating.RULES),
    lives=(SESSION, EPHEMERAL),
    histories={Party.ENGINE: EnginesHistory, Party.PROVIDER: ProvidersHistory},
)
"""The rules of both versions of the plugin protocol, for engines and for providers."""
