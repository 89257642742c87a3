"""Real providers behind a fake cloud: they validate and plan, and the fake does the rest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mockprovider.calls import Call
from mockprovider.double.behind import Wiring
from mockprovider.double.launchers import named
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.journal import Journal, Side
from mockprovider.protocols import known, of_family
from mockprovider.schema import Package


def from_plugin(
    plugin: str | Path | Sequence[str] | Wiring,
    protocol: str = "",
    *,
    name: str = "",
    config: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    patience: float = 20.0,
    idle: float = 30.0,
) -> Package:
    """The package of a real provider, which a double asks for its judgement: it validates and plans, and the cloud is a fake.

    Nothing else reaches the provider: no create, read, update, delete or import, no data source and no ephemeral resource. It
    is configured with the program's configuration without credentials.

    Args:
        plugin: an executable (a name on PATH, or a path), a command, or a provider that runs already: ``attached(...)``.
        protocol: ``pulumi`` or ``terraform``; unless given, what the executable's name tells.
        name: the package's name; unless given, what the executable's name tells.
        config: what the provider is configured with, over the program's configuration and what we know of providers.
        env: further variables of its process, which has none of ours but ``PATH`` and its like.
        patience: the seconds after which an answer is given up, and the fake plans.
        idle: the seconds without a question after which its processes are ended; they start again when they are needed.
            ``package.judge.close()`` ends them at once.

    Raises ``PluginError`` if there is no such executable or it does not start, ``DefinitionError`` if it says no schema.
    """
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.wire.bench import Bench  # noqa: PLC0415 - as above

    wiring = plugin if isinstance(plugin, Wiring) else _started(plugin, protocol, env or {})
    if wiring.provider is None or wiring.protocol is None:
        raise DefinitionError("from_plugin() takes what runs a real provider: attached('127.0.0.1:41915', PROTOCOL).")
    edge = adapter(wiring.protocol)
    bench = Bench(wiring.provider, wiring.protocol, edge.service, patience=patience, idle=idle, shared=wiring.running)
    try:
        return edge.judged(bench, name or wiring.name, config or {})
    except BaseException:
        bench.close()
        raise


def unjudged(journal: Journal) -> list[str]:
    """What the fake answered where a real provider was to be asked: a line for each question, with the reason."""
    return list(dict.fromkeys(f"{call.op} of {call.type}: {reason}" for call, reason in _alone(journal)))


def unjudged_types(journal: Journal, judge: Any) -> set[str]:
    """The types of these questions, and those of engines whose protocol the real provider does not speak."""
    others = {
        entry.call.type
        for entry in journal.entries(side=Side.PROVIDER)
        if entry.call.type and entry.call.session.protocol.family != judge.family
    }
    return others | {call.type for call, _ in _alone(journal)}


def _alone(journal: Journal) -> Iterator[tuple[Call, str]]:
    for entry in journal.entries(side=Side.PROVIDER):
        if entry.reply is not None and entry.reply.unjudged:
            yield entry.call, entry.reply.unjudged


def _started(plugin: str | Path | Sequence[str], protocol: str, env: Mapping[str, str]) -> Wiring:
    """A process for each session, which knows of no credentials."""
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.wire.alone import environment  # noqa: PLC0415 - only real providers need it
    from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - as above

    command = [str(plugin)] if isinstance(plugin, (str, Path)) else list(plugin)
    if not command or shutil.which(command[0]) is None:
        raise PluginError(
            f"There is no executable {command[0] if command else ''!r}. Give the provider's command: a name on PATH, or a path."
        )
    family, package = named(command)
    if not (protocol or family):
        rules = dict.fromkeys(f"{version.executable}NAME" for version in known() if version.executable)
        raise DefinitionError(
            f"{command[0]!r} is named after no protocol's rule ({', '.join(rules)}): say protocol=… and name=…."
        )
    alone = environment(os.environ, env)
    speaks = adapter(of_family(protocol or family)).spoken_by(command, alone)
    start = adapter(speaks).start
    return Wiring(package or "mock", PerSession(lambda call: start(command, call, env=alone)), (), speaks)
