"""The credentials in what a provider and its cloud say to each other: they are secrets, wherever else they turn up."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie
from urllib.parse import unquote, urlsplit

from mockprovider.cassette.http.addresses import credentials_of
from mockprovider.cassette.http.headers import GIVEN, is_credential
from mockprovider.cassette.http.messages import Headers, HttpRequest, HttpResponse, header
from mockprovider.redaction import SHORTEST

NAMES = frozenset({
    *("access_token", "refresh_token", "id_token", "accessToken", "refreshToken", "client_secret", "clientSecret"),
    *("client_assertion", "password", "secret_access_key", "secretAccessKey", "SecretAccessKey", "session_token"),
    *("sessionToken", "SessionToken", "private_key", "api_key", "apiKey"),
})  # fmt: skip
"""The names that credentials have in bodies: what stands under one in JSON is secret, as what is declared is."""
ELEMENT = re.compile(r"<(SecretAccessKey|SessionToken|Password|MasterUserPassword)>([^<]+)</\1>")
"""Credentials in XML."""
SCHEMES = re.compile(r"(?i)^(bearer|token|basic|apikey|sso-key|splunk|genie\w*)\s+(\S+)$")
SIGNED = re.compile(r"(?i)^(aws4-|aws |goog4-|sharedkey|digest |signature |oauth )")
"""Signatures: they are computed from a secret, and worthless later."""
PLAIN = re.compile("[A-Za-z]?[a-z_ -]+|[A-Z_ -]+")
FORM = "application/x-www-form-urlencoded"


def is_searched(text: str) -> bool:
    """Whether a credential is looked for elsewhere: a plain word (``admin``, ``changeme``) would be met by chance."""
    return len(text) >= SHORTEST and PLAIN.fullmatch(text) is None


def of_request(request: HttpRequest) -> Iterator[str]:
    """What a request has that somebody could ask with, and that is searched for."""
    yield from filter(is_searched, _asking(request))


def _asking(request: HttpRequest) -> Iterator[str]:
    parts = urlsplit(request.url)
    yield from (unquote(text) for text in (parts.password or "",) if text)
    yield from credentials_of(parts.query)
    if header(request.headers, "content-type").lower().startswith(FORM):
        yield from credentials_of(request.body.decode(errors="replace"))
    for name, value in request.headers:
        if name.lower() == "cookie":
            yield from _cookies(value)
        elif is_credential(name.lower()):
            yield from _of_header(value)


def of_response(response: HttpResponse, body: bytes) -> Iterator[str]:
    """What a response gives that somebody could ask with, and that is searched for. ``body`` is the unpacked one."""
    yield from filter(is_searched, given(response.headers))
    if b"<" in body:
        # Here it can only be searched for, whatever it looks like.
        yield from (text for _, text in ELEMENT.findall(body.decode(errors="replace")) if len(text) >= SHORTEST)


def given(headers: Headers) -> Iterator[str]:
    """The credentials that the headers of a response give."""
    for name, value in headers:
        if name.lower() == "set-cookie":
            yield from _cookies(value)
        elif name.lower() in GIVEN:
            yield value


def _of_header(value: str) -> Iterator[str]:
    if SIGNED.match(value):
        return
    scheme = SCHEMES.match(value)
    yield scheme[2] if scheme else value
    if scheme and scheme[1].lower() == "basic":
        yield from _password(scheme[2])


def _password(text: str) -> Iterator[str]:
    try:
        _, _, password = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return
    yield password


def _cookies(value: str) -> Iterator[str]:
    try:
        yield from (morsel.coded_value for morsel in SimpleCookie(value).values())
    except CookieError:
        yield value
