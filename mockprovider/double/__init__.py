"""The only place that wires a provider, its layers, its cloud and its doors together."""

from mockprovider.double.cassettes import Wiring, attached, cassette_path, real, recording, replaying
from mockprovider.double.double import Double, RealClock
from mockprovider.double.remote import Remote
from mockprovider.double.serving import Address, Serving, joint_environment

__all__ = [
    "Address",
    "Double",
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
