"""One real provider an engine connection: a shared one would confuse configurations, the last Configure winning."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from mockprovider.calls import Call, Reply, Session
from mockprovider.errors import PluginError

if TYPE_CHECKING:
    from mockprovider.wire.adapter import RunningProvider


class PerSession:
    """A handler that starts a provider at the first call of each session, and ends them all when closed.

    ``start`` is given that first call: Pulumi's names the engine's address, which a plugin's command line needs.
    """

    def __init__(self, start: Callable[[Call], RunningProvider]) -> None:
        self._start = start
        self._providers: dict[int, RunningProvider] = {}
        self._starting: dict[int, threading.Lock] = {}
        self._closed = False
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> Reply:
        """Hand the call to its session's provider. Raises what ``start`` raises, and ``PluginError`` once it was closed."""
        return self._provider(call)(call)

    def _provider(self, call: Call) -> RunningProvider:
        number = call.session.number
        provider = self._providers.get(number)
        if provider is not None:
            return provider
        with self._lock:
            if self._closed:
                raise _gone(call)
            starting = self._starting.setdefault(number, threading.Lock())
        # Starting is slow, so only calls of the same session wait for it.
        with starting:
            provider = self._providers.get(number)
            if provider is None:
                provider = self._start(call)
                self._keep(call, provider)
        return provider

    def _keep(self, call: Call, provider: RunningProvider) -> None:
        with self._lock:
            if not self._closed:
                self._providers[call.session.number] = provider
                return
        # The proxy was closed during the start, so nobody else would end this provider.
        provider.close()
        raise _gone(call)

    def end(self, session: Session) -> None:
        """End the provider of this session, if it has one: the session is over."""
        with self._lock:
            provider = self._providers.pop(session.number, None)
        if provider is not None:
            provider.close()

    def close(self) -> None:
        """End every provider, for good. Safe to call again."""
        with self._lock:
            self._closed = True
            providers, self._providers = list(self._providers.values()), {}
        for provider in providers:
            provider.close()


def _gone(call: Call) -> PluginError:
    return PluginError(f"{call}: the providers behind this were closed, and the call came after it. Make a new double.")
