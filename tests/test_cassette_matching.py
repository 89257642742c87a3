"""What somebody decides about which calls match: ignored paths, matchers, repeats and strict order."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from cassette_toy import TYPE, Toy, answer, call, header, recorded, session
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from verify_stage import DEFINITIONS, DISK, FIRST, PROTOCOLS, Life

from mockprovider.calls import Op
from mockprovider.cassette import CassetteLayer, Library, Mode, Reader, Recorder
from mockprovider.cassette.matching import Comparison, Matching, matching_of, pattern
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.errors import CassetteError, DefinitionError, MissError
from mockprovider.protocols import of_family
from mockprovider.redaction import PLACEHOLDER
from mockprovider.tape import load

TREE = {"a": {"b": 1, "c": [{"id": 1, "k": 2}, {"id": 3, "k": 4}], "x.y": 5}, "z": 6}


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        ("z", {"a": TREE["a"]}),
        ("a", {"z": 6}),
        ("a.b", {"a": {"c": [{"id": 1, "k": 2}, {"id": 3, "k": 4}], "x.y": 5}, "z": 6}),
        ("a.c[*].id", {"a": {"b": 1, "c": [{"k": 2}, {"k": 4}], "x.y": 5}, "z": 6}),
        ("a.c[0]", {"a": {"b": 1, "c": [{"id": 3, "k": 4}], "x.y": 5}, "z": 6}),
        ("**.id", {"a": {"b": 1, "c": [{"k": 2}, {"k": 4}], "x.y": 5}, "z": 6}),
        ('a["x.y"]', {"a": {"b": 1, "c": [{"id": 1, "k": 2}, {"id": 3, "k": 4}]}, "z": 6}),
        ("*.b", {"a": {"c": [{"id": 1, "k": 2}, {"id": 3, "k": 4}], "x.y": 5}, "z": 6}),
        ("a.**", {"a": {}, "z": 6}),
        ("**.nothing", TREE),
        ("a.c[1].id", {"a": {"b": 1, "c": [{"id": 1, "k": 2}, {"k": 4}], "x.y": 5}, "z": 6}),
        ("a.**.k", {"a": {"b": 1, "c": [{"id": 1}, {"id": 3}], "x.y": 5}, "z": 6}),
        ("**.c.*.id", {"a": {"b": 1, "c": [{"k": 2}, {"k": 4}], "x.y": 5}, "z": 6}),
        ("**.b.id", TREE),
    ],
)
def test_ignored_paths(ignore, left):
    """A path takes away what is at it: names, keys with dots, items of lists, any one step, any number of steps."""
    assert Comparison(Matching([ignore]))("", "create", "Create", "t", TREE) == left


@pytest.mark.parametrize("path", ["pin.*", "pin.kind", "**.kind", "pin.**"])
def test_a_secret_is_left_out_as_a_whole(path):
    """Inside of what stands for a secret there is nothing that a path could be about."""
    tree = {"pin": {PLACEHOLDER: 1, "kind": "number"}, "pins": [{PLACEHOLDER: 2}]}
    assert Comparison(Matching([path]))("", "create", "Create", "t", tree) == tree
    assert Comparison(Matching(["pin"]))("", "create", "Create", "t", tree) == {"pins": tree["pins"]}


@given(st.recursive(st.integers() | st.text(), lambda part: st.lists(part) | st.dictionaries(st.text(max_size=2), part)))
def test_nothing_is_ignored_unless_it_is_named(tree):
    """Whatever a tree is, paths that are not in it leave it as it is, and the path of everything leaves nothing in it."""
    assert Comparison(Matching(["no such.place"]))("", "create", "Create", "t", tree) == tree
    assert not isinstance(tree, (dict, list)) or not Comparison(Matching(["**"]))("", "create", "Create", "t", tree)


def test_ignored_paths_of_a_type():
    """A mapping gives the paths of each type, and of every type."""
    matching = Matching({"disk": ["z"], "*": ["a.b"]})
    assert "z" not in Comparison(matching)("", "create", "Create", "disk", TREE)
    assert "z" in Comparison(matching)("", "create", "Create", "mount", TREE)
    assert "b" not in Comparison(matching)("", "create", "Create", "mount", TREE)["a"]


@pytest.mark.parametrize(
    ("matching", "whole"),
    [({}, True), ({"ignore": {"t": []}}, True), ({"ignore": ["z"]}, False), ({"matchers": [str]}, False), (None, True)],
)
def test_where_nothing_is_decided_requests_are_compared_as_they_are(matching, whole):
    """Without a path and without a function, nothing has to look at a request."""
    assert Comparison(matching_of(matching)).whole is whole


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ignroe": ["a"]}, r"there is no 'ignroe'. Did you mean 'ignore'\?"),
        ({"ignore": "a.b"}, "matching: ignore: Expected"),
        ({"ignore": ["a..["]}, "is no path"),
        ({"ignore": [""]}, "is no list of paths"),
        ({"ignore": {"t": 3}}, "matching: ignore: Expected"),
        ({"repeat": {"Read": "often"}}, "'often' of 'Read' is none of 'recorded' and 'always'"),
        ({"order": "loose"}, "'loose' is none of 'free' and 'strict'"),
        ({"matchers": ["no function"]}, "is no function of a ComparedRequest"),
        ({"matchers": 3}, "matching: matchers: "),
    ],
)
def test_what_is_no_matching(wrong, said):
    """A word, a path or a function that is none is refused, with what there is."""
    with pytest.raises(DefinitionError, match=said):
        matching_of(wrong)


@pytest.mark.parametrize("names", ["acl", {"t": "acl"}, ["acl", 3], ["acl", ""]])
def test_what_is_no_list_of_paths(names):
    """A path alone, which Python takes for a list of its letters, is refused, and so is what is no path among paths."""
    with pytest.raises(DefinitionError, match=r"'acl'.* of .* is no list of paths"):
        Matching(ignore=names)


def test_what_a_cassette_keeps_is_added_to():
    """The paths of a cassette and of a test are one; where both have a word, the test's counts; functions are never kept."""
    kept = Matching({"t": ["a"]}, (str,), {"Read": "recorded"}, "strict").data
    assert kept == {"ignore": {"t": ["a"]}, "repeat": {"Read": "recorded"}, "order": "strict"}
    both = Matching({"t": ["b"], "*": ["c"]}, repeat={"Read": "always"}).with_kept(kept)
    assert both.by_type == {"t": ["a", "b"], "*": ["c"]}
    assert (both.repeat, both.order, both.matchers) == ({"Read": "always"}, "strict", ())
    assert Matching(order="free").data == Matching().data == {}


