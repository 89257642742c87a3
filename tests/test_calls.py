"""Calls and replies: what their text and their few properties say."""

from __future__ import annotations

import pytest
from builders import TOKEN, URN, call

from mockprovider.calls import Change, ChangeKind, Failure, Op, Plan, Reply, Session, Status
from mockprovider.errors import DefinitionError


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (call(Op.CREATE, urn=URN, method="Create"), f"Create of {URN}"),
        (call(Op.READ, id="b-1"), f"read of {TOKEN} b-1"),
        (call(Op.CHECK, preview=True), f"check (preview) of {TOKEN}"),
        (call(Op.CREATE, address="cloud_bucket.b[0]"), f"create of {TOKEN} at cloud_bucket.b[0]"),
        (call(Op.READ, id="b-1", address="cloud_bucket.b[0]"), f"read of {TOKEN} b-1 at cloud_bucket.b[0]"),
        (call(Op.CANCEL, ""), "cancel"),
    ],
)
def test_a_call_reads_as_text(asked, text):
    """A call's text names its method and what it is about."""
    assert str(asked) == text


@pytest.mark.parametrize(
    ("reply", "ok", "partial"),
    [
        (Reply(), True, False),
        (Reply(id="x", value={}), True, False),
        (Reply(failures=(Failure("no"),)), False, False),
        (Reply(status=Status(2)), False, False),
        (Reply(id="x", value={}, failures=(Failure("no"),)), False, True),
        (Reply(id="", value={}, failures=(Failure("no"),)), False, False),
        (Reply(id="x", failures=(Failure("no"),)), False, False),
    ],
)
def test_ok_and_partial(reply, ok, partial):
    """A reply is in order without failure and status; it is partial when something failed and yet an object exists."""
    assert (reply.ok, reply.partial) == (ok, partial)


def test_a_plan_replaces_if_one_change_does():
    """One change that needs a new object is enough."""
    plain, forced = Change("a", ChangeKind.UPDATE), Change("b", ChangeKind.ADD, replaces=True)

    assert Plan({}, (plain, forced)).replaces
    assert not Plan({}, (plain,)).replaces
    assert not Plan({}).replaces


def test_replies_share_nothing():
    """The other words of a reply that has none cannot be written to, so that no two replies share them."""
    with pytest.raises(TypeError):
        Reply().extra["a"] = 1

    assert Reply().extra == {}


def test_a_session_reads_as_text():
    """A session is told by number and protocol, and by its provider instance once that is known."""
    session = Session("pulumi", 2, "ipv4:127.0.0.1:1")
    before = repr(session)
    session.instance = "urn:provider"

    assert (before, repr(session)) == ("Session(#2 pulumi ipv4:127.0.0.1:1)", "Session(#2 pulumi urn:provider)")


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (("spec", "rules", 0, "a.b"), r""" Write path='spec\.rules\[0\]\["a\.b"\]'\."""),
        (["acl"], r" Write path='acl'\."),
        ((None,), ""),
        (3, ""),
        (None, ""),
    ],
)
def test_a_failure_s_path_is_text(path, hint):
    """A path that is no text is refused where the failure is made, with the text of one that is a tuple of keys."""
    with pytest.raises(DefinitionError, match=rf"a path is text, such as 'spec\.rules\[0\]'\.{hint}$"):
        Failure("no", path=path)
