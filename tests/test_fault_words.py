"""What a fault and a rule are given: the same schema checks Python and plans, and every field survives every form."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase as Doing
from hypothesis import assume, find, given, reject, settings
from hypothesis import strategies as st
from msgspec import inspect as types
from msgspec import structs

from mockprovider.calls import STATUS_NAMES, Op
from mockprovider.errors import DefinitionError
from mockprovider.faults import KINDS, FaultPlan, FaultRule, Faults, Phase, When, load
from mockprovider.faults.fault import Fault

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x7f"), max_size=4)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
WORDS: dict[str, st.SearchStrategy[Any]] = {
    "status": st.sampled_from(STATUS_NAMES[1:]),
    "data": st.binary(max_size=3).map(bytes.hex),
    "details": st.binary(max_size=3).map(bytes.hex),
}
"""The fields whose values no type says."""


def numbers(type_: Any) -> st.SearchStrategy[Any]:
    """The numbers within the bounds of a type, whole ones among them."""
    least, most = type_.gt or type_.ge or 0, type_.le or 1000
    return st.floats(least, most, exclude_min=type_.gt is not None) | st.integers(int(least) + 1, int(most))


VALUES: dict[type, Callable[[Any], st.SearchStrategy[Any]]] = {
    types.Metadata: lambda type_: values(type_.type),
    types.EnumType: lambda type_: st.sampled_from([*type_.cls]),
    types.LiteralType: lambda type_: st.sampled_from(type_.values),
    types.ListType: lambda type_: st.lists(values(type_.item_type), min_size=type_.min_length or 0, max_size=3),
    types.DictType: lambda type_: st.dictionaries(values(type_.key_type), values(type_.value_type), max_size=3),
    types.IntType: lambda type_: st.integers(type_.ge or 0, type_.le or 1000),
    types.FloatType: numbers,
    types.BoolType: lambda _: st.booleans(),
    types.StrType: lambda _: TEXT,
    types.AnyType: lambda _: PLAIN,
}


def values(type_: Any) -> st.SearchStrategy[Any]:
    """What may stand in a field of this type."""
    return VALUES[type(type_)](type_)


def arguments(shape: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Any fields of a struct, with what may stand there."""
    fields = {item.name: WORDS.get(item.name, values(item.type)) for item in types.type_info(shape).fields}  # type: ignore[attr-defined]
    return st.fixed_dictionaries({}, optional=fields)


def made(shape: Any, given: dict[str, Any]) -> Any:
    """The struct, if its fields make sense together."""
    try:
        return shape(**given)
    except DefinitionError:
        reject()
    except TypeError as error:
        if "Missing required" not in str(error):
            raise
        reject()


