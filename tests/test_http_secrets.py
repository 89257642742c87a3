"""Secrets in recorded HTTP: what is declared, what anybody could ask with, and how a replay goes on without them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import requests
from http_stage import NOWHERE, Once, as_json, create, exchanges, listening

from mockprovider import Double, Secret, recording, replaying
from mockprovider.calls import Call
from mockprovider.cassette.http.messages import HttpRequest, HttpResponse
from mockprovider.cassette.http.writing import HttpWriter
from mockprovider.errors import HttpMissError
from mockprovider.redaction import Redactor

PASSWORD = 'pä "ss" & wörd/+=<1>'
TODAY = "to-day's & other"
"""What the engine sends in the password's place on replay."""


def heard(path: Path, does: Callable[[str, Call], Any], answer: Any, secrets: tuple[str, ...] = (), **inputs: Any) -> str:
    """The text of a cassette with a provider that does something in a Create, and the cloud's answers."""
    with listening(answer) as url:
        wiring = recording(path, Once(lambda call: does(url, call)), http=True, secrets=secrets)
        with Double(provider=wiring) as double:
            create(double, **inputs)
    return path.read_text(encoding="utf-8")


def replayed(path: Path, does: Callable[[str, Call], Any], **inputs: Any) -> Any:
    """What a replay of the provider answers."""
    with Double(provider=replaying(path, http=Once(lambda call: does(NOWHERE, call)))) as double:
        return (create(double, **inputs).value or {})["said"]


def spellings(secret: str) -> list[str]:
    """How a secret may be written in HTTP."""
    return [
        *(secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]),
        json.dumps(secret, ensure_ascii=False)[1:-1],
        *(secret.encode().hex(), base64.b64encode(secret.encode()).decode().rstrip("=")),
    ]


