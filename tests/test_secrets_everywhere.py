"""Thousands of secrets at random places of both protocols' messages: no file has one in any spelling, and replays are right."""

from __future__ import annotations

import base64
import json
import random
import string
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from msgspec.structs import replace

from mockprovider import Double, Property, ResourceType, Secret, recording, replaying
from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.double import Wiring
from mockprovider.double.artefacts import keep
from mockprovider.schema import Kind

USER = Kind("object", properties={"pin": Property(str, secret=True), "name": Property(str)})
DATABASE = ResourceType(
    "cloud:index:Database",
    {
        "name": Property(str, forces_new=True),
        "key": Property(str, secret=True),
        "size": Property(int),
        "conf": Property({"token": Property(str, secret=True), "size": Property(int)}),
        "users": Property(Kind("array", items=USER)),
        "labels": Property(dict[str, str], secret=True),
        "note": Property(list[str]),
        "url": Property(str, computed="sql://{name}:{key}@host/{id}"),
    },
)
PLACES: tuple[Callable[[Iterator[str]], dict[str, Any]], ...] = (
    lambda words: {"conf": {"token": next(words), "size": 3}},
    lambda words: {"users": [{"pin": next(words), "name": "root"}, {"pin": next(words), "name": "guest"}]},
    lambda words: {"labels": {"a": next(words), "b": next(words)}},
)
"""Inputs with secrets in declared places."""

NAMES = (f"{DATABASE.token}.key", "conf.token", "users[0].pin", "labels")
"""What is secret of it, by name."""
BEGIN, END = '{"p": "', '"}'
ALPHABETS = (
    string.hexdigits,
    string.ascii_letters + string.digits,
    string.printable,
    "<>&\"'\\/%+=:?#@ {}[]$",
    "äöüßéñ€漢字😀 " + string.ascii_lowercase,
    "-_.~!*()" + string.digits,
)


def escaped(text: str) -> str:
    """The text inside JSON as Go writes it."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    return inside.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "html": escaped,
    "ascii": lambda text: json.dumps(text)[1:-1],
    "url": lambda text: quote(text, safe=""),
    "form": quote_plus,
    "uri": lambda text: quote(text, safe="!'()*"),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
}


def spelled(word: str) -> Iterator[str]:
    """Every listed spelling of a secret, in base64 also those between neighbours."""
    yield from (spell(word) for spell in SPELLINGS.values())
    raw = word.encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            # Only what no neighbour touches.
            yield encode(b"\0" * shift + raw)[(shift * 8 + 5) // 6 : (shift + len(raw)) * 8 // 6].decode()


def leaked(folder: Path, words: list[str]) -> list[tuple[str, str]]:
    """The spellings that some file has, with the file's name; as they are, and as JSON has them in a string."""
    files = [(file.name, file.read_bytes()) for file in folder.rglob("*") if file.is_file()]
    forms = {form for word in words for text in spelled(word) for form in (text, json.dumps(text, ensure_ascii=False)[1:-1])}
    return [(name, form) for name, data in files for form in forms if form.encode(errors="surrogatepass") in data]


class Case:
    """One case: how many secrets, where they stand, and in which spellings texts have them."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        self.count = 18
        self.versions = [dice.sample(PLACES, dice.randint(2, 3)) for _ in range(3)]
        self.notes = [
            (dice.randrange(self.count), dice.choice(list(SPELLINGS)), dice.choice(["", "see ", "?p=", BEGIN]))
            for _ in range(dice.randint(1, 12))
        ]
        self.seed = seed
        self.large = dice.random() < 0.05
        self.fails = dice.random() < 0.3
        self.named = dice.random() < 0.3
        """The secrets are named, and nothing else says where they are."""

    def words(self, run: str) -> list[str]:
        """The secrets of a run, all different.

        They need the same escapes in each run, since a replay cannot know how a text was spelled that needed none.
        """
        dice = random.Random(self.seed)
        return ["".join(dice.choices(dice.choice(ALPHABETS), k=dice.randint(6, 40))) + f"{run}{n}" for n in range(self.count)]

    def note(self, words: list[str]) -> list[str]:
        """Open texts that have secrets in them."""
        texts = []
        for n, spelling, before in self.notes:
            inside = before == BEGIN
            texts.append(f"{before}{SPELLINGS['json' if inside else spelling](words[n])}{END if inside else ''}")
        return [*texts, *(["x" * 70_000] if self.large else [])]

    def provider(self, words: list[str], of: ResourceType = DATABASE) -> Handler:
        """The fake, whose reads may fail with a reason that has secrets in it."""
        fake = Double(of)
        # A text with base64 in it is given back only if the engine has sent it, and else has a stand-in.
        reason = f"cannot read {words[0]}, {words[-1].encode().hex()}"

        def answer(call: Call) -> Reply:
            return Reply(failures=(Failure(reason),)) if self.fails and call.op is Op.READ else fake(call)

        return answer

    def inputs(self, words: list[str]) -> list[dict[str, Any]]:
        """The inputs of successive versions, with secrets in declared places; the last one has the texts, too."""
        unused = iter(words)
        versions: list[dict[str, Any]] = []
        for size, places in enumerate(self.versions):
            placed = [place(unused) for place in places]
            versions.append({"name": "db", "key": next(unused), "size": size})
            for properties in placed:
                versions[-1] |= properties
        # What is left needs a declared place, too, before any text has it.
        versions[0]["labels"] = {f"l{n}": word for n, word in enumerate(unused)} | versions[0].get("labels", {})
        versions[-1]["note"] = self.note(words)
        return versions


def marked(bag: Any, under: str = "") -> Any:
    """A bag with Pulumi's marks on the values of declared places."""
    if under in ("key", "token", "pin", "labels"):
        return Secret(bag)
    if isinstance(bag, dict):
        return {name: marked(value, name) for name, value in bag.items()}
    return [marked(item) for item in bag] if isinstance(bag, list) else bag


