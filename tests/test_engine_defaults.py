"""Default providers: their names, their configuration, and who may have one."""

import pytest

from mockprovider.engine.providers.defaults import DefaultProviders, Requested, newest_plugins, precedence
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import Secret

BUCKET = Goal(type="cloud:index:Bucket", name="logs")


def providers(config=None, remembered=()):
    """Default providers, and the goals that they registered."""
    registered = []

    def register(goal):
        registered.append(goal)
        return f"{goal.name}::id"

    return DefaultProviders(config or {}, remembered, register), registered


def remembered(version, package="cloud"):
    """A remembered provider resource."""
    type_ = f"pulumi:providers:{package}"
    return ResourceState(
        urn=f"urn:pulumi:dev::p::{type_}::{version}", type=type_, custom=True, id="i", inputs={"version": version}
    )


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (Requested("cloud"), "default"),
        (Requested("cloud", "1.2.3"), "default_1_2_3"),
        (Requested("cloud", "1.2.3-alpha.1"), "default_1_2_3_alpha_1"),
        (Requested("cloud", "1.2.3", "github://api.x-y.com/some%20org"), "default_1_2_3_github_/api.x-y.com/some_20org"),
    ],
)
def test_names(wanted, name):
    """The version is part of a default provider's name."""
    assert wanted.name == name


def test_one_for_each_package_and_version():
    """Resources that ask for the same share one, others do not."""
    found, registered = providers()
    assert found.reference(BUCKET) == found.reference(Goal(type="cloud:index:Net", name="n")) == "default::id"
    assert found.reference(Goal(type="cloud:index:Net", name="m", version="2.0.0")) == "default_2_0_0::id"
    assert [each.name for each in registered] == ["default", "default_2_0_0"]


@pytest.mark.parametrize(("known", "version"), [("3.0.0", "3.0.0"), ("", "1.0.0")])
def test_an_explicit_provider_s_plugin(known, version):
    """Unless it has asked for its own, it is the one that the state knows, where the state knows any."""
    found, _ = providers(remembered=[remembered(known)])
    goal = Goal(type="pulumi:providers:cloud", name="p", version="1.0.0")
    assert found.explicit(goal).inputs["version"] == version


def test_configuration_is_the_package_s_part_of_the_stack_s():
    """Keys of the package become inputs, secrets stay secrets, and the version is one of them."""
    found, registered = providers({"cloud:region": "eu", "cloud:key": Secret("k"), "other:region": "us"})
    found.reference(Goal(type="cloud:index:Bucket", name="b", version="1.0.0"))
    assert registered[0].inputs == {"region": "eu", "key": Secret("k"), "version": "1.0.0", "__internal": {}}


@pytest.mark.parametrize("listed", ['["cloud"]', '["*"]'])
def test_default_providers_can_be_disabled(listed):
    """A package on the list, or a star, makes the use of a default provider an error that names the way out."""
    found, _ = providers({"pulumi:disable-default-providers": listed})
    with pytest.raises(RefusedError, match="provider"):
        found.reference(BUCKET)


def test_a_broken_list_is_told():
    """What is no JSON list of names is not taken for an empty one."""
    found, _ = providers({"pulumi:disable-default-providers": "cloud"})
    with pytest.raises(RefusedError, match="JSON list"):
        found.reference(BUCKET)


def test_the_newest_remembered_version_stands_in():
    """Where a program asks for no version, the newest of the package's remembered providers is taken."""
    found, registered = providers(remembered=[remembered("1.9.0"), remembered("1.10.0-rc.1"), remembered("3.0.0", "other")])
    found.reference(BUCKET)
    assert registered[0].name == "default_1_10_0_rc_1"


def test_versions_are_compared_as_versions():
    """Numbers count as numbers, and a pre-release comes before its release."""
    versions = ["", "0.0.1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-rc.2", "1.0.0-rc.10", "1.0.0", "1.2.0", "1.10.0"]
    shuffled = [*versions[3:], *versions[:3]]
    assert sorted(shuffled, key=precedence) == versions
    assert newest_plugins([remembered("not a version")]) == {"cloud": Requested("cloud")}
