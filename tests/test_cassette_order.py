"""A finished cassette is the same, however the calls of its run were interleaved."""

import random

from cassette_toy import Toy, answer, call, header, recorded, secret, session
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.calls import Op, Reply
from mockprovider.cassette import Cassette, Interaction, Recorder
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


def test_parents_follow_their_numbers():
    """A call that the provider made while it was called still names that call after everything is renumbered."""
    calls = [
        Interaction(n=1, session=1, op="raw", method="Log", direction="engine", parent=2, request={}, response={}),
        Interaction(n=2, session=1, op="create", method="Create", urn="urn:a", request={}, response={}),
    ]
    found = {each.method: each for each in canonical(Cassette(header(), calls)).interactions}
    assert found["Log"].parent == found["Create"].n