WAYS: dict[str, Callable[[str, str], requests.Response]] = {
    "path": lambda url, secret: requests.get(f"{url}/users/{quote(secret, safe='')}", timeout=60),
    "raw path": lambda url, secret: requests.get(f"{url}/users/{secret}", timeout=60),
    "query": lambda url, secret: requests.get(url, params={"user": secret, "a": "b"}, timeout=60),
    "header": lambda url, secret: requests.get(url, headers={"X-User": base64.b64encode(secret.encode()).decode()}, timeout=60),
    "selecting header": lambda url, secret: requests.get(url, headers={"X-Amz-Tagging": quote(secret)}, timeout=60),
    "json": lambda url, secret: requests.post(url, json={"user": {"name": [secret]}}, timeout=60),
    "text": lambda url, secret: requests.post(url, data=f"user={secret};".encode(), timeout=60),
    "form": lambda url, secret: requests.post(url, data={"user": secret, "a": "b"}, timeout=60),
    "hexadecimal": lambda url, secret: requests.post(url, data=f"0x{secret.encode().hex()}", timeout=60),
    "json in json": lambda url, secret: requests.post(url, json={"policy": json.dumps({"who": secret})}, timeout=60),
    "multipart": lambda url, secret: requests.post(url, files={"file": ("a.txt", secret.encode())}, timeout=60),
    "a key": lambda url, secret: requests.post(url, json={secret: 1}, timeout=60),
    "gzip": lambda url, secret: requests.post(
        url, data=gzip.compress(secret.encode()), headers={"Content-Encoding": "gzip"}, timeout=60
    ),
    "$ key": lambda url, secret: requests.post(url, json={"$set": {"name": secret}}, timeout=60),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_declared_secret_is_nowhere(tmp_path: Path, way: str) -> None:
    """A secret input is in no spelling in a cassette, wherever the provider puts it; on replay it may be another one."""
    path = tmp_path / "it.json"

    def does(url: str, call: Call) -> int:
        return WAYS[way](url, (call.inputs or {})["pin"]).status_code

    text = heard(path, does, lambda *_: as_json({"ok": True}), secrets=("pin",), pin=PASSWORD)
    assert [spelling for spelling in spellings(PASSWORD) if spelling in text or json.dumps(spelling)[1:-1] in text] == []
    assert replayed(path, does, pin=PASSWORD) == 200
    if way != "multipart":
        assert replayed(path, does, pin=TODAY) == 200


def test_a_secret_is_bound(tmp_path: Path) -> None:
    """Where a request has a secret, only what the engine sent in its place will do on replay."""
    path = tmp_path / "it.json"

    def does(url: str, call: Call) -> int:
        return requests.post(url, json={"user": (call.inputs or {})["pin"]}, timeout=60).status_code

    heard(path, does, lambda *_: as_json({"ok": True}), secrets=("pin",), pin=PASSWORD)
    wrong = Once(lambda _: requests.post(NOWHERE, json={"user": "something else"}, timeout=60).status_code)
    with Double(provider=replaying(path, http=wrong)) as double, pytest.raises(HttpMissError) as raised:
        create(double, pin=TODAY)
    assert TODAY not in str(raised.value)
    assert PASSWORD not in str(raised.value)


def test_a_miss_tells_no_secret(tmp_path: Path) -> None:
    """Neither what is asked nor what is nearest shows a secret that is in the address."""
    path, folder = tmp_path / "it.json", "users"

    def does(url: str, call: Call) -> int:
        return requests.get(f"{url}/{folder}/{quote((call.inputs or {})['pin'])}", timeout=60).status_code

    heard(path, does, lambda *_: as_json({"ok": True}), secrets=("pin",), pin=PASSWORD)
    folder = "people"
    with pytest.raises(HttpMissError, match=r"Nearest is GET http://localhost/users/\(secret\)") as raised:
        replayed(path, does, pin=TODAY)
    assert [secret for secret in (*spellings(TODAY), quote(TODAY)) if secret in str(raised.value)] == []


@pytest.mark.parametrize("answer", [{"password": "dr4wn-of-today"}, {"deep": [{"access_token": "dr4wn-of-today"}]}])
def test_nothing_reaches_the_disk(tmp_path: Path, answer: dict[str, Any]) -> None:
    """What an exchange shows to be secret is taken out of its own call before anything of that is written."""
    path = tmp_path / "it.json"
    provider = Once(lambda _: requests.get(url, timeout=60).text.split('"')[-2])
    with listening(lambda *_: as_json(answer)) as url, Double(provider=recording(path, provider, http=True)) as double:
        assert (create(double).value or {})["said"] == "dr4wn-of-today"
        draft = path.with_name("it.json.new").read_text()
        assert "dr4wn" not in draft
        assert "localhost" in draft


def log_in(url: str, _: Call) -> list[Any]:
    """Asks for a token with a client's secret, and then with the token."""
    form = {"grant_type": "client_credentials", "client_secret": "s3cr3t-of-mine"}
    token = requests.post(f"{url}/token?api_key=my-api-key-1", data=form, timeout=60).json()["access_token"]
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    return [session.get(f"{url}/me?access_token={token}", timeout=60).json(), session.cookies.get("sid")]


def logged_in(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
    if path.startswith("/token"):
        return as_json({"expires_in": 3600, "access_token": "T0KEN-of-today-1", "also": "T0KEN-of-today-1!"})
    return as_json({"me": "it", "seen": "Bearer T0KEN-of-today-1"}, **{"Set-Cookie": "sid=cook1e-of-today; Path=/; HttpOnly"})


def test_credentials_are_taken_out(tmp_path: Path) -> None:
    """What a provider asks with, and what its cloud gives it to ask with, is nowhere, though nobody declared it."""
    path = tmp_path / "it.json"
    text = heard(path, log_in, logged_in)
    assert [word for word in ("s3cr3t", "my-api-key", "T0KEN", "cook1e", "Bearer T", "Authorization") if word in text] == []
    assert sorted(exchanges(path)) == [
        "create logs: GET http://localhost/me 200",
        "create logs: POST http://localhost/token 200",
    ]
    answer, cookie = replayed(path, log_in)
    assert answer == {"me": "it", "seen": "Bearer mockprovider-secret-1"}
    assert cookie.startswith("mockprovider-secret-")


SIGNED = {
    "X-Amz-Security-Token": "FQoGZXIvYXdzEBYaDE-session",
    "X-Amz-Date": "20260101T000000Z",
    "X-Amz-Content-Sha256": "0123456789abcdef",
    "Authorization": "AWS4-HMAC-SHA256 Credential=AKIA/2026/eu/s3/aws4_request, SignedHeaders=host, Signature=0a1b2c",
    "Cookie": "a-cookie=its-value-of-today",
    "X-My-Own-Token": "a-token-of-my-own",
    "Signature": "sig1=:abcdef:",
}


def test_signatures_do_not_count(tmp_path: Path) -> None:
    """Signatures, dates and credentials, in headers and in signed URLs, are neither kept nor compared."""
    path, query = (
        tmp_path / "it.json",
        "X-Amz-Signature=0a1b2c3d&X-Amz-Credential=AKIA%2F2026&X-Amz-Date=2026&b=2&a=1&sig=x%2By",
    )

    def does(url: str, _: Call) -> int:
        return requests.get(f"{url}/it?{query}", headers=headers, timeout=60).status_code

    headers = SIGNED
    text = heard(path, does, lambda *_: as_json({}))
    values = [word for value in SIGNED.values() for word in (value, value.rpartition("=")[2]) if len(word) > 4]
    assert [value for value in (*values, "0a1b2c", "AKIA", "sig=") if value in text] == []
    assert exchanges(path) == ["create logs: GET http://localhost/it?a=1&b=2 200"]
    headers, query = {}, "a=1&X-Amz-Signature=other&b=2"
    assert replayed(path, does) == 200


def test_what_looks_signed_counts(tmp_path: Path) -> None:
    """A parameter that belongs to signatures counts where nothing is signed."""
    path, expires = tmp_path / "it.json", "60"

    def does(url: str, _: Call) -> int:
        return requests.post(f"{url}/links", params={"Expires": expires}, data={"sp": "r", "b": "1"}, timeout=60).status_code

    heard(path, does, lambda *_: as_json({}))
    expires = "90"
    with pytest.raises(HttpMissError, match=r'query\.Expires: recorded "60", now "90"'):
        replayed(path, does)


def test_a_target_counts(tmp_path: Path) -> None:
    """A header that says what is asked for counts: one address may stand for many operations."""
    path, target = tmp_path / "it.json", "DynamoDB_20120810.DescribeTable"

    def does(url: str, _: Call) -> int:
        return requests.post(url, json={"TableName": "t"}, headers={"X-Amz-Target": target}, timeout=60).status_code

    heard(path, does, lambda *_: as_json({}))
    assert replayed(path, does) == 200
    target = "DynamoDB_20120810.DeleteTable"
    with pytest.raises(HttpMissError, match=r'headers\.x-amz-target: recorded "DynamoDB_20120810.DescribeTable", now'):
        replayed(path, does)


@pytest.mark.parametrize("body", [{"password": "abc", "n": 1}, {"a": [{"password": "a longer one"}]}, {"deep": {"pin": 1234}}])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_declared_names_count_in_json(tmp_path: Path, body: dict[str, Any], separators: tuple[str, str]) -> None:
    """What stands under a declared name in JSON is secret, however short it is and however the JSON is written."""
    path = tmp_path / "it.json"

    def does(url: str, _: Call) -> Any:
        return sorted(requests.post(url, json=body, timeout=60).json())

    answer = 200, {"Content-Type": "application/json"}, json.dumps(body, separators=separators).encode()
    with listening(lambda *_: answer) as url:
        wiring = recording(path, Once(lambda call: does(url, call)), http=True, secrets=["password", "pin"])
        with Double(provider=wiring) as double:
            create(double)
    text = path.read_text()
    assert [value for value in ("abc", "a longer one", "1234") if f'"{value}"' in text or f": {value}" in text] == []
    assert replayed(path, does) == sorted(body)


def test_xml_credentials(tmp_path: Path) -> None:
    """The keys that AWS gives out in XML are secrets."""
    keys = b"<SecretAccessKey>wJalrXUtnFEMI</SecretAccessKey><SessionToken>tok-en-1</SessionToken>"
    keys += b"<Password>changeme</Password>"
    xml = b"<r><AccessKeyId>ASIAX</AccessKeyId>" + keys + b"</r>"
    path = tmp_path / "it.json"

    def does(url: str, _: Call) -> int:
        return len(requests.get(url, timeout=60).text.split("<"))

    text = heard(path, does, lambda *_: (200, {"Content-Type": "text/xml"}, xml))
    assert "wJalr" not in text
    assert "tok-en" not in text
    assert "changeme" not in text
    assert replayed(path, does) == 11


def test_a_secret_that_the_provider_makes_up(tmp_path: Path) -> None:
    """What the provider's code makes up, sends to its cloud and answers as a secret may be another one in each run."""
    path, drawn = tmp_path / "it.json", iter(["first-draw", "second-draw"])

    def does(url: str, _: Call) -> Secret:
        password = next(drawn)
        requests.post(url, json={"password": password}, timeout=60)
        return Secret(password)

    assert "first-draw" not in heard(path, does, lambda *_: as_json({}))
    assert replayed(path, does) == Secret("second-draw")


def test_a_secret_that_is_declared_late(tmp_path: Path) -> None:
    """A secret that a later call declares is taken out of the HTTP of earlier ones."""
    path = tmp_path / "it.json"
    provider = Once(lambda _: requests.get(url, timeout=60).status_code)
    with listening(lambda *_: as_json({"key": "abcdef-123456"})) as url, ExitStack() as ending:
        double = ending.enter_context(Double(provider=recording(path, provider, http=True, secrets=["pin"])))
        create(double, "first")
        create(double, "second", pin="abcdef-123456")
    assert "abcdef" not in path.read_text()


BODIES = {
    "bytes": (200, {"Content-Type": "application/octet-stream"}, bytes(range(256))),
    "gzip": (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, gzip.compress(b"hello")),
    "latin": (200, {"Content-Type": "text/plain; charset=latin-1"}, "ä".encode("latin-1")),
    "json": (200, {"Content-Type": "application/json"}, '{"a":[1,2.5,"ü",null,true],"b":{}}'.encode()),
    "wide json": (200, {"Content-Type": "application/json"}, b'{"a": 1.10,\n "b": 12345678901234567890}'),
    "spaced json": (200, {"Content-Type": "application/json"}, b'{"a": 1.10,\n "b": [2 ]}'),
    "json twice": (200, {"Content-Type": "application/json"}, b'{"a":1,"a":2}'),
    "summed json": (200, {"Content-Type": "application/json", "X-Amz-Crc32": "1"}, b'{"b":1,"a":2}'),
    "our words": (200, {"Content-Type": "application/json"}, b'{"$secret":1,"$text":["x"],"$literal":{}}'),
    "null": (200, {"Content-Type": "application/json"}, b"null"),
    "half a character": (200, {"Content-Type": "application/json"}, b'{"a":"\\ud800"}'),
    "deep": (200, {"Content-Type": "application/json"}, b"[" * 150 + b"]" * 150),
    "empty": (204, {}, b""),
    "a phrase": (299, {"X-Two": "1"}, b"x"),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    """A response has the same status, headers and bytes on replay, whatever its body is."""
    path = tmp_path / "it.json"

    def does(url: str, _: Call) -> list[Any]:
        answer = requests.get(url, timeout=60)
        return [answer.status_code, answer.content.hex(), answer.headers.get("X-Two"), answer.headers.get("Content-Type")]

    heard(path, does, lambda *_: BODIES[name])
    status, headers, data = BODIES[name]
    data = gzip.decompress(data) if name == "gzip" else data
    assert replayed(path, does) == [status, data.hex(), headers.get("X-Two"), headers.get("Content-Type")]


def test_two_uploads_are_equal(tmp_path: Path) -> None:
    """What a client draws by lot to part a form is in no cassette, nor compared."""
    paths, ask = [tmp_path / name for name in ("one.json", "two.json")], WAYS["multipart"]
    texts = [heard(path, lambda url, _: ask(url, "content").status_code, lambda *_: as_json({})) for path in paths]
    assert texts[0] == texts[1]
    assert "content" in texts[0]


def test_a_plain_word_is_not_hunted(tmp_path: Path) -> None:
    """A password that is a plain word goes with its header, and the word stays readable where it means something else."""
    path = tmp_path / "it.json"

    def does(url: str, _: Call) -> int:
        session = requests.Session()
        session.auth = ("admin", "changeme")
        session.cookies.set("theme", "enabled")
        return session.post(url, json={"state": "enabled"}, timeout=60).status_code

    text = heard(path, does, lambda *_: (200, {"Set-Cookie": "mode=enabled", "X-Why": "changeme"}, b""), note="changeme")
    assert '"state": "enabled"' in text
    assert '"note": "changeme"' in text
    assert [word for word in ("$secret", "Authorization", "YWRtaW4", "Cookie") if word in text] == []
    assert replayed(path, does, note="changeme") == 200


def test_a_secret_in_a_phrase() -> None:
    """The phrase of a status that holds a secret is left out."""
    redactor = Redactor(["pin"])
    redactor.learn([{"pin": "abcdef-1"}], redactor.names(""))
    for reason, kept in (("No abcdef-1", ""), ("No way", "No way")):
        answer = HttpResponse(299, reason)
        assert HttpWriter(redactor).write(HttpRequest("GET", "http://a/"), answer, redactor.names("")).reason == kept


def test_a_short_cookie(tmp_path: Path) -> None:
    """A cookie that is too short to be searched for is left out as a whole."""
    path, cookie = tmp_path / "it.json", {"Set-Cookie": "s=q1w2"}
    text = heard(path, lambda url, _: requests.get(url, timeout=60).status_code, lambda *_: (200, cookie, b""))
    assert "q1w2" not in text
    assert "Cookie" not in text


def test_a_checksum_goes_with_the_bytes(tmp_path: Path) -> None:
    """Where a secret was taken out of a body, a checksum of that body would be wrong, and is not given again."""
    path = tmp_path / "it.json"

    def does(url: str, _: Call) -> list[Any]:
        answer = requests.get(url, timeout=60)
        return [answer.headers["X-Two"], answer.text == '{"a":"abcdef"}' or "X-Amz-Crc32" not in answer.headers]

    kept = as_json({"a": "abcdef"}, **{"X-Amz-Crc32": "1", "X-Two": "2"})
    for secrets, expected in (((), True), (("a",), False)):
        heard(path, does, lambda *_: kept, secrets=secrets)
        assert ("X-Amz-Crc32" in path.read_text()) == expected
        assert replayed(path, does) == ["2", True]


def test_head(tmp_path: Path) -> None:
    """The length that HEAD tells is kept, since it has no body to count."""
    path = tmp_path / "it.json"

    def does(url: str, _: Call) -> str:
        return requests.head(url, timeout=60).headers["Content-Length"]

    heard(path, does, lambda *_: (200, {}, b"x" * 4321))
    assert replayed(path, does) == "4321"
