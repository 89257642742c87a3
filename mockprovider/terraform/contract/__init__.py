"""What Terraform's engines and providers owe each other; OpenTofu's owe the same."""

from mockprovider.contract import Contract, Party
from mockprovider.terraform.contract import answering, asking, validating
from mockprovider.terraform.contract.history import TerraformHistory
from mockprovider.terraform.contract.lives import EPHEMERAL, SESSION

CONTRACT = Contract(
    rules=(*asking.RULES, *answering.RULES, *validating.RULES),
    lives=(SESSION, EPHEMERAL),
    histories=dict.fromkeys(Party, TerraformHistory),
)
"""The rules of both versions of the plugin protocol, for engines and for providers."""
