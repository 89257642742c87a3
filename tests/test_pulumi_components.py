"""Components and methods of the fake, against an engine that is a list of what it was asked."""

from __future__ import annotations

from typing import Any

import pytest
from builders import TOKEN, call, fake

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.errors import DefinitionError, UnsupportedError
from mockprovider.pulumi.components.monitor import EngineRefusedError, Monitor
from mockprovider.pulumi.components.room import filled
from mockprovider.schema import Child, Component, Method, Property
from mockprovider.values import UNKNOWN, Output, ResourceReference, Secret

SITE = "cloud:index:Site"
URN = "urn:pulumi:dev::shop::cloud:index:Site::home"
LOGS = "urn:pulumi:dev::shop::cloud:index:Site$cloud:index:Bucket::home-logs"
SITES = Component(
    SITE,
    {"domain": Property(str, required=True), "token": Property(str)},
    {"arn": Property(str, computed="{logs.arn}"), "url": Property(str, computed="https://{domain}/"), "token": Property(str)},
    children={
        "logs": Child(TOKEN, {"name": "{domain}-logs", "token": "{token}"}),
        "more": Child(TOKEN, {"name": "{logs.arn}"}),
    },
)


class Engine:
    """An engine that registers everything, except what it is told to refuse."""

    def __init__(self, refuse: str = "", *, preview: bool = False) -> None:
        self.asked: list[Call] = []
        self._refuse = refuse
        self._preview = preview

    def __call__(self, call: Call) -> Reply:
        self.asked.append(call)
        if call.name == self._refuse != "":
            return Reply(failures=(Failure("no such luck", status="unavailable"),))
        if call.op is Op.INVOKE:
            return Reply(value={"urn": URN, "id": "", "state": {"url": "https://a.org/"}})
        below = call.extra.get("parent")
        urn = f"urn:pulumi:dev::shop::{SITE + '$' if below else ''}{call.type}::{call.name}"
        made = {} if self._preview or not call.extra.get("custom") else {"arn": f"arn:{call.name}"}
        id_ = "" if self._preview or not call.extra.get("custom") else f"id-{call.name}"
        return Reply(id=id_, value={**(call.inputs or {}), **made}, extra={"urn": urn})

    def registered(self, name: str) -> Call:
        return next(each for each in self.asked if each.op is Op.REGISTER and each.name == name)


def construct(*definitions: Any, engine: Engine, strict: bool = False, **given: Any) -> Reply:
    """Construct ``home`` with these definitions, asking ``engine``."""
    provider, _ = fake(*definitions, strict=strict)
    return provider(call(Op.CONSTRUCT, SITE, name="home", monitor=engine, **given))


def test_a_component_and_its_children_are_registered():
    """The component comes first and its outputs last; children have it for a parent, and templates are filled."""
    engine = Engine()
    reply = construct(SITES, engine=engine, inputs={"domain": "a.org", "token": Secret("hush")})
    assert [each.name or each.op.value for each in engine.asked] == ["home", "home-logs", "home-more", "register_outputs"]
    assert engine.registered("home-logs").extra["parent"] == URN
    assert engine.registered("home-logs").inputs == {"name": "a.org-logs", "token": Secret("hush")}
    assert engine.registered("home-more").inputs == {"name": "arn:home-logs"}
    assert reply.value == {"arn": "arn:home-logs", "url": "https://a.org/", "token": Secret("hush")} == engine.asked[-1].inputs
    assert reply.extra == {"urn": URN, "stateDependencies": {"arn": (LOGS,)}}


def test_what_children_depend_on_is_told():
    """A child made of another one's output depends on it, and one made of an input on what that input depends on."""
    engine = Engine()
    extra = {"inputDependencies": {"domain": ("urn:x",)}}
    construct(SITES, engine=engine, inputs={"domain": "a.org"}, extra=extra)
    assert engine.registered("home-more").extra["propertyDependencies"] == {"name": (LOGS,)}
    assert engine.registered("home-logs").extra["dependencies"] == ("urn:x",)


def test_options_reach_the_component_and_its_children():
    """The component's options are its own registration's; protection and providers are passed on below it."""
    engine = Engine()
    extra = {"protect": True, "providers": {"cloud": "urn:p::1"}, "ignoreChanges": ("a",), "parent": ""}
    construct(SITES, engine=engine, inputs={"domain": "a.org"}, extra=extra)
    own, child = engine.registered("home"), engine.registered("home-logs")
    assert (own.extra["protect"], own.extra["providers"], own.ignore_changes) == (True, {"cloud": "urn:p::1"}, ("a",))
    assert (child.extra["protect"], child.extra["provider"], child.ignore_changes) == (True, "urn:p::1", ())


def test_a_preview_knows_what_can_be_known():
    """What is made of an unknown is unknown, and so is what a child's answer leaves out; the rest is known."""
    engine = Engine(preview=True)
    reply = construct(SITES, engine=engine, inputs={"domain": UNKNOWN}, extra={"dryRun": True})
    assert reply.value == {"arn": UNKNOWN, "url": UNKNOWN}
    assert engine.registered("home-more").inputs == {"name": UNKNOWN}


def test_a_function_builds_a_component():
    """A function registers children with options, reads their outputs, and says what the component shows."""

    def build(site):
        logs = site.resource(TOKEN, "logs", {"name": site.fill("{domain}-x")}, protect=True)
        site.outputs(first=logs.output("arn"))
        return {"second": logs["id"]}

    engine = Engine()
    declared = Component(SITE, {"domain": str}, construct=build)
    reply = construct(declared, engine=engine, inputs={"domain": Output("a.org", dependencies=("urn:x",))})
    assert reply.value == {"first": "arn:logs", "second": "id-logs"}
    assert engine.registered("logs").extra["protect"] is True
    assert engine.registered("logs").extra["dependencies"] == ("urn:x",)