# In a replay ---------------------------------------------------------------------------------------------------------------


def library(*conversation, **matching):
    return Library(recorded(*conversation), {"": Reader(Toy())}, matching=Matching(**matching))


def replay(held, asked):
    return CassetteLayer(Mode.NONE, held, None)(asked)


def test_an_ignored_property_does_not_count():
    """A request that differs at an ignored place only is answered, and elsewhere it misses and shows only what counts."""
    conversation = [(call(Op.CREATE, session(), "urn:a", name="a", note="then", size=1), answer(id="one"))]
    (path,) = {place for place in ("news.note", "note", "inputs.note") if _in(recorded(*conversation), place)}
    held = library(*conversation, ignore=[path])
    assert replay(held, call(Op.CREATE, session(), "urn:a", name="a", note="now", size=1)).value == {"id": "one"}
    held = library(*conversation, ignore=[path])
    with pytest.raises(MissError) as caught:
        replay(held, call(Op.CREATE, session(), "urn:a", name="a", note="now", size=2))
    assert "size: recorded 1, now 2" in str(caught.value)
    assert "note" not in str(caught.value).split("differs")[1]


def _in(cassette, path):
    tree: Any = cassette.interactions[0].request
    for step in pattern(path):
        if not isinstance(tree, dict) or step not in tree:
            return False
        tree = tree[step]
    return True


def test_a_matcher_decides_what_is_compared():
    """A function is asked about the recorded request and today's, and what it returns is compared."""
    conversation = [(call(Op.INVOKE, session(), name="Zone"), answer(zone="one"))]
    seen = []

    def any_case(request):
        seen.append((request.op, request.method, request.provider))
        return str(request.request).lower()

    held = library(*conversation, matchers=(any_case,))
    assert replay(held, call(Op.INVOKE, session(), name="zONE")).value == {"zone": "one"}
    assert {op for op, _, _ in seen} == {"invoke"}
    assert len(seen) == 2
    with pytest.raises(MissError):
        replay(held, call(Op.INVOKE, session(), name="zones"))


@pytest.mark.parametrize("wrong", [lambda request: request.request["no"], lambda _: {1, 2}.__iter__()])
def test_a_matcher_that_fails(wrong):
    """A matcher that raises, or returns what is no tree, is named in the error, with the call that it failed for."""
    with pytest.raises(DefinitionError, match=rf"The matcher <lambda> failed for Invoke of {TYPE}: \w+Error: "):
        library((call(Op.INVOKE, session(), name="zone"), answer(zone="one")), matchers=(wrong,))


