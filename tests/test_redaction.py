"""Declared secrets leave trees, wherever they are spelled, and come back the same."""

import base64
import json

import pytest
from cassette_toy import secret
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.properties import Kind, kind_of
from mockprovider.pulumi.signatures import BYTE_STRING, MARKS, OUTPUT, SECRET, SIGNATURE
from mockprovider.redaction import (
    CHUNK,
    Redactor,
    Vault,
    encode,
    fill,
    neutral,
    numbers,
    stand_in,
)
from mockprovider.redaction.placeholders import check
from mockprovider.schema import Package, Property, ResourceType

PASSWORD = 'correct "horse"\n<battery>'


def hide(tree, *names, redactor=None):
    redactor = redactor or Redactor(names, marks=MARKS)
    found = redactor.names("")
    redactor.learn([tree], found)
    return redactor, redactor.hide(tree, found)


@pytest.mark.parametrize(
    "elsewhere",
    [
        PASSWORD,
        f"postgres://user:{PASSWORD}@host",
        f"{PASSWORD} and {PASSWORD}",
        json.dumps({"password": PASSWORD}),
        json.dumps({"password": f"ä{PASSWORD}"}),
        json.dumps({"password": PASSWORD}).replace("<", "\\u003c").replace(">", "\\u003e"),
        base64.b64encode(PASSWORD.encode()).decode(),
        base64.b64encode(f"ab{PASSWORD}yz".encode()).decode(),
        "head." + base64.b64encode(f"a{PASSWORD}".encode()).decode().rstrip("="),
    ],
)
def test_a_declared_secret_is_taken_out_everywhere(elsewhere):
    """A secret leaves its declared place, and every other string of the tree in whatever spelling, and comes back the same."""
    tree = {"password": secret(PASSWORD), "nested": [{"elsewhere": elsewhere}]}
    redactor, hidden = hide(tree)
    text = encode(hidden.tree).decode()
    assert "horse" not in text
    assert elsewhere not in text
    assert not hidden.broken
    assert fill(hidden.tree, lambda number, _: redactor.vault.value(number)) == tree


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["a", "$secret", "$text", "$literal", "value"]), inner),
        max_leaves=15,
    ),
    st.text(min_size=1),
)
def test_hiding_and_filling_is_the_identity(tree, password):
    """Whatever a tree holds, our own marks included, it comes back equal once its placeholders are filled."""
    whole = {"tree": tree, "password": secret(password)}
    redactor, hidden = hide(whole)
    assert fill(hidden.tree, lambda number, _: redactor.vault.value(number)) == whole


def test_the_words_of_pulumi():
    """Signatures and sentinels are those of Pulumi's protocol: an engine knows no others."""
    assert SIGNATURE == "4dabf18193072939515e22adb298388d"
    assert SECRET == "1b47061264138c4ac30d75fd1eb44270"
    assert OUTPUT == "d0e6a833031e9bbcd3f4e8bde6ca49a4"
    assert BYTE_STRING == "803fd3297a5875dc03ca845dda5d2a98"
    assert sorted(MARKS.unknowns) == [
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
        "e48ece36-62e2-4504-bad9-02848725956a",
    ]


def test_a_protocol_without_marks():
    """Where a protocol marks nothing, secrets are declared by name alone: another protocol's secret object is an object."""
    tree = {"a": secret("hunter2hunter2"), "password": "swordfish"}
    redactor = Redactor(["password"])

    assert redactor.hide(tree, redactor.names("")).tree == {**tree, "password": {"$secret": 1}}


def test_the_marks_that_files_have():
    """Kept cassettes have these marks: a text with a secret in it, how it is spelled there, and objects with such keys."""
    password = 'a "b" <c>'
    _, hidden = hide({
        "password": secret(password),
        "plain": f"is {password}!",
        "python": json.dumps([password]),
        "go": json.dumps([password]).replace("<", "\\u003c").replace(">", "\\u003e"),
        "literal": {"$text": "x", "other": 1},
    })  # fmt: skip
    assert hidden.tree["plain"] == {"$text": ["is ", {"$secret": 1}, "!"]}
    assert hidden.tree["python"] == {"$text": ['["', {"$secret": 1, "as": "json"}, '"]']}
    assert hidden.tree["go"] == {"$text": ['["', {"$secret": 1, "as": "html"}, '"]']}
    assert hidden.tree["literal"] == {"$literal": {"$text": "x", "other": 1}}


