"""A finished cassette is the same, however the calls of its run were interleaved."""

import itertools
import random

import pytest
from cassette_toy import Toy, answer, call, header, recorded, secret, session
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.calls import Op, Reply
from mockprovider.cassette import Cassette, Interaction, RecordedStatus, Recorder
from mockprovider.cassette.order import canonical
from mockprovider.matching import encode


def threads_of(instance):
    """What one provider instance is asked in one session, as lists of calls that must keep their order."""

    def resource(name):
        urn = f"urn:{instance}:{name}"
        password = secret(f"password of {name}")
        return [
            (Op.CHECK, urn, {"name": name, "seed": 0}, {"inputs": name}),
            (Op.CREATE, urn, {"name": name, "password": password}, {"id": name, "password": password}),
            (Op.READ, urn, {"id": name}, {"password": password}),
        ]

    function = [[(Op.INVOKE, "", {"zone": zone}, {"zone": zone})] for zone in "ab"]
    return [*(resource(name) for name in ("b", "a", "c")), *function]


def interleaved(threads, chance):
    """All calls of all threads, each thread in its order."""
    left = [list(each) for each in threads]
    while any(left):
        thread = chance.choice([each for each in left if each])
        yield thread.pop(0)


def run(chance):
    """One run: two phases with two provider instances at the same time, all interleaved by chance."""
    recorder = Recorder(Toy(), header())
    number = 0
    for phase in ("up", "destroy"):
        recorder.phase = phase
        opened = []
        for instance in chance.sample(["east", "west"], 2):
            number += 1
            opened.append(one_session(number, instance, phase, chance))
        for asked, reply in interleaved(opened, chance):
            recorder(asked, lambda _, reply=reply: reply)
    return encode([recorder.close().header, recorder.close().interactions])


def one_session(number, instance, phase, chance):
    boot = [(call(Op.HANDSHAKE, session(number, ""), type_="", address=number), answer(accept=True))]
    where = session(number, instance)
    work = threads_of(instance) if phase == "up" else [[(Op.DELETE, f"urn:{instance}:a", {"id": "a"}, {})]]
    middle = [(call(op, where, urn, **inputs), Reply(value=value)) for op, urn, inputs, value in interleaved(work, chance)]
    return [*boot, *middle, (call(Op.CANCEL, where, type_=""), answer())]


@given(st.integers(), st.integers())
def test_two_recordings_of_one_run_are_equal(one, other):
    """Whatever the interleaving of resources and sessions, the finished cassettes are the same bytes."""
    assert run(random.Random(one)) == run(random.Random(other))


def test_the_order_reads_like_a_run():
    """In a session come its start, functions, resources by URN with their calls as they came, and its end."""
    recorder = Recorder(Toy(), header())
    recorder.phase = "up"
    for asked, reply in one_session(3, "east", "up", random.Random(1)):
        recorder(asked, lambda _, reply=reply: reply)
    found = [(each.n, each.method, each.urn.removeprefix("urn:east:")) for each in recorder.close().interactions]
    assert [method + urn for _, method, urn in found] == [
        "Handshake",
        "Invoke",
        "Invoke",
        *[method + urn for urn in "abc" for method in ("Check", "Create", "Read")],
        "Cancel",
    ]
    assert [n for n, _, _ in found] == list(range(1, 14))


ORDER = [
    *("handshake", "attach", "get_plugin_info", "parameterize", "get_schema", "get_mapping", "get_mappings"),
    *("check_config", "diff_config", "configure"),
    *("check", "upgrade", "upgrade_identity", "diff", "plan", "create", "read", "update", "delete", "import", "move", "list"),
    *("invoke", "call", "construct", "open", "renew", "close", "function"),
    *("cancel", "raw"),
    *("register", "register_outputs", "engine", "views", "log"),
]


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_equal_calls_are_in_the_order_of_their_addresses(arrived, generated):
    """Equal creates that have addresses stand in the order of these, whatever came first and whatever was generated."""
    recorder = Recorder(Toy(), header())
    for number in arrived:
        asked = call(Op.CREATE, session(), size=1)
        asked.address = f"cloud_bucket.b[{number}]"
        recorder(asked, lambda _, number=number: answer(id=f"id-{generated[number]}"))
    kept = recorder.close().interactions
    assert [interaction.address for interaction in kept] == [f"cloud_bucket.b[{number}]" for number in range(5)]
    assert [interaction.response["id"] for interaction in kept] == [f"id-{number}" for number in generated]


def test_the_order_of_ops_is_part_of_the_format():
    """Calls that no URN orders stand in the order of the ops: a new op joins the list, and no op changes its place."""
    assert [op.value for op in Op] == ORDER


def test_what_starts_and_what_ends_a_session():
    """All ops up to Configure start a provider, wherever they were asked; cancelling and unknown RPCs come last."""
    where = session()
    asked = [Op.CANCEL, Op.INVOKE, Op.READ, Op.CONFIGURE, Op.CHECK, Op.GET_SCHEMA, Op.HANDSHAKE]
    interactions = recorded(*[(call(op, where, type_="", asked=op.value), answer()) for op in asked]).interactions

    assert [each.op for each in interactions] == ["handshake", "get_schema", "configure", "check", "read", "invoke", "cancel"]


