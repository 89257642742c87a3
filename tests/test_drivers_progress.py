"""Which resource a call is about: the engine's progress, written line by line, and the calls that come in between."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from mockprovider.calls import Call, Native, Op, Session
from mockprovider.drivers.output import CHUNK, Printed
from mockprovider.drivers.progress import Progress, announces, parallelism

ADDRESS = 'module.m["x"].random_id.i[3]'
OTHER = "random_id.j"
PIECE = 1 << 14


def line(type_: str, action: str = "", address: str = ADDRESS, resource_type: str = "random_id") -> bytes:
    """A line of the engine's, as it prints it."""
    resource = {"addr": address, "module": "", "resource_type": resource_type, "resource_key": 3}
    hook = {"resource": resource, **({"action": action} if action else {})}
    return json.dumps({"@level": "info", "@module": "terraform.ui", "type": type_, "hook": hook}).encode() + b"\n"


def call(op: Op, type_: str = "random_id") -> Call:
    """A call that came over the wire."""
    return Call(
        op=op, session=Session("terraform"), type="random:index:Id", native=Native(b"", SimpleNamespace(type_name=type_))
    )


class Engine:
    """An engine's standard output, and its progress as it is read from there."""

    def __init__(self, printed: Printed) -> None:
        self.printed = printed
        self.progress = Progress(printed)

    def prints(self, *texts: bytes) -> None:
        """Write these, as one process does after another."""
        for text in texts:
            for start in range(0, len(text), PIECE):
                os.write(self.printed.entrance, text[start : start + PIECE])
                # As whoever runs the engine does all the time, since a pipe does not hold more.
                self.printed.catch_up()

    def calls(self, op: Op, type_: str = "random_id") -> str:
        """The address of a call that the engine makes now."""
        return self.progress.address_of(call(op, type_))


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine that has printed nothing yet."""
    with Printed() as printed:
        yield Engine(printed)


ANNOUNCEMENTS = [
    ("refresh_start", "", Op.READ),
    ("apply_start", "create", Op.CREATE),
    ("apply_start", "update", Op.UPDATE),
    ("apply_start", "delete", Op.DELETE),
    ("apply_start", "read", Op.INVOKE),
]


@pytest.mark.parametrize(("type_", "action", "op"), ANNOUNCEMENTS)
def test_a_line_announces_the_next_call(engine: Engine, type_: str, action: str, op: Op) -> None:
    """A call has the address of the line that was printed before it, and only the first call has."""
    engine.prints(b"Warning: plain text\n", line(type_, action))
    assert engine.calls(op) == ADDRESS
    assert engine.calls(op) == ""


@pytest.mark.parametrize(("type_", "action", "op"), ANNOUNCEMENTS)
def test_a_line_announces_one_op(engine: Engine, type_: str, action: str, op: Op) -> None:
    """A call of any other op has no address, whatever was printed."""
    for other in set(Op) - {op}:
        engine.prints(line(type_, action))
        assert engine.calls(other) == ""


def test_without_a_line_there_is_no_address(engine: Engine) -> None:
    """Where the engine has said nothing, or nothing more, calls have no address."""
    assert engine.calls(Op.READ) == ""
    engine.prints(line("refresh_start"))
    engine.calls(Op.READ)
    assert engine.calls(Op.READ) == ""


def test_the_type_must_fit(engine: Engine) -> None:
    """A call about another type than the line's has no address, and the next one does not get it either."""
    engine.prints(line("apply_start", "create"))
    assert engine.calls(Op.CREATE, "random_pet") == ""
    assert engine.calls(Op.CREATE) == ""


@pytest.mark.parametrize("type_", ["apply_complete", "apply_errored", "refresh_complete"])
def test_what_is_over_announces_nothing(engine: Engine, type_: str) -> None:
    """A line whose call has not come gives its address to no later call, once the engine has said the end."""
    engine.prints(line("apply_start", "create"), line(type_, "create"))
    assert engine.calls(Op.CREATE) == ""


@pytest.mark.parametrize("type_", ["provision_start", "provision_progress", "provision_complete", "apply_progress"])
def test_what_happens_meanwhile_takes_nothing(engine: Engine, type_: str) -> None:
    """What a provisioner does before a delete, and how long it lasts, leaves the address to the call."""
    engine.prints(line("apply_start", "delete"), line(type_, "delete"))
    assert engine.calls(Op.DELETE) == ADDRESS


def test_the_last_line_counts(engine: Engine) -> None:
    """Of a resource whose call never came, such as another provider's, nothing is left for the next one."""
    engine.prints(line("apply_start", "create"), line("apply_start", "create", OTHER))
    assert engine.calls(Op.CREATE) == OTHER


@pytest.mark.parametrize("op", [Op.PLAN, Op.CHECK, Op.UPGRADE, Op.FUNCTION, Op.CANCEL, Op.IMPORT, Op.CONFIGURE])
def test_calls_that_are_not_announced_take_nothing(engine: Engine, op: Op) -> None:
    """Functions, plans and a stop between the line and its call have no address and leave it to the call."""
    engine.prints(line("apply_start", "create"))
    assert engine.calls(op) == ""
    assert engine.calls(Op.CREATE) == ADDRESS


