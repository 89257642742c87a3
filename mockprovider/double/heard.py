"""Providers whose HTTP is recorded, and answered from a cassette: they are Python code in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Reply
from mockprovider.double.behind import Wiring
from mockprovider.errors import DefinitionError

if TYPE_CHECKING:
    from mockprovider.web import Ears

WHERE = (
    "http=True is about a provider that is Python code in this process: give it as the provider, recording(path, handler, "
    "http=True), or in a marked test with provider.use(provider=handler)."
)


class HeardProvider:
    """A provider that is Python code in this process, and the ears that hear it: they are closed with its double."""

    def __init__(self, provider: Handler, heard_by: Ears) -> None:
        self._provider = provider
        self._ears = heard_by

    def __call__(self, call: Call) -> Reply:
        """The provider's own answer."""
        return self._provider(call)

    def close(self) -> None:
        """Hear nothing any more, and close the provider, if it can be closed."""
        self._ears.close()
        close = getattr(self._provider, "close", None)
        if close is not None:
            close()


def ears() -> Ears:
    """What has HTTP clients ask. Raises ``DefinitionError`` without the extra ``mockprovider[http]``."""
    from mockprovider import web  # noqa: PLC0415 - only where HTTP is heard

    web.ready()
    return web.Ears()


def in_process(behind: Wiring | Handler | None, name: str, heard_by: Ears) -> Wiring:
    """The provider whose code is to be heard. Raises ``DefinitionError`` for one that is a process."""
    from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - grpc is slow to import

    wiring = behind if isinstance(behind, Wiring) else Wiring(name or "mock", behind)
    if isinstance(wiring.provider, PerSession):
        raise DefinitionError(
            f"The provider {wiring.name!r} is a process, so its HTTP cannot be heard. Record its calls without http. {WHERE}"
        )
    return replace(wiring, provider=HeardProvider(wiring.provider or nobody, heard_by))


def nobody(call: Call) -> NoReturn:
    """Raise ``DefinitionError``: the code that was to be heard is missing."""
    raise DefinitionError(f"Nothing can answer {call}. {WHERE}")
