"""Views: which steps a call makes of an object's views, and when the engine is told of them."""

from __future__ import annotations

import pytest
from builders import call, package

from mockprovider.calls import Op, Reply, Session
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.fake import Fake
from mockprovider.fake.views import View, ViewState, ViewStep
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