def test_how_often_an_answer_answers():
    """``recorded``: a read answers as often as it was recorded; ``always``: a create answers again; else neither does."""
    read = call(Op.READ, session(), "urn:a", id="one")
    create = call(Op.CREATE, session(), "urn:a", name="a")
    conversation = [(create, answer(id="one")), (read, answer(id="one"))]
    methods = {one.op: one.method for one in recorded(*conversation).interactions}

    held = library(*conversation)
    assert replay(held, read).value == replay(held, read).value
    replay(held, create)
    with pytest.raises(MissError):
        replay(held, create)

    held = library(*conversation, repeat={methods["read"]: "recorded", methods["create"]: "always"})
    replay(held, read)
    with pytest.raises(MissError, match="that was used already"):
        replay(held, read)
    assert replay(held, create).value == replay(held, create).value == {"id": "one"}
    with pytest.raises(DefinitionError, match=r"repeat: 'Raed' was not recorded"):
        library(*conversation, repeat={"Raed": "always"})


# Strict order --------------------------------------------------------------------------------------------------------------


CALLS = {name: call(Op.CREATE, session(), f"urn:{name}", name=name) for name in ("a", "b", "c")}
READ = call(Op.READ, session(), "urn:a", id="a")


def in_order(order):
    """A recording that keeps the order of its calls."""
    recorder = Recorder(Toy(), replace(header(), matching={"order": "strict"}))
    for name in order:
        recorder(CALLS.get(name, READ), lambda _: answer(id="any"))
    return recorder.close()


@pytest.mark.parametrize("order", [*itertools.permutations("abc")])
def test_strict_order(order):
    """However the file is sorted, calls are answered in the order in which they came, and in no other."""
    cassette = in_order(order)
    assert [asked for asked in itertools.permutations("abc") if not refused(cassette, asked)] == [order]
    first, early = order[0], next(asked for asked in itertools.permutations("abc") if asked != order and asked[0] != order[0])
    said = refused(cassette, early)
    assert "it comes too early: interaction" in said
    assert f"of urn:{first}" in said.split("too early: ")[1]
    assert "was recorded before it and has not been asked for yet" in said


def refused(cassette, asked):
    """Why these calls are refused in this order; empty if they are not."""
    held = Library(cassette, {"": Reader(Toy())})
    try:
        for name in asked:
            replay(held, CALLS[name])
    except MissError as error:
        return str(error)
    return ""


def test_reads_may_be_left_out_and_not_come_late():
    """In strict order a read may be left out; after a later call it is too late."""
    cassette = in_order("arb")
    held = Library(cassette, {"": Reader(Toy())})
    for name in "ab":
        replay(held, CALLS[name])
    with pytest.raises(MissError, match=r"it comes too late: .*was recorded after it and has been answered already"):
        replay(held, READ)


def test_an_engine_may_end_at_any_time():
    """In strict order Cancel comes whenever the engine ends, and what comes after it is still in order."""
    ends = call(Op.CANCEL, session())
    recorder = Recorder(Toy(), replace(header(), matching={"order": "strict"}))
    for one in (CALLS["a"], CALLS["b"], ends):
        recorder(one, lambda _: answer(id="any"))
    held = Library(recorder.close(), {"": Reader(Toy())})
    replay(held, ends)
    replay(held, CALLS["a"])
    with pytest.raises(MissError):
        replay(held, CALLS["c"])
    replay(held, ends)
    replay(held, CALLS["b"])


def test_an_order_that_was_not_recorded():
    """A cassette without the order of its calls is refused where that is wanted, with the way to record it."""
    with pytest.raises(CassetteError, match=r"was recorded without the order .*'strict'"):
        library((CALLS["a"], answer(id="a")), order="strict")


# From the doors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "major"), PROTOCOLS)
def test_a_recording_keeps_its_matching(tmp_path, family, major):
    """What is decided when a cassette is recorded holds in each replay: an ignored property may be another one."""
    path = tmp_path / "it.json"

    def live(size: int):
        def run(life: Life) -> None:
            life.ask(Op.GET_SCHEMA)
            life.ask(Op.CONFIGURE, inputs={})
            life.create(DISK.token, "d", {**FIRST, "size": size})

        return run

    ignored = ["**.size"]
    for wiring, size in (
        (
            recording(
                path, Wiring("cloud", protocol=of_family(family, major)), matching={"ignore": ignored, "order": "strict"}
            ),
            1,
        ),
        (None, 2),
    ):
        with (
            Double(*DEFINITIONS, provider=wiring or replaying(path)) as double,
            double.serve(family, major=major) as serving,
            serving.client() as client,
        ):
            live(size)(Life(client, family))
            double.raise_errors()
            assert double.unplayed == []
    assert load(path).header.matching == {"ignore": {"*": ["**.size"]}, "order": "strict"}
    assert [one.at for one in load(path).interactions if one.op == "create"] != [0]
