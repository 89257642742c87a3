"""What a cloud does beyond keeping objects, one class each: ``ResourceType(..., behaviours=(Quota(3), Protected()))``.

A behaviour is like a layer: it is given the call, the way onward, and the world (cloud, clock, declared type). Any function of
these three is one, too. What it must remember it notes in the cloud, so that it works where processes share one.
"""

from typing import TypeAlias

from mockprovider.fake.behaviours.forms import FORMS, Normalised
from mockprovider.fake.behaviours.moving import Modified, Revision
from mockprovider.fake.behaviours.protection import Protected
from mockprovider.fake.behaviours.quotas import Quota
from mockprovider.fake.behaviours.readiness import Pending
from mockprovider.fake.behaviours.relations import Holds, References
from mockprovider.fake.behaviours.slowness import Slow
from mockprovider.fake.behaviours.visibility import Eventual
from mockprovider.fake.behaviours.world import Behaviour, World

Behaving: TypeAlias = Quota | Pending | Normalised | Revision | Modified | Protected | Holds | References | Eventual | Slow
"""The behaviours that data can hold: what a types file may name by its ``kind``."""

__all__ = [
    "FORMS",
    "Behaving",
    "Behaviour",
    "Eventual",
    "Holds",
    "Modified",
    "Normalised",
    "Pending",
    "Protected",
    "Quota",
    "References",
    "Revision",
    "Slow",
    "World",
]
