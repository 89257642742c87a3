"""What somebody decides about places: more that is secret, what stays readable, what does not count; and what is told of it."""

import pytest
from cassette_toy import Toy, answer, call, header, recorded, replayer, said, secret, session

from mockprovider import tape
from mockprovider.calls import Op, Reply
from mockprovider.cassette import Cassette, Library, Reader, Recorder
from mockprovider.cassette.report import prove
from mockprovider.errors import AmbiguousError, DefinitionError, MissError, UnsupportedError
from mockprovider.matching import encode
from mockprovider.redaction import EVERY, Places, Redactor, known_form
from mockprovider.redaction.credentials import FORMS

BUCKET, QUEUE, PARAMETER = "cloud:index:Bucket", "cloud:sqs/queue:Queue", "cloud:ssm/parameter:Parameter"
PASSWORD, URL = "hunter2-very-secret", "https://sqs.example.com/1234/jobs"


def create(type_: str, urn: str = "", **inputs):
    return call(Op.CREATE, session(), urn, type_, **inputs)


def taken(*conversation, **decided) -> tuple[Cassette, Recorder]:
    """The cassette of a conversation under these decisions, and its recorder."""
    recorder = Recorder(Toy(), header(), redactor=Redactor(decided.pop("secrets", ()), **decided))
    for asked, reply in conversation:
        recorder(asked, lambda _, reply=reply: reply)
    return recorder.close(), recorder


# Names


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("password", True),
        ("conf.password", True),
        (f"{BUCKET}.password", True),
        (f"{BUCKET}.conf.password", True),
        (f"{BUCKET}.rules[0].password", True),
        (f"{BUCKET}.rules[*].password", True),
        (f"{BUCKET}.rules.password", True),
        (f'{BUCKET}.tags["my.password"]', True),
        (f"{BUCKET}.conf", True),
        (f"{QUEUE}.password", False),
        ("word", False),
        ("pass.word", False),
        ("other.password", False),
    ],
)
def test_what_a_name_names(name, hidden):
    """A name is a property, or the end of a path, of every type or of the one before it; indexes do not count."""
    inputs = {"conf": {"password": PASSWORD}, "rules": [{"password": PASSWORD}], "tags": {"my.password": PASSWORD}}
    cassette, _ = taken((create(BUCKET, **inputs), answer()), secrets=[name])
    assert (PASSWORD.encode() not in encode(cassette.interactions)) is hidden


def test_a_type_with_dots_in_its_token():
    """The longest token that fits is cut off, however many dots it has."""
    kind = "kubernetes:rbac.authorization.k8s.io/v1:Role"
    cassette, _ = taken((create(kind, data={"key": PASSWORD}), answer()), secrets=[f"{kind}.data.key"])
    assert cassette.header.secrets == {kind: ["data.key"]}
    assert cassette.interactions[0].request == {"data": {"key": {"$secret": 1}}}


def test_a_replay_needs_no_names():
    """The header keeps what was named, by type; so a replay hides the same places, and gives back what the engine sends."""
    asked = create(BUCKET, password=PASSWORD, pin=1234, name="a")
    cassette, _ = taken((asked, answer(login=f"root:{PASSWORD}", pin=1234)), secrets=[f"{BUCKET}.password", "pin"])
    assert cassette.header.secrets == {EVERY: ["pin"], BUCKET: ["password"]}
    reply = replayer(cassette)(create(BUCKET, password="another-one-77", pin=77, name="a"))
    assert reply.value == {"login": "root:another-one-77", "pin": 77}


def test_a_misspelt_name_is_told():
    """At its end a recording tells the names that were nowhere, with the place that was probably meant, and no others."""
    names = ["password", "cloud:index:Bukket.password", "pasword", "conf.tokn", f"{BUCKET}.conf.token"]
    asked = create(BUCKET, password=PASSWORD, conf={"token": "t"}, created="now")
    _, recorder = taken((asked, answer()), secrets=names, public=["nowhere"], masks=["created", "modified"])
    assert recorder.notices == [
        "secrets: 'cloud:index:Bukket.password' is nowhere in this recording. Did you mean 'cloud:index:Bucket.password'?",
        "secrets: 'pasword' is nowhere in this recording. Did you mean 'password'?",
        "secrets: 'conf.tokn' is nowhere in this recording. Did you mean 'conf.token'?",
        "public: 'nowhere' is nowhere in this recording.",
        "masks: 'modified' is nowhere in this recording.",
    ]


