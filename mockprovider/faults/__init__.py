"""Faults: failures that we inject, at a chosen call.

A *fault* is a small struct, one file a kind (``kinds/``); ``When`` says at which calls it fires, and in which phase of them;
both together are a ``FaultRule``, and several a ``FaultPlan``, which is data. A ``Rule`` is one in force, with what it has
counted. Faults are a layer, so they work in front of any provider: the fake, a recorded one, a real one.
"""

from mockprovider.faults.engines import EnginesAtWork, Interruptible
from mockprovider.faults.fault import Fault, FaultWorld, Phase
from mockprovider.faults.injecting import Faults, Surroundings, spread
from mockprovider.faults.kinds import KINDS
from mockprovider.faults.plan import FaultPlan, FaultRule, load
from mockprovider.faults.points import FaultPoint, points
from mockprovider.faults.rules import Rule
from mockprovider.faults.when import When

__all__ = [
    "KINDS",
    "EnginesAtWork",
    "Fault",
    "FaultPlan",
    "FaultPoint",
    "FaultRule",
    "FaultWorld",
    "Faults",
    "Interruptible",
    "Phase",
    "Rule",
    "Surroundings",
    "When",
    "load",
    "points",
    "spread",
]
