"""Recording what providers ask their clouds, with the calls that caused it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cassette.http.addresses import address
from mockprovider.cassette.http.messages import HttpRequest
from mockprovider.cassette.http.talks import Hearing, RecordedTalk
from mockprovider.cassette.http.writing import Heard, HttpWriter
from mockprovider.cassette.model import HttpExchange
from mockprovider.redaction import Policy, Redactor


class Caused(Protocol):
    """A call, as far as its HTTP is concerned."""

    names: Policy
    http: Sequence[Heard]


class HttpRecording:
    """The HTTP of one recording.

    Args:
        hearing: has the clients ask a talk.
        redactor: the recording's own.
    """

    def __init__(self, hearing: Hearing, redactor: Redactor) -> None:
        self._hearing = hearing
        self._redactor = redactor
        self._writer = HttpWriter(redactor)
        self._talks: list[RecordedTalk] = []

    def heard(self, asked: Caused, proceed: Handler) -> Handler:
        """``proceed``, with what it asks over HTTP noted in ``asked``."""

        def handle(call: Call) -> Reply:
            talk = RecordedTalk()
            self._talks.append(talk)
            try:
                with self._hearing(talk):
                    return proceed(call)
            finally:
                asked.http = talk.close()

        return handle

    def learn(self, asked: Caused) -> None:
        """Take over the secrets in what a call caused, before anything of it is written down."""
        for one in asked.http:
            self._writer.learn(one.request, one.response, asked.names)

    def written(self, asked: Caused) -> list[HttpExchange]:
        """What a call caused, without its secrets."""
        return [self._writer.write(one.request, one.response, asked.names) for one in asked.http]

    @property
    def notices(self) -> list[str]:
        """What was asked and is not recorded, in plain sentences."""
        strays = [request for talk in self._talks for request in talk.strays]
        late = [request for talk in self._talks for request in talk.late]
        return [
            *self._noticed(strays, "by a thread that no call has started. Start it during the call, or ask in the call's own"),
            *self._noticed(late, "after their call had been answered. Wait for them before the answer"),
        ]

    def _noticed(self, requests: Sequence[HttpRequest], how: str) -> list[str]:
        if not requests:
            return []
        first = self._redactor.mask(f"{requests[0].method} {address(requests[0].url)}")
        return [f"{len(requests)} HTTP request{'s' * (len(requests) > 1)} ({first}) did not get recorded: asked {how}."]