def test_a_secret_without_escapes_inside_json():
    """Inside JSON a secret is spelled as JSON, since the one that a replay has in its place may need escapes."""
    _, hidden = hide({"password": secret("hunter2"), "json": '{"p": "hunter2"}', "text": "{hunter2"})
    assert hidden.tree["json"] == {"$text": ['{"p": "', {"$secret": 1, "as": "json"}, '"}']}
    assert hidden.tree["text"] == {"$text": ["{", {"$secret": 1}]}
    assert json.loads(fill(hidden.tree["json"], lambda *_: 'a "new" one')) == {"p": 'a "new" one'}


@pytest.mark.parametrize(
    ("kind", "value"),
    [("string", "mockprovider-secret-7"), ("number", 7), ("bool", False), ("base64", "bW9ja3Byb3ZpZGVyLXNlY3JldC03")],
)
def test_stand_ins(kind, value):
    """What only the recorded provider knew is replayed as a value of its kind, the same each time."""
    assert stand_in(7, kind) == value


def test_redactors_may_share_a_vault():
    """A replay's redactor and its bindings have one vault: a secret of one has the same number for the other."""
    vault = Vault()
    hide({"a": secret("hunter2")}, redactor=Redactor(vault=vault, marks=MARKS))
    assert numbers(hide({"b": secret("hunter2")}, redactor=Redactor(vault=vault, marks=MARKS))[1].tree) == [1]
    assert vault.value(1) == "hunter2"


@pytest.mark.parametrize(
    "tree",
    [{"$secret": 1}, {"$text": ["a"]}, {"$literal": {}}, {"$secret": 1, "$text": 2, "$literal": 3}, [{"a": {"$secret": 1}}]],
)
def test_what_looks_like_our_marks_is_kept_apart(tree):
    """An object that has one of our keys by itself is wrapped, also where there is no secret at all."""
    hidden = Redactor().hide(tree).tree
    assert hidden != tree
    assert fill(hidden, lambda *_: pytest.fail("there is no secret")) == tree


@pytest.mark.parametrize("name", ["aws:token", "token", "db.password", "password", "aws:db.key"])
def test_names_and_keys_with_steps_in_them(name):
    """A key with a colon or a dot in it is a path: a name hides it by its end, whole or not."""
    tree = {"aws:token": "t", "db.password": "p", "aws:db.key": "k", "other": "o"}
    key = next(key for key in tree if key.endswith(name))
    assert hide(tree, name)[1].tree == {**tree, key: {"$secret": 1}}


def test_only_outputs_may_be_marked_secret():
    """An object of the program's own that has such keys declares nothing."""
    tree = {"mine": {"value": "in the light", "secret": True}, "other": secret("hunter2")}
    assert hide(tree)[1].tree["mine"] == tree["mine"]


def test_one_secret_has_one_placeholder():
    """The same secret gets the same number each time, and another one another."""
    redactor, one = hide({"a": secret("hunter2"), "b": secret("hunter3"), "c": secret("hunter2")})
    assert numbers(one.tree) == [1, 2, 1]
    _, other = hide({"d": secret("hunter3")}, redactor=redactor)
    assert numbers(other.tree) == [2]


def test_every_kind_of_leaf_is_hidden_and_the_shape_stays():
    """In a declared place strings, numbers and booleans go; keys, nulls, empty strings and unknowns stay."""
    unknown = min(MARKS.unknowns)
    _, hidden = hide(secret({"s": "text", "n": 4711, "b": True, "none": None, "empty": "", "unknown": unknown}))
    assert hidden.tree["value"] == {
        "s": {"$secret": 1},
        "n": {"$secret": 2, "kind": "number"},
        "b": {"$secret": 3, "kind": "bool"},
        "none": None,
        "empty": "",
        "unknown": unknown,
    }


