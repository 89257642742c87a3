"""Masking: no secret is shown or kept, whether it is wrapped or declared, and all else stays."""

from __future__ import annotations

import json

import pulumi
import pytest

from mockprovider import Double, Function, Output, Package, Property, ResourceType, Secret, Stack, recording, replaying
from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.double import Wiring, attached
from mockprovider.double.artefacts import keep
from mockprovider.double.explaining import explain
from mockprovider.double.masking import HIDDEN, RunSecrets, mask, mask_state
from mockprovider.ondemand import OnDemand
from mockprovider.schema import Kind, kind_of

TOKEN = "cloud:index:Database"
PASSWORD = "hunter2-very-secret"
NESTED = {"user": Property(str), "password": Property(str, secret=True)}
DATABASE = ResourceType(
    TOKEN,
    {
        "name": Property(str),
        "key": Property(str, secret=True),
        "login": Property(NESTED),
        "logins": Property("array"),
        "by": Property(dict[str, str]),
    },
)
CLOUD = Package("cloud", config={"region": Property(str), "apiKey": Property(str, secret=True)})
CLOUD.add(DATABASE)
PACKAGES = {"cloud": CLOUD}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"name": "a"}, {"name": "a"}),
        ({"key": "k"}, {"key": HIDDEN}),
        ({"key": None}, {"key": None}),
        ({"key": Secret("k")}, {"key": HIDDEN}),
        ({"name": Secret("a")}, {"name": HIDDEN}),
        ({"other": [Secret("a"), {"b": Secret("c")}]}, {"other": [HIDDEN, {"b": HIDDEN}]}),
        ({"other": Output("a", secret=True)}, {"other": HIDDEN}),
        ({"other": Output("a")}, {"other": Output("a")}),
        ({"login": {"user": "u", "password": "p"}}, {"login": {"user": "u", "password": HIDDEN}}),
        ({"logins": ["u"], "by": {"a": "b"}}, {"by": {"a": "b"}, "logins": ["u"]}),
    ],
)
def test_an_object(given, shown):
    """Secrets are masked by wrapper and by declaration, at every depth; all else stays, in the order of the names."""
    masked = mask(PACKAGES, TOKEN, given)

    assert masked == shown
    assert list(masked) == sorted(given)


@pytest.mark.parametrize(("name", "collection"), [("array", lambda item: [item]), ("map", lambda item: {"a": item})])
def test_objects_in_collections(name, collection):
    """A declared secret inside the objects of a list or a map is masked."""
    package = Package("cloud")
    package.add(ResourceType(TOKEN, {"all": Property(Kind(name, kind_of(NESTED)))}))
    masked = mask({"cloud": package}, TOKEN, {"all": collection({"password": "p"})})

    assert masked == {"all": collection({"password": HIDDEN})}


@pytest.mark.parametrize("type_", ["", "pulumi:providers:cloud"])
def test_configuration(type_):
    """A provider's configuration is masked by what its package declares."""
    assert mask(PACKAGES, type_, {"region": "x", "apiKey": "k"}) == {"apiKey": HIDDEN, "region": "x"}


@pytest.mark.parametrize("type_", ["pulumi:providers:other", "other:index:Thing", "cloud:index:Thing"])
def test_what_nobody_declared(type_):
    """Where nothing is declared, the wrapper alone says what is secret."""
    assert mask(PACKAGES, type_, {"apiKey": "k", "key": Secret("s")}) == {"apiKey": "k", "key": HIDDEN}


def test_a_state():
    """The plain text of an exported state's secrets goes, and the rest stays."""
    state = {"resources": [{"inputs": {"a": {"plaintext": '"k"'}, "b": 1}}]}

    assert mask_state(state) == {"resources": [{"inputs": {"a": {"plaintext": HIDDEN}, "b": 1}}]}


