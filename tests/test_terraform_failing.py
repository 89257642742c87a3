"""Whatever goes wrong is told in the form that an RPC of Terraform's has for it, in both majors."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs import methods
from mockprovider.terraform.rpcs.beyond import REASONS
from mockprovider.terraform.rpcs.methods import NOTHING, SERVICES
from mockprovider.terraform.rpcs.replies import to_response
from mockprovider.wire.status import StatusError, status


@pytest.fixture(params=sorted(SERVICES))
def major(request: pytest.FixtureRequest) -> int:
    """Each major of the protocol."""
    number: int = request.param
    return number


def test_every_answer_can_tell_a_failure(major: int) -> None:
    """A replay knows no schema, and what it cannot answer is told in each RPC's own form, the schema's not excepted."""
    for name, row in SERVICES[major].methods.items():
        asked: Any = SERVICES[major].messages[name][0]()
        call = row.call(asked, Session(f"tfplugin{major}"))
        call.native = Native(b"", asked)
        assert "not recorded" in str(row.response(Reply(failures=(Failure("not recorded"),)), call)), name


def test_an_answer_without_a_place_for_failures_ends_in_a_status(major: int) -> None:
    """An RPC whose answer has no diagnostics cannot say what went wrong, so it fails: no answer is taken for an empty one."""
    cls = protocol(major).message("StopProvider.Response")
    call = Call(op=Op.RAW, session=Session(f"tfplugin{major}"))
    assert to_response(NOTHING, cls, Reply(), call) == cls()
    with pytest.raises(StatusError) as raised:
        to_response(NOTHING, cls, Reply(failures=(Failure("no", status="unimplemented"),)), call)
    assert raised.value.status == status("unimplemented", "no")
    with pytest.raises(StatusError) as raised:
        to_response(NOTHING, cls, Reply(failures=(Failure("first"), Failure("second"))), call)
    assert raised.value.status == status("failed_precondition", "first")


def test_a_row_of_an_rpc_that_a_major_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """An RPC of major 6 alone needs no row of its own for each major: major 5 goes without."""
    monkeypatch.delitem(REASONS, "ReadStateBytes")
    monkeypatch.setattr(methods, "_passing", lambda row: iter([row("ReadStateBytes", Op.READ, NOTHING)]))

    assert methods.provider_service(6).methods["ReadStateBytes"].op is Op.READ
    assert "ReadStateBytes" not in methods.provider_service(5).methods
