"""HTTP clients, patched by vcrpy for as long as a double is open whose provider is heard.

vcrpy gives each client a cassette to ask; here that is one for the whole process, which hands a request to the talk of the call
that caused it. What no call has caused goes where it would have gone without us: to the cassette that somebody else has put in
front of the client before (pytest-recording, pytest-vcr), else to the network.

While it records, vcrpy puts the real clients back for moments, in the whole process. Another thread that opens a connection in
such a moment would be neither recorded nor replayed, and two such moments that overlap would leave the real clients there. So
that is switched off (``_unreset``), and the few constructors that rely on it find their own class another way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from http import client
from importlib import import_module
from types import FunctionType, SimpleNamespace
from typing import Any
from unittest import mock
from urllib.parse import urlencode

from mockprovider.cassette.http.messages import Headers, HttpRequest, HttpResponse
from mockprovider.cassette.http.talks import Talk
from mockprovider.errors import DefinitionError, extra_hint
from mockprovider.web.threads import CURRENT, carried

BEGAN = "mockprovider_began"
"""Where a request of vcrpy's notes when it was first asked for."""


def ready() -> None:
    """Raise ``DefinitionError`` where vcrpy is not installed."""
    try:
        import_module("vcr.patch")
    except ModuleNotFoundError as error:
        if hint := extra_hint(error):
            raise DefinitionError(f"http=True records what a provider asks over HTTP. {hint}") from error
        raise


class ClientCassette:
    """What vcrpy's clients take for their cassette: the talk of the current call.

    Args:
        talks: those of all calls that are being answered.
        before: the cassette that somebody else has given the clients.
    """

    _path = "mockprovider"
    custom_patches = ()
    skip_patchers = ()
    write_protected = False
    record_mode = "all"

    def __init__(self, talks: Callable[[], Sequence[Talk]], before: Any) -> None:
        self._talks = talks
        self._before = before

    def can_play_response_for(self, request: Any) -> bool:
        """Whether the request has an answer that needs no network: it is asked before a connection is opened."""
        talk = CURRENT.get()
        if talk is not None:
            # A client may ask this twice of one request, so the answer is only taken in ``play_response``.
            vars(request).setdefault(BEGAN, talk.begins())
            return talk.plays
        if self._before is None:
            return False
        if self._before.can_play_response_for(request):
            return True
        if self._before.write_protected and self._before.filter_request(request):
            raise import_module("vcr.errors").CannotOverwriteExistingCassetteException(
                cassette=self._before, failed_request=request
            )
        return False

    def play_response(self, request: Any) -> Any:
        """The answer, in vcrpy's words."""
        talk = CURRENT.get()
        if talk is None:
            return self._before.play_response(request)
        return _as_vcr(talk.answer(_request(request)))

    def filter_request(self, request: Any) -> Any:
        """The request: all are recorded."""
        return request

    def find_requests_with_most_matches(self, request: Any) -> list[Any]:
        """The request itself, which a client that follows a redirect then asks for."""
        return [(request, [], [])]

    def append(self, request: Any, response: Any) -> None:
        """The network has answered."""
        talk = CURRENT.get()
        if talk is not None:
            talk.keep(_request(request), _response(response), vars(request).get(BEGAN) or talk.begins())
            return
        for other in self._talks():
            other.stray(_request(request))
        if self._before is not None:
            self._before.append(request, response)


def _request(request: Any) -> HttpRequest:
    headers = tuple((str(name), _text(value)) for name, value in request.headers.items())
    return HttpRequest(request.method, request.uri, headers, _body(request.body))


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _body(body: Any) -> bytes:
    """The bytes of whatever a client takes for a body."""
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    if isinstance(body, Mapping):
        return urlencode(body, doseq=True).encode()
    if hasattr(body, "read"):
        return _body(body.read())
    if isinstance(body, Iterable) and not isinstance(body, str):
        return b"".join(map(_body, body))
    return b"" if body is None else str(body).encode()


def _response(response: Mapping[str, Any]) -> HttpResponse:
    headers: Headers = tuple(
        (str(name), _text(value)) for name, values in response["headers"].items() for value in _listed(values)
    )
    status = response["status"]
    return HttpResponse(status["code"], status["message"] or "", headers, _body(response["body"].get("string")))