def test_nothing_that_is_kept_has_a_secret(tmp_path):
    """None of the files that are kept of a run holds a declared secret, not even as the program sent it."""
    import pulumi  # noqa: PLC0415 - half a second that the other tests need not wait for

    def program():
        options = pulumi.ResourceOptions(provider=Provider("mine", apiKey="hunter-three"))
        Thing(TOKEN, "db", {"name": "a", "key": "hunter-two", "login": {"user": "u", "password": "hunter-four"}}, options)

    class Thing(pulumi.CustomResource):
        pass

    class Provider(pulumi.ProviderResource):
        def __init__(self, name, **config):
            super().__init__("cloud", name, config)

    double = Double(CLOUD)
    stack = Stack(double)
    stack.up(program)
    names = keep(tmp_path, double, stack)

    assert names == ["cloud.json", "events.json", "journal.json", "state.json"]
    assert json.loads((tmp_path / "cloud.json").read_text())[0]["properties"]["name"] == "a"
    assert "hunter" not in "".join((tmp_path / name).read_text() for name in names)


@pytest.mark.parametrize("family", ["pulumi", "terraform"])
def test_secrets_in_texts(tmp_path, family):
    """A secret that a provider repeats in a failure's reason is in no file and in no line of a failed test."""

    def refuses(call):
        return Reply(failures=(Failure(f"no: password hunter-two-{call.op} is bad, {PASSWORD} it was"),))

    with Double(CLOUD, provider=refuses) as double:
        session = double.open(family, package="cloud")
        wanted = {"name": "a", "key": PASSWORD, "login": {"user": "u", "password": "nested-three"}}
        session.schema = CLOUD
        double(Call(op=Op.CREATE, session=session, type=TOKEN, name="a", inputs=wanted, planned=wanted))
        keep(tmp_path, double)
        told = "\n".join(explain(double))

    kept = (tmp_path / "journal.json").read_text()
    assert "is bad, [secret] it was" in told
    assert "is bad, [secret] it was" in kept
    assert PASSWORD not in told + kept
    assert "nested-three" not in told + kept


def test_a_real_providers_own_declarations(tmp_path):
    """Attributes that a provider behind a wire declares sensitive are masked, although nothing is declared here."""
    with (
        Double(CLOUD) as behind,
        behind.serve("terraform") as serving,
        Double(provider=attached(serving.address, "terraform", name="cloud")) as double,
    ):
        with double.serve("terraform").client() as client:
            session = client.open()
            client(Call(op=Op.GET_SCHEMA, session=session))
            session.schema = CLOUD
            wanted = {"name": "a", "key": PASSWORD}
            assert client(Call(op=Op.CREATE, session=session, type=TOKEN, inputs=wanted, planned=wanted)).ok
        keep(tmp_path, double)
        told = "\n".join(explain(double))

    assert PASSWORD not in told + (tmp_path / "journal.json").read_text()


def test_addresses_are_kept_without_secrets(tmp_path):
    """What is kept of a failed test names each call's address, and a secret in a key of it is masked."""
    with Double(CLOUD) as double:
        session = double.open("pulumi", package="cloud")
        for key in ("plain", PASSWORD):
            with double.addressed(lambda _, key=key: f'cloud_database.d["{key}"]'):
                double(Call(op=Op.CREATE, session=session, type=TOKEN, inputs={"name": "a", "key": PASSWORD}))
        keep(tmp_path, double)
        told = "\n".join(explain(double))

    kept = json.loads((tmp_path / "journal.json").read_text())
    addresses = [entry["call"]["address"] for entry in kept if entry["side"] == "engine"]
    assert addresses == ['cloud_database.d["plain"]', 'cloud_database.d["[secret]"]']
    assert f'create of {TOKEN} at cloud_database.d["plain"] -> ' in told
    assert PASSWORD not in told


def test_what_the_engine_sent_openly(tmp_path):
    """A secret for a provider that accepts none is in nothing that is shown or kept, though the provider repeats it."""

    def provider(call):
        sent = (call.inputs or {}).get("note", "")
        return Reply(inputs=call.inputs) if call.op is Op.CHECK else Reply(failures=(Failure(f"no {sent}"),) if sent else ())

    with Double(provider=provider, name="cloud") as double:
        stack = Stack(double)

        def program():
            pulumi.CustomResource("cloud:index:Note", "n", {"note": pulumi.Output.secret(PASSWORD)})

        failed = stack.up(program, expect_failure=True)
        shown = "\n".join(explain(double))
        kept = "".join((tmp_path / name).read_text() for name in keep(tmp_path, double, None))

    assert PASSWORD in str(failed.error)
    assert (PASSWORD in shown, PASSWORD in kept) == (False, False)
    assert f"no {HIDDEN}" in kept