def test_secret_outputs_and_byte_strings_are_declared_too():
    """An output marked secret is hidden, one that is not stays, and secret bytes keep a form that decodes."""
    tree = {
        "hidden": {SIGNATURE: OUTPUT, "value": "in the dark", "secret": True, "dependencies": ["urn"]},
        "open": {SIGNATURE: OUTPUT, "value": "in the light", "secret": False},
        "bytes": secret({SIGNATURE: BYTE_STRING, "value": "AAECAw=="}),
    }
    _, hidden = hide(tree)
    assert hidden.tree["hidden"]["value"] == {"$secret": 1}
    assert hidden.tree["hidden"]["dependencies"] == ["urn"]
    assert hidden.tree["open"] == tree["open"]
    assert hidden.tree["bytes"]["value"]["value"]["kind"] == "base64"
    assert base64.b64decode(stand_in(7, "base64"))


def test_names_declare_by_the_end_of_a_path():
    """A name hides every property of that name, a dotted one only where its whole end fits."""
    tree = {"token": "t-1", "db": {"password": "p-1"}, "password": "p-2", "list": [{"token": ["t-2"]}]}
    _, hidden = hide(tree, "token", "db.password")
    assert hidden.tree == {
        "token": {"$secret": 1},
        "db": {"password": {"$secret": 2}},
        "password": "p-2",
        "list": [{"token": [{"$secret": 3}]}],
    }


def test_resource_types_declare_in_both_spellings():
    """A type's secret properties are declared for calls of that type, as Pulumi and as Terraform spell them."""
    redactor = Redactor(["extra"])
    properties = {
        "adminPassword": Property(str, secret=True),
        "pin": Property(str, secret=True, terraform="pin_code"),
        "size": int,
    }
    redactor.declare(ResourceType("cloud:index:Database", properties).secrets)
    assert redactor.names("cloud:index:Database").secret == {"extra", "adminPassword", "admin_password", "pin", "pin_code"}
    assert redactor.names("cloud:index:Other", ["more"]).secret == {"extra", "more"}


def test_nested_properties_declare_too():
    """A secret inside an object, a list or a map is declared by its path; what a map holds is known by the end of the path."""
    inner = {"apiToken": Property(str, secret=True), "size": int}
    properties = {
        "conf": Property({"inner": Property(inner)}),
        "rules": Property(Kind("array", items=kind_of(inner))),
        "byName": Property(Kind("map", items=kind_of(inner))),
    }
    declared = ResourceType("cloud:index:Database", properties)

    assert declared.secrets["cloud_database"] == {
        *("conf.inner.apiToken", "conf.inner.api_token"),
        *("rules.apiToken", "rules.api_token"),
        *("apiToken", "api_token"),
    }
    package = Package("cloud", config={"accessKey": Property(str, secret=True)})
    package.add(declared)
    assert package.secrets["pulumi:providers:cloud"] == package.secrets[""] == {"accessKey", "access_key"}
    assert package.secrets.keys() == {"", "pulumi:providers:cloud", "cloud:index:Database", "cloud_database"}


@pytest.mark.parametrize("marked", [secret("hunter2"), {SIGNATURE: OUTPUT, "value": "hunter2", "secret": True}])
def test_each_declaration_is_enough(marked):
    """A tree declares its secret by a secret object or by an output marked secret; the one needs no other."""
    assert hide({"only": marked})[1].tree["only"]["value"] == {"$secret": 1}


@pytest.mark.parametrize(
    ("spelled", "kind"),
    [
        ("p%C3%A4ss%20w%2Frd%3F%28x%29", "url"),
        ("p%C3%A4ss+w%2Frd%3F%28x%29", "form"),
        ("p%C3%A4ss%20w%2Frd%3F(x)", "uri"),
        ("70c3a4737320772f72643f287829", "hex"),
        ("70C3A4737320772F72643F287829", "HEX"),
    ],
)
def test_other_spellings(spelled, kind):
    """Percent-encoded and in hexadecimal digits, a secret is found inside a text, and comes back spelled so on replay."""
    tree = {"password": secret("päss w/rd?(x)"), "url": f"https://host/{spelled}/more"}
    _, hidden = hide(tree)

    assert hidden.tree["url"] == {"$text": ["https://host/", {"$secret": 1, "as": kind}, "/more"]}
    assert fill(hidden.tree["url"], lambda *_: "päss w/rd?(x)") == tree["url"]


