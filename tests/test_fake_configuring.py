"""The fake before its first resource: its configuration, what it is, and what it serves."""

from __future__ import annotations

import pytest
from builders import BUCKET, call, fake, package

from mockprovider.calls import Op, Session
from mockprovider.cloud import Cloud
from mockprovider.fake import Fake
from mockprovider.schema import Package, Property
from mockprovider.values import UNKNOWN, Secret

CONFIG = {"region": Property(default="north", forces_new=True), "token": Property(secret=True), "retries": Property(int)}


def test_check_config():
    """Declared configuration is checked and filled in as a resource's inputs are; undeclared passes."""
    serve, _ = fake(config=CONFIG)
    asked = call(Op.CHECK_CONFIG, "pulumi:providers:cloud", inputs={"token": "t", "retries": "x", "more": 1})
    reply = serve(asked)

    assert reply.inputs == {"region": "north", "token": Secret("t"), "retries": "x", "more": 1}
    assert [each.path for each in reply.failures] == ["retries"]


def test_a_document_may_be_given_as_an_object():
    """A kubeconfig is a text, and programs give that of their cluster as the object that it is; a list is none."""
    serve, _ = fake(config={"kubeconfig": Property(str), "token": Property(str)})
    asked = call(Op.CHECK_CONFIG, "pulumi:providers:cloud", inputs={"kubeconfig": Secret({"kind": "Config"}), "token": ["t"]})
    reply = serve(asked)

    assert reply.inputs == {"kubeconfig": Secret({"kind": "Config"}), "token": ["t"]}
    assert [each.path for each in reply.failures] == ["token"]


def test_diff_config():
    """A changed setting is a change of the provider, and one that forces a new object replaces it."""
    serve, _ = fake(config=CONFIG)

    def asked(**inputs):
        before = {"region": "north"}
        return serve(call(Op.DIFF_CONFIG, "pulumi:providers:cloud", prior=before, prior_inputs=before, inputs=inputs)).plan

    assert asked(region="north").changes == ()
    assert not asked(token="t").replaces
    assert asked(region="south").replaces


def test_configure():
    """Configure tells what the provider accepts, and the session remembers the configuration."""
    serve, _ = fake(config=CONFIG)
    session = Session("pulumi")
    reply = serve(call(Op.CONFIGURE, session=session, inputs={"region": "south"}))

    assert session.config == {"region": "south"}
    assert reply.extra["acceptSecrets"]
    assert reply.extra["supportsPreview"]


def test_plugin_info_and_schema():
    """Version and schema are those of the session's package, or else of the one that the type names."""
    one, other = package(name="one", version="1.2.3"), package(name="other", version="4.5.6")
    serve = Fake({"one": one, "other": other}, Cloud())
    session = Session("pulumi")
    session.schema = other

    assert serve(call(Op.GET_PLUGIN_INFO, "", session=session)).version == "4.5.6"
    assert serve(call(Op.GET_SCHEMA, "other:index:X")).described == other
    assert serve(call(Op.GET_SCHEMA, "")).described == one
    assert Fake({}, Cloud())(call(Op.GET_PLUGIN_INFO, "")).version == Package("mock").version


def test_definitions_may_come_late():
    """A type declared while the fake serves is served from then on."""
    packages: dict[str, Package] = {}
    serve = Fake(packages, Cloud(), strict=True)
    before = serve(call(Op.CHECK, inputs={}))
    packages["cloud"] = package(BUCKET)

    assert not before.ok
    assert serve(call(Op.CHECK, inputs={})).ok


@pytest.mark.parametrize("op", [Op.HANDSHAKE, Op.ATTACH, Op.CANCEL])
def test_small_talk(op):
    """Handshake, Attach and Cancel always succeed."""
    serve, _ = fake()

    assert serve(call(op, "")).ok


@pytest.mark.parametrize(
    ("declared", "inputs", "filled", "failed"),
    [
        (CONFIG, None, {"region": "north"}, []),
        (CONFIG, {"region": None, "retries": 1}, {"region": "north", "retries": 1}, []),
        (CONFIG, {"region": UNKNOWN}, {"region": UNKNOWN}, []),
        # Pulumi's SDKs hand over to providers as JSON what is no text.
        (CONFIG, {"retries": "3"}, {"region": "north", "retries": "3"}, []),
        (CONFIG, {"retries": Secret("3")}, {"region": "north", "retries": Secret("3")}, []),
        (CONFIG, {"retries": "true"}, {"region": "north", "retries": "true"}, ["retries"]),
        ({"tags": Property(dict[str, str])}, {"tags": '{"a": "b"}'}, {"tags": '{"a": "b"}'}, []),
        ({"zone": Property(required=True)}, {}, {}, ["zone"]),
        ({"zone": Property(required=True)}, None, {}, ["zone"]),
        ({}, {"more": 1}, {"more": 1}, []),
        ({}, None, {}, []),
    ],
)
def test_what_check_config_answers(declared, inputs, filled, failed):
    """Configuration comes back with its defaults, and what is missing or does not fit is a failure."""
    serve, _ = fake(config=declared)
    reply = serve(call(Op.CHECK_CONFIG, "pulumi:providers:cloud", inputs=inputs))

    assert reply.inputs == filled
    assert [each.path for each in reply.failures] == failed


@pytest.mark.parametrize(
    ("prior", "prior_inputs", "inputs", "changes"),
    [
        ({"region": "a"}, {"region": "a"}, {"region": "b"}, [("region", True)]),
        ({"region": "a"}, None, {"region": "b"}, [("region", True)]),
        ({"region": "a"}, {"region": "b"}, {"region": "b"}, []),
        ({"region": "north"}, None, None, []),
        (None, None, {"retries": 1, "region": "a"}, [("region", True), ("retries", False)]),
        (None, {"retries": 1, "region": "a"}, {"retries": 2, "region": "a"}, [("retries", False)]),
    ],
)
def test_what_diff_config_compares(prior, prior_inputs, inputs, changes):
    """Configuration is compared with that of last time, with its defaults, and tells what replaces the provider."""
    serve, _ = fake(config=CONFIG)
    asked = call(Op.DIFF_CONFIG, "pulumi:providers:cloud", prior=prior, prior_inputs=prior_inputs, inputs=inputs)

    assert [(each.path, each.replaces) for each in serve(asked).plan.changes] == changes


def test_configure_without_configuration():
    """A provider that is configured with nothing has a configuration, an empty one."""
    serve, session = fake()[0], Session("pulumi")

    assert serve(call(Op.CONFIGURE, session=session)).ok
    assert session.config == {}
