"""Real providers recorded under real engines, and replayed without them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import kept_aws
import pulumi
import pulumi.dynamic
import pytest
from kept_cassettes import KEPT, MASK, Kept, Live, Touch, pulumi_life
from kept_terraform import whole_plan
from msgspec.structs import replace
from terraform_stage import ENGINES

from mockprovider.double import real

PROVIDER = "pulumi-resource-pulumi-python"
"""Pulumi's own provider of dynamic resources: it runs the class that each of its requests brings."""


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("engine", ["embedded", "pulumi"])
def test_the_files_provider_still_says_what_was_recorded(engine: str, tmp_path: Path) -> None:
    """The real provider of files, recorded anew under either engine, gives the kept cassette and states again."""
    kept = KEPT["pulumi-files"]
    path = tmp_path / "again.json"
    assert kept.record(engine, path, tmp_path) == kept.states(engine)
    assert path.read_bytes() == kept.path(engine).read_bytes()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_random_provider_is_recorded_and_replayed(engine: str, tmp_path: Path) -> None:
    """A life with the real provider, its passwords left out of the file, is the same with the cassette alone."""
    kept = KEPT["terraform-random"]
    path = tmp_path / "random.json"
    live = kept.record(engine, path, tmp_path / "live")
    assert kept.replay(engine, path, tmp_path / "replayed") == live
    assert MASK in str(live)
    assert "bcrypt_hash" in path.read_text(encoding="utf-8")
    assert "$2a$" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        pytest.param("terraform-null", "terraform", marks=pytest.mark.terraform_cli),
        pytest.param("terraform-local", "tofu", marks=pytest.mark.tofu_cli),
        pytest.param("terraform-time", "terraform", marks=pytest.mark.terraform_cli),
        pytest.param("terraform-tls", "tofu", marks=pytest.mark.tofu_cli),
    ],
)
def test_other_real_providers_are_recorded_and_replayed(name: str, engine: str, tmp_path: Path) -> None:
    """The other providers, recorded anew, replay with the plans and states of that recording, and none of them there."""
    kept = KEPT[name]
    path = tmp_path / "again.json"
    live = kept.record(engine, path, tmp_path / "live")
    assert kept.replay(engine, path, tmp_path / "replayed") == live


@pytest.mark.terraform_cli
@pytest.mark.skipif(kept_aws.provider() is None, reason="no AWS provider: MOCKPROVIDER_AWS_PROVIDER says where it is")
@pytest.mark.parametrize("name", ["terraform-aws", "terraform-aws-names"])
def test_the_aws_provider_is_recorded_and_replayed(name: str, tmp_path: Path) -> None:
    """Recorded in front of a local cloud and replayed with neither: the same states, and the same plans to the last word."""
    lives = {"terraform-aws": partial(kept_aws.aws_life, shown=whole_plan)}
    kept = replace(KEPT[name], life=lives.get(name, KEPT[name].life))
    path = tmp_path / "aws.json"
    live = kept.record("terraform", path, tmp_path / "live")
    assert kept.replay("terraform", path, tmp_path / "replayed") == live
    text = path.read_text(encoding="utf-8")
    assert kept_aws.ACCESS_KEY not in text
    assert kept_aws.SECRET_KEY not in text


# Dynamic resources -----------------------------------------------------------------------------------------------------


def greeter(log: str) -> type[pulumi.dynamic.Resource]:
    """A dynamic resource whose provider notes in the file ``log`` what it does. A local class travels whole, by value."""

    class Greetings(pulumi.dynamic.ResourceProvider):
        def create(self, props: Any) -> Any:
            from pathlib import Path  # noqa: PLC0415 - it runs in another process, which knows nothing of this module

            with Path(log).open("a") as file:
                file.write("create\n")
            return pulumi.dynamic.CreateResult(f"hello-{props['name']}", {**props, "text": f"hello {props['name']}"})

        def diff(self, _id: str, _olds: Any, _news: Any) -> Any:
            changed = _olds["name"] != _news["name"]
            return pulumi.dynamic.DiffResult(changes=changed or _olds["mood"] != _news["mood"], replaces=["name"] * changed)

        def update(self, _id: str, _olds: Any, _news: Any) -> Any:
            return pulumi.dynamic.UpdateResult({**_news, "text": f"hello {_news['name']}, {_news['mood']}"})

        def read(self, id_: str, props: Any) -> Any:
            return pulumi.dynamic.ReadResult(id_, props)

        def delete(self, _id: str, _props: Any) -> None:
            from pathlib import Path  # noqa: PLC0415 - as above

            with Path(log).open("a") as file:
                file.write("delete\n")

    class Greeting(pulumi.dynamic.Resource):
        text: pulumi.Output[str]

        def __init__(self, name_: str, **props: Any) -> None:
            super().__init__(Greetings(), name_, {**props, "text": None})

    return Greeting


def dynamic(log: Path) -> Kept:
    """Pulumi's dynamic provider, and a life of two of its resources."""
    resource: Callable[..., Any] = greeter(str(log))

    def life(stack: Any, touch: Touch) -> Any:
        wanted = {"name": "ann", "mood": "glad"}

        def program() -> None:
            first = resource("first", **wanted)
            resource("second", name=first.text, mood="calm")
            pulumi.export("text", first.text)

        return pulumi_life(stack, touch, program, wanted, {"mood": "merry"}, {"name": "bob"})

    def live(_: Path) -> Live:
        found = shutil.which(PROVIDER)
        if found is None:
            pytest.skip(f"no {PROVIDER} on PATH; tools/build-engines builds it")
        return Live(real([found], env={"PULUMI_PYTHON_CMD": sys.executable}))

    return Kept("pulumi-dynamic", "pulumi", live, life, ())


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("engine", ["embedded", "pulumi"])
def test_dynamic_resources_are_recorded_and_replayed(engine: str, tmp_path: Path) -> None:
    """Recorded under one engine, the dynamic provider's life is the same under both with the provider gone."""
    log = tmp_path / "log"
    kept = dynamic(log)
    path = tmp_path / "dynamic.json"
    live = kept.record(engine, path, tmp_path / "live")
    done = log.read_text(encoding="utf-8")
    # Two at first, one because its argument came from the other, two because a new name makes new ones.
    assert done.count("create") == done.count("delete") == 5
    for each in ("embedded", "pulumi"):
        assert kept.replay(each, path, tmp_path / f"replayed-{each}") == live
    assert log.read_text(encoding="utf-8") == done
