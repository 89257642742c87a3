"""What the contract costs: where it is off nothing, and else nothing while a call is answered."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from contract_conversations import PulumiConversation, TerraformConversation
from contract_stage import PulumiRun

from mockprovider import contract
from mockprovider.calls import Op, Reply
from mockprovider.pulumi import contract as pulumi_contract
from mockprovider.terraform import contract as terraform_contract

ROOMS = tuple(str(Path(room.__file__).parent) for room in (contract, pulumi_contract, terraform_contract))
"""The folders of the rules and of what judges by them."""
TALKS = {"pulumi": PulumiConversation, "terraform": TerraformConversation}


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """How often functions of the contract begin, by where they stand, in all threads that start here."""
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOMS):
            calls[f"{Path(frame.f_code.co_filename).name} {frame.f_code.co_qualname}"] += 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


@pytest.fixture(params=TALKS)
def talk(request: pytest.FixtureRequest) -> Any:
    """A conversation of each protocol, whose double exists before anything is counted."""
    return TALKS[request.param](lambda _, reply: reply)


def test_a_call_costs_nothing_more(talk: Any) -> None:
    """While calls are answered no function of the contract is called: a run is judged when somebody asks."""
    with counted() as calls:
        talk.lives()
    assert calls == {}
    with counted() as calls:
        assert talk.double.contract.breaches == []
    assert calls


def test_where_it_is_off(talk: Any) -> None:
    """Where everything is allowed, nothing is judged either when somebody asks, or when the journal forgets."""
    talk.double.contract.allow("*", because="only the answers count here")
    talk.double.journal.limit = 10
    with counted() as calls:
        talk.lives()
        talk.double.journal.clear()
        talk.double.contract.adopt("elsewhere")
        assert (talk.double.contract.breaches, talk.double.contract.unneeded) == ([], [])
    # Whether it is off is asked, and that a state comes from elsewhere is noted.
    assert {*calls} == {"allowing.py Allowed.everything", "watching.py Watch.doubt"}


def test_what_it_keeps_where_it_is_off(talk: Any) -> None:
    """Where everything is allowed, no memory is held for the contract after a run, and none of its objects knows a call."""
    talk.double.contract.allow("*", because="only the answers count here")
    talk.lives()
    gc.collect()
    tracemalloc.start()
    try:
        talk.lives()
        assert talk.double.contract.breaches == []
        gc.collect()
        held = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, f"{room}/*") for room in ROOMS])
    finally:
        tracemalloc.stop()
    assert [str(line) for line in held.statistics("lineno")] == []


def test_what_is_allowed_later_is_not_forgotten() -> None:
    """Breaches from before the contract was turned off are not told, and those of calls that follow are not looked for."""
    run = PulumiRun()
    run.ask(Op.CREATE, Reply(id="i-1", value={}), inputs={})
    assert run.broken == ["PULUMI-CONFIGURE-BEFORE-USE", "PULUMI-INPUTS-ARE-CHECKED"]
    run.double.contract.allow("*", because="from here on by hand")
    run.ask(Op.CREATE, Reply(id="i-1", value={}), inputs={})
    assert run.broken == []


MOST = {"pulumi": 75, "tfplugin5": 180}
"""How many Python functions judging may call, for each call that is judged, at both sides together."""


def test_how_many_functions_judging_calls(talk: Any) -> None:
    """Judging stays within a number of Python calls for each call, which is the same on every machine."""
    talk.lives()
    assert talk.double.contract.breaches == []
    talk.lives()
    seen = len(talk.double.journal)
    with counted() as calls:
        assert talk.double.contract.breaches == []
    assert sum(calls.values()) / (seen / 4) < MOST[talk.family]
