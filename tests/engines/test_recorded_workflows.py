"""What people do with a stack, recorded under one engine and replayed under the other with nothing but the cassette.

Each workflow is a generator: it yields the result of each operation that it carries out with the stack that it is given. It
changes the cloud by hand through ``touch``, which does nothing on replay, and keeps its files in the folder that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, TYPES, Bucket, Cloud, Existing, Thing, engine_of, with_options
from kept_cassettes import stack_state
from pulumi import ResourceOptions

from mockprovider.double import Double, recording, replaying
from mockprovider.fake.behaviours import Holds, Normalised, Pending, Protected, Quota, References, Slow
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Package, Property, Random, ResourceType

pytestmark = pytest.mark.pulumi_cli

Touch = Callable[[Callable[[Double], object]], object]
SERVER, DISK, SHELF, BOOK, USER, EAGER = (
    f"cloud:index:{each}" for each in ("Server", "Disk", "Shelf", "Book", "User", "Eager")
)
BEHAVING = (
    ResourceType(
        SERVER,
        {
            "size": str,
            "policy": str,
            "password": Property(str, unreadable=True),
            "keep": bool,
            "status": Property(str, computed=True),
        },
        behaviours=(Pending(reads=2, refuses=("update",)), Protected("keep"), Normalised("policy", "json")),
    ),
    ResourceType(DISK, {"size": int}, timeouts={"create": 30}, behaviours=(Slow(create=60),)),
    ResourceType(SHELF, {"acl": str}, behaviours=(Quota(2), Holds(BOOK, by="shelf"))),
    ResourceType(BOOK, {"shelf": Property(str, forces_new=True)}, behaviours=(References("shelf", SHELF),)),
    ResourceType(
        USER,
        {
            "name": Property(str, auto_name=True),
            "home": Property(str, forces_new=True),
            "pin": Property(str, default=Random(6), secret=True),
        },
    ),
    ResourceType(
        EAGER, {"size": str, "arn": Property(str, computed="arn:{id}")}, traits=[ResourceTraits(refresh_before_update=True)]
    ),
)


RECORD = ResourceType("dns:index:Record", {"target": Property(str)})


def cloud() -> Package:
    """What the recorded fake serves."""
    made = Package("cloud", config={"region": Property(str, forces_new=True), "tag": Property(str)})
    made.add(*TYPES, *BEHAVING)
    return made


def replacing(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """Replacements in both orders, with dependents of either; a preview before each."""
    wanted = {"a": "1"}

    def program() -> None:
        net = Thing(NET, "net", cidr=wanted["a"])
        Thing(NET, "peer", cidr="x", peer=net.id)
        logs = Bucket("logs", name=wanted["a"])
        Bucket("named", name=logs.arn, source=net.id)

    yield stack.up(program)
    wanted["a"] = "2"
    yield stack.preview(program)
    yield stack.up(program)
    yield stack.destroy()


def taking_over(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """``get`` and ``import`` of what exists, taking over what was read, and giving it up."""

    def existing(double: Double) -> None:
        for id_ in ("one", "two"):
            double.cloud.create(BUCKET, id_, {"acl": "x", "arn": f"arn:{id_}"})

    touch(existing)
    wanted: dict[str, Any] = {"acl": "x", "reading": True}

    def program() -> None:
        if wanted["reading"]:
            pulumi.export("acl", Existing("g", "one").acl)
        else:
            Bucket("g", acl="z")
        Bucket("i", ResourceOptions(import_="two"), acl=wanted["acl"])

    yield stack.preview(program)
    yield stack.up(program)
    yield stack.refresh()
    wanted.update(acl="y", reading=False)
    yield stack.up(program)
    yield stack.destroy()


def providers(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """Default and explicit providers, configuration that is not known yet, updates and replacements of providers."""
    wanted = {"region": "eu", "tag": "1"}

    def program() -> None:
        mine = Cloud("p", **wanted)
        first = Bucket("b", ResourceOptions(provider=mine), acl="x")
        Bucket("d", acl="y")
        Bucket("late", ResourceOptions(provider=Cloud("q", tag=first.arn)), acl="z")

    yield stack.preview(program)
    yield stack.up(program)
    wanted["tag"] = "2"
    yield stack.up(program)
    wanted["region"] = "us"
    yield stack.preview(program)
    yield stack.up(program)
    yield stack.destroy()


def assets(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """Assets and archives from texts, files, folders and each other; a file is changed in between."""
    file = folder / "file.txt"
    file.write_text("1")

    def program() -> None:
        Bucket("text", file=pulumi.StringAsset("text"))
        Bucket("file", file=pulumi.FileAsset(str(file)))
        Bucket("folder", file=pulumi.FileArchive(str(folder)))
        Bucket("archive", file=pulumi.AssetArchive({"a.txt": pulumi.StringAsset("a"), "sub": pulumi.FileArchive(str(folder))}))

    yield stack.preview(program)
    yield stack.up(program)
    file.write_text("2")
    yield stack.up(program)
    yield stack.refresh()
    yield stack.destroy()


def options(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """Options that change what is asked of the provider, and aliases."""
    wanted = {"acl": "1", "name": "1"}

    def program() -> None:
        with_options(wanted)
        Bucket(f"was{wanted['name']}", ResourceOptions(aliases=[pulumi.Alias(name="was1")]), acl="x")
        zone = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value
        pulumi.export("zone", zone["zone"])

    yield stack.up(program)
    wanted.update(acl="2", name="2")
    yield stack.preview(program)
    yield stack.up(program)
    yield stack.refresh()
    yield stack.destroy()


def behaving(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """A cloud that is slow, refuses, normalises, protects, and fills in names."""
    policy = {"now": '{"b": 1, "a": 2}', "size": "s", "eager": "s", "home": "/a"}

    def program(keep: bool = True, alone: bool = False) -> Any:
        def found() -> None:
            # How far others get before a run is given up is chance.
            if not alone:
                Thing(USER, "me", home=policy["home"])
                shelf = Thing(SHELF, "shelf")
                Thing(BOOK, "book", shelf=shelf.id)
                Thing(EAGER, "eager", size=policy["eager"])
            # The last one, so that its failed deletion stops no other, be they deleted one by one or all at once.
            Thing(SERVER, "web", size=policy["size"], policy=policy["now"], password="p", keep=keep)

        return found

    yield stack.up(program())
    policy["size"] = "m"
    yield stack.up(program(alone=True), expect_failure=True)
    policy["size"] = "s"
    yield stack.refresh()
    yield stack.refresh()
    policy.update(now='{"a": 2, "b": 1}', home="/b")
    yield stack.preview(program())
    yield stack.up(program())
    touch(lambda double: double.cloud.drift(EAGER, size="drifted"))
    policy.update(size="m", eager="m")
    yield stack.up(program())
    yield stack.destroy(expect_failure=True)
    yield stack.up(program(keep=False))
    yield stack.destroy()


def refusing(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """A quota that is reached, a create beyond its timeout, wrong inputs, and a holder that is not empty."""

    def shelves(names: str) -> Any:
        def found() -> None:
            before: list[pulumi.Resource] = []
            for name in names:
                # In a row: which of several gets the last place is chance, and so is what else is done after a failure.
                before = [Thing(SHELF, name, ResourceOptions(depends_on=before))]

        return found

    yield stack.up(lambda: Thing(DISK, "disk", size=1) and None, expect_failure=True)
    yield stack.up(lambda: Thing(DISK, "disk", size="big") and None, expect_failure=True)
    yield stack.up(shelves("abc"), expect_failure=True)
    yield stack.up(shelves("a"))
    touch(lambda double: double.cloud.create(BOOK, "stray", {"shelf": double.cloud.objects(SHELF)[0].id}))
    yield stack.destroy(expect_failure=True)
    touch(lambda double: double.cloud.vanish(BOOK, "stray"))
    yield stack.destroy()


def referring(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """Functions, the engine's own ``getResource``, and a second package."""

    def program() -> None:
        zone = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value
        logs = Bucket("logs", acl=zone["zone"])
        Thing("dns:index:Record", "www", target=logs.arn)
        found = pulumi.Output.all(logs.urn, logs.id).apply(
            lambda known: pulumi.runtime.invoke("pulumi:pulumi:getResource", {"urn": known[0]}).value
        )
        pulumi.export("acl", found.apply(lambda known: known["state"]["acl"]))
        pulumi.export("urn", found.apply(lambda known: known["urn"]))

    yield stack.preview(program)
    yield stack.up(program)
    yield stack.refresh()
    yield stack.destroy()


