"""The only place that wires a provider, its layers, its cloud and its doors together."""

from typing import TYPE_CHECKING, Any

from mockprovider.double.behind import Wiring, attached, real
from mockprovider.double.cassettes import (
    cassette_path,
    recording,
    recording_all,
    replaying,
    replaying_all,
)
from mockprovider.double.clocks import RealClock
from mockprovider.double.double import Double
from mockprovider.double.frozen import FrozenTime
from mockprovider.double.judged import from_plugin
from mockprovider.double.remote import Remote
from mockprovider.double.serving import Address, Serving, joint_environment

if TYPE_CHECKING:
    from mockprovider.tape import Draft

__all__ = [
    "Address",
    "Double",
    "Draft",
    "FrozenTime",
    "RealClock",
    "Remote",
    "Serving",
    "Wiring",
    "attached",
    "cassette_path",
    "from_plugin",
    "joint_environment",
    "real",
    "recording",
    "recording_all",
    "replaying",
    "replaying_all",
]


def __getattr__(name: str) -> Any:
    if name == "Draft":
        from mockprovider.tape import Draft as draft  # noqa: N813, PLC0415 - zstandard is slow to import

        return draft
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
