"""What an engine does with a program, from lives to failures (Pulumi's ``pulumi_test.go``)."""

from __future__ import annotations

import threading

import grpc
import pytest
from lifecycle_toolbox import (
    A,
    Lifecycle,
    Monitor,
    Provider,
    RefusedError,
    adopt,
    alone,
    diff,
    echoing,
    errors,
    failing,
    life,
    names,
    provider_urn,
    state,
    steps,
    urn,
    way_back,
)

from mockprovider.calls import Failure, Op, Reply
from mockprovider.pulumi.diff import Changes, Diff, DiffKind
from mockprovider.values import UNKNOWN, Secret, has_unknown

RES = urn(A, "resA")
STACK = "pulumi:pulumi:Stack"
REFERENCE = "pulumi:pulumi:StackReference"


def one(inputs=None, **fields):
    """A program with one resource."""
    return lambda monitor: monitor.register(A, "resA", inputs=inputs or {}, **fields)


def replacing(*keys):
    """A Diff that replaces where one of ``keys`` differs, and otherwise says nothing of changes."""

    def compare(call):
        changed = [key for key in keys if (call.prior or {}).get(key) != (call.inputs or {}).get(key)]
        return diff(*changed) if changed else Reply()

    return compare


def test_an_empty_program():
    """Nothing happens, in no operation."""
    life(Lifecycle(Provider()), lambda _: None, 0)


def test_an_unknown_configuration_is_warned_of():
    """A preview warns of a resource whose provider could not be asked what changes, and shows an update."""
    stack = Lifecycle(Provider(diff_config=lambda _: failing_with("unimplemented")))

    def program(inputs):
        def run(monitor: Monitor) -> None:
            provider = monitor.provider("pkgA", "provA", inputs=inputs)
            monitor.register(A, "resA", provider=provider.reference)

        return run

    stack.up(program({}))
    preview = stack.preview(program({"input": UNKNOWN}))
    assert [(line.severity, line.urn) for line in preview.diagnostics] == [("warning", RES)]
    assert steps(preview) == [("update", "resA")]


def failing_with(status):
    """An RPC that fails with a gRPC status."""
    return Reply(failures=(Failure("no", status=status),))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (failing("oh no, check had an error"), "oh no, check had an error"),
        (Reply(failures=(Failure("field is not valid", "someprop"),)), "field is not valid"),
    ],
)
def test_checks_that_fail(answer, said):
    """An error of Check and its complaints are shown, blamed on the resource, and end the program."""
    up = Lifecycle(Provider(check=lambda _: answer)).up(one(), expect_failure=True)
    ((message, where),) = [(line.message, line.urn) for line in up.diagnostics if line.severity == "error"]
    assert (said in message, where) == (True, RES)


def test_what_a_program_raises_is_shown():
    """The error of a program is one of the operation."""

    def program(_: Monitor) -> None:
        raise ValueError("oh no")

    assert "oh no" in errors(Lifecycle(Provider()).up(program, expect_failure=True))


def test_types_that_are_none():
    """A custom resource needs a type of three parts, and a component may have any."""

    def program(monitor: Monitor) -> None:
        for ask in (lambda: monitor.register("very:bad", "resA"), lambda: monitor.read("very:bad", "resA", "id")):
            with pytest.raises(grpc.RpcError, match="'very:bad' is no type token"):
                ask()
        monitor.component("a:component", "resB")
        monitor.component("singlename", "resC")

    assert names(Lifecycle(Provider()).up(program)) == ["resB", "resC"]


def pending(kind, name="resA", id_="0"):
    """An operation that was cut off."""
    return {"type": kind, "resource": state(urn(A, name), id=id_)}


