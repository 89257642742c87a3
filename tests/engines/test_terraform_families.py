"""Families of equal objects of real providers, recorded and replayed: right or refused, and never by scheduling.

Through our driver, which works serially on cassettes, every replay equals the recording. At the engine's own parallelism
nothing says which object is which: a family is told apart by what renaming explains, or refused in each replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from kept_terraform import module_state
from msgspec import Struct
from terraform_stage import ENGINES

from mockprovider.double import Double, real, recording, replaying
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import ProgramError

Instances = Mapping[str, list[Mapping[str, Any]]]


class Family(Struct):
    """Equal objects and what hangs on them: each configuration is applied in turn, and at the end all is destroyed.

    ``fits`` says of the attributes by address whether what hangs on an object is its own. ``tellable`` is what a replay at the
    engine's own parallelism comes to.
    """

    provider: str
    steps: tuple[str, ...]
    fits: Callable[[Instances], bool] = lambda _: True
    tellable: bool = True


def hangs_together(states: Instances) -> bool:
    """Each password keeps the id that has its index."""
    ids, passwords = states.get("random_id.i", []), states.get("random_password.p", [])
    return all(one["keepers"]["id"] == other["hex"] for one, other in zip(passwords, ids, strict=False))


def certifies(states: Instances) -> bool:
    """The certificate's request was signed with the key that is called like it."""
    keys = {name[-1]: found[0] for name, found in states.items() if name.startswith("tls_private_key")}
    requests = {name[-1]: found[0] for name, found in states.items() if name.startswith("tls_cert_request")}
    return all(request["private_key_pem"] == keys[name]["private_key_pem"] for name, request in requests.items())


ID = 'resource "random_id" "i" {{\n  count = {count}\n  byte_length = 4\n  keepers = {{ {keepers} }}\n}}\n'
PASSWORD = """
resource "random_password" "p" {{
  count   = {count}
  length  = 12
  keepers = {{ id = random_id.i[count.index].hex, {keepers} }}
}}
"""
ONE_KEY, THREE_KEYS = 'app = "shop"', 'app = "shop", env = "dev", tier = "web"'
KEY = 'resource "tls_private_key" "{name}" {{\n  algorithm = "ED25519"\n}}\n'
REQUEST = """
resource "tls_cert_request" "{name}" {{
  private_key_pem = tls_private_key.{name}.private_key_pem
  subject {{ common_name = "{common}" }}
}}
"""
OTHER = 'resource "random_id" "other" {{\n  count = {count}\n  byte_length = 4\n  keepers = {{ {keepers} }}\n}}\n'


def ids(count: int, keepers: str, passwords: bool = True) -> str:
    """So many equal ids, each with a password."""
    text = ID.format(count=count, keepers=keepers)
    return text + (PASSWORD.format(count=count, keepers=keepers) if passwords else "")


FAMILIES = {
    "five, one key": Family("random", (ids(5, ONE_KEY),), hangs_together),
    "five, three keys": Family("random", (ids(5, THREE_KEYS),), hangs_together),
    "shrink and grow": Family("random", (ids(5, THREE_KEYS), ids(2, THREE_KEYS), ids(4, THREE_KEYS)), hangs_together),
    "two equal families": Family("random", (ids(3, ONE_KEY) + OTHER.format(count=3, keepers=ONE_KEY),), hangs_together, False),
    "by index": Family(
        "random",
        (ids(3, ONE_KEY).replace("length  = 12", "length  = 12 + count.index"),),
        hangs_together,
        tellable=False,
    ),
    "a key with a request, and one without": Family(
        "tls", (KEY.format(name="a") + KEY.format(name="b") + REQUEST.format(name="a", common="a"),), certifies, tellable=False
    ),
    "two keys with equal requests": Family(
        "tls",
        ("".join(KEY.format(name=name) + REQUEST.format(name=name, common="same") for name in "ab"),),
        certifies,
    ),
}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    name: str = request.param
    return name


