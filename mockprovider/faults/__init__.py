"""Faults: failures that we inject, at a chosen call. One file a fault; a rule says at which calls it fires and how often.

A fault is a layer, so it may act before, after or instead of what the provider does.
"""

from mockprovider.faults.rules import Faults, Rule

__all__ = ["Faults", "Rule"]