def test_wrong_inputs_are_listed_before_anything_is_registered():
    """Each wrong input is a failure with its path; with ``strict`` a misspelt one is, too."""
    engine = Engine()
    reply = construct(SITES, engine=engine, strict=True, inputs={"token": 5, "domian": "a"})
    assert [(each.path, each.reason[:32]) for each in reply.failures] == [
        ("domain", "missing required property 'domai"),
        ("token", "expected string, got number 5"),
        ("domian", "cloud:index:Site has no input 'd"),
    ]
    assert "Did you mean 'domain'?" in reply.failures[2].reason
    assert engine.asked == []


def test_a_refused_child_fails_the_component():
    """What the engine does not register ends the Construct with the engine's own reason."""
    engine = Engine(refuse="home-logs")
    reply = construct(SITES, engine=engine, inputs={"domain": "a.org"})
    assert reply.failures == (Failure("no such luck", status="unavailable"),)
    assert [each.name for each in engine.asked] == ["home", "home-logs"]


def test_undeclared_components_are_permissive_unless_told_otherwise():
    """What nobody declared shows what it is given; with ``strict`` it is an error that names what is nearest."""
    assert construct(engine=Engine(), inputs={"a": 1}).value == {"a": 1}
    reply = fake(SITES, strict=True)[0](call(Op.CONSTRUCT, "cloud:index:Sites", name="x", monitor=Engine()))
    assert "Did you mean 'cloud:index:Site'?" in reply.failures[0].reason


def test_methods_know_their_receiver():
    """A method's templates name arguments and the receiver's properties, which the engine is asked for."""
    engine = Engine()
    provider, _ = fake(Method(f"{SITE}/describe", {"greeting": str}, {"text": "{greeting} {self.url}"}))
    arguments = {"__self__": ResourceReference(URN), "greeting": Secret("hi")}
    reply = provider(call(Op.CALL, f"{SITE}/describe", inputs=arguments, monitor=engine))
    assert reply.value == {"text": Secret("hi https://a.org/")}
    assert reply.extra == {"returnDependencies": {"text": (URN,)}}
    assert engine.asked[0].inputs == {"urn": URN}


def test_methods_may_be_functions_and_refuse_arguments():
    """A function is given the receiver and the arguments; an argument that does not fit is a failure with its path."""
    declared = Method(
        f"{SITE}/size", {"factor": Property(int, required=True)}, lambda called: {"size": 2 * called.inputs["factor"]}
    )
    provider, _ = fake(declared)
    assert provider(call(Op.CALL, declared.token, inputs={"factor": 3}, monitor=Engine())).value == {"size": 6}
    assert [each.path for each in provider(call(Op.CALL, declared.token, inputs={}, monitor=Engine())).failures] == ["factor"]
    unknown = provider(call(Op.CALL, f"{SITE}/sizes", inputs={}, monitor=Engine()))
    assert f"Did you mean '{SITE}/size'?" in unknown.failures[0].reason


def test_without_a_way_back_there_is_no_component():
    """A Construct that names no engine is refused with what is missing."""
    with pytest.raises(UnsupportedError, match="brought no way back to an engine"):
        fake(SITES)[0](call(Op.CONSTRUCT, SITE, name="x", inputs={"domain": "a"}))


def test_the_monitor_in_neutral_words():
    """Reading, calling and asking for features go to the engine under the RPCs' names; a refusal is raised with its reason."""
    engine = Engine(refuse="x")
    monitor = Monitor(call(Op.CALL, "a:b:C/d", monitor=engine))
    monitor.read_resource(TOKEN, "old", "id-1", {"a": 1})
    monitor.call("a:b:C/e", {"x": Output(1, dependencies=("urn:y",))})
    assert monitor.supports_feature("secrets") is False
    assert [each.method for each in engine.asked] == ["ReadResource", "Call", "SupportsFeature"]
    assert (engine.asked[1].inputs, engine.asked[1].extra) == ({"x": 1}, {"argDependencies": {"x": ("urn:y",)}})
    with pytest.raises(EngineRefusedError, match="no such luck"):
        monitor.register_resource(TOKEN, "x", {})


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("plain", "plain"),
        ("{count}", 3),
        ("{missing}", None),
        ("{a}-{count}", Output("x-3", dependencies=("urn:a",))),
        ("{secret}!", Output("s!", secret=True)),
        ("{unknown}/{a}", Output(UNKNOWN, dependencies=("urn:a",))),
    ],
)
def test_templates_keep_what_values_are(template, found):
    """A template that is one name keeps the value's kind; secrecy, dependencies and not being known carry over."""
    context = {
        "a": Output("x", dependencies=("urn:a",)),
        "count": Output(3),
        "secret": Secret("s"),
        "unknown": UNKNOWN,
        "missing": Output(None),
    }
    assert filled(template, context) == found


def test_a_template_that_needs_what_is_not_there_is_refused():
    """The error names the template, what it needs, and what there is."""
    with pytest.raises(DefinitionError, match=r"'\{b\}-x' needs 'b', which is not there\. There is: a\."):
        filled("{b}-x", {"a": 1})


@pytest.mark.parametrize("token", ["Site", "cloud:index:Site", "cloud:index:/x", "cloud:index:Site/"])
def test_what_is_no_method_is_refused(token):
    """A method's token names a type and a method of it."""
    with pytest.raises(DefinitionError, match="is no method's token"):
        Method(token)