def test_pending_operations():
    """An update warns and forgets all but creations; a preview and a refresh do not warn, and a preview forgets nothing."""
    stack = Lifecycle(Provider())

    def begin():
        adopt(stack, state(RES, id="0"), pending_operations=[pending("updating"), pending("creating", "resB", "1")])

    def left(result):
        return [(operation.kind, operation.resource.name) for operation in result.pending_operations]

    begin()
    assert stack.preview(alone(A)).diagnostics == []
    for run in (lambda: stack.up(alone(A), refresh=True), stack.refresh):
        begin()
        result = run()
        assert (left(result), result.diagnostics) == ([("creating", "resB")], [])
    begin()
    up = stack.up(alone(A))
    assert left(up) == [("creating", "resB")]
    assert [line.severity for line in up.diagnostics] == ["warning"]
    adopt(stack, state(RES, id="0"), pending_operations=[pending("updating")])
    assert (left(stack.refresh()), stack.up(alone(A)).diagnostics) == ([], [])


def test_an_update_that_is_half_done():
    """After a partial failure the state has the old inputs and the new outputs."""
    half = failing("update failed to apply", id="1", value={"output_prop": 42})
    stack = Lifecycle(Provider(diff=lambda _: diff(), update=lambda _: half))
    adopt(stack, state(RES, id="1", inputs={"input_prop": "old inputs"}, outputs={"output_prop": 1}))
    up = stack.up(one({"input_prop": "new inputs"}), expect_failure=True)
    assert (up.state["resA"].inputs, up.state["resA"].outputs) == ({"input_prop": "old inputs"}, {"output_prop": 42})
    assert steps(up) == []


@pytest.mark.parametrize("how", ["read", "register"])
def test_stack_references(how):
    """A stack reference is read, or, by SDKs of old, registered, which is warned of."""
    seen = []

    def program(name, **more):
        def run(monitor: Monitor) -> None:
            inputs = {"name": name, **more}
            ask = monitor.read if how == "read" else monitor.register
            found = ask(REFERENCE, "other", *(["other"] if how == "read" else []), inputs=inputs)
            seen.append(found.outputs["outputs"])

        return run

    def stack():
        return Lifecycle(Provider(), references={"other": {"foo": "bar"}, "other2": {}})

    mine = stack()
    up = mine.up(program("other"))
    warned = [(line.severity, line.urn.rpartition("::")[2]) for line in up.diagnostics]
    assert (seen, warned) == ([{"foo": "bar"}], [] if how == "read" else [("warning", "other")])
    old = state(urn(REFERENCE, "other"), id="1", inputs={"name": "other2"}, outputs={"name": "other2", "outputs": {}})
    adopt(mine, {**old, "external": how == "read"})
    changed = [op for op, urn_ in mine.up(program("other")).steps if urn_ == old["urn"]]
    assert changed == (["read"] if how == "read" else ["create-replacement", "replace", "delete-replaced"])
    for bad in (program("rehto"), program("other", foo="bar")):
        assert "rehto" in errors(failed := stack().up(bad, expect_failure=True)) or "'foo'" in errors(failed)


def test_a_plugin_that_cannot_be_had():
    """A provider whose plugin does not start stops the program where it registers it."""
    returned = []

    def program(monitor: Monitor) -> None:
        monitor.provider("pkgA", "provA")
        monitor.provider("pkgB", "provB")
        returned.append(True)

    up = Lifecycle({"pkgA": Provider()}).up(program, expect_failure=True)
    assert ("pkgB" in errors(up), returned) == (True, [])


