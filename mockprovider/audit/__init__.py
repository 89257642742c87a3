"""What exists against what engines remember: orphans, phantoms, doubles, stale values, and operations that were cut off.

``objects`` are the two sides as data, ``trail`` finds what exists from a provider's calls, ``comparing`` compares, and
``findings`` is the result with its words. How an engine's state is read is the business of its protocol's folder.
"""

from mockprovider.audit.comparing import compare
from mockprovider.audit.findings import Audit, Stale, Twin
from mockprovider.audit.objects import CutOff, EngineMemory, Evidence, ExistingObject, Remedies, RememberedObject
from mockprovider.audit.trail import Trail

__all__ = [
    "Audit",
    "CutOff",
    "EngineMemory",
    "Evidence",
    "ExistingObject",
    "Remedies",
    "RememberedObject",
    "Stale",
    "Trail",
    "Twin",
    "compare",
]
