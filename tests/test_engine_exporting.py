"""Pulumi's deployment format."""

import pytest

from mockprovider import Double, Stack
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.stacks.exporting import export_state, import_state
from mockprovider.pulumi.stacks.state import PendingOperation, ResourceState, State, Timeouts
from mockprovider.values import Asset, Secret

STACK = ResourceState(urn="urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", type="pulumi:pulumi:Stack")
BUCKET = ResourceState(
    urn="urn:pulumi:dev::shop::cloud:index:Bucket::logs",
    type="cloud:index:Bucket",
    custom=True,
    id="b-1",
    inputs={"acl": "x", "token": Secret("hush"), "file": Asset(text="a", hash="ca97")},
    outputs={"acl": "x", "size": 3},
    parent=STACK.urn,
    protect=True,
    dependencies=(STACK.urn,),
    property_dependencies={"acl": (STACK.urn,), "token": ()},
    init_errors=["slow"],
    custom_timeouts=Timeouts(create=60.0),
    additional_secret_outputs=("size",),
    replacement_trigger={"a": 1},
    extra={"created": "2026-01-01T00:00:00Z"},
)


def test_a_state_survives_the_round_trip():
    """What is exported and imported again is the same, in every field."""
    state = State((STACK, BUCKET), (PendingOperation("creating", BUCKET),))
    again = import_state(export_state(state))
    assert export_state(again) == export_state(state)
    found = again.live()[BUCKET.urn]
    assert (found.inputs, found.init_errors, found.custom_timeouts) == (BUCKET.inputs, ["slow"], Timeouts(create=60.0))


def test_secrets_are_exported_in_plain_text():
    """A secret has the signature of secrets, and its value as JSON in a string, as ``pulumi stack import`` reads it."""
    exported = export_state(State((STACK, BUCKET)))["deployment"]["resources"][1]["inputs"]["token"]
    assert exported == {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": '"hush"'}


def test_how_a_cli_encrypts_is_kept():
    """The key with which a CLI encrypts is exported as it was imported, and given for a state that never was a CLI's."""
    key = {"type": "passphrase", "state": {"salt": "v1:abc"}}
    exported = export_state(State((STACK,), secrets_providers=key))
    assert exported["deployment"]["secrets_providers"] == key
    assert import_state(exported).secrets_providers == key
    assert "secrets_providers" not in export_state(State((STACK,)))["deployment"]


def test_empty_fields_are_left_out():
    """Keys without content do not appear, as in the CLI's own exports."""
    assert export_state(State((STACK,)))["deployment"]["resources"] == [
        {"urn": STACK.urn, "custom": False, "type": "pulumi:pulumi:Stack"}
    ]


def test_a_deployment_of_another_version_is_refused():
    """A format that this version cannot read is not guessed at."""
    with pytest.raises(UnsupportedError, match="version 9"):
        import_state({"version": 9, "deployment": {}})


@pytest.mark.parametrize(
    ("exported", "said"),
    [
        ({"version": 3}, "no 'deployment'"),
        ({"version": 3, "deployment": {"resources": [{"type": "x"}]}}, "without a URN"),
        ({"version": 3, "deployment": {"resources": [{"urn": BUCKET.urn, "parent": STACK.urn}]}}, "does not stand before it"),
        (
            {"version": 3, "deployment": {"resources": [{"urn": STACK.urn, "customTimeouts": {"create": "5m"}}]}},
            "'resources' .*5m",
        ),
        ({"version": 3, "deployment": {"resources": [{"urn": STACK.urn, "propertyDependencies": [1]}]}}, "'resources' "),
        ({"version": 3, "deployment": {"pending_operations": [{}]}}, "'pending_operations' .*'type'"),
        ({"version": 3, "deployment": {"manifest": {"plugins": ["cloud"]}}}, "'manifest' "),
        ({"version": 3, "deployment": {"extensions": [1]}}, "'extensions' "),
    ],
)
def test_a_broken_deployment_is_told(exported, said):
    """Anything that is no deployment, or refers to what is not in it, is an error that says what is wrong."""
    with pytest.raises(MalformedError, match=said):
        import_state(exported)


def test_encrypted_secrets_are_refused():
    """A secret that only the stack's key opens cannot be imported, and the message says how to export it."""
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}
    deployment = {"resources": [{"urn": STACK.urn, "type": STACK.type, "outputs": {"s": secret}}]}
    with pytest.raises(UnsupportedError, match="show-secrets"):
        import_state({"version": 3, "deployment": deployment})


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"features": ["views", "time-travel", "hooks"]}, "has time-travel, which"),
        ({"deployment": {"snippets": [{"name": "logs"}]}}, "has snippets-prototype, which"),
    ],
)
def test_what_the_engine_would_lose_is_refused(more, said):
    """A stack is not adopted without what only another engine can go on with: unknown features, snippets."""
    with Double() as double, pytest.raises(UnsupportedError, match=said):
        Stack(double).import_({"version": 4, "deployment": {}, **more})


def test_features_that_the_engine_has_are_read():
    """A deployment that names the features of today's states is adopted."""
    exported = export_state(State((STACK, BUCKET))) | {"version": 4, "features": ["byteString", "taint", "views"]}
    with Double() as double:
        stack = Stack(double)
        stack.import_(exported)
    assert stack.name == "dev"