def test_ignored_changes():
    """What is ignored is set back before Diff, whatever was added, changed or removed there."""
    seen, stack = [], Lifecycle(Provider(diff=lambda call: seen.append(call.ignore_changes), update=lambda _: Reply(value={})))
    everything = ["a", "b.c", "d", "e[0]", 'f.g["h"]']
    top = ["a", "b", "d", "e", "f"]

    def bag(number, word, other):
        return {"a": number, "b": {"c": word}, "d": [number], "e": [number], "f": {"g": {"h": other}}}

    for inputs, ignored, op in (
        (bag(1, "foo", "bar"), everything, "create"),
        (bag(2, "bar", "baz"), everything, "same"),
        (bag(3, "qux", "qux"), [], "update"),
        ({"e": []}, top, "same"),
        ({"e": []}, [], "update"),
        ({"a": 4, "b": {"c": "zed"}, "d": [4], "e": []}, ["a", "b", "d", "e[0]", "f"], "same"),
        ({"e": [], "i": 4}, top, "update"),
        ({"a": 3, "b": ["foo", "bar"]}, [], "update"),
        ({"a": 3, "b": ["foo", "baz"]}, ["b[1]"], "same"),
        ({"a": 3, "b": ["foo", "baz"]}, ["b[*]"], "same"),
        ({"a": 3, "b": Secret(["foo", "bar"])}, [], "update"),
        ({"a": 3, "b": Secret(["foo", "baz"])}, ["b[1]"], "same"),
    ):
        seen.clear()
        assert steps(stack.up(one(inputs, ignoreChanges=ignored))) == [(op, "resA")], inputs
        assert seen == ([] if op == "create" else [tuple(ignored)])


@pytest.mark.parametrize(
    ("inputs", "ignored"),
    [({}, "foo.bar"), ({"qux": []}, "qux[0]"), ({}, "qux[0]"), ({"qux": ["zed", "zob"]}, "qux[1]")],
)
def test_what_cannot_be_ignored(inputs, ignored):
    """An ignored path whose container has gone, or grown, is changed all the same, and the user is told."""
    stack, seen = Lifecycle(Provider()), []
    stack.up(one({"foo": {"bar": "baz"}, "qux": ["zed"]}))
    up = stack.up(lambda monitor: seen.append(monitor.register(A, "resA", inputs=inputs, ignoreChanges=[ignored]).outputs))
    assert (seen, [line.severity for line in up.diagnostics]) == ([inputs], ["info"])


@pytest.mark.parametrize("own", [True, False])
def test_replacing_on_changes(own):
    """A path of ``replaceOnChanges`` makes a change there a replacement, whoever compares."""

    def compare(call):
        if not own:
            return None
        news = {key: call.prior[key] if value == 42 else value for key, value in call.inputs.items()}
        detailed = {}
        if news.get("a") != call.prior.get("a"):
            detailed["a"] = (int(DiffKind.UPDATE), False)
        if news.get("b") != call.prior.get("b"):
            detailed["b.c"] = (int(DiffKind.UPDATE), False)
        keys = tuple(path.partition(".")[0] for path in detailed)
        changes = Changes.SOME if detailed else Changes.NONE
        return Reply(extra={"diff": Diff(changes, diffs=keys, detailed=detailed, has_detailed=True)})

    stack = Lifecycle(echoing(diff=compare))
    replace = ["create-replacement", "replace", "delete-replaced"]
    for number, word, paths, expected in (
        (1, "foo", ["a", "b.c"], ["create"]),
        (2, "foo", ["a"], replace),
        (2, "bar", ["b.c"], replace),
        (3, "baz", ["*"], replace),
        (4, "qux", [], ["update"]),
        (42, "qux", ["a"], ["same"] if own else replace),
    ):
        up = stack.up(one({"a": number, "b": {"c": word}}, replaceOnChanges=paths))
        assert [op for op, _ in steps(up)] == expected, (number, word)


def test_a_provider_s_word_counts():
    """A Diff that sees a change without one is an update, and a detailed one that replaces is a replacement."""
    stack = Lifecycle(Provider(diff=lambda _: diff()))
    stack.up(one())
    assert steps(stack.preview(one())) == [("update", "resA")]
    detailed = Reply(
        extra={"diff": Diff(Changes.SOME, detailed={"prop": (int(DiffKind.ADD_REPLACE), False)}, has_detailed=True)}
    )
    stack = Lifecycle(Provider(diff=lambda _: detailed))
    stack.up(one())
    assert ("replace", "resA") in steps(stack.preview(one()))


