"""An up of 1,000 resources on the embedded engine, against ``pulumi.runtime.set_mocks`` running the same program.

Each side has a process of its own, so that its peak of memory is its own; importing ``pulumi`` is not counted on either side.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from measure import Row, report

COUNT = 1000
PEERS = ("engine", "mocks")
MIB = 1024 * 1024 if sys.platform == "darwin" else 1024
"""What ``ru_maxrss`` is counted in: bytes on macOS, kilobytes elsewhere."""


def program() -> None:
    """A thousand resources with an input and an output each."""
    import pulumi  # noqa: PLC0415 - only the measured processes need it

    class Bucket(pulumi.CustomResource):
        def __init__(self, name: str) -> None:
            super().__init__("cloud:index:Bucket", name, {"name": name, "acl": "private", "arn": None})

    for index in range(COUNT):
        pulumi.export(f"arn{index}", Bucket(f"bucket-{index}").arn)  # type: ignore[attr-defined]


def on_engine() -> Callable[[], int]:
    """What runs the program on the embedded engine, and tells how many resources it made."""
    from layers import BUCKET  # noqa: PLC0415 - each side loads only its own

    from mockprovider.double import Double  # noqa: PLC0415 - as above
    from mockprovider.engine import Stack  # noqa: PLC0415 - as above

    return lambda: Stack(Double(BUCKET)).up(program, timeout=600).summary["create"]


def on_mocks() -> Callable[[], int]:
    """What runs the program on the SDK's own mocks, and tells how many resources they made."""
    import pulumi  # noqa: PLC0415 - each side loads only its own

    made: list[str] = []

    class Mocks(pulumi.runtime.Mocks):
        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, object]]:
            made.append(args.name)
            return f"{args.name}-id", {**args.inputs, "arn": f"arn:cloud:::{args.name}-id"}

        def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, object]:
            return args.args

    def run() -> int:
        pulumi.runtime.test(program)()
        return len(made)

    pulumi.runtime.set_mocks(Mocks())
    return run


def measured(peer: str) -> dict[str, float]:
    """Seconds and MiB of one side, in this process."""
    run = {"engine": on_engine, "mocks": on_mocks}[peer]()
    import pulumi.runtime.rpc_manager  # noqa: F401, PLC0415 - loaded before the clock starts, on both sides

    start = time.perf_counter()
    made = run()
    seconds = time.perf_counter() - start
    if made != COUNT:
        sys.exit(f"{peer} made {made} resources instead of {COUNT}: what was measured is not what it says.")
    return {"seconds": seconds, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB}


def rows() -> Iterator[Row]:
    """Two rows: the time and the peak of memory."""
    taken = {}
    for peer in PEERS:
        run = subprocess.run([sys.executable, __file__, peer], check=True, stdout=subprocess.PIPE, env=dict(os.environ))
        taken[peer] = json.loads(run.stdout)
    ours, theirs = (taken[peer] for peer in PEERS)
    what = f"up of {COUNT:,} resources, embedded engine"
    yield Row(what, "s", ours["seconds"], "pulumi.runtime.set_mocks", theirs["seconds"], "")
    yield Row(f"{what}, peak memory", "MiB", ours["mib"], "pulumi.runtime.set_mocks", theirs["mib"], "200 MiB")


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(measured(sys.argv[1])))
    else:
        report(rows())