def test_a_call_that_came_over_no_wire_takes_nothing(engine: Engine) -> None:
    """A call without a message, or of a protocol whose messages name no type, is not the engine's."""
    engine.prints(line("apply_start", "create"))
    session = Session("pulumi")
    for native in (None, Native(b""), Native(b"", SimpleNamespace(urn="urn:x"))):
        assert engine.progress.address_of(Call(op=Op.CREATE, session=session, native=native)) == ""
    assert engine.calls(Op.CREATE) == ADDRESS


def test_a_line_in_parts_is_read_when_it_is_whole(engine: Engine) -> None:
    """Half a line says nothing, at whatever place it is torn, and the rest completes it."""
    text = line("refresh_start")
    for place in range(1, len(text)):
        engine.prints(text[:place])
        assert engine.calls(Op.READ) == ""
        engine.prints(text[place:])
        assert engine.calls(Op.READ) == ADDRESS


@pytest.mark.parametrize(
    "garbage",
    [
        b"\n",
        b"\xff\xfe{\n",
        b"[]\n",
        b"null\n",
        b'"refresh_start"\n',
        b'{"type": 5, "hook": {}}\n',
        b'{"type": "refresh_start"}\n',
        b'{"type": "refresh_start", "hook": null}\n',
        b'{"type": "refresh_start", "hook": []}\n',
        b'{"type": "refresh_start", "hook": {"resource": null}}\n',
        b'{"type": "refresh_start", "hook": {"resource": {"addr": "random_id.x"}}}\n',
        b'{"type": "refresh_start", "hook": {"resource": {"addr": 7, "resource_type": "random_id"}}}\n',
        b'{"type": "refresh_start", "hook": {"resource": {"addr": "random_id.x", "resource_type": "random_id"\n',
        b"[" * 100_000 + b"\n",
        b'{"x": ' * 100_000 + b"\n",
    ],
)
def test_garbage_says_nothing(engine: Engine, garbage: bytes) -> None:
    """A line that is none of the engine's own gives no address, and does no harm to the one before it."""
    engine.prints(garbage)
    assert engine.calls(Op.READ) == ""
    engine.prints(line("refresh_start"), garbage)
    assert engine.calls(Op.READ) == ADDRESS


def test_long_output_is_read_to_its_end(engine: Engine) -> None:
    """What was printed before the call counts, however much that is."""
    filler = json.dumps({"type": "planned_change", "text": "x" * 1000}).encode() + b"\n"
    engine.prints(filler * (3 * CHUNK // len(filler)), line("refresh_start", address="x" * (2 * CHUNK)))
    assert engine.calls(Op.READ) == "x" * (2 * CHUNK)


def test_two_doubles_share_one_progress(engine: Engine) -> None:
    """Where the calls of several providers arrive at several doubles, each has its own address."""
    ask: list[Callable[[Call], str]] = [engine.progress.address_of, engine.progress.address_of]
    engine.prints(line("apply_start", "create", "random_id.a"))
    first = ask[0](call(Op.CREATE))
    engine.prints(
        line("apply_complete", "create", "random_id.a"), line("apply_start", "create", "null_resource.b", "null_resource")
    )
    assert (first, ask[1](call(Op.CREATE, "null_resource"))) == ("random_id.a", "null_resource.b")


def test_reading_along_takes_nothing_away(engine: Engine) -> None:
    """The engine goes on where it stopped writing: what is read along is all there in the end."""
    written = [line("refresh_start"), line("refresh_complete"), line("refresh_start", address=OTHER)]
    for text in written:
        engine.prints(text)
        engine.calls(Op.READ)
    assert engine.printed.read() == b"".join(written)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (["apply"], ""),
        (["apply", "-parallelism=1"], "1"),
        (["apply", "--parallelism=1"], "1"),
        (["apply", "-parallelism", "1", "-json"], "1"),
        (["apply", "-parallelism=1", "-parallelism=10"], "10"),
        (["apply", "-parallelism=10", "-parallelism", "1"], "1"),
        (["apply", "-parallelism"], ""),
        (["apply", "-p=1", "-parallelism-=1"], ""),
        (["apply", "-var=parallelism=1", "-var", "x=-parallelism=1"], ""),
    ],
)
def test_the_last_parallelism_counts(arguments: list[str], number: str) -> None:
    """The number of a command line is the one that the engine takes, in each spelling of its flags."""
    assert parallelism(arguments) == number


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["apply", "-json", "-parallelism=1"], True),
        (["plan", "-json", "-parallelism=1"], True),
        (["destroy", "-json", "-parallelism=1"], True),
        (["refresh", "-json", "-parallelism=1"], True),
        (["apply", "-json"], False),
        (["apply", "-json", "-parallelism=2"], False),
        (["apply", "-json", "-parallelism=1", "-parallelism=10"], False),
        (["apply", "-parallelism=1"], False),
        (["import", "-json", "-parallelism=1"], False),
        (["test", "-json", "-parallelism=1"], False),
        (["show", "-json"], False),
    ],
)
def test_who_announces_calls(arguments: list[str], told: bool) -> None:
    """Calls are announced one at a time where the engine walks resources one after the other and prints JSON."""
    assert announces(arguments) is told
