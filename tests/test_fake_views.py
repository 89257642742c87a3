"""Views: which steps a call makes of an object's views, and when the engine is told of them."""

from __future__ import annotations

import pytest
from builders import call, package

from mockprovider.calls import Op, Reply, Session
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.fake import Fake
from mockprovider.fake.views import View, ViewState, ViewStep, steps
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Property, ResourceType
from mockprovider.values import UNKNOWN, Secret


def viewed(*views):
    """The traits of a type with these views."""
    return [ResourceTraits(views=views)]


SERVER = ResourceType(
    "cloud:index:Server",
    {"size": Property(str), "key": Property(str, secret=True), "arn": Property(str, computed="arn:{id}")},
    traits=viewed(
        View("cloud:index:Disk", "{name}-disk", {"size": "{size}"}, {"of": "{arn}", "count": 1}),
        View("cloud:index:Part", "{name}-part", parent="cloud:index:Disk"),
    ),
)
URN = "urn:pulumi:dev::shop::cloud:index:Server::web"
ABLE = {"supports_views": True}
WHERE = {"resource_status_address": "127.0.0.1:1", "resource_status_token": "t"}


class Told:
    """A fake, its session, and what it published."""

    def __init__(self, declared=SERVER):
        self.steps = []
        self.serve = Fake({"cloud": package(declared)}, Cloud(), publish=lambda _, steps: self.steps.append(list(steps)))
        self.session = Session("pulumi")
        self.type = declared.token

    def shake(self, **said):
        """Shake hands as an engine that says this of itself."""
        self.serve(call(Op.HANDSHAKE, "", session=self.session, extra=said))
        return self

    def ask(self, op, **given):
        """Make a call about the server and forget what was published before it."""
        self.steps.clear()
        given.setdefault("extra", WHERE)
        return self.serve(call(op, self.type, session=self.session, urn=URN, name="web", **given))


@pytest.fixture
def told():
    """A fake that an engine which takes views has shaken hands with."""
    return Told().shake(**ABLE)


def disk(size, of):
    """The state of the disk's view."""
    return ViewState("cloud:index:Disk", "web-disk", inputs={"size": size}, outputs={"of": of, "count": 1})


PART = ViewState("cloud:index:Part", "web-part", "cloud:index:Disk", "web-disk")


def test_a_life(told):
    """Each call tells what became of each view: made, unchanged, changed, read again, gone; a view may belong to a view."""
    made = told.ask(Op.CREATE, inputs={"size": "s"})
    arn = made.value["arn"]
    assert told.steps == [[ViewStep("create", None, disk("s", arn)), ViewStep("create", None, PART)]]

    new = told.ask(Op.UPDATE, id=made.id, prior=made.value, prior_inputs={"size": "s"}, inputs={"size": "m"})
    assert told.steps == [[ViewStep("update", disk("s", arn), disk("m", arn)), ViewStep("same", PART, PART)]]

    told.ask(Op.READ, id=made.id, prior=new.value, prior_inputs={"size": "m"})
    assert told.steps == [[ViewStep("refresh", disk("m", arn), disk("m", arn)), ViewStep("refresh", PART, PART)]]

    told.ask(Op.DELETE, id=made.id, prior=new.value)
    assert told.steps == [[ViewStep("delete", disk("m", arn), None), ViewStep("delete", PART, None)]]


def test_what_is_gone_is_read_as_gone(told):
    """A read of an object that does not exist any more tells that its views are gone, too."""
    told.ask(Op.READ, id="x", prior={"size": "s", "arn": "a"})

    assert told.steps == [[ViewStep("refresh", disk("s", "a"), None), ViewStep("refresh", PART, None)]]


def test_previews(told):
    """In a preview a view is unknown in what of the object is."""
    told.ask(Op.CREATE, inputs={"size": "s"}, preview=True)

    assert told.steps[0][0] == ViewStep("create", None, disk("s", UNKNOWN))


