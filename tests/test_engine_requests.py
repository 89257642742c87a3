"""What programs ask the embedded engine's monitor for, message by message, without an SDK around it."""

from __future__ import annotations

import pytest
from google.protobuf import empty_pb2
from lifecycle_toolbox import Lifecycle, Provider
from pulumi.runtime.proto import alias_pb2, resource_pb2

from mockprovider.engine.programs.requests import options_of
from mockprovider.engine.registrations.goal import Alias
from mockprovider.errors import MalformedError

URN = "urn:pulumi:dev::project::cloud:index:Bucket::"


def test_aliases_of_every_form():
    """URNs of older SDKs, URNs, and names of the parts of one: all are aliases, in this order."""
    spec = alias_pb2.Alias(spec=alias_pb2.Alias.Spec(name="c", parentUrn=URN + "p"))
    request = resource_pb2.RegisterResourceRequest(aliasURNs=[URN + "a"], aliases=[alias_pb2.Alias(urn=URN + "b"), spec])
    first, second, third = options_of(request, ".")["aliases"]
    assert (first, second) == (Alias(urn=URN + "a"), Alias(urn=URN + "b"))
    assert (third.name, third.parent) == ("c", URN + "p")


@pytest.mark.parametrize(
    "alias", [alias_pb2.Alias(urn="none"), alias_pb2.Alias(spec=alias_pb2.Alias.Spec(parentUrn="none"))], ids=["urn", "parent"]
)
def test_a_mistake_that_is_told_late(alias):
    """An alias that is no URN is a mistake of the goal, told once its provider is there; the first one counts."""
    given = options_of(resource_pb2.RegisterResourceRequest(aliases=[alias]), ".")
    assert "none" in given["mistake"]
    assert "aliases" not in given


def test_a_mistake_that_is_told_at_once():
    """A trigger whose value cannot be read is refused before anything else."""
    request = resource_pb2.RegisterResourceRequest()
    request.replacement_trigger.struct_value.fields["4dabf18193072939515e22adb298388d"].string_value = "nonsense"
    with pytest.raises(MalformedError):
        options_of(request, ".")


@pytest.mark.parametrize(
    ("id_", "has"),
    [
        ("secrets", True),
        ("deletedWith", True),
        ("errorHooks", True),
        ("byteString", False),
        ("invokeParent", False),
        ("nothing", False),
    ],
)
def test_features_by_their_ids(id_, has):
    """Older SDKs ask for one feature at a time; what came after that, they never ask for."""
    seen = []
    Lifecycle(Provider()).up(
        lambda monitor: seen.append(monitor.raw.SupportsFeature(resource_pb2.SupportsFeatureRequest(id=id_)).hasSupport)
    )
    assert seen == [has]


def test_features_by_their_numbers():
    """SDKs are told of all features at once: of every one that the pinned engine has, to which newer SDKs know more."""
    seen = []
    Lifecycle(Provider()).up(lambda monitor: seen.append(monitor.raw.GetDeploymentInfo(empty_pb2.Empty())))
    assert sorted(seen[0].supportedFeatures) == sorted(resource_pb2.ResourceMonitorFeature.values())[:16]
    assert (seen[0].project, seen[0].stack, seen[0].dryRun) == ("project", "dev", False)
