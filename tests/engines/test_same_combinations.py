"""The embedded engine against the real CLI: options where they meet each other, and states that are not whole."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, Bucket
from pulumi import Output, ResourceOptions

pytestmark = pytest.mark.pulumi_cli


def test_ignoring_below_what_was_not_there(both):
    """An ignored key is not set, though the map that holds it is new; the map itself is, and an old secret stays one."""
    wanted = {}

    def program():
        Bucket("b", ResourceOptions(ignore_changes=["tags.team"]), **wanted)

    both.run("up", program)
    wanted["tags"] = {"team": "core", "tier": "1"}
    assert both.run("up", program)["b"] == ["Check", "Diff", "Update"]
    wanted["tags"] = {"team": "web", "tier": "1"}
    assert both.run("up", program)["b"] == ["Check", "Diff"]


def test_ignoring_below_a_secret(both):
    """What comes back out of a secret map is a secret."""
    hidden = True

    def program():
        tags = Output.secret({"team": "core"}) if hidden else {"team": "web", "tier": "1"}
        Bucket("b", ResourceOptions(ignore_changes=["tags.team"]), tags=tags)

    both.run("up", program)
    hidden = False
    both.run("up", program)
    assert both.objects()[0][0]["tags"] == {"team": "core", "tier": "1"}


def test_ignoring_what_is_imported(both):
    """What the imported object lacks is not added where it is to be ignored."""
    both.create(BUCKET, "b-1", acl="public")

    def program():
        options = ResourceOptions(import_="b-1", ignore_changes=["tags.team", "acl"])
        Bucket("b", options, acl="private", tags={"team": "core", "tier": "1"})

    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)