@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_base64_of_urls_is_looked_into(before):
    """A secret is found in the alphabet of base64 that URLs and tokens have, too."""
    password = "??>>päss~~word??>>"
    token = base64.urlsafe_b64encode(f"{before}{password}.".encode()).decode().rstrip("=")
    _, hidden = hide({"password": secret(password), "token": token})

    assert "$secret" in hidden.tree["token"]


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "abcd"])
@pytest.mark.parametrize("after", ["", "y", "yz", "xyz"])
@pytest.mark.parametrize(("password", "other_end"), [("hunter", "!"), ("hunter2", "A"), ("hunter-2", "A")])
def test_base64_is_looked_into(before, after, password, other_end):
    """In base64 a secret is found wherever it stands, and what differs from it in its first or last letter is none."""
    redactor, _ = hide(secret(password))

    def hidden(text):
        tree = base64.b64encode(f"{before}{text}{after}".encode()).decode()
        return redactor.hide(tree).tree != tree

    assert hidden(password)
    # Of a letter at an end only some bits stand in base64's own letters: these differ in all of them.
    assert not hidden(f"g{password[1:]}")
    assert not hidden(f"{password[:-1]}{other_end}")


def test_the_longest_secret_is_taken_out():
    """Where one secret begins with another, the text that has the longer one loses all of it."""
    _, hidden = hide({"short": secret("hunter2"), "long": secret("hunter2-forever"), "text": "it is hunter2-forever"})
    assert hidden.tree["text"] == {"$text": ["it is ", {"$secret": 2}]}


def test_a_text_that_is_all_secret():
    """A string that is the secret is its placeholder; spelled otherwise it is a text; with base64 in it, another secret."""
    password = 'a "quoted" word'
    inside = "token." + base64.b64encode(password.encode()).decode()
    tree = {"password": secret(password), "plain": password, "json": 'a \\"quoted\\" word', "inside": inside}
    redactor, hidden = hide(tree)
    assert hidden.tree["plain"] == {"$secret": 1}
    assert hidden.tree["json"] == {"$text": [{"$secret": 1, "as": "json"}]}
    assert hidden.tree["inside"] == {"$secret": 2}
    assert fill(hidden.tree, lambda number, _: redactor.vault.value(number)) == tree


def test_short_secrets_leave_only_their_declared_place():
    """A secret of fewer than six characters is no reason to hide the same word elsewhere."""
    _, hidden = hide({"password": secret("prod"), "stage": "prod"})
    assert hidden.tree["stage"] == "prod"


def test_a_number_that_spells_a_secret_is_hidden():
    """A secret PIN is also found where it is a number."""
    _, hidden = hide({"pin": secret("471147"), "number": 471147, "other": 5})
    assert hidden.tree["number"] == {"$secret": 2, "kind": "number"}
    assert hidden.tree["other"] == 5


def test_verbatim_bytes_with_a_secret_break_the_view():
    """A secret inside bytes that only count as a whole is hidden, and the tree says that it cannot be restored."""
    _, hidden = hide({"password": secret("hunter2hunter2"), "$raw": base64.b64encode(b"\x0a\x0ehunter2hunter2").decode()})
    assert hidden.broken
    assert hidden.tree["$raw"] == {"$secret": 2, "kind": "base64"}


def test_bytes_that_may_be_replaced_do_not_break_the_view():
    """A secret inside bytes that are a value of their own is hidden with them, and the tree can be restored."""
    tree = {"password": secret("hunter2hunter2"), "private": {"$bytes": base64.b64encode(b"\xffhunter2hunter2").decode()}}
    redactor, hidden = hide(tree)
    assert not hidden.broken
    assert hidden.tree["private"] == {"$bytes": {"$secret": 2, "kind": "base64"}}
    assert fill(hidden.tree, lambda number, _: redactor.vault.value(number)) == tree


