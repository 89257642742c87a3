"""Which of Terraform's protocols a double is served over."""

from __future__ import annotations

import json

import pytest
from builders import BUCKET, TOKEN

from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double, Wiring
from mockprovider.errors import DefinitionError
from mockprovider.protocols import of_family
from mockprovider.values import UNKNOWN


def spoken(serving):
    """The protocol that engines are told of."""
    described = json.loads(serving.environment["TF_REATTACH_PROVIDERS"])
    return {each["ProtocolVersion"] for each in described.values()}


@pytest.mark.parametrize(("asked", "expected"), [({}, 6), ({"major": 5}, 5), ({"major": 6}, 6)])
def test_the_fake_speaks_what_it_is_asked_to(asked, expected):
    """Engines are told of the chosen protocol, 6 if none was chosen, and clients speak it."""
    with Double(BUCKET) as double, double.serve("terraform", **asked) as serving, serving.client() as client:
        session = client.open()
        reply = client(Call(op=Op.CREATE, session=session, type=TOKEN, inputs={}, planned={"acl": "private", "arn": UNKNOWN}))

        assert serving.protocol.version == expected
        assert spoken(serving) == {expected}
        assert session.protocol.name == f"tfplugin{expected}"
        assert [each.id for each in double.cloud.objects(TOKEN)] == [reply.id]


def test_one_double_speaks_both_at_once():
    """Two servings of one double, one for each protocol, share its cloud."""
    with Double(BUCKET) as double:
        for major in (5, 6):
            with double.serve("terraform", major=major).client() as client:
                client(
                    Call(op=Op.CREATE, session=client.open(), type=TOKEN, inputs={}, planned={"acl": "private", "arn": UNKNOWN})
                )

        assert len(double.cloud.objects(TOKEN)) == 2
        assert [each.call.session.protocol.name for each in double.journal.entries(op="create")] == ["tfplugin5", "tfplugin6"]


def test_what_stands_behind_decides():
    """A real or recorded provider's protocol is served without asking, and asking for the other is an error."""
    with Double(BUCKET, provider=Wiring("cloud", lambda _: Reply(), protocol=of_family("terraform", 5))) as double:
        assert spoken(double.serve("terraform")) == spoken(double.serve("terraform", major=5)) == {5}
        with pytest.raises(DefinitionError, match="speaks version 5 of terraform, and 6 was asked for"):
            double.serve("terraform", major=6)


def test_a_handler_of_ones_own_speaks_both():
    """A handler in Python answers calls, which are the same in both protocols."""
    with Double(BUCKET, provider=lambda _: Reply()) as double:
        assert spoken(double.serve("terraform", major=5)) == {5}


@pytest.mark.parametrize(
    ("protocol", "major", "said"),
    [("terraform", 4, "no version 4 of the protocol terraform: give 5 or 6"), ("pulumi", 5, "pulumi has one version")],
)
def test_a_protocol_that_does_not_exist_is_refused(protocol, major, said):
    """A number that is no major, or one for Pulumi, is an error that names what there is."""
    with Double(BUCKET) as double, pytest.raises(DefinitionError, match=said):
        double.serve(protocol, major=major)
