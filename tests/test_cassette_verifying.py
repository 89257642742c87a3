"""``cassette verify``: each change of a provider is found, and what is other in each run is none."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from verify_stage import DEFINITIONS, DISK, MOUNT, PROTOCOLS, ZONE, Life, on, other_ids, record, today, verified

from mockprovider.calls import Failure, Op, Reply
from mockprovider.cassette.verifying import AnswerOutcome
from mockprovider.double import attached
from mockprovider.double.verifying import verify
from mockprovider.errors import CassetteError, PluginError
from mockprovider.properties import Property
from mockprovider.schema import Function

by_protocol = pytest.mark.parametrize(("family", "major"), PROTOCOLS)


@pytest.fixture(scope="module")
def cassettes(tmp_path_factory):
    """The recorded life, by family and version."""
    paths = {(family, major): tmp_path_factory.mktemp("verify") / "it.json" for family, major in PROTOCOLS}
    for (family, major), path in paths.items():
        record(path, family, major)
    return paths


def value(**changed):
    """A reply with other values; ``None`` is one that is missing."""

    def change(reply):
        return replace(reply, value={**reply.value, **changed}) if reply.value else reply

    return change


def without(name):
    """A reply without a property."""
    return lambda reply: replace(reply, value={key: item for key, item in (reply.value or {}).items() if key != name} or None)


def warned(reply):
    """A reply with a warning, as an input that is refused."""
    return replace(reply, failures=(*reply.failures, Failure("kind is deprecated", "kind")))


def disk(**changed):
    """The types of a provider in which a property of the disk is another."""
    return (replace(DISK, properties={**DISK.properties, **changed}), MOUNT, ZONE)


def at(verified_, op, about="isk"):
    """The calls of an op about the disk that were not answered as recorded, and where they differ."""
    return [one for one in verified_.differing if one.op == op and about in (one.about or about)]


PLANTED = {
    "a changed output": ((on(Op.CREATE, value(status="starting")),), DEFINITIONS, Op.CREATE, "status"),
    "a missing output": ((on(Op.READ, without("status")),), DEFINITIONS, Op.READ, "status"),
    "another error": (
        (on(Op.CHECK, lambda reply: replace(reply, failures=(Failure("no", "kind"),)) if reply.failures else reply),),
        DEFINITIONS,
        Op.CHECK,
        "",
    ),
    "an error where there was none": (
        (on(Op.UPDATE, lambda _: Reply(failures=(Failure("quota"),))),),
        DEFINITIONS,
        Op.UPDATE,
        "",
    ),
    "a change that replaces no more": ((), disk(region=Property(str, required=True)), "plan", ""),
    "a changed default": ((), disk(kind=Property(str, default="slow", enum=("fast", "slow"))), "plan", "kind"),
    "a changed schema": ((), disk(extra=Property(str)), Op.GET_SCHEMA, ""),
    "a read that finds nothing": ((on(Op.READ, lambda _: Reply()),), DEFINITIONS, Op.READ, ""),
    "one more diagnostic": ((on(Op.CHECK, warned),), DEFINITIONS, Op.CHECK, "deprecated"),
    "another answer of a function": (
        (),
        (DISK, MOUNT, Function(ZONE.token, {"region": str}, {"zone": "{region}-two"})),
        Op.INVOKE,
        "eu-two",
    ),
}


@by_protocol
def test_an_unchanged_provider_differs_nowhere(cassettes, family, major):
    """Whatever ids, words and passwords the provider makes up today, it answers every call as recorded, and leaves nothing."""
    verification = verified(cassettes[family, major], family, major)

    assert [str(one) for one in verification.differing] == []
    assert (verification.same, verification.left) == (True, [])
    assert verification.made_up > 0


@by_protocol
@pytest.mark.parametrize("planted", PLANTED)
def test_each_planted_change_is_found(cassettes, family, major, planted):
    """Each of ten changes in a provider is listed at the call that it changes."""
    layers, definitions, op, path = PLANTED[planted]
    op = op if op != "plan" else "plan" if family == "terraform" else "check" if path == "kind" else "diff"
    verification = verified(cassettes[family, major], family, major, *layers, definitions=definitions)

    differing = at(verification, op) if op not in (Op.INVOKE, Op.GET_SCHEMA) else at(verification, op, "")
    assert differing, [str(one) for one in verification.differing]
    assert any(path in str(difference) for one in differing for difference in one.differences)
    assert not verification.same


@by_protocol
def test_a_changed_id_is_no_difference(cassettes, family, major):
    """An id of another form is no difference, since later calls are asked with it."""
    verification = verified(cassettes[family, major], family, major, other_ids)

    assert [str(one) for one in verification.differing] == []


@by_protocol
def test_what_was_not_made_is_not_asked_for(cassettes, family, major):
    """Where a create fails today, the calls about its object and those that need its id are not asked, with the reason."""
    failing = on(Op.CREATE, lambda _: Reply(failures=(Failure("quota", status="resource_exhausted"),)))
    verification = verified(cassettes[family, major], family, major, failing)

    outcomes = {(one.op, one.about.rpartition(":")[2].rpartition("_")[2]): one for one in verification.differing}
    failed = next(one for one in verification.differing if one.outcome is AnswerOutcome.FAILED)
    unasked = [one for one in verification.differing if one.outcome is AnswerOutcome.NOT_ASKED]
    assert failed.op == "create"
    assert {"read", "update", "delete", "create"} <= {one.op for one in unasked}, outcomes
    assert all("was not made today" in one.reason for one in unasked)
    assert verification.left == []


@by_protocol
def test_what_is_left_in_the_cloud_is_listed(cassettes, family, major):
    """An object whose delete fails today is listed with its id of today."""
    failing = on(Op.DELETE, lambda _: Reply(failures=(Failure("in use"),)))
    verification = verified(cassettes[family, major], family, major, failing)

    (left,) = verification.left
    recorded = {one["id"] for one in json.loads(cassettes[family, major].read_text())[1:] if one["op"] == "create"}
    assert left.id not in recorded
    assert "isk" in left.type


def test_a_secret_of_the_user_is_asked_for(tmp_path):
    """A secret that the user sent is named by number and place; with its value all is asked; an unknown number is refused."""
    path = tmp_path / "it.json"
    secretive = (replace(MOUNT, properties={**MOUNT.properties, "path": Property(str, secret=True)}), DISK, ZONE)

    def live(life: Life) -> None:
        thing = life.create(MOUNT.token, "m", {"disk": "d-1", "path": "hunter2-hunter2"})
        life.delete(MOUNT.token, "m", thing)

    record(path, "terraform", 6, live, definitions=secretive)
    with today("terraform", 6, definitions=secretive) as address:
        behind = attached(address, "terraform")
        with pytest.raises(CassetteError, match=r"--secret-env 1=NAME  for cloud_mount\.config.*path \(interaction \d+\)"):
            verify(path, behind)
        with pytest.raises(CassetteError, match=r"has no secret number 7\. It has those from 1 to 1"):
            verify(path, attached(address, "terraform"), secrets={7: "x"})
        assert verify(path, attached(address, "terraform"), secrets={1: "correct-horse"}).same


def test_no_secret_is_shown(cassettes):
    """A password of today that differs where it should not is a difference without its value."""
    path = cassettes["terraform", 6]
    told: list[str] = []

    def other(reply):
        told.append(f"t0ken-number-{len(told)}")
        return value(token=told[-1])(reply)

    verification = verified(path, "terraform", 6, on(Op.READ, other))
    text = json.dumps(verification.to_json())
    assert at(verification, "read")
    assert "(secret)" in text
    assert not [token for token in told if token in text]


def test_a_provider_that_does_not_answer_is_one_error(cassettes):
    """Where nobody listens, that is said, and no call is made."""
    with pytest.raises(CassetteError, match="The cassette was recorded over pulumi, and the provider speaks tfplugin6"):
        verify(cassettes["pulumi", None], attached("127.0.0.1:9", "terraform"))
    with pytest.raises(CassetteError, match="holds one provider, cloud, and there is mail"):
        verify(cassettes["pulumi", None], {"mail": attached("127.0.0.1:9")})


def test_a_handler_may_be_asked(cassettes):
    """A handler that breaks off leaves what was made until then in the list."""

    def broken(_):
        raise PluginError("gone")

    with pytest.raises(PluginError, match="gone"):
        verify(cassettes["pulumi", None], broken)