def test_secrets_that_cannot_be_looked_for_take_the_verbatim_bytes_with_them():
    """Beside a short secret, bytes that cannot be looked into are not kept."""
    raw = base64.b64encode(b"\x0a\x03abc").decode()
    assert hide({"password": secret("abc"), "$raw": raw})[1].broken
    assert hide({"password": secret("abc"), "other": secret("long enough"), "$raw": raw})[1].broken
    both = hide({"password": secret("abc"), "one": {"$raw": raw}, "other": {"$raw": ""}})[1]
    assert both.broken
    assert (both.tree["one"]["$raw"]["kind"], both.tree["other"]["$raw"]) == ("base64", "")
    assert hide({"password": secret("sixsix"), "$raw": raw})[1].tree["$raw"] == raw
    assert hide({"password": secret("abc"), "$raw": ""})[1].broken is False
    assert hide({"password": secret("long enough"), "$raw": raw})[1].tree["$raw"] == raw


def test_an_unknown_in_a_declared_place_stays():
    """A value that is not known yet stays, without how it begins; declared bytes keep a form that decodes."""
    refined = {"null": False, "prefix": "hunter"}
    tree = {"password": [{"$unknown": ""}, {"$unknown": "gQHC"}, {"$unknown": refined}], "list": [{"key": {"$bytes": "AAEC"}}]}
    _, hidden = hide(tree, "password", "key")
    assert hidden.tree["password"] == [{"$unknown": ""}, {"$unknown": ""}, {"$unknown": {"null": False}}]
    assert hidden.tree["list"] == [{"key": {"$bytes": {"$secret": 1, "kind": "base64"}}}]


def test_keys_are_not_taken_for_secrets():
    """A password that is also a property's name does not hide the property."""
    _, hidden = hide({"password": secret("password"), "value": "x"})
    assert set(hidden.tree) == {"password", "value"}


def test_hiding_again_finds_what_was_learnt_since():
    """A secret that is declared late is taken out of trees that are redacted already, and of the texts in them."""
    redactor, first = hide({"a": secret("first-secret"), "b": "first-secret and late-secret", "c": ["late-secret"], "$text": 1})
    redactor.learn([secret("late-secret")])
    again = redactor.hide(first.tree, again=True)
    assert "late-secret" not in encode(again.tree).decode()
    assert fill(again.tree, lambda number, _: redactor.vault.value(number))["b"] == "first-secret and late-secret"
    unmarked = redactor.hide({"deep": [{"e": "late-secret"}]}, again=True).tree
    assert unmarked["deep"][0]["e"].keys() == {"$secret"}


def test_neutral_views_differ_in_more_than_secrets():
    """Two trees that differ only in secrets are the same when neutral, unless one secret is a number and the other a string."""
    redactor, one = hide({"a": secret("hunter2")})
    _, other = hide({"a": secret("hunter3")}, redactor=redactor)
    _, third = hide({"a": secret(3)}, redactor=redactor)
    assert one.tree != other.tree
    assert neutral(one.tree) == neutral(other.tree)
    assert neutral(one.tree) != neutral(third.tree)
    literals = [neutral(hide({"a": secret("hunter2"), "b": {"$text": text}})[1].tree) for text in "xyx"]
    assert literals[0] == literals[2] != literals[1]


def test_messages_are_masked():
    """A text for a message loses the secrets that are known."""
    redactor, _ = hide(secret("hunter2hunter2"))
    assert redactor.mask("not hunter2hunter2!") == "not (secret)!"
    assert redactor.mask("harmless") == "harmless"


def test_many_secrets_are_found_as_well_as_few():
    """With hundreds of secrets each is still found, in long trees too, and nothing else is hidden."""
    redactor = Redactor(marks=MARKS)
    passwords = [f"password-{n}" for n in range(300)]
    redactor.learn([secret(passwords)])
    long = {"pad": "-" * 70_000, "texts": [f"x{password}-y" for password in passwords], "other": "passwords"}
    hidden = redactor.hide(long).tree
    assert "password-" not in encode(hidden["texts"]).decode()
    assert hidden["other"] == "passwords"
    assert fill(hidden, lambda number, _: redactor.vault.value(number)) == long


def test_a_secret_across_the_border_of_two_looks_is_found():
    """Long trees are looked at in pieces: a secret that begins in one and ends in the next is found as well."""
    redactor = Redactor(marks=MARKS)
    redactor.learn([secret([f"{n:03}-password-{n:03}" for n in range(100)])])
    for place in range(CHUNK - 20, CHUNK + 3):
        assert redactor.mask("-" * place + "042-password-042").endswith("-(secret)")


