"""Terraform's provider protocol, majors 5 and 6.

Folders, each importing only those before it: ``proto`` (messages), ``values`` on the wire, ``schema`` of types, ``rules`` that
engines check, ``rpcs`` as calls and replies, and beside each other ``process`` (plugins) and ``recorded`` (cassettes, states).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mockprovider.terraform.traits import ResourceTraits

__all__ = ["ResourceTraits"]


def __getattr__(name: str) -> Any:
    # A plugin's process needs no traits, and has to start fast.
    if name in __all__:
        return getattr(import_module(f"{__name__}.traits"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
