"""Launchers: where each engine looks, what lies there, and the settings that lead it there."""

from __future__ import annotations

import os
import sys

import pytest
from builders import BUCKET

from mockprovider.double import Double, joint_environment
from mockprovider.double.launchers import beside, install
from mockprovider.errors import DefinitionError
from mockprovider.terraform.process.installing import dev_overrides, mirror, this_machine


@pytest.mark.parametrize(
    ("protocol", "options", "expected"),
    [
        ("pulumi", {}, "pulumi-resource-cloud"),
        ("pulumi", {"version": "1.2.3"}, "resource-cloud-v1.2.3/pulumi-resource-cloud"),
        ("terraform", {}, "terraform-provider-cloud"),
        (
            "terraform",
            {"version": "1.2.3-rc.1"},
            f"example.com/mock/cloud/1.2.3-rc.1/{this_machine()}/terraform-provider-cloud_v1.2.3-rc.1",
        ),
        (
            "terraform",
            {"version": "1.0.0", "source": "example.org/x/cloud"},
            f"example.org/x/cloud/1.0.0/{this_machine()}/terraform-provider-cloud_v1.0.0",
        ),
    ],
)
def test_where_it_lies(tmp_path, protocol, options, expected):
    """A launcher lies where the engine looks, can be run, and has its types file beside it."""
    made = install(protocol, "cloud", tmp_path, types="{}", **options)

    assert made == tmp_path / expected
    assert os.access(made, os.X_OK)
    assert beside(made, "cloud").read_text() == "{}"
    assert beside(made, "cloud").name == "cloud.types.json"


def test_its_text_is_always_the_same(tmp_path):
    """Two launchers are equal byte by byte, whatever they are called and wherever they lie: engines keep checksums."""
    one = install("terraform", "cloud", tmp_path / "a", version="1.0.0")
    other = install("pulumi", "other", tmp_path / "b")

    assert one.read_bytes() == other.read_bytes()
    assert sys.executable in one.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("helm", "cloud"), "no protocol 'helm'"),
        (("pulumi", "../cloud"), "cannot be a plugin's name"),
        (("pulumi", ""), "cannot be a plugin's name"),
    ],
)
def test_names_that_are_none(tmp_path, arguments, said):
    """A protocol or name that no engine could look for is refused, and nothing is written."""
    with pytest.raises(DefinitionError, match=said):
        install(*arguments, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"version": "../1.0.0"}, "is no version"),
        ({"version": "1.0"}, "is no version"),
        ({"source": "mock/cloud", "version": "1.0.0"}, "is no source address"),
    ],
)
def test_places_that_are_none(tmp_path, options, said):
    """A version or a source address that is none is refused."""
    with pytest.raises(DefinitionError, match=said):
        install("terraform", "cloud", tmp_path, **options)


def test_settings(tmp_path):
    """Overrides name the folder for each address of each package; a mirror is named as a whole."""
    overrides = dev_overrides(tmp_path, ["cloud", "other"])

    assert overrides.count(f'= "{tmp_path}"') == 6
    assert '"example.com/mock/cloud"' in overrides
    assert '"registry.opentofu.org/hashicorp/other"' in overrides
    assert f'path = "{tmp_path}"' in mirror(tmp_path)


@pytest.mark.parametrize(("protocol", "variable"), [("pulumi", "PATH"), ("terraform", "TF_CLI_CONFIG_FILE")])
def test_an_environment_that_starts_plugins(tmp_path, protocol, variable):
    """A serving writes launchers for its packages, and its variables lead to them and from them to the double."""
    with Double(BUCKET) as double:
        serving = double.serve(protocol)
        environment = serving.plugin_environment(tmp_path)

        assert environment["MOCKPROVIDER_RELAY"] == serving.relay
        assert environment[variable].startswith(str(tmp_path))
        assert any(tmp_path.glob("*-cloud"))


def test_one_package_of_two_doubles():
    """An engine can be led to several doubles at once, and not to two for one package; for two protocols it can."""
    with Double(BUCKET) as one, Double(BUCKET) as other:
        both = joint_environment(one.serve("pulumi"), other.serve("terraform"))
        assert sorted(both) == ["PULUMI_DEBUG_PROVIDERS", "TF_REATTACH_PROVIDERS"]
        with pytest.raises(DefinitionError, match="Two doubles serve the package 'cloud'"):
            joint_environment(one.serve("pulumi"), other.serve("pulumi"))