WRITTEN = (
    {"$secret": 1},
    {"$secret": 999_999_999},
    *({"$secret": 1, "kind": kind} for kind in ("string", "number", "bool", "base64")),
    {"$text": ["a", {"$secret": 1}, {"$secret": 2, "as": "json"}, {"$secret": 3, "as": "hex"}]},
    {"$literal": {"$secret": {"$secret": 1}}},
)
"""Placeholders as recorders write them."""
UNWRITTEN = (
    *({"$secret": number} for number in (0, -1, 10**9, True, 1.0, "1", None, [1])),
    *({"$secret": 1, "kind": kind} for kind in ("odd", "", None)),
    {"$secret": 1, "more": 1},
    {"$secret": 1, "$text": ["a"]},
    *({"$text": text} for text in ("a", None, {"a": "b"}, 1)),
    *({"$text": [part]} for part in (1, None, ["a"], {}, {"as": "json"}, {"$secret": 0}, {"$secret": 1, "as": "odd"})),
    {"$text": ["a"], "more": 1},
    *({"$literal": inner} for inner in ("a", None, ["a"])),
    {"$literal": {}, "more": 1},
    {"$literal": {"a": {"$secret": "x"}}},
)


@pytest.mark.parametrize("inside", [lambda tree: tree, lambda tree: {"a": [1, {"b": tree}]}], ids=["alone", "deep"])
@pytest.mark.parametrize("tree", WRITTEN, ids=str)
def test_what_recorders_write_is_a_placeholder(tree, inside):
    """Every form that a recorder writes is taken, wherever it stands."""
    check(inside(tree))


@pytest.mark.parametrize("inside", [lambda tree: tree, lambda tree: {"a": [1, {"b": tree}]}], ids=["alone", "deep"])
@pytest.mark.parametrize("tree", UNWRITTEN, ids=str)
def test_what_no_recorder_writes_is_none(tree, inside):
    """Any other form is refused, and shown, wherever it stands."""
    with pytest.raises(ValueError, match=r"is no placeholder of a secret$"):
        check(inside(tree))


def test_only_outputs_are_secret_by_a_word_of_their_own():
    """An object of another kind that has a property called ``secret`` declares nothing by it."""
    tree = {SIGNATURE: BYTE_STRING, "value": "aGVsbG8=", "secret": True}

    assert hide({"only": tree})[1].tree["only"]["value"] == "aGVsbG8="


def test_what_is_known_of_an_unknown_value_is_searched():
    """An unknown text that is known to begin with a secret begins with its placeholder; an unknown itself hides nothing."""
    redactor, _ = hide({"a": secret("hunter2hunter2")})
    tree = {"url": {"$unknown": {"null": False, "prefix": "db://hunter2hunter2@"}}, "other": {"$unknown": "Z2VuZXJhdGVk"}}
    hidden = redactor.hide(tree)
    assert hidden.tree["url"]["$unknown"]["prefix"] == {"$text": ["db://", {"$secret": 1}, "@"]}
    assert hidden.tree["url"]["$unknown"]["null"] is False
    assert hidden.tree["other"] == tree["other"]
    assert not hidden.broken
    assert fill(hidden.tree, lambda *_: "hunter2hunter2") == tree


def test_json_that_escapes_all_but_ascii():
    """A secret with letters beyond ASCII is found in JSON as Python writes it, and another is given back escaped likewise."""
    tree = {"password": secret("pässwörd-1"), "json": json.dumps({"p": "pässwörd-1"})}
    _, hidden = hide(tree)
    assert "rd-1" not in encode(hidden.tree).decode()
    assert fill(hidden.tree, lambda *_: "wört")["json"] == json.dumps({"p": "wört"})


def test_paths_for_keys_are_no_values():
    """The kind of a change stands under the path of a property, and is no value of it."""
    tree = {"detailedDiff": {"password": {"kind": "UPDATE"}}, "new": {"password": "hunter2-secret"}}
    assert hide(tree, "password")[1].tree == {**tree, "new": {"password": {"$secret": 1}}}
