"""The stack's configuration in recordings of components and methods: kept and matched, its secrets left out."""

from __future__ import annotations

import json

import pulumi
import pytest
from builders import call
from engine_toolbox import Remote

from mockprovider.calls import Op, Reply, Status
from mockprovider.double import Double, recording, replaying
from mockprovider.engine import Stack
from mockprovider.errors import MissError, UnsupportedError
from mockprovider.pulumi.components import Called, Site
from mockprovider.pulumi.signatures import MARKS
from mockprovider.pulumi.transcript import PulumiTranscript
from mockprovider.redaction import Redactor
from mockprovider.schema import Component, Method, Package
from mockprovider.values import Secret

SITE = "cloud:index:Site"
HUSH = "correct horse"
SHORT = "p:w"


def _configured(way: Site | Called):
    config = way.call.extra["config"]
    return {"region": config.get("shop:region", ""), "all": ",".join(sorted(config))}


def package():
    """A component and a method that tell what they are configured with."""
    made = Package("cloud")
    made.add(Component(SITE, construct=_configured), Method(f"{SITE}/where", returns=_configured))
    return made


def program():
    """One site, which is asked where it is."""
    site = Remote(SITE, "home")
    where = pulumi.runtime.call(f"{SITE}/where", {"__self__": site}, site)
    pulumi.export("region", where.apply(lambda told: told["region"]))


def method_alone():
    """The method, of something that no component of this run is."""
    found = pulumi.runtime.call(f"{SITE}/where", {})
    pulumi.export("region", found.apply(lambda told: told["region"]))


def up(provider, config, run=program):
    """The region that a run under this configuration shows."""
    with Double(package(), provider=provider) as double:
        return Stack(double, project="shop", config=config).up(run).outputs["region"]


@pytest.fixture
def recorded(tmp_path):
    """Records a run under a configuration; gives the cassette's path."""

    def record(config, run=program):
        path = tmp_path / "sites.json"
        up(recording(path), config, run)
        return path

    return record


CONFIG = {"region": "eu", "aws:key": Secret(HUSH), "pin": Secret(SHORT)}


@pytest.mark.parametrize("run", [program, method_alone])
def test_the_same_configuration_replays(recorded, run):
    """Under the configuration of the recording, component and method answer what they answered then."""
    path = recorded(CONFIG, run)

    assert up(replaying(path), CONFIG, run) == "eu"
    assert up(replaying(path), {"pin": Secret("other"), "aws:key": Secret("another key"), "region": "eu"}, run) == "eu"


@pytest.mark.parametrize("run", [program, method_alone])
@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({**CONFIG, "region": "us"}, r'config\.shop:region: recorded "eu", now "us"'),
        ({**CONFIG, "zone": "a"}, r'config\.shop:zone: recorded nothing, now "a"'),
        ({"region": "eu"}, r"config\.aws:key: recorded .*, now nothing"),
        ({**CONFIG, "region": Secret("eu")}, r'config\.shop:region: recorded "eu", now '),
        ({}, r"config: recorded .*, now nothing"),
    ],
)
def test_another_configuration_misses(recorded, run, now, told):
    """Under another configuration nobody knows what the provider would have said, and the miss names the key."""
    with pytest.raises(MissError, match=told) as miss:
        up(replaying(recorded(CONFIG, run)), now, run)

    assert HUSH not in str(miss.value)


@pytest.mark.parametrize("run", [program, method_alone])
def test_secrets_are_left_out(recorded, run):
    """Secret values are in no request and in no answer of the recording, however short; the others are."""
    _, *interactions = json.loads(recorded(CONFIG, run).read_text(encoding="utf-8"))
    kept = [each["request"]["config"] for each in interactions if each["op"] in ("construct", "call")]

    assert [each["shop:region"] for each in kept] == ["eu"] * len(kept) != []
    assert all({"$secret"} == each["aws:key"].keys() == each["shop:pin"].keys() for each in kept)
    assert not any(secret in json.dumps(interactions) for secret in (HUSH, SHORT))