@pytest.mark.parametrize(
    ("decided", "message"),
    [
        ({"names": ["hex"], "public": ["hex"]}, "'hex' is named as secret and as public. Decide for one: "),
        ({"names": ["rules[0].hex"], "public": ["a", "rules.hex"]}, r"'rules\[0\].hex' is named as secret and as public."),
        ({"names": [""]}, r"\[''\] is no list of names. Name properties, such as 'password' or "),
        ({"masks": ["at", " "]}, "is no list of names."),
        ({"public": "hex"}, "'hex' is no list of names."),
    ],
)
def test_decisions_that_cannot_be(decided, message):
    """A place that is both secret and public is refused, and so is what names nothing."""
    with pytest.raises(DefinitionError, match=message):
        Redactor(**decided)


def test_a_later_decision_that_contradicts():
    """A name that is decided otherwise later is refused then."""
    redactor = Redactor(public=["hex"])
    with pytest.raises(DefinitionError, match="'hex' is named as secret and as public"):
        redactor.decide(redactor.secret, ["hex"])


def test_names_are_kept_by_type():
    """What a header keeps says the same when it is read back: for types in use, and for those that nobody knows."""
    places = Places(["a", "cloud:x:Y.b", "database.password"])
    kept = places.kept(["", "cloud:x:Y", "cloud:x:Z"])
    assert kept == {EVERY: ["a", "database.password"], "cloud:x:Y": ["b"]}
    again = Places()
    again.add(by_type=kept)
    for token in ("cloud:x:Y", "cloud:x:Z", "other"):
        assert again.of([token]) == {name for name in places.of([token]) if not name.startswith("cloud:")}


# Public values


def lent(**inputs):
    """A queue whose URL the provider makes, a parameter that hides its value, and somebody who uses the URL openly."""
    return [
        (create(QUEUE, "urn:q", name="jobs"), answer(url=URL, name="jobs")),
        (create(PARAMETER, "urn:p", value=secret(URL)), answer(value=secret(URL), version=1)),
        (create(BUCKET, "urn:b", queue=URL, note=f"see {URL}", **inputs), answer(queue=URL)),
    ]


def test_what_the_provider_showed_stays_readable():
    """A value that an answer of the provider's own had openly is readable everywhere, and the place is still to be decided."""
    cassette, _ = taken(*lent())
    assert b"$secret" not in encode(cassette.interactions)
    assert cassette.header.undecided == {PARAMETER: ["value"]}
    assert said(cassette)[1:] == [
        f"{PARAMETER}.value is declared secret, and holds what the provider shows openly elsewhere, so it stays readable. "
        "Decide with public=[...] or secrets=[...] (--public, --secret)."
    ]


def test_a_public_value_replays_as_it_was():
    """The queue has its own URL again, the parameter too, and a parameter with another value is no recorded one."""
    cassette, _ = taken(*lent())
    replay = replayer(cassette)
    for asked, reply in lent():
        assert replay(asked).value == reply.value
    with pytest.raises(MissError) as caught:
        replayer(cassette)(create(PARAMETER, "urn:p", value=secret("another-url-of-mine")))
    assert "another-url" not in str(caught.value)


def test_a_live_secret_that_the_recording_has_openly():
    """Today's secret may be a word of the recording: that word still matches, and the secret is given back."""
    asked = create(BUCKET, "urn:b", password=secret(PASSWORD), name="testing")
    replay = replayer(taken((asked, answer(url=f"x:{PASSWORD}", name="testing")))[0])
    assert replay(create(BUCKET, "urn:b", password=secret("testing"), name="testing")).value == {
        "url": "x:testing",
        "name": "testing",
    }


