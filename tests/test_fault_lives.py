"""What comes after a fault: the next runs of the embedded engine and of the real ``pulumi``."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_stage import ENGINES, double, ended

BOTH = pytest.mark.parametrize("engine", ["embedded", pytest.param("pulumi", marks=pytest.mark.pulumi_cli)])


@BOTH
@pytest.mark.parametrize(("op", "operation", "left"), [("update", "up", "size 2"), ("delete", "destroy", "")])
def test_an_operation_that_was_cut_off_is_forgotten_by_the_next(
    op: str, operation: str, left: str, engine: str, tmp_path: Path
) -> None:
    """Only creates stay pending: an update or delete that was cut off is done again, and nothing of it is remembered."""
    with double() as provider:
        stage = ENGINES[engine](provider, tmp_path / "engine")
        stage.run("up", 1)
        getattr(provider.faults.on, op)().cancel(times=2, then="ignore")
        with ended() as failed:
            stage.run(operation, 2)
        assert failed
        assert [kind for kind in stage.remembered() if kind.startswith("pending")] == [f"pending {op.removesuffix('e')}ing"]

        stage.run(operation, 2)
        assert "".join(stage.remembered().values()) == left


@BOTH
def test_a_provider_that_never_answers_cancel_spoils_no_run(engine: str, tmp_path: Path) -> None:
    """Cancel is only advice: a run whose provider hangs in it has done what it has done."""
    with double() as provider:
        stage = ENGINES[engine](provider, tmp_path / "engine")
        provider.faults.on.cancel().hang().always()

        assert stage.run("up", 1).summary == {"create": 1}
        assert [*stage.remembered().values()] == ["size 1"]
