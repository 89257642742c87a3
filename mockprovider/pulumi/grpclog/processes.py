"""The processes of a provider, as far as a log tells them apart: each is a session of the recording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockprovider.calls import Call, Op, Session
from mockprovider.pulumi.grpclog.marked import ProgramSide, invoked
from mockprovider.urn import PROVIDERS

BOOTING = frozenset({Op.HANDSHAKE, Op.ATTACH, Op.GET_PLUGIN_INFO, Op.PARAMETERIZE})


class Processes:
    """The sessions of one package, in the order of the log.

    Attributes:
        guessed: how many calls went to the provider instance that was configured last, because nothing says to which.
        unconfigured: how many came before any Configure.
    """

    def __init__(self, package: str, registered: ProgramSide, numbers: Iterator[int]) -> None:
        self.guessed = 0
        self.unconfigured = 0
        self._package = package
        self._registered = registered
        self._numbers = numbers
        self._booting: list[tuple[Session, set[str]]] = []
        self._checked: dict[str, Session] = {}
        self._configured: dict[str, Session] = {}
        """The latest session of each instance; the one that was configured last is at the end."""

    def session(self, rpc: str, op: Op, request: dict[str, Any]) -> Session:
        """The session of the next call, which is one of this RPC with this request."""
        urn = str(request.get("urn") or "")
        if op in BOOTING:
            return self._boot(rpc)
        if op is Op.CHECK_CONFIG:
            self._checked[urn] = self._booted()
            return self._checked[urn]
        if op is Op.DIFF_CONFIG:
            return self._checked.get(urn) or self._booted()
        if op is Op.CONFIGURE:
            return self._configure(urn)
        return self._configured_one(urn, op, request)

    def configured(self, call: Call) -> None:
        """Note a Configure, which old engines send without a URN; its session was found before."""
        instance = call.session.instance = call.urn or self._instance(call.session)
        self._checked = {urn: session for urn, session in self._checked.items() if session is not call.session}
        self._configured.pop(instance, None)
        self._configured[instance] = call.session

    def _instance(self, session: Session) -> str:
        return next((urn for urn, checked in self._checked.items() if checked is session), "")

    def _open(self) -> Session:
        session = Session("pulumi", next(self._numbers))
        session.secret_keys = tuple(self._registered.secret_keys)
        return session

    def _boot(self, rpc: str) -> Session:
        """A process that has not heard this call yet: an engine asks each of these once, when it starts one."""
        if not self._booting or rpc in self._booting[-1][1] or rpc == "Handshake":
            self._booting.append((self._open(), set()))
        session, heard = self._booting[-1]
        heard.add(rpc)
        return session

    def _booted(self) -> Session:
        return self._booting.pop(0)[0] if self._booting else self._open()

    def _configure(self, urn: str) -> Session:
        if urn:
            return self._checked.get(urn) or self._booted()
        return next(iter(self._checked.values()), None) or self._booted()

    def _configured_one(self, urn: str, op: Op, request: dict[str, Any]) -> Session:
        if not self._configured:
            self.unconfigured += op not in (Op.GET_SCHEMA, Op.GET_MAPPING, Op.GET_MAPPINGS, Op.CANCEL)
            if not self._booting:
                self._booting.append((self._open(), set()))
            return self._booting[-1][0]
        owner = self._registered.invoked.get(invoked(request)) if op is Op.INVOKE else self._registered.owners.get(urn)
        named = self._configured.get(owner) if owner else self._default() if owner == "" else None
        self.guessed += named is None and len(self._configured) > 1 and op is not Op.CANCEL
        return named or list(self._configured.values())[-1]

    def _default(self) -> Session | None:
        """The default provider's; of several versions, the one that was configured last."""
        start = f"{PROVIDERS}{self._package}::default"
        return next((session for urn, session in reversed(self._configured.items()) if start in urn), None)