@pytest.mark.parametrize(
    "conversation",
    [
        pytest.param([(create(QUEUE, name=PASSWORD), answer(name=PASSWORD))], id="the engine brought it"),
        pytest.param(
            [(call(Op.CHECK, session(), key=PASSWORD), answer()), (create(QUEUE), answer(key=PASSWORD))], id="earlier"
        ),
        pytest.param([(create(QUEUE), answer(url=f"x:{PASSWORD}"))], id="in a text"),
        pytest.param([(create(QUEUE), answer(**{PASSWORD: "x"}))], id="as a key"),
        pytest.param([(create(QUEUE), answer(a=PASSWORD, b=secret(PASSWORD)))], id="marked in the same answer"),
        pytest.param([(create(QUEUE), answer(b=secret(PASSWORD))), (create(QUEUE), answer(a=PASSWORD))], id="marked before"),
        pytest.param([(create(QUEUE), Reply(value={"a": "x" * 70_000, "b": PASSWORD}))], id="in a huge answer"),
        pytest.param([(create(QUEUE, k=secret("abcdef")), answer(url=f"{PASSWORD}abcdef"))], id="beside a secret"),
    ],
)
def test_what_is_no_public_value(conversation):
    """A declared secret is taken out unless an answer was first to have it: whole, unmarked, and before any marked place."""
    cassette, _ = taken(*conversation, (create(PARAMETER, value=secret(PASSWORD)), answer()))
    text = encode(cassette.interactions).decode()
    assert cassette.header.undecided == {}
    assert PASSWORD not in text.replace(f'"{PASSWORD}":', "")


# In pieces, so that nobody who looks for credentials takes these for some.
CREDENTIALS = {
    "an AWS access key": "AKIA" + "IOSFODNN7EXAMPLE",
    "a private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n-----END",
    "a JSON Web Token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "a GitHub token": "ghp_" + "a1B2" * 9,
    "a GitLab token": "glpat-" + "a1B2" * 6,
    "a Slack token": "xoxb-" + "1234567890-abcdefghij",
    "a Google API key": "AIza" + "a1B2c" * 7,
    "a Stripe key": "sk_live_" + "a1B2" * 6,
    "an npm token": "npm_" + "a1B2" * 9,
    "a PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" * 3,
    "a Pulumi access token": "pul-" + "0a1b2c3d4e" * 4,
    "a Terraform Cloud token": "a1B2c3D4e5F6g7" + ".atlasv1." + "a1B2" * 15,
    "a Vault token": "hvs." + "a1B2" * 6,
    "a DigitalOcean token": "dop_v1_" + "0a1b2c3d" * 8,
    "a SendGrid key": "SG." + "a1B2" * 5 + "." + "a1B2" * 10,
    "an Azure connection string": "Endpoint=x;AccountKey=" + "a1B2" * 8,
    "a URL with a password": "postgres://app:" + "pw@db.example.com/x",
}


def test_each_form_has_a_name():
    """Every known form is told by its own name, also inside a text, and each has an example here."""
    assert CREDENTIALS.keys() == FORMS.keys()
    for kind, credential in CREDENTIALS.items():
        assert (known_form(credential), known_form(f'x "{credential}" y')) == (kind, kind)


@pytest.mark.parametrize("credential", CREDENTIALS.values(), ids=CREDENTIALS.keys())
@pytest.mark.parametrize("public", [(), ("value",)], ids=["undecided", "public"])
def test_known_forms_are_always_secret(credential, public):
    """What has the form of a credential is taken out of a declared place and everywhere, whoever showed it, whoever decided."""
    conversation = [
        (create(QUEUE), answer(url=credential)),
        (create(PARAMETER, value=secret(credential)), answer()),
    ]
    cassette, _ = taken(*conversation, public=public)
    assert credential not in encode(cassette.interactions).decode()
    assert cassette.header.undecided == {}


def test_public_is_decided():
    """A place that is decided to be public keeps its values, and nothing is left to be decided; other places keep theirs."""
    asked = create(PARAMETER, value=secret("eu-central-1"), size=secret(7), on=secret(value=True), password=secret(PASSWORD))
    cassette, recorder = taken((asked, answer()), public=[f"{PARAMETER}.value", "size"])
    request = cassette.interactions[0].request
    assert (request["value"], request["size"]) == (secret("eu-central-1"), secret(7))
    assert (request["password"], request["on"]) == (secret({"$secret": 2}), secret({"$secret": 1, "kind": "bool"}))
    assert cassette.header.public == {EVERY: ["size"], PARAMETER: ["value"]}
    assert (cassette.header.undecided, recorder.notices) == ({}, [])
    assert replayer(cassette)(asked).value == {}