def test_names_that_the_user_declares_secret(tmp_path):
    """A name that the recording was told is secret is one in every namespace, though the configuration has it in plain text."""
    path = tmp_path / "named.json"
    up(recording(path, redactor=Redactor({"pin"})), {"region": "eu", "aws:pin": "1234"})

    assert "1234" not in path.read_text(encoding="utf-8")
    assert up(replaying(path), {"region": "eu", "aws:pin": "4321"}) == "eu"


def test_what_the_engine_tells_of_the_configuration(tmp_path):
    """A provider that asks its engine for the configuration hears it all, and the recording has it without the secrets."""
    heard = []

    def curious(site):
        asked = call("engine", "", method="GetDeploymentInfo", session=site.call.session)
        heard.append(dict(site.call.monitor(asked).extra["config"]))
        return _configured(site)

    path = tmp_path / "asked.json"
    with Double(Component(SITE, construct=curious), provider=recording(path)) as double:
        Stack(double, project="shop", config=CONFIG).up(lambda: Remote(SITE, "home") and None)

    assert heard == [{"shop:region": "eu", "aws:key": HUSH, "shop:pin": SHORT}]
    [answer] = [each for each in json.loads(path.read_text(encoding="utf-8"))[1:] if each["method"] == "GetDeploymentInfo"]
    assert answer["response"]["config"]["shop:region"] == "eu"
    assert answer["response"]["config"]["shop:pin"].keys() == {"$secret"}


@pytest.mark.parametrize("monitor", [None, lambda _: Reply(status=Status(12, "no such RPC"))])
def test_an_engine_that_says_nothing_of_secrets(monitor):
    """Where nobody says which of a method's configuration is secret, it is neither recorded nor replayed, with the reason."""
    asked = call("call", f"{SITE}/where", extra={"config": {"shop:region": "eu"}}, monitor=monitor)

    with pytest.raises(UnsupportedError, match="nobody says which of it is secret"):
        PulumiTranscript().request(asked)


def test_a_call_that_says_itself_what_is_secret():
    """Keys that come with the call count, also where there are none."""
    for keys, hidden in (((), []), (("shop:pin",), ["config.shop:pin"])):
        asked = call("call", f"{SITE}/where", extra={"config": {"shop:pin": "1"}, "configSecretKeys": keys})

        assert list(PulumiTranscript().secrets(asked)) == hidden
        assert PulumiTranscript().request(asked)["configSecretKeys"] == [*keys]


def test_what_a_component_was_told_counts_for_methods():
    """An engine that tells no methods which keys are secret has told the components of the same session."""
    site = call("construct", SITE, extra={"config": {"shop:pin": "1"}, "configSecretKeys": ("shop:pin",)})
    method = call("call", f"{SITE}/where", extra={"config": {"shop:pin": "1"}}, session=site.session)

    assert [list(PulumiTranscript().secrets(each)) for each in (site, method)] == [["config.shop:pin"]] * 2
    assert PulumiTranscript().request(method)["configSecretKeys"] == ["shop:pin"]


def test_without_configuration_nothing_changes():
    """A method that is told no configuration needs nobody who knows of secrets."""
    assert "config" not in PulumiTranscript().request(call(Op.CALL, f"{SITE}/where"))


@pytest.mark.parametrize("key", ["shop:pin", "shop:a.b", "shop:a:b", "pin", "a.b:c.d"])
def test_keys_of_all_kinds(key):
    """A secret key is one whatever marks it has, and a neighbour of a like name stays."""
    near = key[:-1] + "x"
    site = call("construct", SITE, extra={"config": {key: "1", near: "2"}, "configSecretKeys": (key,)})
    hidden = Redactor(marks=MARKS).hide(PulumiTranscript().request(site), PulumiTranscript().secrets(site)).tree

    assert hidden["config"] == {key: {"$secret": 1}, near: "2"}