def test_timeouts():
    """Timeouts are kept in seconds, and the calls of each kind are told theirs."""
    provider = Provider(diff=lambda _: diff())
    stack = Lifecycle(provider)
    program = one(customTimeouts={"create": "60s", "delete": "1m", "update": "4m", "read": "30s"})
    timeouts = stack.up(program).state["resA"].custom_timeouts
    assert (timeouts.create, timeouts.delete, timeouts.update, timeouts.read) == (60, 60, 240, 30)
    stack.up(program, refresh=True)
    stack.destroy()
    told = {call.op.value: call.timeout for call in provider.calls if call.name == "resA" and call.timeout}
    assert told == {"create": 60, "update": 240, "read": 30, "delete": 60}


def test_a_provider_without_outputs():
    """A remembered provider without outputs has its inputs for these, unchanged or changed."""

    def compare(call):
        return diff(*call.inputs) if call.prior != call.inputs else diff(changes=Changes.NONE)

    stack = Lifecycle(Provider(diff_config=compare), config={"pkgA:foo": "bar"})

    def forget():
        exported = stack.export()
        for resource in exported["deployment"]["resources"]:
            if resource["urn"] == provider_urn("pkgA"):
                del resource["outputs"]
        stack.import_(exported)

    stack.up(alone(A))
    forget()
    assert [op for op, _ in stack.up(alone(A)).steps] == ["same", "same"]
    forget()
    stack.config["pkgA:foo"] = "baz"
    assert [op for op, _ in stack.up(alone(A)).steps if op == "delete-replaced"] == ["delete-replaced"] * 2


def test_reading_what_does_not_exist():
    """A read that finds nothing stops the program, and the operation fails."""
    up = Lifecycle(Provider(read=lambda _: Reply())).up(lambda monitor: monitor.read(A, "resA", "some-id"), expect_failure=True)
    assert "'some-id' does not exist" in errors(up)


def test_previews_of_a_provider():
    """Unknowns go into previewed creates and updates, and their outputs come back to the program."""
    provider, seen = echoing(), []
    stack = Lifecycle(provider)

    def program(monitor: Monitor) -> None:
        value = UNKNOWN if monitor.preview else "alpha"
        inputs = {"foo": "bar", "baz": {"a": 42, "b": value}, "qux": [value, 24], "zed": value}
        seen.append(monitor.register(A, "resA", inputs=inputs).outputs == inputs)

    stack.preview(program)
    stack.up(program)
    stack.preview(program)
    made = [call for call in provider.calls if call.op in (Op.CREATE, Op.UPDATE)]
    assert [(call.op.value, call.preview, has_unknown(call.inputs)) for call in made] == [
        ("create", True, True),
        ("create", False, False),
        ("update", True, True),
    ]
    assert seen == [True] * 3


def test_previews_without_a_configuration():
    """Nothing is asked of a provider whose configuration is unknown: answers are empty, and components have no children."""

    def construct(call):
        engine = way_back(call)
        component = engine.component(call.type, call.name, parent=call.extra.get("parent", ""))
        engine.register("pkgA:m:typB", f"{call.name}-resB", parent=component.urn)
        return Reply(value={"foo": call.inputs["name"]}, extra={"urn": component.urn})

    def greet(call):
        return Reply(value={"message": f"Hello, {call.inputs['name']}!"})

    provider, seen = echoing(construct=construct, call=greet, invoke=greet), []
    stack = Lifecycle(provider)

    def program(monitor: Monitor) -> None:
        reference = monitor.provider("pkgA", "provA", inputs={"foo": UNKNOWN if monitor.preview else "alpha"}).reference
        resource = monitor.register(A, "resA", inputs={"foo": "bar"}, provider=reference)
        name = resource.outputs.get("foo", UNKNOWN)
        component = monitor.component("pkgA:m:typB", "resB", inputs={"name": name}, remote=True, provider=reference)
        called = monitor.call(f"{A}/methodA", {"name": "bar"}, depends_by={"name": [component.urn]}, provider=reference)
        invoked = monitor.invoke("pkgA:m:invokeA", {"name": "bar"}, provider=reference)
        seen.append([answer.outputs for answer in (resource, component, called, invoked)])

    hello = {"message": "Hello, bar!"}
    stack.preview(program)
    stack.up(program)
    stack.preview(program)
    assert seen == [[{}] * 4, [{"foo": "bar"}, {"foo": "bar"}, hello, hello], [{}] * 4]
    assert [call.preview for call in provider.calls if call.op in (Op.CREATE, Op.UPDATE)] == [False, False]
    assert provider.of(Op.CALL)[0].extra["argDependencies"] == {"name": (urn("pkgA:m:typB", "resB"),)}