def aging(stack: Any, touch: Touch, folder: Path) -> Iterator[Any]:
    """Preview, up, update, replace, drift, refresh and destroy, with a secret."""
    wanted = {"acl": "x", "name": "a"}

    def program() -> None:
        logs = Bucket("logs", token=pulumi.Output.secret("hush"), **wanted)
        Bucket("more", source=logs.arn)

    yield stack.preview(program)
    yield stack.up(program)
    wanted["acl"] = "y"
    yield stack.preview(program)
    yield stack.up(program)
    wanted["name"] = "b"
    yield stack.up(program)
    touch(lambda double: double.cloud.drift(BUCKET, double.cloud.objects(BUCKET)[0].id, acl="drifted"))
    yield stack.refresh()
    yield stack.up(program)
    yield stack.destroy()


WORKFLOWS = (replacing, taking_over, providers, assets, options, behaving, refusing, referring)


def lived(workflow: Any, engine: str, double: Double, folder: Path, touch: Touch) -> list[Any]:
    """Of each operation its success, its steps, and the state after it."""
    place = folder.parent / "assets"
    place.mkdir(exist_ok=True)
    stack: Any = engine_of(engine, double, folder)
    found = [
        [result.succeeded, *sorted(result.steps), *stack_state(stack.export())["resources"]]
        for result in workflow(stack, touch, place)
    ]
    double.raise_errors()
    return found


