"""The fake as an older provider: what each generation refuses, takes out and says of itself."""

from __future__ import annotations

import pytest
from builders import BUCKET, TOKEN, URN, call, fake

from mockprovider.calls import Op, Reply, Session
from mockprovider.errors import DefinitionError
from mockprovider.layers import stack
from mockprovider.pulumi.diff import Changes, Diff, as_diff
from mockprovider.pulumi.generations import CURRENT, GENERATIONS, RPCS, Generation, named
from mockprovider.schema import Function, Property, ResourceType
from mockprovider.values import UNKNOWN, Output, Secret

KEY = ResourceType("cloud:index:Key", {"user": Property(str), "pin": Property(str, secret=True)})
ACCEPTS = {"secrets": "accept_secrets", "resources": "accept_resources", "outputs": "accept_outputs"}


def aged(generation, **given):
    """The fake of that generation, and its cloud."""
    provider, cloud = fake(BUCKET, KEY, Function("cloud:index:getKey", {}, {"pin": Secret("1")}), **given)
    return stack((named(generation),), provider), cloud


@pytest.fixture
def session():
    """One connection."""
    return Session("pulumi")


def configure(handler, session, extra=None, **inputs):
    """The reply to Configure."""
    return handler(call(Op.CONFIGURE, "", session=session, inputs=inputs, extra=extra or {}))


# Names -----------------------------------------------------------------------------------------------------------------


def test_names():
    """Each name stands for the generation that has it, and a generation for itself."""
    assert [named(name).name for name in GENERATIONS] == list(GENERATIONS)
    mine = Generation(name="mine", secrets=False)
    assert named(mine) is mine


def test_an_unknown_name():
    """Another name is refused with those that there are."""
    with pytest.raises(DefinitionError, match=r"There is no generation '1999'\. There are: current, no-handshake, .*2018; or"):
        named("1999")


def test_a_generation_that_nothing_could_tell():
    """A provider with a Handshake cannot say that it has no previews, so there is no such generation."""
    with pytest.raises(DefinitionError, match="Give it handshake=False, too"):
        Generation(name="odd", preview=False)


# What it refuses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GENERATIONS)
def test_what_is_refused(name):
    """What a generation lacks is unimplemented, by number and by name, and everything else of these RPCs is answered."""
    handler, _ = aged(name)
    replies = {flag: handler(call(op, "pulumi:providers:cloud", method=op.value, inputs={})) for flag, op in RPCS.items()}

    refused = {flag for flag, reply in replies.items() if reply.status is not None}
    assert refused == {flag for flag in RPCS if not getattr(GENERATIONS[name], flag)}
    for flag in refused:
        assert replies[flag].status.code == 12
        assert replies[flag].status.message == f"The generation {name!r} of this provider has no {RPCS[flag].value}."


def test_the_current_one_changes_nothing():
    """The current generation hands on the very call and the very reply."""
    reply, asked = Reply(), call(Op.CREATE)
    seen = []

    assert CURRENT(asked, lambda each: seen.append(each) or reply) is reply
    assert seen[0] is asked


# What it says of itself ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ACCEPTS)
def test_what_handshake_says(kind):
    """A kind of value that is not accepted is not announced; the others are."""
    handler, _ = aged(f"no-{kind}")

    said = handler(call(Op.HANDSHAKE)).extra
    assert {each: said[flag] for each, flag in ACCEPTS.items()} == {each: each != kind for each in ACCEPTS}
    assert said["accepts_byte_string"] is True


def test_what_handshake_says_of_bytes():
    """Byte strings are a kind of their own."""
    assert aged("no-byte-strings")[0](call(Op.HANDSHAKE)).extra["accepts_byte_string"] is False


@pytest.mark.parametrize(
    ("name", "accepts", "previews"), [("no-handshake", True, True), ("no-preview", True, False), ("2018", False, False)]
)
def test_what_configure_says(session, name, accepts, previews):
    """Without a Handshake it is Configure that says what is accepted, under its own field names."""
    said = configure(aged(name)[0], session).extra

    assert said == {
        **dict.fromkeys(("acceptSecrets", "acceptResources", "acceptOutputs"), accepts),
        "supportsPreview": previews,
    }


@pytest.mark.parametrize(("name", "heeds"), [("no-handshake", True), ("2018", None), ("no-secrets", True)])
def test_automatic_names(session, name, heeds):
    """Where some type has automatic names, Configure says that options for them count, unless the provider is too old."""
    named_type = ResourceType("cloud:index:Named", {"name": Property(str, auto_name=True)})
    handler = stack((named(name),), fake(named_type)[0])

    assert configure(handler, session).extra.get("supports_autonaming_configuration") is heeds


def test_a_generation_without_names():
    """A generation of one's own can lack the options for automatic names alone; Handshake then denies them."""
    named_type = ResourceType("cloud:index:Named", {"name": Property(str, auto_name=True)})
    handler = stack((Generation(name="unnamed", names=False),), fake(named_type)[0])

    assert handler(call(Op.HANDSHAKE, "")).extra["supports_autonaming_configuration"] is False


# What it takes out -----------------------------------------------------------------------------------------------------


