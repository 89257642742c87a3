"""The recordings in cassettes/: what each is made of, how it is made, and how it is replayed.

A *life* is what happens between an engine and a provider from the first up to the destroy. A kept cassette is the recording of
one, made under one engine; beside it lie the states that the engine had after each step.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import kept_aws
from both_engines import resources
from engine_toolbox import BUCKET, TYPES, Bucket, Remote, Thing
from kept_aws import aws_life, aws_names_life
from kept_terraform import (
    FAKE,
    LOCAL,
    MASK,
    NULL,
    RANDOM,
    RANDOM_EQUAL,
    RANDOM_IMPORTS,
    RANDOM_NAMES,
    TIME,
    TIME_IMPORTS,
    TLS,
    TLS_EQUAL,
    TOGETHER,
    equal_life,
    names_life,
    random_names_right,
    terraform_life,
)
from msgspec import Struct

from mockprovider.double import Double, Wiring, joint_environment, real, recording, recording_all, replaying_all
from mockprovider.schema import Package, Property, ResourceType
from mockprovider.values import Secret

HOUSE = Path(__file__).resolve().parent.parent
CASSETTES = HOUSE / "cassettes"
STATES = ".states.json"
ENGINES: Mapping[str, tuple[str, ...]] = {"pulumi": ("embedded", "pulumi"), "terraform": ("terraform", "tofu")}
"""The engines of each protocol, by the names that cassettes have of them."""

FILES = [sys.executable, str(HOUSE / "examples/files/provider.py")]
FILE = "files:index:File"
SITE = "sites:index:Site"
SITES = [sys.executable, str(HOUSE / "examples/sites/provider.py")]
SECRET = "correct horse battery staple"
SITES_CONFIG = {"sites:footer": "made by hand", "sites:licence": Secret(SECRET), "project:pin": Secret("p:n")}

Touch = Callable[[], object]
States = list[dict[str, Any]]


class Live(Struct):
    """A provider to record: what stands behind the double, what the double itself serves, how to change things by hand.

    Of several providers, what stands behind the double of each, by its name.
    """

    behind: Wiring | dict[str, Wiring]
    definitions: tuple[Any, ...] = ()
    drift: Callable[[Double], object] = lambda _: None


class Kept(Struct, frozen=True):
    """A folder of cassettes. ``live`` gives its provider, with a folder that it may use; ``life`` is what was recorded, and
    ``under`` the engines that it was recorded under; ``serial`` says that they work on one resource at a time.
    """

    name: str
    protocol: str
    live: Callable[[Path], Live]
    life: Callable[[Any, Touch], States]
    under: tuple[str, ...]
    compact: bool = False
    config: Mapping[str, str | Secret] = {}
    serial: bool = False

    def path(self, engine: str) -> Path:
        """The cassette that was recorded under ``engine``."""
        return CASSETTES / self.name / f"{engine}.json"

    def states(self, engine: str) -> States:
        """The states that the engine had while the cassette was recorded."""
        found: States = json.loads(self.path(engine).with_suffix(STATES).read_text(encoding="utf-8"))
        return found

    def record(self, engine: str, path: Path, folder: Path) -> States:
        """Record the life under ``engine`` to ``path``; returns the states."""
        live = self.live(folder)
        created_by = f"tools/record-cassettes {self.name}"
        wirings: Mapping[str, Wiring]
        if isinstance(live.behind, dict):
            wirings = recording_all(path, live.behind, self.protocol, created_by=created_by, compact=self.compact)
        else:
            wirings = {"": recording(path, live.behind, self.protocol, created_by=created_by, compact=self.compact)}
        doubles = [Double(*live.definitions, provider=wiring) for wiring in wirings.values()]
        return self._lived(engine, doubles, folder, lambda: live.drift(doubles[0]))

    def replay(self, engine: str, path: Path, folder: Path) -> States:
        """Live it again under ``engine`` with nothing but the cassette; returns the states."""
        doubles = [Double(provider=wiring) for wiring in replaying_all(path).values()]
        states = self._lived(engine, doubles, folder, lambda: None)
        assert [line for double in doubles for line in double.unplayed] == [], "a whole life plays each recorded change"
        return states

    def _lived(self, engine: str, doubles: Sequence[Double], folder: Path, touch: Touch) -> States:
        with ExitStack() as ending:
            for double in doubles:
                ending.enter_context(double)
            states = self.life(self._driver(engine, doubles, folder), touch)
            for double in doubles:
                double.raise_errors()
        return states

    def _driver(self, engine: str, doubles: Sequence[Double], folder: Path) -> Any:
        """An engine with the stack's configuration."""
        if engine == "embedded":
            from mockprovider.engine import Stack  # noqa: PLC0415 - imports pulumi, which is slow

            return Stack(doubles[0], config=self.config)
        found = driver(engine, doubles, folder / engine, serial=self.serial)
        if self.config:
            found.config(**{key.replace(":", "__"): value for key, value in self.config.items()})
        return found