def test_secrets_stay_secret():
    """What a view shows of a secret is a secret."""
    declared = ResourceType(
        "cloud:index:Server",
        {"key": Property(str, secret=True)},
        traits=viewed(View("cloud:index:Lock", inputs={"of": "key {key}"})),
    )
    told = Told(declared).shake(**ABLE)
    told.ask(Op.CREATE, inputs={"key": "hush"})

    assert told.steps[0][0].new.inputs == {"of": Secret("key hush")}


@pytest.mark.parametrize("said", [{}, {"supports_views": False}])
def test_engines_that_take_no_views_are_told_nothing(said):
    """An engine that did not say that it takes views is told of none."""
    told = Told().shake(**said)

    assert told.ask(Op.CREATE, inputs={"size": "s"}).ok
    assert told.steps == []


def test_without_an_address_nothing_is_told(told):
    """An engine that names no place to tell it is told nothing."""
    assert told.ask(Op.CREATE, inputs={"size": "s"}, extra={}).ok
    assert told.steps == []


def test_a_failed_call_tells_nothing(told):
    """What did not happen has no steps."""
    assert not told.ask(Op.UPDATE, id="gone", prior={}, prior_inputs={}, inputs={"size": "s"}).ok
    assert told.steps == []


def test_types_without_views_tell_nothing():
    """A type that declares no views publishes no empty list of steps either."""
    told = Told(ResourceType("cloud:index:Server", {"size": str})).shake(**ABLE)
    told.ask(Op.CREATE, inputs={"size": "s"})

    assert told.steps == []


def test_a_view_whose_name_cannot_be_known():
    """A view's name that a preview cannot know is refused, since it would be another view afterwards."""
    declared = ResourceType("cloud:index:Server", {"size": str}, traits=viewed(View("cloud:index:Disk", "{id}-disk")))
    told = Told(declared).shake(**ABLE)

    with pytest.raises(DefinitionError, match=r"the name '\{id\}-disk' of a view cannot be known in a preview"):
        told.ask(Op.CREATE, inputs={}, preview=True)


def test_a_fake_without_a_way_to_its_engine():
    """A fake that was given no way to publish answers all the same."""
    serve, session = Fake({"cloud": package(SERVER)}, Cloud()), Session("pulumi")
    serve(call(Op.HANDSHAKE, "", session=session, extra=ABLE))

    assert serve(call(Op.CREATE, SERVER.token, session=session, inputs={"size": "s"}, extra=WHERE)).ok


def test_what_cannot_be_published_fails_the_call():
    """An engine that does not take the steps makes the call fail loudly."""

    def refuse(*_):
        raise PluginError("token not found")

    serve, session = Fake({"cloud": package(SERVER)}, Cloud(), publish=refuse), Session("pulumi")
    serve(call(Op.HANDSHAKE, "", session=session, extra=ABLE))
    with pytest.raises(PluginError, match="token not found"):
        serve(call(Op.CREATE, SERVER.token, session=session, inputs={"size": "s"}, extra=WHERE))


def test_a_reply_is_only_read():
    """Steps are told of a reply, which itself stays as it was."""
    told = Told().shake(**ABLE)

    assert told.ask(Op.DELETE, id="x", prior={"size": "s", "arn": "a"}) == Reply()


# The rules by themselves -----------------------------------------------------------------------------------------------

DISK = View("cloud:index:Disk", "{name}-{size}", {"size": "{size}", "id": "{id}"}, {"of": "{arn}"})


def state(size, id_="s-1", arn="a"):
    """The state of a disk of this size."""
    return ViewState("cloud:index:Disk", f"web-{size}", inputs={"size": size, "id": id_}, outputs={"of": arn})