def test_secrets_of_the_configuration():
    """A secret of the stack's configuration is one among a provider's inputs and outputs."""
    up = Lifecycle(Provider(), config={"pkgA:secret": Secret("hunter2")}).up(alone(A))
    provider = up.state[provider_urn("pkgA")]
    assert provider.inputs == provider.outputs == {"secret": Secret("hunter2")}


def test_outputs_of_components():
    """A registration does not answer what a component had before, and its outputs can be registered once."""

    def program(monitor: Monitor) -> None:
        component = monitor.component("component", "resA")
        assert component.outputs == {}
        monitor.outputs(component.urn, foo="bar")

    stack = Lifecycle(Provider())
    life(stack, program, 1)
    assert stack.up(program).state["resA"].outputs == {"foo": "bar"}

    def twice(monitor: Monitor) -> None:
        component = monitor.component("component", "resA")
        for _ in range(2):
            monitor.outputs(component.urn)

    assert "outputs" in errors(stack.up(twice, expect_failure=True))


def test_protection():
    """What is protected before and after is not replaced, what is protected is not deleted, and both can be taken away."""
    deleted = []
    stack = Lifecycle(echoing(diff=replacing("foo"), delete=lambda call: deleted.append(call.id)))
    first = stack.up(one({"foo": "bar"}, protect=True)).state["resA"].id
    preview = stack.preview(one({"foo": "baz"}, protect=True), expect_failure=True)
    assert ("marked for protection" in errors(preview), ("replace", "resA") in steps(preview)) == (True, True)
    for run in (
        lambda: stack.up(one({"foo": "baz"}, protect=True), expect_failure=True),
        lambda: stack.up(lambda _: None, expect_failure=True),
    ):
        result = run()
        assert ("`protect` flag" in errors(result), result.state["resA"].id, result.state["resA"].protect) == (
            True,
            first,
            True,
        )
    up = stack.up(one({"foo": "baz"}, protect=False))
    assert (deleted, up.state["resA"].id != first, up.state["resA"].protect) == ([first], True, False)
    second = up.state["resA"].id
    assert stack.up(one({"foo": "baz"}, protect=True)).state["resA"].protect
    stack.up(one({"foo": "baz"}, protect=False))
    stack.up(one({"foo": "daz"}, protect=True))
    assert deleted == [first, second]


def test_an_import_is_not_replaced():
    """A replacement of what still says that it is imported is warned of in a preview, and refused in an update."""
    found = Reply(id="imported-id", inputs={"foo": "bar"}, value={"foo": "bar"})
    stack = Lifecycle(Provider(read=lambda _: found, diff=replacing("foo")))
    stack.up(one({"foo": "bar"}, importId="imported-id"))
    preview = stack.preview(one({"foo": "baz"}, importId="imported-id"))
    assert [(line.severity, line.urn) for line in preview.diagnostics] == [("warning", RES)]
    up = stack.up(one({"foo": "baz"}, importId="imported-id"), expect_failure=True)
    assert ("foo" in errors(up), up.state["resA"].id) == (True, "imported-id")


