"""Past the end of a cassette under the real pulumi, and under the embedded engine: the same goes on under both."""

from __future__ import annotations

import pytest
from engine_toolbox import TYPES, Bucket, engine_of

from mockprovider.double import Double, Wiring, recording, replaying

pytestmark = pytest.mark.pulumi_cli


def program(**acls):
    return lambda: [Bucket(name, acl=acl) for name, acl in acls.items()]


@pytest.mark.parametrize("engine", ["embedded", "pulumi"])
def test_a_stack_goes_on(engine, tmp_path):
    """After a recorded up, one that adds and changes has an empty preview after it, and its destroy leaves nothing."""
    path = tmp_path / "it.json"
    with Double(*TYPES, provider=recording(path, Wiring("cloud"))) as double:
        engine_of(engine, double, tmp_path / "recorded").up(program(logs="private"))
    with Double(*TYPES, provider=replaying(path, beyond="fake")) as double:
        stack = engine_of(engine, double, tmp_path / "past")
        first = stack.up(program(logs="private"))
        assert double.made_up == []
        second = stack.up(program(logs="public", more="private"))
        assert second.state["logs"].id == first.state["logs"].id
        assert {step[0] for step in stack.preview(program(logs="public", more="private")).steps} == {"same"}
        stack.refresh()
        stack.destroy()
        assert double.cloud.objects() == []
        double.raise_errors()
