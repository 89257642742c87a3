"""Past the end of a cassette under the embedded engine, and what is refused there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mode_stage
import pulumi
import pytest

from mockprovider.calls import Call, Native, Op
from mockprovider.cassette import LookResult, Mode
from mockprovider.double import Double, Wiring, recording, recording_all, replaying, replaying_all
from mockprovider.double.artefacts import keep
from mockprovider.double.cassettes import using
from mockprovider.engine import Stack
from mockprovider.errors import AmbiguousError, DefinitionError, MissError, MockProviderError
from mockprovider.schema import Function, Property, ResourceType
from mockprovider.values import Secret

BUCKET = ResourceType(
    "cloud:index:Bucket", {"acl": str, "password": Property(str, secret=True), "arn": Property(str, computed="arn:{id}")}
)
KEYS = Function("cloud:index:keys", {"n": int}, {"key": "k"})


class Bucket(pulumi.CustomResource):
    """A bucket with a password."""

    arn: pulumi.Output[str]

    def __init__(self, name: str, acl: str) -> None:
        super().__init__("cloud:index:Bucket", name, {"acl": acl, "password": pulumi.Output.secret("geheim-9"), "arn": None})


def buckets(**acls: str) -> Any:
    def program() -> None:
        for name, acl in acls.items():
            Bucket(name, acl)

    return program


def recorded(path: Path, *definitions: Any, behind: Wiring | None = None, program: Any = None) -> Path:
    with Double(*(definitions or (BUCKET, KEYS)), provider=recording(path, behind or Wiring("cloud"))) as double:
        Stack(double).up(program or buckets(logs="private"))
    return path


def test_a_stack_goes_on_without_a_schema(tmp_path):
    """Without a recorded schema types are as they come: a stack adds, changes and destroys, and secrets stay secret."""
    path = recorded(tmp_path / "it.json")
    with Double(provider=replaying(path, beyond="fake"), seed=3) as double:
        stack = Stack(double)
        first = stack.up(buckets(logs="private"))
        assert double.made_up == []
        second = stack.up(buckets(logs="public", more="private"))
        assert second.state["logs"].id == first.state["logs"].id
        assert second.state["logs"].outputs["acl"] == "public"
        assert second.state["more"].outputs["password"] == second.state["logs"].outputs["password"] == Secret("geheim-9")
        assert stack.refresh().state["more"].outputs["password"] == Secret("geheim-9")
        keep(tmp_path / "kept", double, stack)
        assert not [file for file in (tmp_path / "kept").iterdir() if "geheim-9" in file.read_text()]
        stack.destroy()
        assert double.cloud.objects() == []


def test_definitions_of_the_double_count_instead_of_the_recorded_schema(tmp_path):
    """What a test declares is what the fake makes: a template instead of nothing."""
    path = recorded(tmp_path / "it.json")
    with Double(BUCKET, provider=replaying(path, beyond="fake")) as double:
        state = Stack(double).up(buckets(logs="private", more="public")).state
        assert state["more"].outputs["arn"] == f"arn:{state['more'].id}"


# What stays refused ------------------------------------------------------------------------------------------------------


def test_a_function_that_nobody_knows_is_a_miss(tmp_path):
    """Without a schema nobody knows what a function returns, and the miss says so."""
    path = recorded(tmp_path / "it.json")

    def program():
        pulumi.runtime.invoke("cloud:index:keys", {"n": 1})

    with Double(provider=replaying(path, beyond="fake")) as double:
        with pytest.raises(MissError, match="has no schema, and nobody declared 'cloud:index:keys'"):
            Stack(double).up(program)
        assert double.made_up == []


def test_a_component_is_a_miss(tmp_path):
    """A component is a program in the provider: the fake says that it has none."""
    path = recorded(tmp_path / "it.json")

    class Site(pulumi.ComponentResource):
        def __init__(self) -> None:
            super().__init__("cloud:index:Site", "site", {}, None, remote=True)

    message = "programs in the provider, which no recording has"
    with Double(provider=replaying(path, beyond="fake")) as double, pytest.raises(MissError, match=message):
        Stack(double).up(Site)


def test_what_cannot_be_told_apart_stays_refused(tmp_path):
    """Answers that the cassette cannot choose among are refused, and no fake is asked instead."""
    mode_stage.keep(tmp_path / "it.json")
    with Double(provider=replaying(tmp_path / "it.json", beyond="fake")) as double:
        with pytest.raises(AmbiguousError):
            double(mode_stage.asked(double, LookResult.AMBIGUOUS))
        assert double.made_up == []


@pytest.mark.parametrize("mode", [Mode.NEW, Mode.ALL, Mode.REWRITE, Mode.VERIFY])
def test_modes_that_ask_a_provider_are_refused(tmp_path, mode):
    """Where a provider is asked, a fake beside it is refused, with the modes that it goes with."""
    path = recorded(tmp_path / "it.json")
    before = path.read_bytes()
    with pytest.raises(
        DefinitionError, match=f"in the mode '{mode}' a provider is asked. Use it with the modes 'none' and 'once'"
    ):
        using(mode, path, Wiring("cloud"), beyond="fake")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_another_word_is_refused(tmp_path):
    """A policy that there is not is refused with those that there are."""
    with pytest.raises(DefinitionError, match="There are 'miss' and 'fake'"):
        replaying(recorded(tmp_path / "it.json"), beyond="fakes")


def test_once_records_first_and_goes_on_later(tmp_path):
    """In the mode ``once`` a missing cassette is recorded without a fake, and one that is there has one past its end."""
    path = tmp_path / "it.json"
    for acl in ("private", "public"):
        with Double(BUCKET, provider=using(Mode.ONCE, path, Wiring("cloud"), beyond="fake")) as double:
            Stack(double).up(buckets(logs=acl))
            assert bool(double.made_up) == (acl == "public")


def test_each_of_several_providers_has_its_fake(tmp_path):
    """Providers of one cassette are each answered by a fake of their own, which has the objects of its provider alone."""
    path = tmp_path / "both.json"
    thing = {name: ResourceType(f"{name}:index:Thing", {"size": int}) for name in ("cloud", "mail")}

    def life(wirings: dict[str, Wiring], sizes: tuple[int, ...]) -> dict[str, list[str]]:
        lines = {}
        doubles = {name: Double(thing[name], provider=wiring) for name, wiring in wirings.items()}
        for name, double in doubles.items():
            stack = Stack(double)
            for size in sizes:
                stack.up(lambda name=name, size=size: pulumi.CustomResource(f"{name}:index:Thing", "it", {"size": size}))
            lines[name] = [*double.made_up, *(one.type for one in double.cloud.objects())]
        for double in doubles.values():
            double.close()
        return lines

    life(recording_all(path, {"cloud": Wiring("cloud"), "mail": Wiring("mail")}), (1,))
    lines = life(replaying_all(path, beyond="fake"), (1, 2))
    for name, other in (("cloud", "mail"), ("mail", "cloud")):
        assert f"update {name}:index:Thing it" in lines[name]
        assert lines[name][-1] == f"{name}:index:Thing"
        assert not [line for line in lines[name] if other in line]


def test_what_a_real_provider_would_know_is_not_made_up(tmp_path):
    """An RPC that nobody knows stays a miss, with the reason."""
    path = recorded(tmp_path / "it.json")
    with Double(provider=replaying(path, beyond="fake")) as double:
        call = Call(op=Op.RAW, session=double.open(), method="Teleport", native=Native(b""))
        with pytest.raises(MissError, match="it does not know this RPC"):
            double(call)


def test_another_configuration_is_a_miss(tmp_path):
    """What was recorded is not given out by a provider that is configured in another way."""
    path = recorded(tmp_path / "it.json")
    message = "it configures a recorded provider in another way"
    with Double(provider=replaying(path, beyond="fake")) as double, pytest.raises(MissError, match=message):
        Stack(double, config={"cloud:region": "eu"}).up(buckets(logs="private"))


def test_another_provider_instance_is_made_up_as_a_whole(tmp_path):
    """An explicit provider that was never recorded is configured by the fake, and all of its resources are made up."""
    path = recorded(tmp_path / "it.json")

    def program():
        buckets(logs="private")()
        provider = pulumi.ProviderResource("cloud", "other", {"region": "eu"})
        pulumi.CustomResource("cloud:index:Bucket", "far", {"acl": "public"}, pulumi.ResourceOptions(provider=provider))

    with Double(provider=replaying(path, beyond="fake")) as double:
        assert Stack(double).up(program).state["far"].outputs["acl"] == "public"
        assert {line.split()[0] for line in double.made_up} >= {"configure", "create"}
        assert [line for line in double.made_up if "logs" in line] == []


def test_faults_and_a_failed_create(tmp_path):
    """A fault breaks what is made up as it breaks what is replayed, and what was not made is not in the cloud."""
    path = recorded(tmp_path / "it.json")
    with Double(provider=replaying(path, beyond="fake")) as double:
        stack = Stack(double)
        stack.up(buckets(logs="private"))
        double.faults.on.create("cloud:index:Bucket", name="more").error("no")
        with pytest.raises(MockProviderError):
            stack.up(buckets(logs="private", more="private"))
        assert len(double.cloud.objects()) == 1
        stack.up(buckets(logs="private", more="private"))
        stack.destroy()
        assert double.cloud.objects() == []
