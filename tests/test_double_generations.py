"""Older providers under the embedded engine and over the wire: one option of the double."""

from __future__ import annotations

import pulumi
import pytest
from builders import BUCKET, TOKEN, URN, call
from engine_toolbox import BUCKET as CLOUD_BUCKET
from engine_toolbox import TYPES, Bucket, Cloud
from pulumi import ResourceOptions

from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError
from mockprovider.journal import Side
from mockprovider.pulumi.generations import CURRENT, GENERATIONS, Generation
from mockprovider.schema import Package, Property
from mockprovider.values import Secret, has_secret


def double(generation):
    """A double of that generation, whose provider has configuration."""
    package = Package("cloud", config={"region": Property(str, forces_new=True), "tag": Property(str)})
    package.add(*TYPES)
    return Double(package, generation=generation)


def program(**wanted):
    """A program with one bucket, which has a secret."""

    def run():
        Bucket("logs", token=pulumi.Output.secret("hush"), **wanted)

    return run


# The option ------------------------------------------------------------------------------------------------------------


def test_the_option():
    """A generation is chosen by name or given, at the start or later; without one the fake is of today."""
    mine = Generation(name="mine", secrets=False)
    with Double(BUCKET) as made, Double(BUCKET, generation=mine) as older:
        assert made.generation is CURRENT
        assert older.generation is mine
        made.generation = "no-handshake"
        assert made.generation is GENERATIONS["no-handshake"]


def test_other_protocols_have_no_generations():
    """Generations are of Pulumi's protocol: Terraform's calls go through."""
    with Double(BUCKET, generation="2018") as made:
        assert made(call(Op.CREATE, session=made.open("terraform"), inputs={})).ok


def test_a_session_keeps_its_generation():
    """A generation that is set later counts for later sessions: a provider does not age while it is spoken with."""
    with Double(BUCKET) as made:
        before = made.open()
        made(call(Op.GET_PLUGIN_INFO, session=before))
        made.generation = "no-handshake"

        assert made(call(Op.HANDSHAKE, session=before)).ok
        assert not made(call(Op.HANDSHAKE, session=made.open())).ok


def test_only_the_fake_ages():
    """Whatever else answers is as old as it is, and saying otherwise is refused."""
    with pytest.raises(DefinitionError, match="Only the fake can be of the generation 'no-secrets'"):
        Double(BUCKET, provider=lambda _: Reply(), generation="no-secrets")
    Double(BUCKET, provider=lambda _: Reply(), generation="current")


def test_an_unknown_generation():
    """A name that no generation has is refused, and what was set before stays."""
    with Double(BUCKET, generation="2018") as made:
        with pytest.raises(DefinitionError, match="There is no generation 'old'"):
            made.generation = "old"
        assert made.generation is GENERATIONS["2018"]


# Under the embedded engine ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GENERATIONS)
def test_a_life(name):
    """Every generation comes through previews, ups, an update, a replacement, a refresh and a destroy."""
    with double(name) as made:
        stack = Stack(made)
        stack.preview(program(acl="x"))
        assert made.cloud.objects() == []
        assert stack.up(program(acl="x")).summary == {"create": 1}
        assert stack.up(program(acl="x")).summary == {}
        assert stack.up(program(acl="y")).summary == {"update": 1}
        assert stack.up(program(acl="y", name="b")).summary == {"replace": 1}
        made.cloud.drift(CLOUD_BUCKET, made.cloud.objects()[0].id, acl="drifted")
        stack.refresh()
        stack.up(program(acl="y", name="b"))
        # Whose Read answers no inputs and whose Diff is unknown, its drift no engine can see.
        assert made.cloud.objects()[0]["acl"] == ("drifted" if name == "2018" else "y")
        assert stack.state["logs"].outputs["token"] == Secret("hush")
        assert stack.destroy().summary == {"delete": 1}


@pytest.mark.parametrize("name", ["no-secrets", "2018"])
def test_no_secret_arrives(name):
    """A provider that accepts no secrets is called without any."""
    with double(name) as made:
        Stack(made).up(program())
        seen = [entry.call for entry in made.journal.entries(side=Side.PROVIDER)]

    assert not any(has_secret(bag) for call in seen for bag in (call.inputs, call.prior, call.prior_inputs) if bag)


def test_a_preview_of_a_provider_without():
    """The engine asks a provider without previews for none."""
    with double("no-preview") as made:
        Stack(made).preview(program())
        assert made.journal.ops(name="logs") == ["check"]


def test_unknown_configuration():
    """A provider of 2018 whose configuration is unknown has only that checked, and is made when it is known."""

    def run():
        first = Bucket("first")
        Bucket("second", ResourceOptions(provider=Cloud("p", tag=first.arn)))

    with double("2018") as made:
        stack = Stack(made)
        stack.preview(run)
        assert made.journal.ops(name="p") == ["check_config"]
        assert made.journal.ops(name="second") == []
        assert stack.up(run).summary == {"create": 2}


def test_an_upgrade():
    """A state that an old provider left is taken over by a new one without a change."""
    with double("2018") as made:
        stack = Stack(made)
        stack.up(program(acl="x"))
        made.generation = "current"
        assert stack.up(program(acl="x")).summary == {}


# Over the wire ---------------------------------------------------------------------------------------------------------


def ask(client, session, op, **given):
    """The reply of the served double."""
    return client(Call(op=op, session=session, **given))


def test_over_the_wire():
    """What is refused ends in ``UNIMPLEMENTED``; Configure says what Handshake could not; an unknown diff travels as such."""
    bags = {"prior": {"name": "a"}, "prior_inputs": {"name": "a"}, "inputs": {"name": "b"}}
    with Double(BUCKET, generation="2018") as made, made.serve().client() as client:
        session = client.open()
        refused = ask(client, session, Op.HANDSHAKE)
        variables = {"variables": {"cloud:config:region": "eu"}}
        configured = ask(client, session, Op.CONFIGURE, inputs={"region": Secret("eu")}, extra=variables)
        diff = ask(client, session, Op.DIFF, id="b-1", urn=URN, type=TOKEN, **bags).extra["diff"]

    assert refused.status.code == 12
    assert "supportsPreview" not in configured.extra
    assert session.accepts == frozenset()
    assert (diff.changes, diff.replaces, diff.has_detailed) == (0, ("name",), False)


def test_without_a_handshake_over_the_wire():
    """A provider without Handshake that has everything else is understood so from Configure."""
    with Double(BUCKET, generation="no-handshake") as made, made.serve().client() as client:
        session = client.open()
        assert ask(client, session, Op.HANDSHAKE).status.code == 12
        assert ask(client, session, Op.CONFIGURE, inputs={}).extra["supportsPreview"] is True

    assert session.accepts == {"secrets", "resources", "outputs"}
