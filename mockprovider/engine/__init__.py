"""The embedded engine: runs unmodified Pulumi programs against providers given as objects, without the CLI."""

from mockprovider.engine.instance import ProviderSource
from mockprovider.engine.result import Result
from mockprovider.engine.stack import Stack
from mockprovider.engine.state import ResourceState
from mockprovider.pulumi.protocol import PULUMI as SPOKEN

__all__ = ["SPOKEN", "ProviderSource", "ResourceState", "Result", "Stack"]
