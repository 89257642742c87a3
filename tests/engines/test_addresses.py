"""Which resource each call of the real engines is for: equal resources of real providers and of a fake, in one configuration.

What a call says is compared with the engine's state, which has the object of each address.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from terraform_stage import ENGINES

from mockprovider import tape
from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.double import Double, joint_environment, real, recording
from mockprovider.drivers.terraform import Terraform, TerraformResult
from mockprovider.journal import Entry
from mockprovider.schema import Function, Property, ResourceType
from mockprovider.values import Value

THING = ResourceType(
    "cloud:index:Thing",
    {"size": Property(int), "name": Property(str, forces_new=True), "arn": Property(str, computed="arn:{id}")},
)
ZONE = Function("cloud:index:getZone", {"region": Property(str, required=True)}, {"zone": "zone-{region}"})
REAL = ("random", "null", "local")
ANNOUNCED = frozenset({Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE, Op.INVOKE})

REQUIRED = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
KEYS = ("a b", "$${x}", 'say \\"x\\"', "back\\\\slash", "two\\nlines", "[0].z", "ü", "%%{if}", "module.m.random_id.i[0]")
SPOOF = json.dumps(
    {
        "type": "apply_start",
        "hook": {"action": "delete", "resource": {"addr": "cloud_thing.spoof", "resource_type": "cloud_thing"}},
    }
).replace('"', '\\"')
"""A line as the engine prints it, which a provisioner prints: engines put what it prints into lines of their own."""
MODULE = f"""{REQUIRED}
variable "size" {{
  type = number
}}
variable "name" {{
  type = string
}}
resource "random_id" "i" {{
  count       = 4
  byte_length = 4
}}
resource "random_id" "k" {{
  for_each    = toset([{", ".join(f'"{key}"' for key in KEYS)}])
  byte_length = 4
}}
resource "null_resource" "n" {{
  count    = 4
  triggers = {{ of = random_id.i[count.index].hex }}
}}
resource "local_file" "f" {{
  count    = 4
  content  = "equal"
  filename = "${{path.root}}/${{random_id.i[count.index].hex}}"
}}
resource "cloud_thing" "t" {{
  count = 3
  size  = var.size
  name  = var.name
}}
resource "cloud_thing" "before" {{
  count = 2
  size  = var.size
  name  = var.name
  lifecycle {{
    create_before_destroy = true
  }}
  provisioner "local-exec" {{
    when    = destroy
    command = "echo '{SPOOF}'"
  }}
}}
data "cloud_zone" "z" {{
  count  = 2
  region = random_id.i[count.index].hex
}}
"""
ROOT = """
module "m" {
  for_each = toset(["one", "two"])
  source   = "./m"
  size     = SIZE
  name     = "NAME"
}
"""
MORE = """
resource "random_id" "i" {
  count       = 2
  byte_length = 4
}
"""
MOVED = """
resource "random_id" "j" {
  for_each    = toset(["moved"])
  byte_length = 4
}
moved {
  from = random_id.i[1]
  to   = random_id.j["moved"]
}
"""


FAILING = "cannot be deleted"


class Led:
    """An engine that is led to real providers, which are recorded, and to a fake; each behind a double of its own."""

    def __init__(self, folder: Path, binary: str, ending: ExitStack) -> None:
        self.cassettes = [folder / f"{name}.json" for name in REAL]
        self.fails = False
        recorded = [Double(provider=recording(folder / f"{name}.json", real([f"terraform-provider-{name}"]))) for name in REAL]
        self.doubles = [*map(ending.enter_context, (*recorded, Double(THING, ZONE, layers=(self._layer,))))]
        servings = [double.serve("terraform") for double in self.doubles]
        self.cli = Terraform(folder / "root", lambda: joint_environment(*servings), binary=binary, doubles=self.doubles)
        self.calls = 0

    def _layer(self, call: Call, proceed: Handler) -> Reply:
        fails = self.fails and call.op is Op.DELETE
        return Reply(value=call.prior, id=call.id, failures=(Failure(FAILING),)) if fails else proceed(call)

    def write(self, *, size: int = 1, name: str = "one", more: str = MORE) -> None:
        """The configuration: two copies of the module, and two resources beside them."""
        self.cli.write(MODULE, "m/main.tf")
        self.cli.write(ROOT.replace("SIZE", str(size)).replace("NAME", name) + more)

    def told(self) -> list[Entry]:
        """The calls since the last look that the engine announces."""
        entries = [entry for double in self.doubles for entry in double.journal.entries() if entry.call.op in ANNOUNCED]
        for double in self.doubles:
            double.journal.clear()
        return entries

    def check(self, step: Callable[[], TerraformResult]) -> None:
        """Do this, and compare the address of each call with those that the states before and after have of its object."""
        known = objects(self.cli.state())
        for address, held in objects(step().state).items():
            known[address] |= held
        for entry in self.told():
            assert entry.call.address in known, str(entry)
            assert about(entry) in known[entry.call.address], str(entry)
            self.calls += 1


def objects(state: Mapping[str, Any]) -> dict[str, set[Value]]:
    """What tells the objects of each address of a state from all others; deposed ones belong to their address."""
    held: dict[str, set[Value]] = defaultdict(set)
    for resource in state.get("resources", []):
        mode = "data." if resource["mode"] == "data" else ""
        place = ".".join(filter(None, (resource.get("module"), f"{mode}{resource['type']}.{resource['name']}")))
        for instance in resource["instances"]:
            held[place + index(instance)].add(identity(instance["attributes"]))
    return held


def index(instance: Mapping[str, Any]) -> str:
    """The key of an instance, as engines write it."""
    if "index_key" not in instance:
        return ""
    text = json.dumps(instance["index_key"], ensure_ascii=False)
    return f"[{text.replace('${', '$${').replace('%{', '%%{')}]"


def identity(attributes: Mapping[str, Value]) -> Value:
    """What tells an object from all others: files of equal content have equal ids."""
    return next(attributes[name] for name in ("filename", "zone", "id") if name in attributes)


def about(entry: Entry) -> Value:
    """The object that a call was about."""
    call, reply = entry.call, entry.reply or Reply()
    if call.op in (Op.DELETE, Op.READ):
        return identity({"id": call.id, **(call.prior or {})})
    return identity({"id": reply.id, **(reply.value or {})})


@pytest.fixture
def led(binary: str, tmp_path: Path) -> Iterator[Led]:
    """The engine in its module, with the providers behind it."""
    with ExitStack() as ending:
        led = Led(tmp_path, binary, ending)
        led.write()
        led.cli.command("get")
        yield led


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_each_call_has_the_address_of_its_object(led: Led) -> None:
    """Equal objects by count and for_each, in modules, of four providers: each that is made, read, changed, replaced, moved
    or destroyed is named as in the state; and so it is in the recordings.
    """
    cli = led.cli
    led.check(cli.apply)
    led.write(size=2)
    led.check(cli.apply)
    led.write(size=2, name="two")
    led.fails = True
    led.check(lambda: cli.apply(expect_failure=True))
    led.fails = False
    led.check(cli.refresh)
    led.check(cli.plan)
    led.check(cli.apply)
    led.write(size=2, name="two", more=MOVED)
    led.check(cli.apply)
    led.check(cli.destroy)
    assert led.calls > 500

    for double in led.doubles:
        double.close()
    for path in led.cassettes:
        calls = [call for call in tape.load(path).interactions if call.op in ANNOUNCED]
        assert len(calls) > 50
        assert all(call.address for call in calls)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_in_parallel_no_address_is_claimed(led: Led) -> None:
    """Where the engine works on several resources at a time, no call has an address, and no recording has one."""
    led.cli.parallelism = 10
    led.cli.apply()
    led.cli.destroy()
    assert {entry.call.address for entry in led.told()} == {""}

    for double in led.doubles:
        double.close()
    assert not any(call.address for path in led.cassettes for call in tape.load(path).interactions)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_imports_and_reads_of_what_moved(led: Led) -> None:
    """An import is not announced and has no address; the read that follows it has, and so has the read of what moved."""
    (fake,) = [double for double in led.doubles if double.is_fake]
    fake.cloud.create(THING.token, "t-1", {"size": 5, "name": "by hand"})
    led.cli.write('resource "cloud_thing" "a" {\n  size = 5\n  name = "by hand"\n}\n')
    led.cli.import_("cloud_thing.a", "t-1")
    assert {(entry.call.op, entry.call.address) for entry in fake.journal.entries()} >= {(Op.IMPORT, ""), (Op.READ, "")}
    fake.journal.clear()

    fake.cloud.create(THING.token, "t-2", {"size": 5, "name": "by hand"})
    led.cli.write(
        'resource "cloud_thing" "b" {\n  count = 2\n  size = 5\n  name = "by hand"\n}\n'
        "moved {\n  from = cloud_thing.a\n  to = cloud_thing.b[1]\n}\n"
        'import {\n  to = cloud_thing.b[0]\n  id = "t-2"\n}\n'
    )
    led.cli.apply()
    reads = {entry.call.id: entry.call.address for entry in fake.journal.entries(op="read")}
    assert reads == {"t-1": "cloud_thing.b[1]", "t-2": "cloud_thing.b[0]"}
    assert fake.journal.ops(address="cloud_thing.b[1]") == ["read"]