def toml(value: Any) -> str:
    """``value`` in TOML, on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{toml(str(key))} = {toml(item)}' for key, item in value.items())}}}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def survives(plan: FaultPlan) -> None:
    """Prove that a plan is the same after JSON, TOML, and after it was pasted into a test."""
    text = json.dumps(plan.data)
    assert load(plan.data) == plan
    assert load(text) == plan
    if "null" not in text:  # which TOML cannot say
        assert load(tomllib.loads(f"faults = {toml(plan.data['faults'])}")) == plan
    faults = Faults()
    exec(str(plan).replace("provider.", "", 1), {"faults": faults})
    assert faults.plan == plan


@pytest.mark.parametrize("word", KINDS)
@given(data=st.data())
def test_every_field_of_every_kind_survives_every_form(word: str, data: st.DataObject) -> None:
    """Whatever a kind is given, data, JSON, TOML and Python say the same."""
    fault: Fault = made(KINDS[word], data.draw(arguments(KINDS[word])))
    survives(FaultPlan((FaultRule(When(op=min(fault.ops)), fault),)))


@given(arguments(When))
def test_every_field_of_a_selector_survives_every_form(given: dict[str, Any]) -> None:
    """Whatever is selected, data, JSON, TOML and Python say the same."""
    given.pop("type", "")  # which says what a token is by itself
    when: When = made(When, {"op": Op.CREATE, "type": "cloud:index:Bucket", **given})
    assume((when.phase is Phase.MID) == bool(when.step))
    assume(when.phase is not Phase.REPLY)
    survives(FaultPlan((FaultRule(when, KINDS["error"]()),)))


ANY = settings(phases=[Doing.generate], database=None, max_examples=1000)
"""Any example does, since it takes long to find the smallest one; however few a run has of each property, one is looked for."""


def test_every_field_is_tried() -> None:
    """The generated plans set each field of each kind to something that is not its default."""
    for shape in (*KINDS.values(), When):
        for item in structs.fields(shape):
            name, default = item.name, item.default
            assert name in find(arguments(shape), lambda given, of=(name, default): given.get(*of) != of[1], settings=ANY)


WRONG: list[tuple[Any, str]] = [
    (lambda on: on.create().error(5), "error(): reason: 5 stands here. Write a string in quotes."),
    (lambda on: on.create().error("x", more="abc"), 'error(): more: "abc" stands here. Write a list in brackets.'),
    (lambda on: on.create().error("x", path=None), "error(): path: null stands here. Write a string in quotes."),
    (lambda on: on.create().partial(reasons=[1]), "partial(): reasons[0]: 1 stands here. Write a string in quotes."),
    (lambda on: on.create().partial(private=1), "partial(): private: 1 stands here. Write true or false, without quotes."),
    (lambda on: on.create().altered(without="arn"), 'altered(): without: "arn" stands here. Write a list in brackets.'),
    (lambda on: on.create().altered(values={1: 2}), "altered(): values: the key 1 is no text. Keys are strings."),
    (lambda on: on.create().altered(values={(1,): 2}.keys()), "Write an object in braces."),
    (lambda on: on.create().drift([{(1,): 2}]), "drift(): changes: a list stands here. Write an object in braces."),
    (lambda on: on.create().hang(then="obay"), "hang(): then: 'obay' is no word for this. Did you mean 'obey'?"),
    (lambda on: on.create().hang(-1), "hang(): then: -1 stands here. Write a string in quotes."),
    (lambda on: on.create().cancel(times=3), "cancel(): times: 3 stands here. Write 1 or 2."),
    (lambda on: on.create().cancel(times=True), "cancel(): times: true stands here. Write 1 or 2."),
    (lambda on: on.create().cancel(signal="kil"), "cancel(): signal: 'kil' is no word for this. There are: interrupt, term"),
    (lambda on: on.create().cancel(then="finsh"), "Did you mean 'finish'?"),
    (lambda on: on.create().lose_reply("rest"), "lose_reply(): how: 'rest' is no word for this. Did you mean 'reset'?"),
    (lambda on: on.create().lose_reply(["half"]), 'lose_reply(): how: ["half"] stands here.'),
    (lambda on: on.create().latency("5"), 'latency(): seconds: "5" stands here. Write a number.'),
    (lambda on: on.create().latency(0), "latency(): seconds: 0 stands here. Write seconds above 0, up to a century."),
    (lambda on: on.create().latency(float("inf")), "latency(): seconds: Infinity stands here."),
    (lambda on: on.create().latency(1e300), "latency(): seconds: 1e+300 stands here."),
    (lambda on: on.create().latency(float("nan")), "latency(): seconds: NaN stands here."),
    (lambda on: on.create().crash(code=99999), "crash(): code: 99999 stands here. Write an exit code, 0 to 255."),
    (lambda on: on.create().rpc_error(status=[]), "rpc_error(): status: [] stands here."),
    (lambda on: on.create(name=5), "when: name: 5 stands here. Write a string in quotes."),
    (lambda on: on.create(name=0), "when: name: 0 stands here."),
    (lambda on: on.create(id=5), "when: id: 5 stands here."),
    (lambda on: on.create(instance=5), "when: instance: 5 stands here."),
    (lambda on: on.create(address=5), "when: address: 5 stands here."),
    (lambda on: on.create(inputs="acl"), 'when: inputs: "acl" stands here. Write an object in braces.'),
    (lambda on: on.create(preview="onl"), "when: preview: 'onl' is no word for this. Did you mean 'only'?"),
    (lambda on: on.create(preview=True), "when: preview: true stands here. Write a string in quotes."),
    (lambda on: on.create().sometimes(0.5, seed="a"), 'when: seed: "a" stands here. Write a whole number.'),
    (lambda on: on.create().sometimes(0.5, seed=-1), "when: seed: -1 is below 0. Count from 0."),
    (lambda on: on.create().sometimes("0.5"), 'when: probability: "0.5" stands here. Write a number.'),
    (lambda on: on.create().sometimes(1.5), "when: probability: 1.5 stands here. Write a number above 0, up to 1."),
    (lambda on: on.create().at("befor"), "when: phase: 'befor' is no phase. Did you mean 'before'?"),
    (lambda on: on.create().at("mid", step=5), "when: step: 5 stands here."),
]


@pytest.mark.parametrize(("rule", "said"), WRONG, ids=lambda value: value[:40] if isinstance(value, str) else "")
def test_python_is_checked_like_a_plan(rule: Any, said: str) -> None:
    """A word, number or list of the wrong kind is refused where it is written, with its place and what may stand there."""
    with pytest.raises(DefinitionError) as refused:
        rule(Faults().on)
    assert said in str(refused.value)


def test_python_and_plans_say_the_same() -> None:
    """A plain word is as good as the enum's, and what a plan's data is becomes what Python makes."""
    assert When(op="create", phase="after") == When(op=Op.CREATE, phase=Phase.AFTER)  # type: ignore[arg-type]
    assert str(When(op="create").op) == "create"  # type: ignore[arg-type]
    assert KINDS["partial"](reasons=["a"]) == KINDS["partial"](reasons=("a",))


def test_what_python_puts_into_an_answer_stays_as_it_is() -> None:
    """An answer may be altered to what no document holds."""
    thing = object()
    [rule] = [Faults().on.create().altered(values={"arn": thing, "inf": float("inf")})]
    assert rule.data.fault.values["arn"] is thing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"kind": "cancel", "times": 3}, "fault.times: 3 stands here. Write 1 or 2."),
        ({"kind": "cancel", "times": "2"}, 'fault.times: "2" stands here. Write 1 or 2.'),
        ({"kind": "cancel", "times": [2]}, "fault.times: [2] stands here. Write 1 or 2."),
        ({"kind": "partial", "reasons": ["a", 1]}, "fault.reasons[1]: 1 stands here. Write a string in quotes."),
        ({"kind": "partial", "reasons": "a"}, 'fault.reasons: "a" stands here. Write a list of reasons, as in'),
        ({"kind": "latency", "seconds": float("inf")}, "fault.seconds: Infinity stands here. Write seconds above 0"),
        ({"kind": "crash", "code": 256}, "fault.code: 256 stands here. Write an exit code, 0 to 255."),
        ({"kind": "hang", "then": "obay"}, "fault.then: 'obay' is no word for this. Did you mean 'obey'?"),
    ],
)
def test_a_plan_says_where_it_is_wrong(fault: dict[str, Any], said: str) -> None:
    """A wrong value in a plan is refused with its place in the plan."""
    with pytest.raises(DefinitionError) as refused:
        load({"faults": [{"when": {"op": "create"}, "fault": fault}]})
    assert f"the fault plan: faults[0].{said}" in str(refused.value)


def listed(table: str) -> list[tuple[str, ...]]:
    """The words in each row of a table of docs/faults.md, column by column."""
    page = (Path(__file__).parents[1] / "docs/faults.md").read_text(encoding="utf-8")
    rows = page.partition(f"<!-- {table} -->\n")[2].partition(f"\n<!-- /{table} -->")[0].splitlines()[2:]
    return [tuple(row.split("|")[1:3]) for row in rows]


def test_the_page_has_every_key_of_a_plan() -> None:
    """docs/faults.md lists each key of `when`, each kind, and each kind's keys, and no others."""
    assert [word for keys, _ in listed("when") for word in re.findall(r"`(\w+)`", keys)] == [*When.__struct_fields__]
    kinds = {re.findall(r"`(\w+)`", kind)[0]: re.findall(r"`([a-z_]+)`", keys) for kind, keys in listed("kinds")}
    assert kinds == {word: [*kind.__struct_fields__] for word, kind in KINDS.items()}