def test_sessions_are_numbered_by_phase_instance_and_time():
    """The table of sessions has their instances, phases, previews, and waves: sessions at the same time share one."""
    recorder = Recorder(Toy(), header())

    def ask(where):
        recorder(call(Op.READ, where, "urn:a", session=where.number), lambda _: answer())

    early, twin, other, late = session(9), session(8), session(7, "west"), session(6, preview=True)
    for where in (early, twin, early, other):
        ask(where)
    recorder.phase = "later"
    ask(late)
    table = recorder.close().header.sessions
    assert [(each.number, each.instance, each.wave, each.phase, each.preview) for each in table] == [
        (1, "east", 1, "", None),
        (2, "east", 1, "", None),
        (3, "west", 1, "", None),
        (4, "east", 2, "later", True),
    ]


def test_secrets_are_numbered_by_first_appearance():
    """Whichever secret came first in the recording, the first in the cassette is number one."""
    where = session()
    conversation = [
        (call(Op.CREATE, where, "urn:z", password=secret("late in order")), answer()),
        (call(Op.CREATE, where, "urn:a", password=secret("early in order")), answer()),
    ]
    first, second = recorded(*conversation).interactions
    assert first.request["password"]["value"] == {"$secret": 1}
    assert second.request["password"]["value"] == {"$secret": 2}


def test_a_finished_cassette_is_left_as_it_is():
    """Ordering a cassette that is in order already changes nothing."""
    cassette = recorded((call(Op.READ, session(), "urn:a"), answer()))
    assert canonical(cassette) is cassette
    empty = Cassette(header())
    assert canonical(empty) is empty


def test_parents_follow_their_numbers():
    """A call that the provider made while it was called still names that call after everything is renumbered."""
    calls = [
        Interaction(n=1, session=1, op="raw", method="Log", direction="engine", parent=2, request={}, response={}),
        Interaction(n=2, session=1, op="create", method="Create", urn="urn:a", request={}, response={}),
    ]
    found = {each.method: each for each in canonical(Cassette(header(), calls)).interactions}
    assert found["Log"].parent == found["Create"].n


WAVES = {
    # Events as they came: a session, its instance, its phase. Then the sessions in their order, each with its wave.
    "one after the other": ("1e 1e 2e", "1:1 2:2"),
    "at one time": ("1e 2e 1e", "1:1 2:1"),
    "the second one within the first": ("1e 2e 2e 1e", "1:1 2:1"),
    "a third, after both": ("1e 2e 1e 3e", "1:1 2:1 3:2"),
    "a third, after the first and during the second": ("1e 2e 1e 3e 2e", "1:1 2:1 3:1"),
    "a third, after a short one within the first": ("1e 2e 3e 1e", "1:1 2:1 3:1"),
    "of two instances": ("1e 2w 1e 2w 3e 4w", "1:1 3:2 2:1 4:2"),
    "instances by name": ("1w 2e", "2:1 1:1"),
    "never configured, one after the other": ("1 2 3", "1:1 2:1 3:1"),
    "never configured, in two phases": ("1 2-b", "1:1 2:2"),
    "never configured, beside those that are": ("1 2e 3 4e", "1:1 3:1 2:1 4:2"),
    "another phase is another time": ("1e 2e-b 1e", "1:1 2:2"),
    "phases in the order in which they began": ("1e-b 2e-a", "1:1 2:2"),
    "providers by name": ("1e@y 2e@x 1e@y", "2:1 1:1"),
}


def tied(table):
    """Sessions that only what was asked in them orders, by their names."""
    groups = itertools.groupby(table, key=lambda row: row[:4])
    return [row for _, rows in groups for row in sorted(rows)]


@pytest.mark.parametrize(("events", "sessions"), [pytest.param(*row, id=rule) for rule, row in WAVES.items()])
def test_waves(events, sessions):
    """Sessions of one instance that followed each other are of different times, and those that overlapped are of one."""
    asked = []
    for n, event in enumerate(events.split(), 1):
        about, _, provider = event.partition("@")
        who, _, phase = about.partition("-")
        request = {"session": who[0]}
        asked.append(
            Interaction(
                n=n,
                session=int(who[0]),
                op="read",
                method="Read",
                phase=phase,
                provider=provider,
                instance=who[1:],
                request=request,
            )
        )
    cassette = canonical(Cassette(header(), asked))
    names = {each.session: each.request["session"] for each in cassette.interactions}
    # Those of one time stand in the order of what was asked in them, which is none here.
    table = [(each.phase, each.provider, each.instance, each.wave, names[each.number]) for each in cassette.header.sessions]
    assert " ".join(f"{name}:{wave}" for *_, wave, name in tied(table)) == sessions


