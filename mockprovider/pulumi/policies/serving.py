"""Policy packs of this process, as plugins that the real ``pulumi`` starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from mockprovider.files import make_folder
from mockprovider.pulumi.policies.analyzing import PackAnalyzer
from mockprovider.pulumi.policies.declaring import PolicyPack
from mockprovider.pulumi.sdk import analyzer_pb2
from mockprovider.wire.server import serve

ANALYZER = analyzer_pb2.DESCRIPTOR.services_by_name["Analyzer"]

# It answers nothing itself: engines only want to start something that prints a port, and lives as long as they do.
EXECUTABLE = """#!/bin/sh
echo {port}
while kill -0 $PPID 2>/dev/null; do sleep 1; done
"""


@contextmanager
def served(analyzer: PackAnalyzer) -> Iterator[int]:
    """While the block runs, ``pulumirpc.Analyzer`` is served on loopback, at the port given."""
    with serve([], handlers=[_handler(analyzer)]) as server:
        yield server.port


@contextmanager
def as_plugins(policies: Sequence[PolicyPack | Path | str], folder: Path) -> Iterator[list[str]]:
    """While the block runs, ``pulumi --policy-pack`` takes the paths given: packs are served, other paths are made absolute.

    Executables of packs are written to ``folder``. Two packs of one name have one name there, so the last one wins.
    """
    with ExitStack() as ending:
        paths = []
        for number, policy in enumerate(policies):
            if not isinstance(policy, PolicyPack):
                paths.append(str(Path(policy).absolute()))
                continue
            port = ending.enter_context(served(PackAnalyzer(policy)))
            make_folder(folder)
            executable = folder / f"pack-{number}"
            executable.write_text(EXECUTABLE.format(port=port), encoding="utf-8")
            executable.chmod(0o755)
            paths.append(str(executable))
        yield paths


def _handler(analyzer: PackAnalyzer) -> Any:
    methods = {
        rpc.name: grpc.unary_unary_rpc_method_handler(
            _behave(getattr(analyzer, rpc.name)),
            GetMessageClass(rpc.input_type).FromString,
            lambda answer: bytes(answer.SerializeToString()),
        )
        for rpc in ANALYZER.methods
        if hasattr(analyzer, rpc.name)
    }
    return grpc.method_handlers_generic_handler(ANALYZER.full_name, methods)


def _behave(method: Callable[[Any], Any]) -> Callable[[Any, grpc.ServicerContext], Any]:
    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        try:
            return method(request)
        except Exception as error:  # noqa: BLE001 - a policy may raise anything, and gRPC would show more than that
            context.abort(grpc.StatusCode.UNKNOWN, str(error))

    return behave
