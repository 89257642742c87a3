"""Pulumi's protocol: conversion of its values and RPCs in both directions, and its plugins."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mockprovider.pulumi.handler import PulumiHandler
    from mockprovider.pulumi.traits import ResourceTraits

__all__ = ["PulumiHandler", "ResourceTraits"]


def __getattr__(name: str) -> Any:
    # A plugin's process needs no traits, and has to start fast.
    if name in __all__:
        return getattr(import_module(f"{__name__}.{'traits' if name == 'ResourceTraits' else 'handler'}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
