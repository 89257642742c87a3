"""The configurable provider: resource types in, a provider out. One implementation behind every protocol."""

from mockprovider.fake.provider import Fake

__all__ = ["Fake"]
