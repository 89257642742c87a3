"""The embedded engine: runs unmodified Pulumi programs against providers given as objects, without the CLI."""

from mockprovider.engine.operations.events import EngineEvent, OperationBegun, OperationEnded, StepEvent
from mockprovider.engine.providers.instance import ProviderSource
from mockprovider.engine.stack import Stack
from mockprovider.pulumi.protocol import PULUMI as SPOKEN
from mockprovider.pulumi.result import Result
from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.pulumi.stacks.imports import Import
from mockprovider.pulumi.stacks.state import ResourceState

__all__ = [
    "SPOKEN",
    "EngineEvent",
    "Extension",
    "Import",
    "OperationBegun",
    "OperationEnded",
    "ProviderSource",
    "ResourceState",
    "Result",
    "Stack",
    "StepEvent",
]