def test_public_with_a_secret_of_another_place():
    """What is public and holds another place's secret loses that, and whoever decided is told why, and nothing else."""
    token = secret(CREDENTIALS["a GitHub token"])
    asked = create(BUCKET, password=secret(PASSWORD), note=f"see {PASSWORD}", name="a", token=token)
    cassette, recorder = taken((asked, answer()), public=["note", "name", "token"])
    assert PASSWORD.encode() not in encode(cassette.interactions)
    assert recorder.notices == [
        f"public: 'note' holds the secret of {BUCKET}.password, which is taken out there, too. Make that public as well, or "
        "leave this name out: what is left of it is readable.",
        "public: 'name' needs no decision: nothing declares it secret.",
        "public: 'token' is taken out all the same: it has the form of a credential, or secrets=[...] (--secret) counts there.",
    ]
    assert said(cassette)[2:] == ["Readable, since it was decided so: name."]


def test_secret_is_decided():
    """A place that is decided to be secret takes its value out everywhere, also where the provider showed it before."""
    cassette, recorder = taken(*lent(), secrets=[f"{PARAMETER}.value"])
    assert URL not in encode(cassette.interactions).decode()
    assert (cassette.header.undecided, recorder.notices) == ({}, [])


def test_a_public_value_that_is_decided_to_be_secret_elsewhere():
    """A value that one decided place makes secret is so everywhere, and its other places need no decision any more."""
    cassette, _ = taken(*lent(), (create(BUCKET, "urn:c", password=URL), answer()), secrets=["password"])
    assert URL not in encode(cassette.interactions).decode()
    assert cassette.header.undecided == {}


# Masks


def stamped(time: str, **more):
    return create(BUCKET, "", name="a", labels={"created": time, "team": "x"}, **more)


def test_a_masked_value_does_not_count():
    """Another time than the recorded one matches; the answer has it where the recorded request and answer had the same."""
    reply = answer(labels={"created": "2026-01-01", "team": "x"}, modified="2026-01-02", id="b-1")
    cassette, recorder = taken((stamped("2026-01-01"), reply), masks=[f"{BUCKET}.labels.created", "modified"])
    assert cassette.header.masks == {EVERY: ["modified"], BUCKET: ["labels.created"]}
    assert recorder.notices == []
    assert cassette.interactions[0].request["labels"]["created"] == "2026-01-01"
    assert replayer(cassette)(stamped("2031-12-31")).value == {
        "labels": {"created": "2031-12-31", "team": "x"},
        "modified": "2026-01-02",
        "id": "b-1",
    }


def test_old_and_new_values_under_a_mask_are_told_apart():
    """Of a change, the answer's time is the one of today that stands where the recorded request had the answer's."""
    asked = call(Op.UPDATE, session(), olds={"at": "t1"}, news={"at": "t2"})
    cassette, _ = taken((asked, answer(at="t2", was="t1")), masks=["at", "was"])
    today = call(Op.UPDATE, session(), olds={"at": "T1"}, news={"at": "T2"})
    assert replayer(cassette)(today).value == {"at": "T2", "was": "t1"}


def test_only_the_masked_place_is_masked():
    """Everything else counts still, and so does whether there is anything at the masked place."""
    cassette, _ = taken((stamped("2026-01-01"), answer()), masks=["labels.created"])
    for other in (stamped("2031-12-31", size=1), create(BUCKET, "", name="a", labels={"team": "x"})):
        with pytest.raises(MissError):
            replayer(cassette)(other)


def test_a_mask_covers_all_that_lies_there():
    """Under a mask, lists and objects of any size are one value, which comes back whole."""
    cassette, _ = taken((create(BUCKET, labels={"a": [1]}), answer(labels={"a": [1]})), masks=["labels"])
    assert replayer(cassette)(create(BUCKET, labels={"b": 1, "c": 2})).value == {"labels": {"b": 1, "c": 2}}


def test_what_is_unknown_is_not_masked():
    """An unknown or absent time is another request than a known one, and a name that is about nothing else says so."""
    unknown = {"$unknown": ""}
    plan, final = create(BUCKET, at=unknown), create(BUCKET, at="t1")
    cassette, _ = taken((plan, answer(plan=1)), (final, answer(plan=2)), masks=["at"])
    assert replayer(cassette)(create(BUCKET, at="t9")).value == {"plan": 2}
    assert replayer(cassette)(create(BUCKET, at=unknown)).value == {"plan": 1}
    with pytest.raises(MissError):
        replayer(cassette)(create(BUCKET, at=None))

    cassette, recorder = taken((create(BUCKET, at=None), answer(plan=1)), masks=["at"])
    assert recorder.notices == ["masks: 'at' has no value in this recording: it is null, or not known yet."]
    assert said(cassette) == ["the recording: 1 call (1 create)."]


