"""A real Pulumi provider checks and diffs behind a fake cloud, and nothing else reaches it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest

from mockprovider import Property, ResourceType, Stack, from_plugin
from mockprovider.calls import Call, Failure, Handler, Op, Reply, Status
from mockprovider.double import Double, attached
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.pulumi.table import TABLE
from mockprovider.schema import Package
from mockprovider.values import Secret

FILES = [sys.executable, str(Path(__file__).parents[1] / "examples" / "files" / "provider.py")]
BUCKET = ResourceType(
    "cloud:index:Bucket",
    {
        "region": Property(str, forces_new=True, default="north"),
        "acl": Property(str, enum=("private", "public"), default="private"),
        "password": Property(str),
        "arn": Property(str, computed="arn:{id}"),
    },
)
SECRET = "sesame-open"


class Real:
    """Not the fake: ``reached`` are the methods that came here, ``configured`` what Configure brought."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.configured: list[Any] = []
        self.answers: dict[Op, Callable[[Call], Reply | None]] = {}
        package = Package("cloud", config={"region": Property(str), "token": Property(str, secret=True)})
        package.add(BUCKET)
        self.double = Double(package, layers=(self._note,))
        self.serving = self.double.serve("pulumi")

    def _note(self, call: Call, proceed: Handler) -> Reply:
        self.reached.append(call.method)
        if call.op is Op.CONFIGURE:
            self.configured.append(dict(call.inputs or {}))
        return self.answers.get(call.op, lambda _: None)(call) or proceed(call)

    def package(self) -> Package:
        """The package that has its judgement."""
        return from_plugin(attached(self.serving.address, "pulumi", name="cloud"))


@pytest.fixture
def real() -> Iterator[Real]:
    """A provider, served."""
    real = Real()
    yield real
    real.double.close()


@pytest.fixture
def double(real: Real) -> Iterator[Double]:
    """The fake cloud that has its judgement."""
    package = real.package()
    with Double(package) as double:
        yield double
        double.raise_errors()
    package.judge.close()


class Bucket(pulumi.CustomResource):
    """A resource of the program."""

    arn: pulumi.Output[str]
    acl: pulumi.Output[str]

    def __init__(self, name: str, **inputs: Any) -> None:
        super().__init__(BUCKET.token, name, {"arn": None, "acl": None, "region": None, **inputs})


def test_a_whole_life_reaches_it_for_check_and_diff_alone(real: Real, double: Double) -> None:
    """Preview, up, update, replace, refresh and destroy: create, read, update and delete are the fake's."""
    stack = Stack(double)
    inputs: dict[str, Any] = {"acl": "private"}

    def program() -> None:
        pulumi.export("arn", Bucket("logs", **inputs).arn)

    stack.preview(program)
    first = stack.up(program)
    assert first.outputs["arn"]
    assert first.state["logs"].inputs["region"] == "north"
    assert stack.up(program).summary == {}
    inputs["acl"] = "public"
    assert stack.up(program).summary == {"update": 1}
    inputs["region"] = "south"
    assert stack.up(program).summary == {"replace": 1}
    stack.refresh()
    stack.destroy()
    allowed = {name for name, row in TABLE.items() if row.pure} | {"Configure"}
    assert set(real.reached) == allowed
    assert {"create", "read", "update", "delete"} <= {*double.journal.ops()}
    assert real.double.cloud.objects() == []


def test_its_refusal_is_shown(double: Double) -> None:
    """A value that only the real provider knows to be wrong is refused in its words."""
    with pytest.raises(ProgramError, match="expected one of 'private', 'public', got 'banana'"):
        Stack(double).up(lambda: Bucket("logs", acl="banana"))


def test_what_came_as_a_secret_is_one_again(real: Real, double: Double) -> None:
    """A provider that takes no secrets checks the value openly, and the engine gets a secret back."""
    real.answers[Op.CONFIGURE] = lambda _: Reply(extra={"acceptSecrets": False})
    up = Stack(double).up(lambda: Bucket("logs", password=pulumi.Output.secret(SECRET)))
    checked = [entry.reply for entry in double.journal.entries(op="check", type=BUCKET.token)]
    assert checked[0] is not None
    assert (checked[0].inputs or {})["password"] == Secret(SECRET)
    assert up.summary == {"create": 1}


def test_it_is_configured_without_credentials(real: Real, double: Double) -> None:
    """What is secret, by the schema or by its value, and what is named like a credential, does not reach it."""
    session = double.open("pulumi", package="cloud")
    config = {"region": "eu", "token": SECRET, "accessKey": SECRET, "other": Secret(SECRET)}
    double(Call(op=Op.CONFIGURE, session=session, inputs=config))
    urn = "urn:pulumi:s::p::cloud:index:Bucket::logs"
    double(Call(op=Op.CHECK, session=session, type=BUCKET.token, urn=urn, name="logs", inputs={"acl": "public"}))
    assert real.configured == [{"region": "eu"}]


@pytest.mark.parametrize(("message", "alone"), [("dial tcp: connection refused", True), ("the bucket is odd", False)])
def test_the_fake_answers_where_it_needs_a_cloud(real: Real, double: Double, message: str, alone: bool) -> None:
    """A status that speaks of the network leaves it to the fake, which says so; any other is the provider's word."""
    real.answers[Op.CHECK] = lambda _: Reply(status=Status(2, message))
    session = double.open("pulumi", package="cloud")
    urn = "urn:pulumi:s::p::cloud:index:Bucket::logs"
    reply = double(Call(op=Op.CHECK, session=session, type=BUCKET.token, urn=urn, name="logs", inputs={}))
    assert bool(reply.unjudged) is alone
    assert reply.ok is alone
    assert bool(double.unjudged) is alone


def test_a_provider_without_a_schema_judges_all_types(tmp_path: Path) -> None:
    """The files provider of the examples, in a process of its own: its defaults, refusals and replacements, and no file."""
    package = from_plugin(FILES, "pulumi", name="files", env={"FILES_FOLDER": str(tmp_path)})
    wanted: dict[str, Any] = {"content": "x"}

    def program() -> None:
        pulumi.CustomResource("files:index:File", "hello", wanted)

    with Double(package) as double:
        stack = Stack(double)
        assert stack.up(program).state["hello"].inputs["path"] == "hello.txt"
        wanted["content"] = "y"
        assert stack.up(program).summary == {"update": 1}
        wanted["path"] = "other.txt"
        assert stack.up(program).summary == {"replace": 1}
        wanted["path"] = "../other.txt"
        with pytest.raises(ProgramError, match="must stay below the folder"):
            stack.up(program)
        assert double.unjudged == []
    package.judge.close()
    assert [*tmp_path.iterdir()] == []


def test_there_is_nothing_to_harvest(real: Real) -> None:
    """A Pulumi schema says what forces a replacement, so the command says what to do instead."""
    with pytest.raises(DefinitionError, match="schemas say what forces a replacement"):
        real.package().judge.harvest()


def test_a_schema_that_fails_is_an_error(real: Real) -> None:
    """A provider that cannot say its schema is refused at once, with what it said."""
    real.answers[Op.GET_SCHEMA] = lambda _: Reply(failures=(Failure("broken", status="internal"),))
    with pytest.raises(DefinitionError, match="cloud did not say what its schema is: broken"):
        real.package()