def asked_in_session(*ops, **more):
    """Interactions of one session, in their order."""
    return [Interaction(n=n, session=1, op=op, method=op, request={}, **more) for n, op in enumerate(ops, 1)]


def ordered_ops(*interactions):
    return [each.op for each in canonical(Cassette(header(), [*interactions])).interactions]


def test_what_starts_a_provider_comes_first_whatever_it_names():
    """Configuring names a URN as well, and is no call about a resource; nor is what ends it."""
    cancel, read, configure = asked_in_session("cancel", "read", "configure", urn="urn:a")
    assert ordered_ops(cancel, read, configure) == ["configure", "read", "cancel"]
    assert ordered_ops(configure, cancel, read) == ["configure", "read", "cancel"]


def test_an_op_of_a_later_version_comes_last_of_those_without_a_urn():
    """What this version does not know is kept, after what it knows."""
    assert ordered_ops(*asked_in_session("teleport", "invoke", "check")) == ["check", "invoke", "teleport"]


def test_what_has_no_parent_is_kept():
    """Of an interrupted recording, what was asked of the engine during a call that is not there stays, at the end."""
    lost = Interaction(n=1, session=1, op="register", method="r", direction="engine", parent=9, request={})
    line = Interaction(n=2, session=1, op="log", method="l", direction="engine", parent=9, request={})
    call_ = Interaction(n=3, session=1, op="read", method="Read", request={})
    kept = canonical(Cassette(header(), [lost, line, call_])).interactions
    assert [(each.n, each.op, each.parent) for each in kept] == [(1, "read", None), (2, "register", None), (3, "log", None)]


def test_what_was_asked_meanwhile_follows_its_call():
    """Each call is followed by what was asked of the engine during it, wherever that stood."""
    inner = [
        Interaction(n=n, session=1, op="register", method="r", type=type_, direction="engine", parent=parent, request={})
        for n, type_, parent in ((1, "Z", 4), (2, "Y", 3), (5, "A", 4))
    ]
    outer = [Interaction(n=n, session=1, op="create", method="Create", urn=f"urn:{n}", request={}) for n in (4, 3)]
    kept = canonical(Cassette(header(), [*inner, *outer])).interactions
    assert [(each.n, each.urn or each.type, each.parent) for each in kept] == [
        (1, "urn:3", None),
        (2, "Y", 1),
        (3, "urn:4", None),
        (4, "A", 3),
        (5, "Z", 3),
    ]


def test_a_session_has_the_instance_that_it_came_to_have():
    """A session is of the last instance that a call of it names; a late line of log does not make it longer."""
    asked = [
        Interaction(n=1, session=1, op="handshake", method="h", request={}),
        Interaction(n=2, session=1, op="configure", method="c", instance="east", request={}),
        Interaction(n=3, session=1, op="cancel", method="c", request={}),
        Interaction(n=4, session=2, op="configure", method="c", instance="east", request={}),
        Interaction(n=5, session=1, op="log", method="l", direction="engine", parent=2, request={}),
        Interaction(n=6, session=2, op="cancel", method="c", request={}),
    ]
    table = canonical(Cassette(header(), asked), {2: True}).header.sessions
    assert [(each.instance, each.wave, each.preview) for each in table] == [("east", 1, None), ("east", 2, True)]


def test_answers_order_what_requests_do_not():
    """Calls of a session that differ in their answers alone, and not in secrets, have one order."""
    orders = set()
    for texts in (("x", "y"), ("y", "x")):
        interactions = asked_in_session("invoke", "invoke", type="T")
        for interaction, text in zip(interactions, texts, strict=True):
            interaction.response = {"a": text}
        orders.add(encode([each.response for each in canonical(Cassette(header(), interactions)).interactions]))
    assert len(orders) == 1
    for numbers in ((7, 9), (9, 7)):
        interactions = asked_in_session("invoke", "invoke", type="T")
        for interaction, number in zip(interactions, numbers, strict=True):
            interaction.response = {"a": {"$secret": number}, "b": 1}
            interaction.id = str(number)
        kept = canonical(Cassette(header(), interactions)).interactions
        assert [each.id for each in kept] == [str(number) for number in numbers], "the first that came is the first"
        assert [each.response["a"] for each in kept] == [{"$secret": 1}, {"$secret": 2}]


def test_all_trees_of_an_interaction_are_renumbered():
    """Secrets are numbered in requests, responses, and the messages and details of statuses."""
    failed = Interaction(
        n=1,
        session=1,
        op="read",
        method="Read",
        request={"p": {"$secret": 9}},
        status=RecordedStatus(code="UNKNOWN", message={"$text": ["no ", {"$secret": 5}]}, details={"q": {"$secret": 9}}),
    )
    (kept,) = canonical(Cassette(header(), [failed])).interactions
    assert kept.request == {"p": {"$secret": 1}}
    assert (kept.status.message, kept.status.details) == ({"$text": ["no ", {"$secret": 2}]}, {"q": {"$secret": 1}})
