"""Which recorded exchange answers a request, and why none does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import quote

from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.cassette.http.addresses import as_tree
from mockprovider.cassette.http.bodies import to_bytes
from mockprovider.cassette.http.messages import HttpRequest, HttpResponse
from mockprovider.cassette.http.writing import asked_of, compared, given
from mockprovider.cassette.misses import shown
from mockprovider.cassette.model import HttpExchange
from mockprovider.matching import nearest
from mockprovider.redaction import TEXT, Redactor, fill

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that only look. A recorded request that is not made any more matters where it changed something."""
SECRET = "(secret)"  # noqa: S105 - it stands for one


class HttpMatching:
    """Compares requests with recorded ones, and learns from them which live value stands for which recorded secret.

    Args:
        bindings: what the replay has learnt so far.
        redactor: keeps secrets out of messages.
        turn: held while the replay's own state is read or changed; whoever has it may take it again.
    """

    def __init__(self, bindings: Bindings, redactor: Redactor, turn: AbstractContextManager[Any]) -> None:
        self._bindings = bindings
        self._redactor = redactor
        self._turn = turn

    def take(self, request: HttpRequest, left: Sequence[HttpExchange]) -> HttpExchange | None:
        """The first exchange that was recorded of an equal request; ``None`` if there is none."""
        live = compared(asked_of(request))
        with self._turn:
            for exchange in left:
                pairs = self._pairs(exchange, live)
                if pairs is not None:
                    self._bindings.bind(pairs)
                    return exchange
        return None

    def _pairs(self, exchange: HttpExchange, live: dict[str, Any]) -> list[Pair] | None:
        """What stands for the secrets of a recorded request; ``None`` where the two differ."""
        recorded, body = compared(exchange.asked), live["body"]
        # JSON with a secret in one of its keys was kept as text.
        if isinstance(body, (dict, list)) and (isinstance(recorded["body"], str) or _is_text(recorded["body"])):
            live = {**live, "body": to_bytes(body).decode()}
        pairs = self._bindings.pairs(recorded, live)
        return pairs if pairs is not None and self._bindings.fit(pairs) else None

    def given(self, exchange: HttpExchange) -> HttpResponse:
        """The response of an exchange, with what this replay gives out for each secret."""
        with self._turn:
            return given(exchange.rewritten(self._bindings.filled))

    def named(self, request: HttpRequest) -> str:
        """What messages call a request."""
        asked = asked_of(request)
        return self._hidden(f"{asked['method']} {asked['url']}")

    def missed(
        self, request: HttpRequest, exchanges: Sequence[HttpExchange], left: Sequence[HttpExchange], about: str
    ) -> Iterator[str]:
        """Why a request gets no answer, a line each: what was asked, and what was nearest."""
        live = compared(asked_of(request))
        with self._turn:
            equal = [exchange for exchange in exchanges if self._pairs(exchange, live) is not None]
        yield f"The provider asks {self.named(request)} during {about}, and the cassette has no answer."
        if not exchanges:
            yield "No HTTP was recorded of this call."
        elif equal:
            yield f"That was recorded {len(equal)} time{'s' * (len(equal) > 1)}, and is asked once more."
        else:
            yield from self._nearest(live, left or exchanges)

    def _nearest(self, live: dict[str, Any], exchanges: Sequence[HttpExchange]) -> Iterator[str]:
        trees = [self._readable(exchange) for exchange in exchanges]
        for asked, places in nearest(trees, _parts, _parts(live), 1):
            yield f"Nearest is {self._hidden(self.line(asked))}. It differs:"
            yield from map(self._hidden, shown(places))

    def listed(self, exchanges: Sequence[HttpExchange]) -> Iterator[str]:
        """Recorded requests, a line each."""
        for exchange in exchanges:
            yield f"  {self._hidden(self.line(self._readable(exchange)))}"

    def _hidden(self, text: str) -> str:
        """A text of a message without secrets."""
        return self._redactor.mask(text, SECRET).replace(quote(SECRET), SECRET)

    @staticmethod
    def line(asked: Mapping[str, Any]) -> str:
        """A request in a line."""
        return f"{asked['method']} {asked['url']}"

    def _readable(self, exchange: HttpExchange) -> dict[str, Any]:
        """What was asked, with a word in place of the secrets that nobody knows."""
        with self._turn:
            return {
                name: fill(tree, lambda number, kind: self._bindings.known(number, kind, SECRET))
                for name, tree in compared(exchange.asked).items()
            }


def _is_text(tree: Any) -> bool:
    return isinstance(tree, dict) and TEXT in tree


def _parts(asked: dict[str, Any]) -> dict[str, Any]:
    """A request with its address in parts, and without what it does not have."""
    parts = {"method": asked["method"], **as_tree(asked["url"]), "headers": asked["headers"], "body": asked["body"]}
    return {name: part for name, part in parts.items() if part not in (None, {})}