def test_going_with_another():
    """Of a chain of what goes with another, only the top is deleted, in a replacement and at the end."""
    deleted = []
    stack = Lifecycle(echoing(diff=replacing("foo"), delete=lambda call: deleted.append(call.name)))

    def program(value):
        def run(monitor: Monitor) -> None:
            above = ""
            for name in ("resA", "resB", "resC"):
                above = monitor.register(A, name, inputs={"foo": value}, deletedWith=above).urn

        return run

    before = {name: stack.up(program("bar")).state[name].id for name in ("resA", "resB", "resC")}
    up = stack.up(program("baz"))
    assert all(up.state[name].id != id_ for name, id_ in before.items())
    assert deleted == ["resA"]
    assert (names(stack.up(lambda _: None)), deleted) == ([], ["resA", "resA"])


def test_replacing_with_another_and_by_itself():
    """What is replaced with another, and has changed itself, is replaced once."""
    provider = echoing(diff=replacing("foo", "bar"))
    stack = Lifecycle(provider)

    def program(word):
        def run(monitor: Monitor) -> None:
            first = monitor.register(A, "resA", inputs={"foo": word})
            monitor.register(A, "resB", inputs={"bar": word}, replace_with=[first.urn])

        return run

    stack.up(program("initial"))
    provider.calls.clear()
    stack.up(program("changed"))
    assert [(call.op.value, call.name) for call in provider.calls if call.op in (Op.CREATE, Op.DELETE)] == [
        ("create", "resA"),
        ("create", "resB"),
        ("delete", "resB"),
        ("delete", "resA"),
    ]


def test_reading_without_an_id():
    """It is a mistake that ends the operation, once the default provider is there."""
    up = Lifecycle(Provider()).up(lambda monitor: monitor.read(A, "resA", ""), expect_failure=True)
    ((said, where),) = [(line.message, line.urn) for line in up.diagnostics if line.severity == "error"]
    assert ("Expected an ID" in said, where, [each.name for each in up.state.every]) == (True, RES, ["default"])


def test_secrets_inside_stay_secret():
    """A secret list is a secret before and after, among inputs and outputs."""
    stack = Lifecycle(echoing())

    def hooks(service):
        return one({"webhooks": Secret([{"clientConfig": {"service": service}}])})

    for service in ("foo", "bar"):
        resource = stack.up(hooks(service)).state["resA"]
        assert resource.inputs == resource.outputs == {"webhooks": Secret([{"clientConfig": {"service": service}}])}


def test_the_order_of_what_is_pending():
    """A replacement that failed half way goes on with the dependent, and deletes it before what it needs."""
    deleted, fails = [], []

    def create(call):
        return failing("could not create") if call.name == "resB" and fails and not call.preview else None

    provider = echoing(diff=replacing("foo", "parent"), delete=lambda call: deleted.append(call.name))
    make = provider.handlers["create"]
    provider.handlers["create"] = lambda call: create(call) or make(call)
    stack = Lifecycle(provider)

    def program(word):
        def run(monitor: Monitor) -> None:
            first = monitor.register(A, "resA", inputs={"foo": word})
            monitor.register("pkgA:m:typB", "resB", inputs={"parent": first.id}, dependencies=[first.urn])

        return run

    stack.up(program("bar"))
    fails.append(True)
    up = stack.up(program("baz"), expect_failure=True)
    assert [(each.name, each.delete) for each in up.state.every if not each.is_provider] == [
        ("resA", False),
        ("resA", True),
        ("resB", False),
    ]
    fails.clear()
    assert (names(stack.up(program("baz"))), deleted) == (["resA", "resB"], ["resB", "resA"])