def test_no_secrets():
    """Secrets and secret outputs arrive bare and are answered bare, at every depth, also where the type declares them."""
    handler, cloud = aged("no-secrets")
    inputs = {"user": Output(Secret("a"), True), "pin": Secret("1"), "more": {"deep": [Secret("2")]}}
    reply = handler(call(Op.CREATE, KEY.token, inputs=inputs))

    assert reply.value["pin"] == "1"
    assert dict(cloud.objects()[0]) == {"user": "a", "pin": "1", "more": {"deep": ["2"]}}
    assert handler(call(Op.CHECK, KEY.token, inputs={"pin": "1"})).inputs == {"pin": "1"}
    assert handler(call(Op.INVOKE, "cloud:index:getKey", inputs={})).value == {"pin": "1"}


def test_no_outputs():
    """Output values arrive as their values, still secret where they were; unknown ones as unknowns."""
    seen = []
    layer = named("no-outputs")
    layer(
        call(Op.CREATE, inputs={"a": Output("x", secret=True), "b": Output("y"), "c": Output()}),
        lambda each: seen.append(each) or Reply(),
    )

    assert seen[0].inputs == {"a": Secret("x"), "b": "y", "c": UNKNOWN}


def test_no_preview_does_it():
    """An engine that asks all the same gets the real thing, as a provider that does not know ``preview`` would do it."""
    handler, cloud = aged("no-preview")

    assert handler(call(Op.CREATE, inputs={}, preview=True)).id
    assert len(cloud.objects()) == 1


def test_variables_only(session):
    """Configuration is read from ``variables``: texts, without package and section."""
    variables = {"cloud:config:region": "eu", "cloud:config:count": "2"}
    configure(aged("variables-only")[0], session, {"variables": variables}, region=Secret("eu"), count=2, version="1.0.0")

    assert session.config == {"region": "eu", "count": "2"}


def plan(handler, **changes):
    """The diff of a bucket."""
    prior = {"acl": "private", "name": "a"}
    asked = call(Op.DIFF, id="b-1", urn=URN, prior=prior, prior_inputs=prior, inputs={**prior, **changes})
    return as_diff(handler(asked))


def test_no_detailed_diff():
    """The diff is unknown whether or not anything changed; which properties replace is still said."""
    handler, _ = aged("no-detailed-diff")

    assert plan(handler) == Diff(Changes.UNKNOWN, stables=("arn",))
    assert plan(handler, acl="x") == Diff(Changes.UNKNOWN)
    found = plan(handler, name="b")
    assert (found.changes, found.replaces, found.diffs, found.has_detailed) == (Changes.UNKNOWN, ("name",), (), False)
    assert plan(aged("current")[0], name="b").has_detailed


# The adapters of 2018 --------------------------------------------------------------------------------------------------


def test_2018_check_config():
    """Configuration is strings, or unknown; each other property is a failure at its path."""
    handler, _ = aged("2018", config={"region": Property(str, default="us")})
    reply = handler(call(Op.CHECK_CONFIG, "pulumi:providers:cloud", inputs={"a": "x", "b": UNKNOWN, "c": 1, "d": ["x"]}))

    assert reply.inputs == {"a": "x", "b": UNKNOWN, "c": 1, "d": ["x"]}
    assert [each.path for each in reply.failures] == ["c", "d"]
    assert reply.failures[0].reason == "The configuration 'c' is no string, and this provider takes nothing else."


@pytest.mark.parametrize(("region", "replaces"), [("us", ()), (UNKNOWN, ("region",))])
def test_2018_diff_config(region, replaces):
    """What is known never replaces the provider, whatever the package declares; what is unknown always does."""
    handler, _ = aged("2018", config={"region": Property(str, forces_new=True)})
    reply = handler(call(Op.DIFF_CONFIG, "pulumi:providers:cloud", prior={"region": "eu"}, inputs={"region": region}))

    assert as_diff(reply) == Diff(Changes.UNKNOWN, replaces=replaces)


def test_2018_unconfigured(session):
    """With unknown configuration it is not configured: check, read and invoke come back empty, and nothing else works."""
    handler, cloud = aged("2018")
    found = cloud.create(TOKEN, "b-1", {"acl": "x"})
    variables = {"cloud:config:region": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}
    assert configure(handler, session, {"variables": variables}, region=UNKNOWN).ok

    assert handler(call(Op.CHECK, session=session, inputs={"acl": "x"})) == Reply(inputs={})
    assert handler(call(Op.READ, session=session, id="b-1")) == Reply(id="b-1", value={})
    assert handler(call(Op.INVOKE, "cloud:index:getKey", session=session, inputs={})) == Reply(value={})
    for op in (Op.DIFF, Op.CREATE, Op.UPDATE, Op.DELETE):
        reply = handler(call(op, session=session, id="b-1", inputs={}))
        assert reply.failures[0].status == "failed_precondition"
        assert "is not configured, so it can only check, read and invoke" in reply.failures[0].reason
    assert cloud.objects() == [found]
    assert handler(call(Op.CANCEL, session=session)).ok


def test_2018_configured(session):
    """Once it is configured with what is known, it does everything; its Read answers no inputs."""
    handler, _ = aged("2018")
    configure(handler, session, {"variables": {"cloud:config:region": "eu"}}, region="eu")
    made = handler(call(Op.CREATE, session=session, inputs={"acl": "x"}))
    read = handler(call(Op.READ, session=session, id=made.id, prior=made.value, prior_inputs={"acl": "x"}))

    assert made.value["acl"] == "x"
    assert read.value == made.value
    assert read.inputs is None
