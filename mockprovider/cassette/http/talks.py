"""What stands between a provider's HTTP clients and the network while it answers a call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mockprovider.cassette.http.messages import HttpRequest, HttpResponse
from mockprovider.cassette.http.writing import Heard, in_order
from mockprovider.cassette.model import HttpExchange
from mockprovider.errors import HttpMissError, MockProviderError, UnsupportedError

if TYPE_CHECKING:
    from mockprovider.cassette.http.matching import HttpMatching


class Talk(Protocol):
    """The HTTP of one call. Any thread may ask it."""

    plays: bool
    """Whether requests are answered here, and not by the network."""

    def answer(self, request: HttpRequest) -> HttpResponse:
        """What a request is answered with, where the talk plays. Raises ``HttpMissError`` for a refused one."""

    def begins(self) -> int:
        """The moment at which a request goes out: moments are counted."""

    def keep(self, request: HttpRequest, response: HttpResponse, began: int) -> None:
        """The network has answered a request."""

    def stray(self, request: HttpRequest) -> None:
        """Meanwhile, a request was made that no call has caused."""


Hearing: TypeAlias = Callable[[Talk], AbstractContextManager[None]]
"""While the block runs, HTTP clients ask the talk, in this thread and in the threads and tasks that are started there."""


class RecordedTalk:
    """Everything goes out to the network, and is kept."""

    plays = False

    def __init__(self) -> None:
        self.strays: list[HttpRequest] = []
        """Requests that were made meanwhile, and by no call."""
        self.late: list[HttpRequest] = []
        """Requests that were made, or answered, after the call had been."""
        self._heard: list[Heard] = []
        self._moments = count(1)
        self._lock = threading.Lock()
        self._over = False

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Raise ``UnsupportedError``: the network answers."""
        raise UnsupportedError(f"{request.method} {request.url} is recorded, and not answered from a cassette.")

    def begins(self) -> int:
        """The next moment."""
        with self._lock:
            return next(self._moments)

    def keep(self, request: HttpRequest, response: HttpResponse, began: int) -> None:
        """Keep the exchange."""
        with self._lock:
            if self._over:
                self.late.append(request)
            else:
                self._heard.append(Heard(request, response, began, next(self._moments)))

    def stray(self, request: HttpRequest) -> None:
        """Note it, for the report of the recording."""
        with self._lock:
            self.strays.append(request)

    def close(self) -> Sequence[Heard]:
        """The call is answered: all exchanges until now."""
        with self._lock:
            self._over = True
            heard, self._heard = self._heard, []
        return in_order(heard)


class PlayedTalk:
    """Everything is answered from what was recorded of one call, and nothing goes out.

    Args:
        exchanges: what was recorded.
        matching: compares, given what is known of secrets.
        about: what messages call the call.
        again: how it is recorded again.
    """

    plays = True

    def __init__(self, exchanges: Sequence[HttpExchange], matching: HttpMatching, about: str, again: str) -> None:
        self.error: MockProviderError | None = None
        """The first refusal: the call fails with it, whatever the provider made of it."""
        self._exchanges = list(exchanges)
        self._left = list(exchanges)
        self._matching = matching
        self.about = about
        self._again = again
        self._lock = threading.Lock()
        self._over = False

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The response of the first recorded exchange with an equal request that has not answered yet."""
        with self._lock:
            try:
                return self._answered(request)
            except MockProviderError as error:
                self.error = self.error or error
                raise

    def _answered(self, request: HttpRequest) -> HttpResponse:
        if self._over:
            raise HttpMissError(
                f"The provider asks {self._matching.named(request)} after {self.about} has been answered. End what a call "
                f"starts before its answer. {self._again}"
            )
        taken = self._matching.take(request, self._left)
        if taken is None:
            missed = self._matching.missed(request, self._exchanges, self._left, self.about)
            raise HttpMissError("\n".join([*missed, f"Have the provider ask what was recorded. {self._again}"]))
        self._left = [exchange for exchange in self._left if exchange is not taken]
        return self._matching.given(taken)

    def begins(self) -> int:
        """Nothing goes out, so there is one moment."""
        return 0

    def keep(self, request: HttpRequest, response: HttpResponse, began: int) -> None:
        """Do nothing: nothing went out."""

    def stray(self, request: HttpRequest) -> None:
        """Do nothing: it is not the provider's."""

    def close(self) -> Sequence[HttpExchange]:
        """The call is answered: what was recorded and not asked for."""
        with self._lock:
            self._over = True
            return list(self._left)