ABOUT = {"type": DATABASE.token, "name": "d", "urn": f"urn:pulumi:dev::p::{DATABASE.token}::d"}


def pulumi_life(client: Any, versions: list[dict[str, Any]], *, named: bool) -> Iterator[Reply]:
    """Check, create and update through all versions, read, and delete."""
    session = client.open()
    yield client(Call(op=Op.HANDSHAKE, session=session))
    made, before = Reply(), None
    for version in versions if named else map(marked, versions):
        checked = client(Call(op=Op.CHECK, session=session, prior_inputs=before, inputs=version, **ABOUT))
        yield checked
        if before is None:
            made = client(Call(op=Op.CREATE, session=session, inputs=checked.inputs, **ABOUT))
        else:
            change = {"id": made.id, "prior": made.value, "prior_inputs": before, "inputs": checked.inputs}
            yield client(Call(op=Op.DIFF, session=session, **change, **ABOUT))
            updated = client(Call(op=Op.UPDATE, session=session, **change, **ABOUT))
            made = replace(updated, id=made.id)
        yield made
        before = checked.inputs
    yield client(Call(op=Op.READ, session=session, id=made.id, prior=made.value, prior_inputs=before, **ABOUT))
    yield client(Call(op=Op.DELETE, session=session, id=made.id, prior=made.value, prior_inputs=before, **ABOUT))


def terraform_life(client: Any, versions: list[dict[str, Any]], **_: bool) -> Iterator[Reply]:
    """Schema, validation, plan and apply of all versions, and a read."""
    session = client.open()
    client(Call(op=Op.GET_SCHEMA, session=session))
    state: Any = None
    for version in versions:
        yield client(Call(op=Op.CHECK, session=session, type=DATABASE.token, inputs=version))
        asked = {"session": session, "type": DATABASE.token, "inputs": version, "prior": state}
        planned = client(Call(op=Op.PLAN, proposed={**(state or {}), **version}, **asked))
        yield planned
        applied = client(Call(op=Op.CREATE, planned=planned.plan and planned.plan.planned, **asked))
        yield applied
        state = applied.value
    yield client(Call(op=Op.READ, session=session, type=DATABASE.token, prior=state))


LIVES = {"pulumi": pulumi_life, "terraform": terraform_life}


def lived(double: Double, family: str, versions: list[dict[str, Any]], *, named: bool) -> list[str]:
    """The messages that an engine gets in a life, with words in place of ids, which the fake makes of all inputs."""
    with double.serve(family).client() as client:
        replies = list(LIVES[family](client, versions, named=named))
    double.raise_errors()
    ids = (one for reply in replies for one in (reply.id, (reply.value or {}).get("id")) if isinstance(one, str) and one)
    text = "\n---\n".join(str(reply.native.message if reply.native else reply) for reply in replies)
    for number, id_ in enumerate(dict.fromkeys(ids)):
        text = text.replace(id_, f"ID{number}")
    return text.split("\n---\n")


@pytest.mark.parametrize("family", LIVES)
@pytest.mark.trial("secrets", pinned=4, cases=150)
def test_no_secret_is_in_any_file(seeds: Iterator[int], family: str) -> None:
    """Whatever the secrets are and wherever they stand, no file has them in any spelling, and other ones are given back."""
    for seed in seeds:
        case = Case(seed)
        words, others = case.words("recorded"), case.words("live")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / "it.json"
            # Terraform's values are read by the schema of the double, which says what is secret in it.
            named = case.named and family == "pulumi"
            types, names = ((), NAMES) if named else ((DATABASE,), ())
            wiring = recording(path, Wiring("cloud", case.provider(words)), family, secrets=names)
            with Double(*types, provider=wiring) as double:
                answers = lived(double, family, case.inputs(words), named=named)
                assert leaked(folder, words) == []
                if types:
                    keep(folder, double)
            assert leaked(folder, words) == []

            with Double(*types, provider=case.provider(others)) as behind:
                expected = lived(behind, family, case.inputs(others), named=named)
            for run, messages in ((words, answers), (others, expected)):
                with Double(*types, provider=replaying(path)) as double:
                    assert lived(double, family, case.inputs(run), named=named) == messages