def test_a_masked_place_is_not_compared_whatever_it_holds():
    """Secrets, texts with a secret in them and lists of these match anything under a mask, and come back as they were sent."""

    def life(password, note, others):
        return create(BUCKET, password=password, note=note, others=others)

    before = life(secret(PASSWORD), f"{PASSWORD} of monday", [PASSWORD, "b"])
    reply = answer(note=f"{PASSWORD} of monday", login=f"root:{PASSWORD}", others=[PASSWORD, "b"])
    cassette, recorder = taken((before, reply), masks=["note", "others"])
    assert PASSWORD.encode() not in encode(cassette.interactions)
    assert (recorder.notices, said(cassette)[2:]) == ([], ["Not compared: note, others."])
    today = life(secret("another-password"), "no secret today", ["c"])
    expected = {"note": "no secret today", "login": "root:another-password", "others": ["c"]}
    assert replayer(cassette)(today).value == expected
    today = life(secret("another-password"), "another-password of friday", [])
    assert replayer(cassette)(today).value == {**expected, "note": "another-password of friday", "others": []}


@pytest.mark.parametrize("sent", [secret("another-password"), "another-password", 7])
def test_a_secret_under_a_mask(sent):
    """A secret under a mask is not compared either; where the answer has it, there is what is sent today."""
    value = sent["value"] if isinstance(sent, dict) else sent
    reply = answer(at=PASSWORD, url=f"db://{PASSWORD}@host")
    cassette, recorder = taken((create(BUCKET, at=secret(PASSWORD), pin=secret(1)), reply), masks=["at"])
    assert (PASSWORD.encode() in encode(cassette.interactions), recorder.notices) == (False, [])
    given = replayer(cassette)(create(BUCKET, at=sent, pin=secret(2))).value
    assert given["at"] == value
    assert given["url"] == ("db://another-password@host" if value != 7 else "db://mockprovider-secret-1@host")


def test_a_secret_under_a_mask_and_elsewhere():
    """The same secret counts where no mask is: there another one than the engine sends everywhere else is a miss."""
    conversation = (create(BUCKET, at=secret(PASSWORD), key=secret(PASSWORD)), answer(key=PASSWORD, at=PASSWORD))
    cassette, _ = taken(conversation, masks=["at"])
    today = create(BUCKET, at=secret("one-of-today"), key=secret("two-of-today"))
    assert replayer(cassette)(today).value == {"key": "two-of-today", "at": "one-of-today"}


def test_a_masked_secret_is_proved():
    """The proof of a recording asks with what a replay gives out under masks, too."""
    asked = create(BUCKET, at=secret(PASSWORD), note=f"x {PASSWORD}")
    cassette, _ = taken((asked, answer(at=PASSWORD, note=f"x {PASSWORD}")), masks=["at", "note"])
    assert prove(Library(cassette, {"": Reader(Toy())}), lambda kept: session(kept.number)) == []


def test_equal_but_for_a_mask_is_equal():
    """Answers that differ under a mask only are equal, so that they need no choice; without the mask they are refused."""
    conversation = [(create(BUCKET, at=time), answer(at=time, host=None)) for time in ("t1", "t2")]
    replay = replayer(recorded(*conversation, redactor=Redactor(masks=["at"])))
    assert [replay(create(BUCKET, at=time)).value["at"] for time in ("T8", "T9")] == ["T8", "T9"]
    asked = [call(Op.READ, session(n), about="x") for n in (1, 1)]
    conversation = [(one, answer(seen=time)) for one, time in zip(asked, (1, 2), strict=True)]
    with pytest.raises(AmbiguousError):
        replayer(recorded(*conversation))(asked[0])
    assert replayer(recorded(*conversation, redactor=Redactor(masks=["seen"])))(asked[0]).value in ({"seen": 1}, {"seen": 2})


def test_a_mask_can_be_added_for_a_replay():
    """A recording that was made without a mask replays with one."""
    cassette, _ = taken((stamped("2026-01-01"), answer(labels={"created": "2026-01-01"})))
    replay = replayer(cassette, redactor=Redactor(masks=["labels.created"]))
    assert replay(stamped("2031-12-31")).value == {"labels": {"created": "2031-12-31"}}


