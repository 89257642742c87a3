"""The modes ``new`` and ``verify`` under the embedded engine, with components, whose children come over the way back."""

from __future__ import annotations

import pulumi
import pytest
from component_toolbox import HUSH, SITE, package, program
from engine_toolbox import Bucket, Remote

from mockprovider.double import Double, recording, replaying
from mockprovider.engine import Stack
from mockprovider.errors import DifferentAnswersError
from mockprovider.schema import Method

OTHER = "hunter2 and others"


def before() -> None:
    program({"domain": "a.example"})


def after() -> None:
    before()
    Bucket("later", name="later")
    Remote(SITE, "extra", None, domain="b.example", arn=None, url=None, token=pulumi.Output.secret(OTHER))


def run(path, mode, declared, live):
    """The outputs of a program in a mode, with a provider that makes other ids than were recorded."""
    with Double(package(), provider=recording(path, live, mode=mode)) as double:
        outputs = Stack(double).up(declared).outputs
        double.raise_errors()
    return outputs


@pytest.fixture
def path(tmp_path):
    """A recording of three sites."""
    run(tmp_path / "it.json", "all", before, Double(package()))
    return tmp_path / "it.json"


def test_a_component_that_is_new(path):
    """A new component is constructed live with its children, beside replayed ones; then all of them are replayed."""
    grown = run(path, "new", after, Double(package(), seed=5))
    text = path.read_text(encoding="utf-8")
    assert HUSH not in text
    assert OTHER not in text
    with Double(provider=replaying(path), name="cloud") as double:
        stack = Stack(double)
        assert stack.up(after).outputs == grown
        double.raise_errors()
        assert double.unplayed == []
    urns = {resource["urn"].rpartition("::")[2] for resource in stack.export()["deployment"]["resources"]}
    assert {"later", "extra-logs", "extra-more"} <= urns


def test_components_answer_as_recorded(path):
    """A provider with other ids constructs the same components, and its methods say the same but for the ids in it."""
    recorded = path.read_bytes()
    run(path, "verify", before, Double(package(), seed=5))
    assert path.read_bytes() == recorded


def test_a_component_that_is_other(path):
    """A method that says something else is told, with the words that differ."""
    other = package()
    other.add(Method(f"{SITE}/describe", {"greeting": str}, {"text": "{greeting}, {self.url}"}))
    with pytest.raises(DifferentAnswersError, match="hello"):
        run(path, "verify", before, Double(other, seed=5))
