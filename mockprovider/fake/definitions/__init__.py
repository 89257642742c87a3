"""Types files: packages declared as data, which a provider can serve without a test's Python code.

``load`` reads the format of ``definitions.schema.json``. It also checks what a schema cannot express: that tokens belong to
their package, that templates use existing names, that defaults fit. ``dump`` is the inverse. Both work on text or data, not on
files.
"""

from mockprovider.fake.definitions.dumping import dump
from mockprovider.fake.definitions.reading import load

__all__ = ["dump", "load"]
