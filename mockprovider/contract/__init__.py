"""The contract: what engines and providers owe each other, as rules that are data, and what watches a run for breaches.

A protocol's folder has its rules, its tables of lives, and the history that their predicates look at. Here is what they are
made of, and the walk over a run.
"""

from mockprovider.contract.allowing import Allowed
from mockprovider.contract.lives import StateTable
from mockprovider.contract.moments import History, Moment
from mockprovider.contract.page import page
from mockprovider.contract.rules import Condition, Contract, ContractRule, Party, Severity, ValueMarks, chosen, in_order
from mockprovider.contract.telling import tell
from mockprovider.contract.watching import Breach, Watch

__all__ = [
    "Allowed",
    "Breach",
    "Condition",
    "Contract",
    "ContractRule",
    "History",
    "Moment",
    "Party",
    "Severity",
    "StateTable",
    "ValueMarks",
    "Watch",
    "chosen",
    "in_order",
    "page",
    "tell",
]
