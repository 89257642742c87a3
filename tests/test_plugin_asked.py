"""What a started plugin is asked: by its name, its arguments, and variables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mockprovider.errors import PluginError
from mockprovider.plugin.asked import PluginRequest, read
from mockprovider.protocols import of_family


@pytest.mark.parametrize(
    ("executable", "protocol", "package"),
    [
        ("/bin/pulumi-resource-acme", "pulumi", "acme"),
        ("pulumi-resource-acme-native.exe", "pulumi", "acme-native"),
        ("/m/terraform-provider-acme", "terraform", "acme"),
        ("/m/terraform-provider-acme_v1.2.3_x5", "terraform", "acme"),
    ],
)
def test_the_name_says_it(executable, protocol, package):
    """Protocol and package are in the executable's name, by the engines' rules."""
    asked = read([executable], {})

    assert (asked.protocol.family, asked.package) == (protocol, package)
    assert asked.types == (Path(executable).absolute().with_name(f"{package}.types.json"),)
    assert asked.cloud == Path(".mockprovider/cloud.sqlite")


@pytest.mark.parametrize("arguments", [[], [""], ["python"], ["/bin/pulumi-resource-"], ["mockprovider"]])
def test_other_names_say_nothing(arguments):
    """Under a name that no engine looks for, it says how to make one that it does."""
    with pytest.raises(PluginError, match=r"is no plugin's name.*mockprovider plugin install"):
        read(arguments, {})


@pytest.mark.parametrize(
    ("arguments", "engine"),
    [
        ([], ""),
        (["127.0.0.1:77"], "127.0.0.1:77"),
        (["--logtostderr", "-v=9", "--tracing", "file:x", "127.0.0.1:77"], "127.0.0.1:77"),
    ],
)
def test_the_engines_address_comes_last(arguments, engine):
    """Pulumi's address is the last argument after whatever flags, and may be missing; Terraform gives none."""
    assert read(["pulumi-resource-acme", *arguments], {}).engine == engine
    assert read(["terraform-provider-acme", *arguments], {}).engine == ""


def test_variables():
    """Relay, types, cloud and seed come from variables; empty ones count as none."""
    environment = {
        "MOCKPROVIDER_RELAY": "127.0.0.1:1",
        "MOCKPROVIDER_TYPES": os.pathsep.join(["a.json", "b.json"]),
        "MOCKPROVIDER_CLOUD": "c.sqlite",
        "MOCKPROVIDER_SEED": "7",
    }
    paths = (Path("a.json"), Path("b.json"))

    assert read(["pulumi-resource-acme"], environment) == PluginRequest(
        of_family("pulumi"), "acme", relay="127.0.0.1:1", types=paths, cloud=Path("c.sqlite"), seed=7
    )
    assert read(["pulumi-resource-acme"], dict.fromkeys(environment, "")) == read(["pulumi-resource-acme"], {})


@pytest.mark.parametrize(
    ("text", "address"),
    [("a:1", "a:1"), ("acme=a:1,net=a:2", "a:1"), ("net=a:2", ""), ("net=a:2, a:3", "a:3"), ("acme=a:1,a:3", "a:1"), (",", "")],
)
def test_relays_by_name(text, address):
    """Doubles of several packages are named, and one without a name is for all others."""
    assert read(["pulumi-resource-acme"], {"MOCKPROVIDER_RELAY": text}).relay == address


def test_a_seed_that_is_none():
    """A seed that is no number is an error that shows it."""
    with pytest.raises(PluginError, match="MOCKPROVIDER_SEED='seven' is no number"):
        read(["pulumi-resource-acme"], {"MOCKPROVIDER_SEED": "seven"})
