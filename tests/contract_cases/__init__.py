"""For each rule of the contract, a run that breaks it and one that keeps it: a room for each protocol and party."""

from contract_cases import pulumi_engines, pulumi_memories, pulumi_providers, terraform_engines, terraform_providers
from contract_cases.shapes import Cases

CASES: Cases = {
    **pulumi_engines.CASES,
    **pulumi_memories.CASES,
    **pulumi_providers.CASES,
    **terraform_engines.CASES,
    **terraform_providers.CASES,
}