def test_a_pending_deletion_under_a_replacement():
    """An old instance that could not be deleted is deleted when what it needs is deleted before its replacement."""
    fails, cloud = [], []

    def delete(call):
        if call.name == "resB" and fails:
            return failing("could not delete")
        cloud.remove(call.id)
        return None

    def compare(call):
        changed = [key for key in ("foo", "parent", "frob") if call.prior.get(key) != call.inputs.get(key)]
        return diff(*changed, first=call.type == A) if changed else None

    provider = echoing(diff=compare, delete=delete)
    make = provider.handlers["create"]

    def create(call):
        reply = make(call)
        cloud.append(reply.id)
        return reply

    provider.handlers["create"] = create
    stack = Lifecycle(provider)

    def program(word, frob):
        def run(monitor: Monitor) -> None:
            first = monitor.register(A, "resA", inputs={"foo": word})
            inputs = {"parent": first.id, "frob": frob}
            by = {"parent": [first.urn]}
            monitor.register("pkgA:m:typB", "resB", inputs=inputs, depends_by=by, dependencies=[first.urn])

        return run

    stack.up(program("bar", "active"))
    fails.append(True)
    up = stack.up(program("bar", "inactive"), expect_failure=True)
    assert [(each.name, each.delete) for each in up.state.every if not each.is_provider] == [
        ("resA", False),
        ("resB", False),
        ("resB", True),
    ]
    fails.clear()
    up = stack.up(program("baz", "inactive"))
    assert [(each.name, each.delete, each.id) for each in up.state.every if not each.is_provider] == [
        ("resA", False, cloud[0]),
        ("resB", False, cloud[1]),
    ]


def test_old_inputs_are_sent():
    """Check, Diff, Update and Delete get the inputs that Check made of the program's, with their defaults."""

    def known(call, **bag):
        return {**bag, "computed": UNKNOWN if call.preview else "computed"}

    provider = Provider(
        check=lambda call: Reply(inputs={**call.inputs, "default": "default"}),
        create=lambda call: Reply(id="" if call.preview else "1", value=known(call, **call.inputs)),
        update=lambda call: Reply(id=call.id, value=known(call, **call.inputs)),
    )
    stack = Lifecycle(provider)
    old, new = {"foo": "bar", "default": "default"}, {"foo": "baz", "default": "default"}
    stack.up(one({"foo": "bar"}), preview=True)
    assert [call.prior_inputs for call in provider.of(Op.CHECK)] == [{}, {}]
    provider.calls.clear()
    stack.up(one({"foo": "baz"}))
    stack.destroy()
    sent = [(call.op.value, call.prior_inputs, call.prior, call.inputs) for call in provider.calls if call.name == "resA"]
    assert sent == [
        ("check", old, None, {"foo": "baz"}),
        ("diff", old, {**old, "computed": "computed"}, new),
        ("update", old, {**old, "computed": "computed"}, new),
        ("delete", new, {**new, "computed": "computed"}, None),
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("foo", ":colons", "-dashes", "file/path.txt", "bar|table", "spaces in names", "email@address", "<output object>"),
        *(
            "[brackets]",
            "{braces}",
            "(parens)",
            "C:\\windows\\paths",
            "& @ $ % ^ * #",
            "'quotes'",
            '"double"',
            "double::colons",
        ),
    ],
)
def test_names(name):
    """A name may hold anything, of a provider, a custom resource and a component below it."""

    def program(monitor: Monitor) -> None:
        provider = monitor.provider("pkgA", name)
        custom = monitor.register(A, name, provider=provider.reference)
        monitor.component("pkgA:m:typB", name, parent=custom.urn)

    stack = Lifecycle(Provider())
    up = stack.up(program)
    assert [each.urn for each in up.state.every] == [
        f"urn:pulumi:dev::project::{type_}::{name}" for type_ in ("pulumi:providers:pkgA", A, f"{A}$pkgA:m:typB")
    ]
    assert [op for op, _ in stack.up(program).steps] == ["same"] * 3


BAD = "very-bad urn"


@pytest.mark.parametrize(
    "fields",
    [
        {"aliasURNs": [BAD]},
        {"alias_specs": [{"parentUrn": BAD}]},
        {"parent": BAD},
        {"deletedWith": BAD},
        {"dependencies": [BAD]},
        {"depends_by": {"a": [BAD]}},
        {"customTimeouts": {"create": "soon"}},
    ],
    ids=str,
)
def test_options_that_are_malformed(fields):
    """A malformed URN or time is the program's mistake, which it may survive."""

    def program(monitor: Monitor) -> None:
        with pytest.raises(grpc.RpcError, match=BAD if "customTimeouts" not in fields else "soon"):
            monitor.register(A, "res", **fields)

    assert names(Lifecycle(Provider()).up(program)) == []