def by_address(state: Mapping[str, Any]) -> Instances:
    """The attributes of every instance, in the order of their indices."""
    return {
        f"{resource['type']}.{resource['name']}": [
            one["attributes"] for one in sorted(resource["instances"], key=lambda one: one.get("index_key", 0))
        ]
        for resource in state["resources"]
    }


def lived(double: Double, folder: Path, engine: str, family: Family, parallelism: int | None = None) -> Iterator[Any]:
    """The state after each step."""
    with double:
        serving = double.serve("terraform")
        cli = Terraform(folder, lambda: serving.environment, binary=engine, doubles=[double], parallelism=parallelism)
        for step in family.steps:
            cli.write(step)
            state = cli.apply().state
            assert family.fits(by_address(state))
            assert cli.plan().exit_code == 0
            yield module_state(state)
        yield module_state(cli.destroy().state)
        double.raise_errors()


FIFTY = Family("random", (ids(50, THREE_KEYS),), hangs_together)


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    """Each family in turn."""
    return FAMILIES[request.param]


@pytest.mark.trial("equal-objects-under-engines", pinned=2, cases=25)
def test_a_family_is_right_or_refused(engine: str, family: Family, tmp_path: Path, seeds: Iterator[int]) -> None:
    """Serially each replay equals the recording; in parallel it hangs together, or is refused each time."""
    replays(engine, family, tmp_path, seeds)


@pytest.mark.trial("equal-objects-under-engines", pinned=1, cases=25)
def test_fifty_equal_objects(engine: str, tmp_path: Path, seeds: Iterator[int]) -> None:
    """So it is with fifty equal objects, and as many that hang on them."""
    replays(engine, FIFTY, tmp_path, seeds)


def replays(engine: str, family: Family, tmp_path: Path, seeds: Iterator[int]) -> None:
    """Record a family, and replay it serially and in parallel in every case."""
    path = tmp_path / "family.json"
    command = [f"terraform-provider-{family.provider}"]
    live = [*lived(Double(provider=recording(path, real(command, "terraform"))), tmp_path / "live", engine, family)]
    for case in seeds:
        assert [*lived(Double(provider=replaying(path)), tmp_path / f"serial {case}", engine, family)] == live
        parallel = lived(Double(provider=replaying(path)), tmp_path / f"parallel {case}", engine, family, 10)
        if family.tellable:
            assert len([*parallel]) == len(live)
        else:
            with pytest.raises(ProgramError, match="nothing says which of these objects this one is"):
                next(parallel)


PET = 'resource "random_pet" "p" {{\n  count = {count}\n}}\n'


@pytest.mark.parametrize("parallelism", [None, 10])
def test_one_resource_more_than_recorded(engine: str, parallelism: int | None, tmp_path: Path) -> None:
    """Applied, destroyed and applied again with one pet: a second pet is not given what the first one got the other time."""
    path = tmp_path / "pets.json"

    def cli_of(double: Double, folder: Path) -> Terraform:
        serving = double.serve("terraform")
        return Terraform(folder, lambda: serving.environment, binary=engine, doubles=[double], parallelism=parallelism)

    with Double(provider=recording(path, real(["terraform-provider-random"], "terraform"))) as double:
        cli = cli_of(double, tmp_path / "live")
        cli.write(PET.format(count=1))
        names = []
        for _ in range(2):
            names.append(cli.apply().resource("random_pet.p")["attributes"]["id"])
            cli.destroy()
    assert names[0] != names[1]
    with Double(provider=replaying(path)) as double:
        cli = cli_of(double, tmp_path / "two")
        cli.write(PET.format(count=2))
        with pytest.raises(ProgramError, match="in no session more often than this session has asked already"):
            cli.apply()
    with Double(provider=replaying(path)) as double:
        cli = cli_of(double, tmp_path / "one")
        cli.write(PET.format(count=1))
        for name in names:
            assert cli.apply().resource("random_pet.p")["attributes"]["id"] == name
            cli.destroy()
        double.raise_errors()
