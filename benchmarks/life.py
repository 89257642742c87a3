"""A program of 27 resources with a large schema, kept on disk: up, second up and destroy, against a run with ``set_mocks``.

Milliseconds of processor time, each side in a process of its own, twice: what the runs take (reading the schema counts,
importing does not), and what the whole process takes, as somebody waits for it who starts one test.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Row, report

COUNT, TYPES, ATTRIBUTES = 27, 1500, 50
ROUNDS = 5
SCHEMA = Path(os.environ.get("BENCHMARK_SCHEMA", "schema.json"))


def schema_text() -> str:
    """A package of 1,500 types, as large as AWS's."""
    properties = {f"property{index}": {"type": "string", "description": "What it is."} for index in range(ATTRIBUTES)}
    resource = {"inputProperties": properties, "properties": {**properties, "arn": {"type": "string"}}, "required": ["arn"]}
    return json.dumps({"name": "large", "resources": {f"large:index:Type{index}": resource for index in range(TYPES)}})


def program() -> None:
    """Resources of nine types, each of which gets an output of the one before."""
    import pulumi  # noqa: PLC0415 - only the measured processes need it

    class Thing(pulumi.CustomResource):
        def __init__(self, index: int, source: pulumi.Input[str]) -> None:
            inputs = {"property0": f"thing-{index}", "property1": source, "arn": None}
            super().__init__(f"large:index:Type{index % 9 * 100}", f"thing-{index}", inputs)

    source: pulumi.Input[str] = "the first one"
    for index in range(COUNT):
        source = Thing(index, source).arn  # type: ignore[attr-defined]
    pulumi.export("last", source)


def on_engine() -> Callable[[], int]:
    """What reads the schema and takes the program through its life, and tells how many resources it made."""
    from mockprovider import Double, Stack, from_schema  # noqa: PLC0415 - each side loads only its own

    def run() -> int:
        with Double(from_schema(SCHEMA.read_text(encoding="utf-8"))) as double:
            stack = Stack(double)
            made = stack.up(program).summary["create"]
            again = stack.up(program).summary
            stack.destroy()
            return made if not again and not double.cloud.objects() else 0

    return run


def on_mocks() -> Callable[[], int]:
    """What runs the program on the SDK's own mocks, and tells how many resources they made."""
    import pulumi  # noqa: PLC0415 - each side loads only its own

    made: list[str] = []

    class Mocks(pulumi.runtime.Mocks):
        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, object]]:
            made.append(args.name)
            return f"{args.name}-id", {**args.inputs, "arn": f"arn:{args.name}"}

        def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, object]:
            return args.args

    def run() -> int:
        pulumi.runtime.set_mocks(Mocks())
        pulumi.runtime.test(program)()
        return len(made)

    return run


def measured(peer: str) -> tuple[float, float]:
    """Milliseconds of one side: of its runs, and of this process."""
    run = {"engine": on_engine, "mocks": on_mocks}[peer]()
    # What either side would import during its first run: the SDK, and what of ours waits for it.
    for module in ("pulumi.runtime.rpc_manager", *(["mockprovider.engine.programs.monitor"] if peer == "engine" else [])):
        importlib.import_module(module)

    start = time.process_time()
    made = run()
    end = time.process_time()
    if made != COUNT:
        sys.exit(f"{peer} made {made} resources instead of {COUNT}: what was measured is not what it says.")
    return (end - start) * 1000, end * 1000


def rows() -> Iterator[Row]:
    """Two rows: the best of some rounds on each side, in turns, since noise only ever adds."""
    taken: dict[str, list[tuple[float, float]]] = {"engine": [], "mocks": []}
    with tempfile.TemporaryDirectory() as folder:
        schema = Path(folder) / "schema.json"
        schema.write_text(schema_text(), encoding="utf-8")
        kept = {"BENCHMARK_SCHEMA": str(schema), "MOCKPROVIDER_CACHE": str(Path(folder) / "cache")}
        # Where a machine keeps no bytecode, what is installed has some all the same, and a working copy would have none.
        kept |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
        for number in range(ROUNDS + 1):
            for peer, times in taken.items():
                command = [sys.executable, __file__, peer]
                run = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | kept)
                # The first round reads the schema and compiles what is imported.
                times.extend([tuple(json.loads(run.stdout))] if number else [])
    what = f"up, second up and destroy of {COUNT} resources with a kept schema"
    for part, name in enumerate((what, f"{what}, the whole process")):
        ours, theirs = (min(measure[part] for measure in times) for times in taken.values())
        yield Row(name, "ms", ours, "pulumi.runtime.set_mocks, one run", theirs, "3 x")


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(measured(sys.argv[1])))
    else:
        report(rows())