@pytest.mark.parametrize(
    ("op", "prior", "value", "expected"),
    [
        (Op.CREATE, None, {"size": "s", "arn": "a"}, [("create", None, state("s"))]),
        # A create has nothing before it, whatever the engine remembers.
        (Op.CREATE, {"size": "x", "arn": "a"}, {"size": "s", "arn": "a"}, [("create", None, state("s"))]),
        (Op.UPDATE, {"size": "s", "arn": "a"}, {"size": "s", "arn": "a"}, [("same", state("s"), state("s"))]),
        (
            Op.UPDATE,
            {"size": "s", "arn": Secret("a")},
            {"size": "s", "arn": "a"},
            [("same", state("s", arn=Secret("a")), state("s"))],
        ),
        (Op.UPDATE, {"size": "s", "arn": "a"}, {"size": "s", "arn": "b"}, [("update", state("s"), state("s", arn="b"))]),
        # A view of another name is another view.
        (
            Op.UPDATE,
            {"size": "s", "arn": "a"},
            {"size": "m", "arn": "a"},
            [("create", None, state("m")), ("delete", state("s"), None)],
        ),
        (Op.UPDATE, None, {"size": "s", "arn": "a"}, [("create", None, state("s"))]),
        (Op.UPDATE, {"size": "s", "arn": "a"}, None, [("delete", state("s"), None)]),
        (Op.READ, {"size": "s", "arn": "a"}, {"size": "s", "arn": "b"}, [("refresh", state("s"), state("s", arn="b"))]),
        (Op.READ, {"size": "s", "arn": "a"}, None, [("refresh", state("s"), None)]),
        (Op.READ, None, {"size": "s", "arn": "a"}, [("refresh", None, state("s"))]),
        (Op.DELETE, {"size": "s", "arn": "a"}, {"size": "s", "arn": "a"}, [("delete", state("s"), None)]),
        (Op.DELETE, {"size": "s", "arn": "a"}, None, [("delete", state("s"), None)]),
        (Op.DELETE, None, None, []),
    ],
)
def test_steps(op, prior, value, expected):
    """What was and what is tell a view's step: made, gone, changed or not; of a read both are told."""
    asked = call(op, SERVER.token, name="web", id="s-1", prior=prior)

    assert steps([DISK], asked, Reply(value=value, id="s-1")) == [ViewStep(*each) for each in expected]


@pytest.mark.parametrize(
    ("id_", "replied", "shown"), [("", "new", "new"), ("old", "", "old"), ("old", "new", "new"), ("", "", UNKNOWN)]
)
def test_the_id_of_a_viewed_object(id_, replied, shown):
    """The id is the reply's, else the call's, else unknown."""
    asked = call(Op.UPDATE, SERVER.token, name="web", id=id_)
    [step] = steps([View("cloud:index:Disk", inputs={"id": "{id}"})], asked, Reply(value={"name": "its own"}, id=replied))

    assert step.new == ViewState("cloud:index:Disk", "web", inputs={"id": shown})


def test_views_beneath_views():
    """A view stands beneath the first one of its parent's type that is declared before it, or beneath the resource."""
    views = [
        View("a:b:Child", "early", parent="a:b:Parent"),
        View("a:b:Parent", "one"),
        View("a:b:Parent", "two"),
        View("a:b:Child", "late", parent="a:b:Parent"),
    ]
    told = steps(views, call(Op.CREATE, SERVER.token, name="web"), Reply(value={}))

    assert [(each.new.name, each.new.parent_type, each.new.parent_name) for each in told] == [
        ("early", "", ""),
        ("one", "", ""),
        ("two", "", ""),
        ("late", "a:b:Parent", "one"),
    ]


def test_two_views_of_one_type_and_name_are_one():
    """Views go by type and name."""
    views = [View("a:b:C", "x"), View("a:b:D", "x"), View("a:b:C", "x", {"last": True})]
    told = steps(views, call(Op.CREATE, SERVER.token), Reply(value={}))

    assert [(each.new.type, each.new.inputs) for each in told] == [("a:b:C", {"last": True}), ("a:b:D", {})]


@pytest.mark.parametrize("op", [Op.CHECK, Op.DIFF, Op.PLAN, Op.UPGRADE])
def test_calls_that_do_nothing_tell_nothing(told, op):
    """Only what makes, reads, changes or removes an object has views to tell of."""
    told.ask(op, id="s-1", prior={"size": "s", "arn": "a"}, prior_inputs={}, inputs={"size": "m"})

    assert told.steps == []
