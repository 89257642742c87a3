"""An exchange as a cassette keeps it: normal, and without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.cassette.http import bodies, credentials
from mockprovider.cassette.http.addresses import address
from mockprovider.cassette.http.headers import FLEETING, GIVEN, is_checksum, is_credential, is_transport, selects
from mockprovider.cassette.http.messages import Headers, HttpRequest, HttpResponse
from mockprovider.cassette.model import HttpExchange
from mockprovider.redaction import Policy, Redactor, encode, is_plain

PHRASES = {int(status): status.phrase for status in HTTPStatus}
"""HTTP's own words for its statuses."""


class Heard(Struct, frozen=True):
    """An exchange as it was heard: when it began and ended, among those of its call, by number."""

    request: HttpRequest
    response: HttpResponse
    began: int
    ended: int


def in_order(heard: list[Heard]) -> list[Heard]:
    """Exchanges in an order that does not depend on threads: those that overlapped by what they asked, others as they came."""
    ordered: list[Heard] = []
    together: list[Heard] = []
    last = 0
    for one in sorted(heard, key=lambda one: one.began):
        if together and one.began > last:
            ordered += _by_content(together)
            together = []
        together.append(one)
        last = max(last, one.ended)
    return ordered + _by_content(together)


def _by_content(together: list[Heard]) -> list[Heard]:
    return sorted(together, key=lambda one: (address(one.request.url), encode(asked_of(one.request)), one.began))


def written(request: HttpRequest, response: HttpResponse) -> HttpExchange:
    """The exchange with its secrets: a request as it is compared, and a response as it is given again."""
    body, was_packed = bodies.unpacked(response.body, response.headers)
    left_out = FLEETING - ({"content-length"} if request.method == "HEAD" else set())
    left_out |= {"content-encoding"} if was_packed else set()
    reason = response.reason if response.reason != PHRASES.get(response.status, "") else ""
    asked = asked_of(request)
    return HttpExchange(
        method=asked["method"],
        url=asked["url"],
        status=response.status,
        reason=reason,
        request_headers=asked["headers"],
        request=asked["body"],
        response_headers=_listed(tuple(_answered(response.headers, left_out))),
        response=bodies.of_response(body, response.headers),
    )


def asked_of(request: HttpRequest) -> dict[str, Any]:
    """A request in the words of ``HttpExchange.asked``, with its secrets."""
    return {
        "method": request.method.upper(),
        "url": address(request.url),
        "headers": _listed(tuple(_kept(request.headers))),
        "body": bodies.of_request(bodies.unpacked(request.body, request.headers)[0], request.headers),
    }


def compared(asked: dict[str, Any]) -> dict[str, Any]:
    """What counts of ``HttpExchange.asked``: of the headers those that say what is asked for."""
    headers = {name.lower(): value for name, value in asked["headers"].items() if selects(name.lower())}
    return {**asked, "headers": headers}


def _kept(headers: Headers) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        low = name.lower()
        if is_credential(low) or is_transport(low):
            continue
        # The text between the parts of a form is drawn by lot.
        yield name, bodies.BOUNDARY.sub("boundary=boundary", value) if low == "content-type" else value


def _answered(headers: Headers, left_out: set[str] | frozenset[str]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        # What is not searched for could only be left out.
        open_ = name.lower() in GIVEN and not all(map(credentials.is_searched, credentials.given(((name, value),))))
        if name.lower() not in left_out and not open_:
            yield name, value


def _listed(headers: Headers) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, value in headers:
        before = named.get(name)
        named[name] = value if name not in named else [*(before if isinstance(before, list) else [before]), value]
    return named


def given(exchange: HttpExchange) -> HttpResponse:
    """The response of an exchange whose secrets are back in."""
    body = bodies.to_bytes(exchange.response)
    headers = [
        (name, text)
        for name, value in exchange.response_headers.items()
        for text in (value if isinstance(value, list) else [value])
    ]
    if exchange.method != "HEAD" and exchange.status not in (204, 304):
        headers.append(("Content-Length", str(len(body))))
    reason = exchange.reason or PHRASES.get(exchange.status, "")
    return HttpResponse(exchange.status, reason, tuple(headers), body)


class HttpWriter:
    """Writes exchanges down without the secrets that ``redactor`` knows, and teaches it those that they show.

    Names of places count in JSON bodies as they do in a protocol's values.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._known = redactor
        # One with no marks: in a body, names count wherever they stand.
        self._redactor = Redactor((), redactor.vault)
        self._redactor.secret, self._redactor.public = redactor.secret, redactor.public

    @staticmethod
    def _names(names: Policy) -> Policy:
        return replace(names, secret=frozenset(name for name in names.secret if isinstance(name, str)) | credentials.NAMES)

    def learn(self, request: HttpRequest, response: HttpResponse, names: Policy) -> None:
        """Take over what is a secret in them, so that it is found everywhere else."""
        body, _ = bodies.unpacked(response.body, response.headers)
        for text in (*credentials.of_request(request), *credentials.of_response(response, body)):
            self._known.vault.number(text, "string")
        trees = filter(None, (bodies.data_of(body), bodies.data_of(request.body)))
        self._redactor.learn(trees, self._names(names))

    def write(self, request: HttpRequest, response: HttpResponse, names: Policy) -> HttpExchange:
        """The exchange as it is kept."""
        exchange = written(request, response)
        policy = self._names(names)
        hidden = exchange.rewritten(lambda tree: self._hidden(tree, policy))
        if self._hidden(exchange.reason, policy) != exchange.reason:
            hidden = replace(hidden, reason="")
        if not is_plain(encode(hidden.response)):
            kept = {name: value for name, value in hidden.response_headers.items() if not is_checksum(name.lower())}
            hidden = replace(hidden, response_headers=kept)
        return hidden

    def _hidden(self, tree: Any, policy: Policy) -> Any:
        # JSON that is kept as text has its declared places, too.
        data = bodies.data_of(tree.encode()) if isinstance(tree, str) else None
        if data is not None and (hidden := self._redactor.hide(data, policy)).tree != data and not hidden.broken:
            return hidden.tree
        hidden = self._redactor.hide(tree, policy)
        if hidden.broken and isinstance(tree, (dict, list)):
            # A secret in a key: in a text it can be replaced.
            hidden = self._redactor.hide(bodies.to_bytes(tree).decode(), policy)
        return hidden.tree
