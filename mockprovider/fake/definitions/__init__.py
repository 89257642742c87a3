"""Types files: packages declared as data, so that a provider that no test owns can serve them too.

``load`` reads what ``definitions.schema.json`` publishes, and checks beyond it what a schema cannot say: that tokens belong to
their package, that templates name what exists, that defaults fit. ``dump`` is the way back. Neither touches files: the text
is read and written at the edge.
"""

from mockprovider.fake.definitions.dumping import dump
from mockprovider.fake.definitions.reading import load

__all__ = ["dump", "load"]
