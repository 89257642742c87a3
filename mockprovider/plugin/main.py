"""From the command line to a plugin that listens, and to its end. What is slow to load is loaded once it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NoReturn

from mockprovider.errors import MockProviderError
from mockprovider.plugin.asked import Asked, read
from mockprovider.plugin.life import Life

if TYPE_CHECKING:
    from mockprovider.double import Double


def main(arguments: Sequence[str] | None = None, *, double: Double | None = None) -> NoReturn:
    """Be the plugin that the executable's name says, until it is to end; ends the process.

    Args:
        arguments: they begin with the executable's path, and are the command line's unless given.
        double: what is served, and closed at the end; unless given, the double that ``MOCKPROVIDER_RELAY`` names, or the types
            of a file.
    """
    code = run(sys.argv if arguments is None else arguments, double)
    sys.stdout.flush()
    sys.stderr.flush()
    # Calls may hang in threads of the server that Python would wait for.
    os._exit(code)


def run(arguments: Sequence[str], double: Double | None) -> int:
    """Be the plugin; the exit code."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        asked = read(arguments, os.environ)
        life = Life(asked.protocol)
        with ExitStack() as stack:
            introduction = _listen(asked, life, stack, double)
            print(introduction, flush=True)
            life.wait()
    except MockProviderError as error:
        # Terraform shows its user what a plugin wrote only if it looks as a crash does (reference 1.5).
        crash = "panic: " if os.environ.get("TF_PLUGIN_MAGIC_COOKIE") else ""
        print(f"{crash}{error}", file=sys.stderr)
        return 1
    return 0


def _listen(asked: Asked, life: Life, stack: ExitStack, double: Double | None) -> str:
    if asked.protocol == "pulumi":
        from mockprovider.plugin.pulumi import listen as listen_pulumi  # noqa: PLC0415 - see the module's first line

        return listen_pulumi(asked, life, stack, double)
    from mockprovider.plugin.terraform import listen as listen_terraform  # noqa: PLC0415 - see the module's first line

    return listen_terraform(asked, life, stack, double)