def test_masks_of_a_configuration_do_not_make_another_instance():
    """A masked value of a configuration that names its instance by its content is no part of that name."""

    def configured(time: str):
        where = session(instance="")
        return where, call(Op.CONFIGURE, where, "", "", at=time)

    def life(time: str, provider):
        where, configure = configured(time)
        provider(configure)
        return provider(call(Op.CREATE, where, name="a"))

    recorder = Recorder(Toy(), header(), redactor=Redactor(masks=["at"]))
    life("t1", lambda asked: recorder(asked, lambda _: answer(ok=True)))
    assert life("t9", replayer(recorder.close())).value == {"ok": True}


# Secrets in names

ODD, NAMED = "hunter2-very-secret", "mockprovider-secret"


def named(value: str = ODD):
    """A secret, and then the same text as the key of a map in a request, in an answer, and in a path in one."""
    return [
        (create(PARAMETER, "urn:p", value=secret(value)), answer()),
        (create(BUCKET, "urn:b", labels={value: "x", f"a.{value}": "y", f"b.{value}": "z"}), answer(id="b-1")),
        (call(Op.READ, session(), "urn:b"), answer(labels={value: "x"})),
        (call(Op.DIFF, session(), "urn:b", new=1), answer(detailedDiff={f'labels["{value}"]': {"kind": "ADD"}}, diffs=[value])),
    ]


def test_a_secret_in_a_key_is_gone():
    """A key loses the secret in it; a request matches by the rest, an answer with such a key is refused, and it is told."""
    cassette, _ = taken(*named())
    assert ODD not in encode(cassette.interactions).decode()
    asked = next(one for one in cassette.interactions if one.op == "create" and one.urn == "urn:b")
    assert asked.request["labels"] == {NAMED: "x", f"a.{NAMED}": "y", f"b.{NAMED}": "z"}
    assert said(cassette)[2:] == [
        "A replay refuses interactions 2, 3: the answer holds a secret in bytes or in the key of a map, where it cannot be "
        "redacted. Leave secrets out of names, or decide that this is none (public=[...], --public), and record again."
    ]

    replay = replayer(cassette)
    for asked, reply in named("another-password-9")[:2]:
        assert replay(asked).value == reply.value
    for asked, _ in named("another-password-9")[2:]:
        with pytest.raises(UnsupportedError, match="the key of a map"):
            replay(asked)


def test_keys_that_become_alike_stay_apart():
    """Two keys that differ in their secrets alone remain two."""
    values = [secret("first-secret-1"), secret("second-secret-2")]
    asked = create(BUCKET, values=values, labels={"first-secret-1": 1, "second-secret-2": 2})
    assert taken((asked, answer()))[0].interactions[0].request["labels"] == {NAMED: 1, f"{NAMED}-2": 2}


def test_a_word_is_a_name():
    """A secret of letters alone may be the name of a property, which stays, and the call replays."""
    asked = create(BUCKET, password=secret("filename"), filename="x")
    cassette, recorder = taken((asked, answer(filename="x", url="see filename")))
    assert cassette.interactions[0].request["filename"] == "x"
    assert recorder.notices == []
    reply = replayer(cassette)(create(BUCKET, password=secret("hidden"), filename="x"))
    assert reply.value == {"filename": "x", "url": "see hidden"}


def test_a_secret_that_was_a_key_before_it_was_one(tmp_path):
    """Keys, URNs and notes that were written before the secret was declared lose it at the end of the recording."""
    urn = f"urn:pulumi:dev::shop::{BUCKET}::db-{ODD}"
    conversation = [
        (create(BUCKET, urn, labels={ODD: 1}), answer(labels={ODD: 1})),
        (create(PARAMETER, "urn:p", value=secret(ODD)), answer()),
        (create(BUCKET, urn, labels={ODD: 2}), answer(ok=True)),
    ]
    with tape.record(tmp_path / "it.json", Toy(), protocol="toy") as recorder:
        for asked, reply in conversation[:2]:
            recorder(asked, lambda _, reply=reply: reply)
        before = "".join(file.read_text() for file in tmp_path.iterdir())
        recorder(conversation[2][0], lambda _: conversation[2][1])
        after = "".join(file.read_text() for file in tmp_path.iterdir())
    # What was written since the secret is known does not have it.
    assert after.count(ODD) == before.count(ODD)
    cassette = tape.load(tmp_path / "it.json")
    assert ODD not in (tmp_path / "it.json").read_text()
    assert {one.urn for one in cassette.interactions} == {"urn:p", urn.replace(ODD, NAMED)}
    with pytest.raises(MissError):
        replayer(cassette)(create(BUCKET, urn, labels={ODD: 2}))