def exporting():
    """A program whose stack has outputs, and which fails where it is told."""

    def program(outputs, error=""):
        def run(monitor: Monitor) -> None:
            stack = monitor.component(STACK, "test")
            if outputs is not None:
                monitor.outputs(stack.urn, **outputs)
            if error == "program":
                raise ValueError("program error")
            if error:
                monitor.register(A, "resA")

        return run

    return program


@pytest.mark.parametrize("error", ["program", "resource"])
def test_outputs_of_the_stack_after_a_failure(error):
    """Old outputs stay where a failed update has no new ones; a good update has those that it registers."""
    stack, program = Lifecycle(Provider(create=lambda _: failing("oh no"))), exporting()

    def outputs(given, error=""):
        return stack.up(program(given, error), expect_failure=bool(error)).state["test"].outputs

    assert outputs({"first": 0, "second": 0}) == {"first": 0, "second": 0}
    assert outputs({"first": 1}, error) == {"first": 1, "second": 0}
    assert outputs({}, error) == {"first": 1, "second": 0}
    assert outputs(None, error) == {"first": 1, "second": 0}
    assert outputs({"first": 3}) == {"first": 3}


@pytest.mark.parametrize("parallel", [1, 4])
def test_a_construct_that_never_returns(parallel):
    """An update that has failed inside of a component ends although the component's provider hangs."""
    hang, seen = threading.Event(), []

    def construct(call):
        try:
            way_back(call).register("pkgA:m:typB", "child")
        except RefusedError:
            hang.wait(60)
        return Reply()

    def program(monitor: Monitor) -> None:
        with pytest.raises(grpc.RpcError) as raised:
            monitor.component(A, "resA", remote=True)
        seen.append(raised.value.code())

    provider = Provider(construct=construct, create=lambda _: failing("create failed intentionally"))
    up = Lifecycle(provider, parallel=parallel).up(program, expect_failure=True)
    hang.set()
    assert ("create failed intentionally" in errors(up), seen) == (True, [grpc.StatusCode.UNAVAILABLE])


def test_a_failed_program_deletes_nothing():
    """What a program would have registered after its error stays."""
    stack = Lifecycle(Provider())
    stack.up(alone(A, A))

    def program(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        raise ValueError("program error")

    up = stack.up(program, expect_failure=True)
    assert ("program error" in errors(up), names(up)) == (True, ["resA", "resB"])


def test_a_failed_registration_ends_the_program():
    """The program hears nothing but that the monitor is gone."""
    seen = []

    def program(monitor: Monitor) -> None:
        try:
            monitor.register(A, "resA")
        except grpc.RpcError as error:
            seen.append(error.code())
            raise

    up = Lifecycle(Provider(create=lambda _: failing("create failed intentionally"))).up(program, expect_failure=True)
    assert (errors(up), seen) == ("create failed intentionally", [grpc.StatusCode.UNAVAILABLE])


def test_when_resources_were_created_and_modified():
    """Each has both times, providers too; a refresh changes none, and an update that of what it updates alone."""
    stack = Lifecycle(Provider(diff=lambda _: diff(), update=lambda _: Reply(value={"foo": "bar"})))

    def program(monitor: Monitor) -> None:
        monitor.register(STACK, "shop-dev", custom=False)
        monitor.register(A, "resA")

    def times() -> dict[str, tuple[str, str]]:
        return {resource.urn: (resource.created, resource.modified) for resource in stack.state.every}

    stack.up(program)
    first = times()
    assert len(first) == 3
    assert all(created == modified and created.endswith("Z") for created, modified in first.values())
    stack.refresh()
    assert times() == first
    assert stack.up(program).summary == {"update": 1}
    created, modified = times()[RES]
    assert times() == first | {RES: (first[RES][0], modified)}
    assert modified > created