def replayed(workflow: Any, engine: str, path: Path, was: list[Any]) -> None:
    """Live the workflow again under ``engine`` with the cassette alone, and compare."""
    with Double(cloud(), RECORD, provider=replaying(path)) as double:
        again = lived(workflow, engine, double, path.parent / "replayed", lambda _: None)
    for number, (now, then) in enumerate(zip(again, was, strict=True)):
        assert now == then, number


@pytest.mark.parametrize("by", ["embedded", "pulumi"])
@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda each: each.__name__)
def test_a_workflow_recorded_under_one_is_replayed_under_the_other(workflow: Any, by: str, tmp_path: Path) -> None:
    """The steps, failures and states of the recorded run come again under the other engine, with the provider gone."""
    path = tmp_path / "workflow.json"
    with Double(cloud(), RECORD) as fake, Double(cloud(), RECORD, provider=recording(path, fake)) as double:
        was = lived(workflow, by, double, tmp_path / "recorded", lambda change: change(fake))
    replayed(workflow, "pulumi" if by == "embedded" else "embedded", path, was)


@pytest.mark.parametrize("generation", ["no-handshake", "no-preview", "no-secrets", "no-detailed-diff", "2018"])
def test_an_older_provider_recorded_and_replayed(generation: str, tmp_path: Path) -> None:
    """What an older provider lacks is in the cassette: the other engine does with it what was done with that provider."""
    path = tmp_path / "workflow.json"
    with (
        Double(cloud(), RECORD, generation=generation) as fake,
        Double(cloud(), RECORD, provider=recording(path, fake)) as double,
    ):
        was = lived(aging, "pulumi", double, tmp_path / "recorded", lambda change: change(fake))
    replayed(aging, "embedded", path, was)
