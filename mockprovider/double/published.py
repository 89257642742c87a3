"""What a provider on this machine publishes of itself, as the text of a file that declares its types."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from mockprovider.calls import Call, Op
from mockprovider.double.behind import real
from mockprovider.double.double import Double
from mockprovider.errors import PluginError
from mockprovider.protocols import families

SCHEMA_SECONDS = 300.0
"""How long a provider may take to tell its schema; the largest take some seconds."""


def plugin_schema(executable: str, name: str = "") -> str:
    """The schema of the provider with this executable, asked over its protocol; it is not configured, and ends at once.

    Raises ``PluginError`` for what does not start, refuses, or has no schema.
    """
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    wiring = real([executable], name=name)
    with Double(provider=wiring) as double:
        session = double.open(wiring.protocol or "")
        session.patience = SCHEMA_SECONDS
        reply = double(Call(op=Op.GET_SCHEMA, session=session))
    reasons = "; ".join(failure.reason for failure in reply.failures) or (reply.status.message if reply.status else "")
    text = "" if reasons or wiring.protocol is None else adapter(wiring.protocol).published(reply, wiring.name)
    if not text:
        raise PluginError(f"{executable} has no schema to tell: {reasons or 'its answer is empty'}.")
    return text


def plugin_of(package: str) -> str:
    """The executable of a provider by its package's name, on PATH or where engines keep their plugins.

    Raises ``PluginError`` that says where there was none.
    """
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    edges = [adapter(versions[0]) for versions in families().values()]
    names = [f"{edge.protocol.executable}{package}" for edge in edges if edge.protocol.executable]
    folders = [folder for edge in edges for folder in edge.plugin_folders(package)]
    path = next((path for name in names if (path := shutil.which(name))), None) or next(_kept(folders, names), None)
    if path is None:
        raise PluginError(f"no {' or '.join(names)} is on PATH or where engines keep their plugins")
    return path


def _kept(folders: Iterable[Path], names: list[str]) -> Iterator[str]:
    for folder in folders:
        for file in sorted(folder.glob("*")) if folder.is_dir() else ():
            if file.name.startswith(tuple(names)) and os.access(file, os.X_OK):
                yield str(file)
