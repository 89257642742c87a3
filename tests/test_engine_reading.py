"""What the embedded engine reads: objects that exist already, imports, and refreshes."""

import pulumi
import pytest
from engine_toolbox import BUCKET, Bucket, Cloud, Existing, calls, make
from msgspec.structs import replace
from pulumi import ResourceOptions

from mockprovider.calls import Op, Reply


def test_reading_what_exists():
    """``get`` reads, stores what it read as external, and never deletes it."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x", "arn": "arn:there"})

    def program():
        pulumi.export("arn", Existing("b", "there").arn)

    up = stack.up(program)
    assert (up.outputs["arn"], up.state["b"].external, up.summary) == ("arn:there", True, {})
    assert stack.destroy().summary == {"discard": 1}
    assert double.journal.ops(name="b") == ["read"]
    assert len(double.cloud.objects(BUCKET)) == 1


def test_reading_what_does_not_exist():
    """What cannot be read fails, and the message names the id."""
    stack, _, _ = make()
    assert "'nowhere' does not exist" in str(stack.up(lambda: Existing("b", "nowhere"), expect_failure=True).error)


@pytest.mark.parametrize(("answered", "remembered"), [("", "there"), ("other", "other")])
@pytest.mark.parametrize("program", [lambda: Existing("b", "there"), lambda: Bucket("b", ResourceOptions(import_="there"))])
def test_the_id_of_what_is_read(program, answered, remembered):
    """It is the one that the provider answers, and the one that was asked for where it answers none."""
    stack, _, breaking = make()
    breaking.replace(Op.READ, "b", lambda *_: Reply(id=answered, value={"acl": "private"}, inputs={"acl": "private"}))
    assert stack.up(program).state["b"].id == remembered


def test_an_import_that_is_cut_off():
    """What was being imported when the engine was killed is pending."""
    stack, double, _ = make()
    double.faults.on.read(name="b").kill_engine()
    failed = stack.up(lambda: Bucket("b", ResourceOptions(import_="there")), expect_failure=True)
    assert [(operation.kind, operation.resource.name) for operation in failed.pending_operations] == [("importing", "b")]


def test_taking_over_and_giving_up():
    """What was only read becomes a new object when it is declared, and a declared one is deleted when another is read
    instead.
    """
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x"})
    stack.up(lambda: Existing("b", "there"))
    assert stack.up(lambda: Bucket("b")).summary == {"replace": 1}
    made = stack.state["b"].id
    assert sorted(each.id for each in double.cloud.objects(BUCKET)) == sorted(["there", made])
    stack.up(lambda: Existing("b", "there"))
    assert [each.id for each in double.cloud.objects(BUCKET)] == ["there"]


def test_importing():
    """``import`` reads by id alone, compares, updates what differs, and is not repeated."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x"})
    wanted = {"acl": "x"}

    def program():
        Bucket("b", ResourceOptions(import_="there"), **wanted)

    assert stack.up(program).summary == {"import": 1}
    assert stack.state["b"].created == stack.state["b"].modified != ""
    assert calls(double, "b") == ["read", "check", "diff"]
    assert stack.up(program).summary == {}
    wanted["acl"] = "y"
    assert stack.up(program).summary == {"update": 1}
    assert double.cloud.objects(BUCKET)[0]["acl"] == "y"
    assert (stack.state["b"].id, stack.state["b"].import_id) == ("there", "there")


def test_a_replacement_of_an_import_is_refused():
    """What still names the id of its import may not be replaced."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"name": "x"})
    stack.up(lambda: Bucket("b", ResourceOptions(import_="there"), name="x"))
    failed = stack.up(lambda: Bucket("b", ResourceOptions(import_="there"), name="y"), expect_failure=True)
    assert "remove the `import` declaration" in str(failed.error)


def test_a_program_is_told_of_an_import_that_is_to_be_replaced_at_once():
    """The update fails; the program has the import's answer all the same, as under the real engine, and the state has it."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"name": "x"})
    told: list[str] = []

    def program():
        Bucket("b", ResourceOptions(import_="there"), name="y").id.apply(told.append)

    failed = stack.up(program, expect_failure=True)
    assert "remove the `import` declaration" in str(failed.error)
    assert (told, stack.state["b"].id) == (["there"], "there")


def test_refresh_drops_what_vanished_and_prunes_references():
    """An object that is gone leaves the state, and what depended on it stays without the dependency."""
    stack, double, _ = make()

    def program():
        Bucket("more", source=Bucket("logs").arn)

    stack.up(program)
    double.cloud.vanish(BUCKET, stack.state["logs"].id)
    refresh = stack.refresh()
    assert (refresh.summary, refresh.state.names()) == ({"delete": 1}, {"more"})
    assert refresh.state["more"].dependencies == ()
    assert stack.up(program).summary == {"create": 1, "update": 1}


def test_up_can_refresh_first():
    """``refresh=True`` reads what exists in the same session before the program runs."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b", acl="x"))
    double.cloud.drift(BUCKET, stack.state["b"].id, acl="y")
    double.journal.clear()
    assert stack.up(lambda: Bucket("b", acl="x"), refresh=True).state["b"].outputs["acl"] == "x"
    assert double.journal.ops(name="b") == ["read", "diff", "check", "diff", "update"]
    assert {each.call.session.number for each in double.journal.entries(name="b")} == {2}


def test_resources_that_ask_for_a_refresh_are_read_first():
    """What answered ``refresh_before_update`` is read before the next up, and created anew if it vanished."""
    stack, double, breaking = make()

    def asking(call, proceed):
        return replace(proceed(call), extra={"refresh_before_update": True})

    breaking.replace(Op.CREATE, "b", asking)
    stack.up(lambda: (Bucket("b"), Bucket("c")))
    double.cloud.vanish(BUCKET, stack.state["b"].id)
    double.journal.clear()
    assert stack.up(lambda: (Bucket("b"), Bucket("c"))).summary == {"create": 1}
    assert (double.journal.ops(name="b"), double.journal.ops(name="c")) == (["read", "check", "create"], ["check", "diff"])


def test_a_dependent_of_a_target_whose_provider_nobody_needs():
    """As in the real engine, a refresh starts the providers of its targets alone, and fails at what depends on these."""
    stack, _, _ = make()

    def program():
        first = Bucket("first", ResourceOptions(provider=Cloud("p")))
        Bucket("second", ResourceOptions(provider=Cloud("q"), depends_on=[first]))

    stack.up(program)
    failed = stack.refresh(target=["**::first"], target_dependents=True, expect_failure=True)
    assert "unknown provider" in str(failed.error)
    assert "second" in str(failed.error)


def test_a_refresh_that_runs_the_program_and_excludes_dependents():
    """As in the real engine, what depends on what is excluded is passed over while the program runs, and read in the end."""
    stack, double, _ = make()

    def program():
        first = Bucket("first")
        Bucket("second", ResourceOptions(depends_on=[first]))
        Bucket("third")

    stack.up(program)
    double.journal.clear()
    stack.refresh(program, run_program=True, exclude=["**::first"], exclude_dependents=True)
    assert [entry.call.name for entry in double.journal.entries(op="read")] == ["third", "second"]