def driver(engine: str, doubles: Sequence[Double], folder: Path, *, serial: bool = False) -> Any:
    """An engine's command line by name, led to ``doubles``. Where it knows them, it works serially on a cassette."""
    if engine == "pulumi":
        from mockprovider.drivers.pulumi import PulumiCli  # noqa: PLC0415 - only where there is one

        served = doubles[0].serve("pulumi")
        return PulumiCli(folder, lambda: served.environment)
    from mockprovider.drivers.terraform import Terraform  # noqa: PLC0415 - only where there is one

    reattached = [double.serve("terraform") for double in doubles]
    known = doubles if serial else ()
    return Terraform(folder, lambda: joint_environment(*reattached), binary=engine, doubles=known)


# Comparing -------------------------------------------------------------------------------------------------------------


def stack_state(exported: Mapping[str, Any]) -> dict[str, Any]:
    """A Pulumi state without what differs from run to run: times, the ids of providers, the order of what has none; and
    without its secrets.
    """
    return {"resources": [_masked(each) for each in resources(exported)]}


def _masked(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_masked(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    return {key: MASK if key in ("plaintext", "ciphertext") else _masked(each) for key, each in tree.items()}


# A real Pulumi provider ------------------------------------------------------------------------------------------------


def files(folder: Path) -> Live:
    """The example's provider of real files."""
    place = folder / "files"
    place.mkdir(parents=True)
    behind = real(FILES, name="files", env={"FILES_FOLDER": str(place)})

    def drift(_: Double) -> None:
        (place / "hello.txt").write_text("changed by hand\n", encoding="utf-8")
        (place / "second.txt").unlink()

    return Live(behind, drift=drift)


def files_life(stack: Any, touch: Touch) -> States:
    """Up, up again, update, replace, refresh with drift and with a vanished file, up that mends both, destroy."""
    import pulumi  # noqa: PLC0415 - slow

    wanted = {"content": "hello\n", "path": "first.txt"}

    def program() -> None:
        hello = Thing(FILE, "hello", content=wanted["content"], sha256=None)
        Thing(FILE, "named", content=hello.sha256, path=wanted["path"])
        pulumi.export("sha256", hello.sha256)

    return pulumi_life(stack, touch, program, wanted, {"content": "goodbye\n"}, {"path": "second.txt"})


def sites(folder: Path) -> Live:
    """The example's provider of components, which are made of real files."""
    place = folder / "files"
    place.mkdir(parents=True)
    behind = real(SITES, name="sites", env={"FILES_FOLDER": str(place)})
    return Live(behind, drift=lambda _: (place / "home-index.txt").write_text("changed by hand\n", encoding="utf-8"))


def sites_life(stack: Any, touch: Touch) -> States:
    """Two components by Construct, the second below the first, with a secret, and a method by Call; updated and destroyed."""
    import pulumi  # noqa: PLC0415 - slow

    wanted = {"title": "Home"}

    def program() -> None:
        home = Remote(SITE, "home", title=wanted["title"], key=pulumi.Output.secret(SECRET), sha256=None)
        Remote(SITE, "below", pulumi.ResourceOptions(parent=home), title=home.sha256)
        summary = pulumi.runtime.call(f"{SITE}/summary", {"__self__": home, "greeting": "hello"}, home)
        pulumi.export("summary", summary.apply(lambda told: told["text"]))

    return pulumi_life(stack, touch, program, wanted, {"title": "Start"})


def pulumi_life(stack: Any, touch: Touch, program: Callable[[], None], wanted: dict[str, str], *changes: Any) -> States:
    """The life of a stack whose program reads ``wanted``, which is changed once for each of ``changes``."""
    states = []
    for change in ({}, {}, *changes):
        wanted.update(change)
        stack.up(program)
        states.append(stack_state(stack.export()))
    touch()
    stack.refresh()
    states.append(stack_state(stack.export()))
    stack.preview(program)
    stack.up(program)
    states.append(stack_state(stack.export()))
    stack.destroy()
    return [*states, stack_state(stack.export())]


# Real Terraform providers ----------------------------------------------------------------------------------------------


def terraform_provider(name: str) -> Callable[[Path], Live]:
    """A real Terraform provider on PATH."""

    def live(_: Path) -> Live:
        found = shutil.which(f"terraform-provider-{name}")
        assert found, f"no terraform-provider-{name} on PATH; tools/build-engines builds it"
        return Live(real([found], "terraform"))

    return live


def local(folder: Path) -> Live:
    """The real provider of local files, in a folder of its own; by hand, a file is changed there."""
    found = shutil.which("terraform-provider-local")
    assert found, "no terraform-provider-local on PATH; tools/build-engines builds it"
    place = folder / "files"
    place.mkdir(parents=True)
    return Live(real([found], "terraform", cwd=place), drift=lambda _: (place / "first.txt").write_text("by hand\n"))


def together(folder: Path) -> Live:
    """Three real providers, one of them of files in a folder of its own, of which one is changed by hand."""
    behind = {name: terraform_provider(name)(folder).behind for name in ("random", "null")}
    files = local(folder)
    drift = (folder / "files" / "file-1.txt").write_text
    return Live({**behind, "local": files.behind}, drift=lambda _: drift("by hand\n"))


def aws(folder: Path) -> Live:
    """The real AWS provider and a local cloud."""
    return Live(kept_aws.live(folder))


# The fake --------------------------------------------------------------------------------------------------------------

CLOUD = Package("cloud", config={"region": Property(str)})
CLOUD.add(
    *TYPES, ResourceType("cloud:index:User", {"name": Property(str), "password": Property(str, computed=True, secret=True)})
)


def fake(_: Path) -> Live:
    """The fake, with a secret that the program has and one that the provider makes."""

    def drift(double: Double) -> None:
        for each in double.cloud.objects(BUCKET):
            if each.get("source"):
                double.cloud.vanish(BUCKET, each.id)
            else:
                double.cloud.drift(BUCKET, each.id, acl="drifted")

    return Live(Wiring("cloud"), (CLOUD,), drift)


def fake_life(stack: Any, touch: Touch) -> States:
    """Values of all kinds, secrets of both sides, a function; update, replace, drift, a vanished object."""
    import pulumi  # noqa: PLC0415 - slow

    wanted = {"acl": "x", "name": "a"}

    def program() -> None:
        zone = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value
        logs = Bucket("logs", **wanted, tags={"zone": zone["zone"], "": "empty"})
        Bucket("more", source=logs.arn, token=pulumi.Output.secret(SECRET), file=pulumi.StringAsset("text"))
        Thing("cloud:index:User", "user", name="ann", password=None)
        pulumi.export("arn", logs.arn)

    return pulumi_life(stack, touch, program, wanted, {"acl": "y"}, {"name": "b"})


RANDOM_NAMES_LIFE = names_life(RANDOM_NAMES, random_names_right)
PULUMI = ENGINES["pulumi"]
TERRAFORM = ENGINES["terraform"]
KEPT: Mapping[str, Kept] = {
    each.name: each
    for each in (
        Kept("pulumi-files", "pulumi", files, files_life, PULUMI),
        Kept("pulumi-sites", "pulumi", sites, sites_life, PULUMI, config=SITES_CONFIG),
        Kept("fake-pulumi", "pulumi", fake, fake_life, PULUMI),
        Kept(
            "terraform-random",
            "terraform",
            terraform_provider("random"),
            terraform_life(RANDOM, RANDOM_IMPORTS),
            TERRAFORM,
            compact=True,
        ),
        Kept(
            "terraform-random-names", "terraform", terraform_provider("random"), RANDOM_NAMES_LIFE, ("terraform",), compact=True
        ),
        Kept("terraform-null", "terraform", terraform_provider("null"), terraform_life(NULL), TERRAFORM),
        Kept(
            "terraform-time",
            "terraform",
            terraform_provider("time"),
            terraform_life(TIME, TIME_IMPORTS),
            TERRAFORM,
            compact=True,
        ),
        Kept("terraform-local", "terraform", local, terraform_life(LOCAL), TERRAFORM, compact=True),
        Kept("terraform-tls", "terraform", terraform_provider("tls"), terraform_life(TLS), TERRAFORM, compact=True),
        Kept(
            "terraform-random-equal",
            "terraform",
            terraform_provider("random"),
            equal_life(RANDOM_EQUAL),
            TERRAFORM,
            compact=True,
            serial=True,
        ),
        Kept(
            "terraform-tls-equal",
            "terraform",
            terraform_provider("tls"),
            equal_life(TLS_EQUAL),
            TERRAFORM,
            compact=True,
            serial=True,
        ),
        Kept("terraform-together", "terraform", together, equal_life(TOGETHER), TERRAFORM, compact=True, serial=True),
        Kept("terraform-aws", "terraform", aws, aws_life, ("terraform",), compact=True),
        Kept("terraform-aws-names", "terraform", aws, aws_names_life, ("terraform",), compact=True),
        Kept("fake-terraform", "terraform", fake, terraform_life(FAKE), TERRAFORM),
    )
}


def recorded() -> Iterator[tuple[Kept, str]]:
    """Every cassette that is to be there: its kind and the engine that it was recorded under."""
    for kept in KEPT.values():
        for engine in kept.under:
            yield kept, engine


@contextmanager
def built_engines() -> Iterator[None]:
    """While it lasts, the programs that tools/build-engines made come first on PATH."""
    before = os.environ["PATH"]
    found = subprocess.run(
        [sys.executable, str(HOUSE / "tools/build-engines"), "--print-bin"], check=True, capture_output=True, text=True
    )
    os.environ["PATH"] = os.pathsep.join([found.stdout.strip(), str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before
