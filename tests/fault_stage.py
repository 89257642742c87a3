"""A stage for faults: one resource under any engine, a run that is broken, and the run after it; what came of it as words."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pulumi

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cloud import CloudObject
from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.engine import Stack
from mockprovider.errors import ProgramError
from mockprovider.schema import Property, ResourceType, Step

TYPE = "cloud:index:Thing"
OUTCOMES = Path(__file__).resolve().parent.parent / "docs" / "fault-outcomes.json"

ROWS = (
    'on.create().error("over quota", status="resource_exhausted")',
    'on.create().error("timed out").at("after")',
    'on.create().rpc_error("internal")',
    "on.create().partial()",
    'on.create().partial().at("mid", step="allocate")',
    "on.create().lose_reply()",
    'on.create().lose_reply("reset")',
    'on.create().lose_reply("half")',
    "on.create().malformed()",
    "on.create().duplicate()",
    "on.create().crash()",
    'on.create().crash().at("after")',
    "on.create().cancel()",
    'on.create().cancel().at("before")',
    'on.create().cancel(then="forget")',
    'on.create().cancel(then="finish")',
    "on.create().cancel(late=600)",
    'on.create().cancel(signal="terminate")',
    'on.create().cancel(times=2, then="ignore")',
    'on.create().kill_engine().at("after")',
    "on.create().lose_state()",
    "on.create().hang()",
    'on.create().hang(then="finish")',
    "on.create().latency(600)",
    "on.create().latency(2700)",
    'on.create().latency(2700).at("before")',
    "on.create().throttle()",
    "on.create().throttle(gives_up=True)",
    'on.create().warning("deprecated")',
    "on.create().null()",
    'on.create().altered(id="")',
    'on.create().altered(unknown=["arn"])',
    'on.create().altered(values={"label": "two"})',
    'on.create().altered(values={"extra": 1})',
    'on.create().altered(values={"size": "large"})',
    'on.create().altered(without=["arn"])',
    'on.create().drift({"label": "drifted"})',
    'on.update().error("no")',
    "on.update().partial()",
    "on.update().partial(applied=[])",
    "on.update().partial(applied=[], claimed=True)",
    "on.update().lose_reply()",
    "on.update().cancel()",
    'on.update().altered(id="other")',
    'on.read().error("no")',
    "on.read().absent()",
    "on.read().stale()",
    'on.delete().error("held")',
    "on.delete().lose_reply()",
    "on.delete().vanish()",
    'on.configure().error("bad credentials")',
    'on.check().error("wrong")',
)
"""The faults of the table, as a test writes them."""

OPERATIONS: Mapping[str, str] = {"update": "up", "read": "refresh", "delete": "destroy"}
"""What the broken run does where it is not the first; the first run creates."""


def double() -> Double:
    """A double of one type, which is made in two steps."""
    properties = {
        "label": str,
        "size": int,
        "arn": Property(str, computed="arn:{id}"),
        "address": Property(str, computed="10.{id}"),
    }
    steps = [Step("allocate", fills=("arn",)), Step("attach", fills=("address",))]
    return Double(ResourceType(TYPE, properties, steps=steps, timeouts={"create": 1800}))


class Thing(pulumi.CustomResource):
    """The resource."""

    def __init__(self, name: str, bag: dict[str, Any]) -> None:
        super().__init__(TYPE, name, bag)


class Embedded:
    """The embedded engine."""

    def __init__(self, double: Double, _: Path) -> None:
        self._stack = Stack(double, timeout=30)

    def run(self, operation: str, size: int, **options: Any) -> Any:
        """Run an operation."""
        programs = [lambda: _registered(size)] if operation == "up" else []
        return getattr(self._stack, operation)(*programs, **options)

    def remembered(self) -> dict[str, str]:
        """What the state has: ids, and what is special about each."""
        return _of_deployment(self._stack.export())


def _registered(size: int) -> None:
    Thing("a", {"label": "one", "size": size})


class Pulumi:
    """The real ``pulumi``."""

    def __init__(self, double: Double, folder: Path) -> None:
        serving = double.serve("pulumi")
        self._cli = PulumiCli(folder, lambda: serving.environment, doubles=[double])

    def run(self, operation: str, size: int, **options: Any) -> Any:
        """Run an operation; a lock that a killed run left is taken away first, as its user would."""
        program = {"resources": {"a": {"type": TYPE, "properties": {"label": "one", "size": size}}}}
        if any(self._cli.backend.glob(".pulumi/locks/**/*.json")):
            self._cli.command("cancel", "--yes")
        return getattr(self._cli, operation)(*[program][: operation == "up"], **options)

    def remembered(self) -> dict[str, str]:
        """What the state has: ids, and what is special about each."""
        return _of_deployment(self._cli.export())


def _of_deployment(exported: Mapping[str, Any]) -> dict[str, str]:
    deployment = exported["deployment"]
    things = (resource for resource in deployment.get("resources") or () if resource["type"] == TYPE)
    states = {
        thing["id"]: f"half-made, size {_size(thing)}" if thing.get("initErrors") else f"size {_size(thing)}"
        for thing in things
    }
    pending = (operation["type"] for operation in deployment.get("pending_operations") or ())
    return states | {f"pending {kind}": f"pending {kind}" for kind in pending}


def _size(thing: Mapping[str, Any]) -> Any:
    size = (thing.get("outputs") or {}).get("size")
    return int(size) if isinstance(size, float) else size


class HashiCorp:
    """``terraform`` or ``tofu``, over protocol 5 or 6."""

    def __init__(self, double: Double, folder: Path, binary: str, major: int) -> None:
        serving = double.serve("terraform", major=major)
        self._cli = Terraform(folder, lambda: serving.environment, binary=binary, doubles=[double])

    def run(self, operation: str, size: int, **options: Any) -> Any:
        """Run an operation."""
        block = f'resource "cloud_thing" "a" {{\n  label = "one"\n  size = {size}\n}}\n'
        source = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
        self._cli.write(source + block)
        return getattr(self._cli, {"up": "apply"}.get(operation, operation))(**options)

    def remembered(self) -> dict[str, str]:
        """What the state has: ids, and what is special about each."""
        path = self._cli.folder / "terraform.tfstate"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        # A killed engine leaves an empty file.
        resources = json.loads(text)["resources"] if text else []
        return {
            instance["attributes"]["id"] or "no id": ("tainted, " if instance.get("status") else "")
            + f"size {instance['attributes']['size']}"
            for resource in resources
            for instance in resource["instances"]
        }


ENGINES: Mapping[str, Callable[[Double, Path], Any]] = {
    "embedded": Embedded,
    "pulumi": Pulumi,
    "terraform": lambda double, folder: HashiCorp(double, folder, "terraform", 6),
    "terraform5": lambda double, folder: HashiCorp(double, folder, "terraform", 5),
    "tofu": lambda double, folder: HashiCorp(double, folder, "tofu", 6),
}


def outcome(row: str, engine: str, folder: Path) -> dict[str, Any]:
    """What comes of a fault: whether the run fails, what the state then says, how many objects there are, and the next run.

    The words are those of docs/faults.md. ``unfired`` stands alone where nothing asks for the op.
    """
    with double() as provider:
        stage = ENGINES[engine](provider, folder)
        op = row.split("(", maxsplit=1)[0].removeprefix("on.")
        operation = OPERATIONS.get(op, "up")
        if op in OPERATIONS:
            stage.run("up", 1)
        rule = eval(f"provider.faults.{row}", {"provider": provider})
        size = 2 if op == "update" else 1
        with ended() as failed, interrupted(provider, row):
            stage.run(operation, size)
        if not rule.fired:
            return {"unfired": True}
        state, objects = stage.remembered(), provider.cloud.objects()
        with ended() as failed_again:
            after = stage.run("up", size)
        provider.errors.clear()
        return {
            "run": "fails" if failed else "succeeds",
            "state": ", ".join(sorted(state.values())) or "nothing",
            "cloud": len(objects),
            "next": "fails" if failed_again else " and ".join(sorted(after.summary)) or "nothing",
            "orphans": len(orphans(provider.cloud.objects(), stage.remembered())),
        }


def orphans(objects: list[CloudObject], remembered: Mapping[str, str]) -> list[str]:
    """The ids of what exists, and the state does not have."""
    return [cloud_object.id for cloud_object in objects if cloud_object.id not in remembered]


@contextmanager
def interrupted(provider: Double, row: str) -> Iterator[None]:
    """Ctrl-C for the engine once a create hangs, if the row is about that."""
    if ".hang(" not in row:
        yield
        return
    hanging: Queue[Call | None] = Queue()

    def note(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        if call.op is Op.CREATE:
            hanging.put(call)
        return reply

    def press() -> None:
        if (call := hanging.get()) is not None:
            provider.engines.interrupt(call, "interrupt")

    provider.use(note)
    finger = Thread(target=press)
    finger.start()
    try:
        yield
    finally:
        hanging.put(None)
        finger.join()


@contextmanager
def ended() -> Iterator[list[str]]:
    """A run that may fail: what it said then."""
    said: list[str] = []
    try:
        yield said
    except ProgramError as error:
        said.append(str(error))


FAMILIES: Mapping[str, tuple[str, ...]] = {
    "all": tuple(ENGINES),
    "Pulumi": ("embedded", "pulumi"),
    "Terraform": ("terraform", "terraform5", "tofu"),
}
"""What the table calls engines that do the same."""


def _families(engines: list[str]) -> str:
    return next((family for family, members in FAMILIES.items() if members == tuple(engines)), ", ".join(engines))


def table() -> str:
    """The table of docs/faults.md, of what the engines were seen to do."""
    return rows(ROWS)


def rows(wanted: Iterable[str]) -> str:
    """A table of these rows."""
    seen = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    lines = ["| fault | engine | run | state | objects | next run | orphans |", "|---|---|---|---|---|---|---|"]
    for row in wanted:
        by_outcome: dict[str, list[str]] = {}
        for engine, result in seen[row].items():
            if "unfired" not in result:
                cells = [result["run"], result["state"], str(result["cloud"]), result["next"], str(result["orphans"])]
                by_outcome.setdefault(" | ".join(cells), []).append(engine)
        lines += [f"| `{row}` | {_families(engines)} | {cells} |" for cells, engines in by_outcome.items()]
    return "\n".join(lines)


def write(anew: Iterable[str]) -> None:
    """Try these rows under every engine, and write down what came of them, for docs/faults.md."""
    before_now = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    seen: dict[str, dict[str, Any]] = {row: before_now.get(row, {}) for row in ROWS}
    for row in anew:
        for engine in ENGINES:
            with TemporaryDirectory() as folder:
                seen[row][engine] = outcome(row, engine, Path(folder) / "engine")
    OUTCOMES.write_text(json.dumps(seen, indent=1) + "\n", encoding="utf-8")
    page = OUTCOMES.with_name("faults.md")
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- outcomes -->\n")
    after = rest.partition("<!-- /outcomes -->")[2]
    page.write_text(f"{before}<!-- outcomes -->\n{table()}\n<!-- /outcomes -->{after}", encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or ROWS)
