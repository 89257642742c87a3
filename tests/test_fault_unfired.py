"""Rules that fired nowhere, too seldom or for nothing: what they say, and which of them are refused at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from builders import TOKEN, answer, call

from mockprovider.calls import Op, Session
from mockprovider.double import Double
from mockprovider.errors import DefinitionError
from mockprovider.faults import Faults, load, points, spread
from mockprovider.schema import Function, Property, ResourceType
from mockprovider.values import Secret

ZONE = Function("cloud:index:getZone", {"region": str})
BUCKET = ResourceType(TOKEN, {"acl": str, "arn": Property(str, computed="arn:{id}")})
URN = "urn:pulumi:dev::p::pulumi:providers:cloud::west"


@pytest.mark.parametrize(
    ("selecting", "said"),
    [
        ({"id": "b-2"}, "the id is 'b-1', not 'b-2'"),
        ({"inputs": {"acl": "y"}}, "the input acl is 'x', not 'y'"),
        ({"inputs": {"alc": "x"}}, "the input alc is missing, not 'x'"),
        ({"inputs": {"word": "y"}}, "the input word is secret, not 'y'"),
        ({"instance": "east"}, f"the instance is '{URN}', not 'east'"),
        ({"address": "a.b"}, "the address is 'a.c', not 'a.b'"),
        ({"name": "lgos", "inputs": {"acl": "y"}}, "the name is 'logs', not 'lgos' and input acl is 'x', not 'y'"),
        ({"instance": "west", "id": "b-2"}, "of the nearest, the id is 'b-1', not 'b-2'"),
    ],
)
def test_a_rule_says_what_of_the_nearest_call_is_another(selecting: dict[str, Any], said: str) -> None:
    """Whatever a rule selects by, it says what the nearest call has instead; a secret stays one."""
    faults = Faults()
    rule = faults.on.update(**selecting).error()
    session = Session("pulumi")
    session.instance = URN
    asked = {"inputs": {"acl": "x", "word": Secret("s3cret")}, "id": "b-1", "address": "a.c", "session": session}
    assert faults.layer(call(Op.UPDATE, name="logs", **asked), answer()).ok
    assert rule.unfired.startswith("no such update was asked for; of the nearest, the ")
    assert rule.unfired.endswith(said)


@pytest.mark.parametrize(
    ("selecting", "said"),
    [
        ({"id": "b-1"}, "no create told an id: leave id='b-1' out"),
        ({"instance": "east"}, "no create told an instance, as its protocol has none: leave instance='east' out"),
    ],
)
def test_what_no_call_tells(selecting: dict[str, Any], said: str) -> None:
    """A rule that selects by what none of its calls tells says so."""
    faults = Faults()
    rule = faults.on.create(**selecting).error()
    faults.layer(call(Op.CREATE, session=Session("tfplugin6")), answer())
    assert rule.unfired == said


def test_the_nearest_call_has_the_fewest_differences() -> None:
    """Of several calls, the nearest is the one of which least is another."""
    faults = Faults()
    rule = faults.on.create(TOKEN, name="logs", inputs={"acl": "z"}).error()
    for name, inputs in (("logz", {"acl": "x"}), ("logs", {"acl": "y"}), ("logt", {})):
        faults.layer(call(Op.CREATE, name=name, inputs=inputs), answer())
    assert rule.unfired.endswith("of the nearest, the input acl is 'y', not 'z'")


def test_a_fault_that_fires_too_seldom() -> None:
    """A rule that says how often it fires, and fires less often, is as one that never fired; unless it is optional."""
    faults = Faults()
    rule = faults.on.create().error().times(3)
    always, chance = faults.on.update().error().always(), faults.on.delete().error().times(9).sometimes(0.5)
    faults.layer(call(Op.CREATE), answer())
    faults.layer(call(Op.UPDATE), answer())
    assert rule.unfired == "it fired 1 of 3 times, and no more calls fitted"
    assert rule.complaint == f"{rule} fired too seldom: {rule.unfired}."
    assert (always.complaint, chance.complaint) == ("", "")
    for _ in range(2):
        faults.layer(call(Op.CREATE), answer())
    assert (rule.unfired, rule.complaint) == ("", "")
    assert faults.on.create().error().times(2).optional().complaint == ""


@pytest.mark.parametrize("preview", ["only", "also"])
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda on, preview: on.create(preview=preview).drift({"acl": "x"}), "drift() does nothing in previews of create"),
        (lambda on, preview: on.create(preview=preview).vanish(), "vanish() does nothing in previews of create"),
        (lambda on, preview: on.update(preview=preview).duplicate(), "duplicate() does nothing in previews of update"),
    ],
)
def test_what_does_nothing_in_a_preview(rule: Any, said: str, preview: str) -> None:
    """A fault that would change what a preview never makes is refused, and does not count as fired."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        rule(Faults().on, preview)


