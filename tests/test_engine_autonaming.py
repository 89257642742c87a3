"""The configuration ``pulumi:autonaming``: patterns, modes, who is asked, and what is refused."""

from __future__ import annotations

import json
import re

import pytest
from engine_toolbox import Bucket, Component, make

from mockprovider.engine.registrations.autonaming import DISABLE, ENFORCE, PROPOSE, Autonaming, Naming
from mockprovider.errors import DefinitionError

URN = "urn:pulumi:dev::shop::cloud:index:Disk::disk"


def naming(settings, **config):
    """The naming of the disk under these settings."""
    given = {"pulumi:autonaming": settings if isinstance(settings, str) else json.dumps(settings)}
    given |= {f"shop:{key}": value for key, value in config.items()}
    return Autonaming(given, organization="acme", project="shop", stack="dev").of(URN, b"seed")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, None),
        ({"mode": "default"}, None),
        ({"mode": "verbatim"}, Naming("disk", ENFORCE, fixed=True)),
        ({"mode": "disabled"}, Naming("", DISABLE, fixed=True)),
        ({"pattern": "${organization}-${project}-${stack}-${name}"}, Naming("acme-shop-dev-disk", PROPOSE, fixed=True)),
        ({"pattern": "${config.team}-${name}", "enforce": True}, Naming("red-disk", ENFORCE, fixed=True, insisted=True)),
        ({"providers": {"cloud": {"mode": "verbatim"}}}, Naming("disk", ENFORCE, fixed=True, insisted=True)),
        ({"mode": "verbatim", "providers": {"cloud": {"mode": "default"}}}, None),
    ],
)
def test_a_resource_is_named_by_the_most_specific_setting(settings, expected):
    """A type's own setting counts before its provider's, and that before the stack's."""
    assert naming(settings, team="red") == expected


@pytest.mark.parametrize(
    ("pattern", "shape"),
    [
        ("${name}-${hex(5)}", r"disk-[0-9a-f]{5}"),
        ("${alphanum(40)}", r"[a-z0-9]{40}"),
        ("${string(3)}${num(2)}", r"[a-z]{3}[0-9]{2}"),
        ("${uuid}", r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ],
)
def test_chance_in_a_pattern_comes_from_the_seed(pattern, shape):
    """Two runs with one seed agree, and the name is not fixed."""
    first, second = naming({"pattern": pattern}), naming({"pattern": pattern})
    assert first == second
    assert re.fullmatch(shape, first.proposed)
    assert not first.fixed


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("{", "is no JSON"),
        ([], "is no object of settings"),
        ({"mode": "loud"}, "there are default, verbatim and disabled"),
        ({"mode": "verbatim", "pattern": "x"}, "both a mode and a pattern"),
        ({"enforce": True}, "is to enforce a pattern, and has none"),
        ({"patern": "x"}, "has no 'patern'"),
        ({"pattern": "${config.none}"}, "asks for the configuration 'none'"),
    ],
)
def test_what_is_no_setting_is_refused(settings, said):
    """The message says where, and what there is."""
    with pytest.raises(DefinitionError, match=said):
        naming(settings)


def test_a_fixed_name_is_still_in_use():
    """What has one is deleted before it is replaced, and a component has no name."""
    stack, _, _ = make(config={"pulumi:autonaming": '{"mode": "verbatim"}'})
    planned = stack.preview(lambda: [Bucket("b"), Component("c")], save_plan=True).plan["resourcePlans"]
    goals = {urn.rpartition("::")[2]: plan["goal"] for urn, plan in planned.items()}
    assert [goals[name].get("deleteBeforeReplace") for name in "bc"] == [True, None]
