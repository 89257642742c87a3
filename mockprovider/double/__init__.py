"""The only place that wires a provider, its layers, its cloud and its doors together."""

from typing import TYPE_CHECKING, Any

from mockprovider.double.cassettes import Wiring, attached, cassette_path, real, recording, replaying
from mockprovider.double.double import Double, RealClock
from mockprovider.double.remote import Remote
from mockprovider.double.serving import Address, Serving, joint_environment

if TYPE_CHECKING:
    from mockprovider.tape import Draft

__all__ = [
    "Address",
    "Double",
    "Draft",
    "RealClock",
    "Remote",
    "Serving",
    "Wiring",
    "attached",
    "cassette_path",
    "joint_environment",
    "real",
    "recording",
    "replaying",
]


def __getattr__(name: str) -> Any:
    if name == "Draft":
        # zstandard is slow to import.
        from mockprovider.tape import Draft as draft  # noqa: PLC0415, N813 - as said

        return draft
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
