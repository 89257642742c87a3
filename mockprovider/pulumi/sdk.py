# ruff: noqa: PLC0414 - the aliases tell type checkers that these are for others
"""The messages of the Pulumi SDK, without the SDK: what serves and calls providers needs no more of it.

The SDK's own package of them is inside ``pulumi``, which imports everything: that takes 0.1 s, half of the start of a provider.
Its modules are imported from its folder, as those of a package of ours. They are the same files, so that their messages are the
same classes as those of whoever imports the SDK besides. (Stubs and servicers would not be; those come from the SDK.)
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pulumi.runtime.proto import analyzer_pb2 as analyzer_pb2
    from pulumi.runtime.proto import callback_pb2 as callback_pb2
    from pulumi.runtime.proto import engine_pb2 as engine_pb2
    from pulumi.runtime.proto import errors_pb2 as errors_pb2
    from pulumi.runtime.proto import language_pb2 as language_pb2
    from pulumi.runtime.proto import plugin_pb2 as plugin_pb2
    from pulumi.runtime.proto import provider_pb2 as provider_pb2
    from pulumi.runtime.proto import resource_pb2 as resource_pb2
    from pulumi.runtime.proto import resource_status_pb2 as resource_status_pb2
    from pulumi.runtime.proto import status_pb2 as status_pb2
else:

    def __getattr__(name: str) -> ModuleType:
        """A module of messages. Raises ``AttributeError`` where the SDK has none of that name."""
        if not name.endswith("_pb2"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{MESSAGES.__name__}.{name}")


def folders() -> list[str]:
    """Where the SDK keeps its messages. Raises ``ModuleNotFoundError`` without an SDK."""
    sdk = find_spec("pulumi")
    if sdk is None or not sdk.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'pulumi'", name="pulumi")
    return [str(Path(folder, "runtime", "proto")) for folder in sdk.submodule_search_locations]


# Not a package on disk: whoever walks through ours would import all that the SDK has there.
MESSAGES = sys.modules.setdefault(f"{__name__}.messages", ModuleType(f"{__name__}.messages"))
"""The package that the modules are in."""
MESSAGES.__path__ = folders()
