"""How a cloud treats its objects, one class a behaviour: ``ResourceType(..., behaviours=(Quota(3), Protected()))``.

A behaviour is like a layer: it gets the call, ``proceed``, and the world (cloud, clock, declared type). Any function of these
three is one, too. It keeps its notes in the cloud, so that processes that share a cloud share its behaviours.
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
"""The behaviours that a types file may have, by their ``kind``."""

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