@pytest.mark.parametrize("mode", ["recording", "replaying"])
def test_what_somebody_named(tmp_path, mode):
    """What was named for a recording is in nothing that is kept or shown of its test, or of a replay's, not even short ones."""
    path, inputs = tmp_path / "it.json", {"note": PASSWORD, "pin": 1234, "size": 5678}

    def provider(call):
        return Reply(failures=(Failure(f"no {call.inputs['note']}"),))

    wiring = recording(path, Wiring("cloud", provider), secrets=["cloud:index:Note.note", "pin"])
    about = {"type": "cloud:index:Note", "name": "n", "urn": "urn:pulumi:dev::p::cloud:index:Note::n"}
    with Double(provider=wiring) as double:
        double(Call(op=Op.CREATE, session=double.open(), inputs=inputs, **about))
        if mode == "recording":
            keep(tmp_path / "kept", double)
            shown = list(explain(double))
    if mode == "replaying":
        with Double(provider=replaying(path)) as double:
            double(Call(op=Op.CREATE, session=double.open(), inputs=inputs, **about))
            keep(tmp_path / "kept", double)
            shown = list(explain(double))

    kept = (tmp_path / "kept" / "journal.json").read_text()
    assert [word for word in (PASSWORD, "1234", "5678") if word in kept] == ["5678"]
    assert f"no {HIDDEN}" in kept
    assert PASSWORD not in "".join(shown)


def test_a_type_that_the_fake_never_read():
    """Where a real provider answers, nobody reads the declarations; those of the types that were called count all the same."""
    package = Package("cloud")
    package.resources = OnDemand([TOKEN], lambda _: DATABASE, spelled=lambda: {TOKEN: DATABASE.terraform})
    with Double(package, provider=lambda call: Reply(id="1", value=dict(call.inputs))) as double:
        double(Call(op=Op.CREATE, session=double.open(), type=TOKEN, name="db", inputs={"name": "a", "key": PASSWORD}))
        assert not package.resources.held
        secrets = RunSecrets(double.packages, double.journal.entries())
        assert PASSWORD not in str(secrets.scrub(f"it failed with {PASSWORD}"))


def test_a_type_that_nobody_called():
    """An object that a test has put into the cloud is masked by its type, which is read for it."""
    package = Package("cloud")
    package.resources = OnDemand([TOKEN], lambda _: DATABASE, spelled=lambda: {TOKEN: DATABASE.terraform})
    secrets = RunSecrets({"cloud": package}, [])
    assert secrets.bag(TOKEN, {"name": "a", "key": PASSWORD}) == {"name": "a", "key": HIDDEN}


@pytest.mark.parametrize("known", ["declared", "a setting", "a property"])
def test_secrets_among_the_arguments_of_a_function(tmp_path, known):
    """SDKs send arguments openly: one is masked that its function declares secret, or that is a secret of something else."""

    def program():
        password = pulumi.Config().require_secret("password") if known == "a setting" else pulumi.Output.secret(PASSWORD)
        if known == "a property":
            pulumi.CustomResource(TOKEN, "db", {"name": password})
        pulumi.runtime.invoke("cloud:index:getKey", {"login": {"password": password}, "user": "u"})

    argument = Property(Kind("object", properties={"password": Property(str, secret=known == "declared")}))
    function = Function("cloud:index:getKey", {"login": argument, "user": str}, {"key": "k"})
    with Double(DATABASE, function) as double:
        stack = Stack(double, config={"password": Secret(PASSWORD)} if known == "a setting" else {})
        stack.up(program)
        keep(tmp_path, double, stack)
    asked = [entry for entry in json.loads((tmp_path / "journal.json").read_text()) if entry["method"] == "Invoke"]
    assert [entry["call"]["inputs"] for entry in asked] == [{"login": {"password": HIDDEN}, "user": "u"}] * 2
    assert PASSWORD not in "".join(path.read_text() for path in tmp_path.iterdir())