def test_what_a_preview_can_be_broken_by() -> None:
    """An object that exists may vanish while an update of it is previewed; and every point of a preview has a plan."""
    assert Faults().on.update(preview="only").vanish().when.preview == "only"
    assert all(point.plan.faults for point in points([call(Op.CREATE, preview=True)]))


@pytest.mark.parametrize(
    "rule",
    [
        lambda on: on.update(TOKEN).drift({"alc": "x"}),
        lambda on: on.update(TOKEN).partial(applied=["alc"]),
        lambda on: on.update(TOKEN).altered(without=["alc"]),
    ],
)
def test_a_property_that_the_type_does_not_have(rule: Any) -> None:
    """A fault about a property that a declared type does not have does nothing, so it is refused; a rule of any type is not."""
    with Double(BUCKET) as double:
        with pytest.raises(DefinitionError, match=r"has no property 'alc'\. Did you mean 'acl'\?"):
            rule(double.faults.on)
        assert double.faults.on.update().partial(applied=["alc"]).fault
        assert double.faults.on.update(TOKEN).altered(without=["acl", "id"], unknown=["more"]).fault


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda on: on.create(ZONE.token), f"'{ZONE.token}' is a function, and no engine asks for create of one"),
        (lambda on: on.invoke(TOKEN), f"'{TOKEN}' is a resource type, and no engine asks for invoke of one"),
        (lambda on: on.invoke("cloud:index:getZome"), "Did you mean 'cloud:index:getZone'?"),
    ],
)
def test_a_token_of_something_else(rule: Any, said: str) -> None:
    """A fault at an op that nothing asks of what is declared under the token is refused."""
    with Double(BUCKET, ZONE) as double:
        with pytest.raises(DefinitionError, match=re.escape(said)):
            rule(double.faults.on)
        with pytest.raises(DefinitionError, match=re.escape("is a function")):
            double.faults.use({"faults": [{"when": {"op": "create", "type": ZONE.token}, "fault": {"kind": "error"}}]})
        assert double.faults.on.invoke(ZONE.token).when.type == ZONE.token
        assert len(double.faults.rules) == 1


def test_a_drift_of_nothing() -> None:
    """A drift that changes nothing is refused."""
    with pytest.raises(DefinitionError, match=r"drift\(\) changes nothing"):
        Faults().on.create().drift({})


# Plans of several providers, and what plans are read from ------------------------------------------------------------------

SHARED = {
    "faults": [
        {"when": {"op": "create", "provider": "random"}, "fault": {"kind": "error"}},
        {"when": {"op": "create"}, "fault": {"kind": "crash"}},
    ]
}


def test_a_plan_of_several_providers() -> None:
    """A rule that names a provider is its alone, and one that names none is a rule of each."""
    with Double(name="random") as one, Double(name="local") as other:
        doubles = {double.name: double.faults for double in (one, other)}
        assert len(spread(load(SHARED), doubles)) == 3
        assert [len(faults.rules) for faults in doubles.values()] == [2, 1]
        with pytest.raises(DefinitionError, match=r"There is no provider 'randon' here\. Did you mean 'random'\?"):
            spread(load({"faults": [{"when": {"op": "create", "provider": "randon"}, "fault": {"kind": "error"}}]}), doubles)
        with pytest.raises(DefinitionError, match="The rule is about the provider 'random': this is 'local'"):
            other.faults.use(SHARED)


def test_a_plan_is_known_by_the_name_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is as good as a path, in capitals, too, and what an editor puts in front of a text is not read."""
    monkeypatch.chdir(tmp_path)
    text = '\ufeff[[faults]]\nwhen = { op = "create" }\nfault = { kind = "error" }\n'
    for name in ("lost.toml", "UPPER.TOML"):
        Path(name).write_text(text, encoding="utf-8")
        [rule] = Faults().use(name)
        assert load(Path(name)).faults == (rule.data,)
    with pytest.raises(DefinitionError, match=r"The fault plan plan\.yaml is no \.json or \.toml file"):
        load("plan.yaml")
    with pytest.raises(DefinitionError, match=r"The fault plan other\.toml cannot be read"):
        load("other.toml")


@pytest.mark.parametrize(("text", "format_"), [("[" * 100_000, "json"), (f"a = {'[' * 100_000}", "toml")])
def test_a_plan_that_is_nested_too_deeply(text: str, format_: str) -> None:
    """A text of nothing but brackets is refused in one sentence."""
    with pytest.raises(DefinitionError, match=r"^the fault plan: nested too deeply to be read\. A dozen levels do\.$"):
        load(text, format=format_)


def test_a_misspelt_op() -> None:
    """A hint is a word that can be written."""
    with pytest.raises(DefinitionError, match=r"'crate' is no op\. Did you mean 'create'\?"):
        load({"faults": [{"when": {"op": "crate"}, "fault": {"kind": "error"}}]})