def _listed(values: Any) -> Any:
    return values if isinstance(values, (list, tuple)) else [values]


def _as_vcr(response: HttpResponse) -> dict[str, Any]:
    headers: dict[str, list[str]] = {}
    for name, value in response.headers:
        headers.setdefault(name, []).append(value)
    status = {"code": response.status, "message": response.reason}
    return {"status": status, "headers": headers, "body": {"string": response.body}}


# The patches of the process -------------------------------------------------------------------------------------------------


class Clients:
    """The clients of this process: patched from the first call of a provider on until its double is closed."""

    def __init__(self) -> None:
        self._talks: list[Talk] = []
        self._ears: list[Ears] = []
        self._lasting = ExitStack()
        self._passing = ExitStack()
        """The patches in front of those that somebody has made in the meantime; they last as long as the calls in flight."""
        self._lock = threading.Lock()

    @contextmanager
    def hearing(self, talk: Talk, ears: Ears) -> Iterator[None]:
        """While the block runs, clients ask ``talk`` in this context, and in threads and tasks that are started in it."""
        with self._lock:
            if not self._ears:
                self._lasting = self._patched()
            elif not isinstance(_cassette(), ClientCassette):
                self._passing = self._patched()
            if ears not in self._ears:
                self._ears.append(ears)
            self._talks.append(talk)
        token = CURRENT.set(talk)
        try:
            yield
        finally:
            CURRENT.reset(token)
            with self._lock:
                self._talks = [other for other in self._talks if other is not talk]
                if not self._talks:
                    self._passing.close()

    def leave(self, ears: Ears) -> None:
        """A double is closed: with the last one, the clients are as they were."""
        with self._lock:
            if ears in self._ears:
                self._ears.remove(ears)
                if not self._ears:
                    self._lasting.close()

    def _patched(self) -> ExitStack:
        vcr = import_module("vcr.patch")
        with ExitStack() as patches:
            cassette = ClientCassette(lambda: self._talks, _cassette())
            patches.enter_context(_unreset(vcr))
            patches.enter_context(carried())
            for patcher in vcr.CassettePatcherBuilder(cassette).build():
                patches.enter_context(patcher)
            return patches.pop_all()


def _cassette() -> Any:
    """The cassette that the clients ask by now; ``None`` if there is none."""
    return getattr(client.HTTPConnection, "cassette", None)


CLIENTS = Clients()
"""Those of this process."""


class Ears:
    """Has the clients of this process ask a talk (``Hearing``). Close it with its double."""

    def __call__(self, talk: Talk) -> AbstractContextManager[None]:
        """While the block runs, clients ask ``talk`` in this context, and in threads and tasks that are started in it."""
        return CLIENTS.hearing(talk, self)

    def close(self) -> None:
        """Nobody is heard any more. Safe to call again."""
        CLIENTS.leave(self)


@contextmanager
def _unreset(vcr: Any) -> Iterator[None]:
    """While the block runs, vcrpy leaves its patches where they are when it opens a real connection."""
    stubs = import_module("vcr.stubs")
    known = [stubs.VCRHTTPSConnection._baseclass]  # noqa: SLF001 - the class that it stands for
    with suppress(ImportError):
        others = import_module("vcr.stubs.httplib2_stubs")
        known += [others.VCRHTTPConnectionWithTimeout._baseclass, others.VCRHTTPSConnectionWithTimeout._baseclass]  # noqa: SLF001
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(vcr, "force_reset", nullcontext))
        for cls in known:
            patches.enter_context(mock.patch.object(cls, "__init__", _as_it_is(cls, stubs)))
        yield


def _as_it_is(cls: Any, stubs: Any) -> FunctionType:
    """The constructor of a class that names the class, or the one that it is made of, by a name that is patched."""
    written = cls.__init__
    plain = {"HTTPConnection": stubs.VCRHTTPConnection._baseclass, "HTTPSConnection": stubs.VCRHTTPSConnection._baseclass}  # noqa: SLF001
    http = SimpleNamespace(client=SimpleNamespace(**{**vars(client), **plain}))
    names = {**written.__globals__, cls.__name__: cls, **({"http": http} if "http" in written.__globals__ else {})}
    same = FunctionType(written.__code__, names, written.__name__, written.__defaults__, written.__closure__)
    same.__kwdefaults__ = written.__kwdefaults__
    return same
