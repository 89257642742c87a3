"""What is being run: which operation, on which stack, and how."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from mockprovider.engine.targets import Scope


class Operation(Struct, frozen=True, kw_only=True):
    """What is being run: on which stack, how, and with which chance.

    ``number`` counts the stack's operations; it and ``seed`` make the random seeds that Check is given.
    ``only_refresh`` says that nothing follows the refresh, ``scope`` what it is limited to; with ``continue_on_error`` a step
    that failed stops only what depends on it, and with ``ignore_protect`` nothing is protected. ``moment`` is when it is, as
    RFC 3339 has it. ``named_by_version`` says that a default provider has its version in its name, also where only the state
    tells that version, as it has since engine 3.132.
    """

    project: str
    stack: str
    preview: bool = False
    only_refresh: bool = False
    program_refreshes: bool = False
    """Nothing is read before the program runs."""
    refreshing: bool = False
    """What the program registers is read as it comes."""
    destroying: bool = False
    """What the program registers is deleted in the end."""
    scope: Scope = Scope()
    continue_on_error: bool = False
    ignore_protect: bool = False
    moment: str = ""
    seed: int = 0
    number: int = 1
    named_by_version: bool = True

    def random_seed(self, urn: str) -> bytes:
        """Check's 32 "random" bytes: fresh for each resource and operation, and the same in each run of a test."""
        return hashlib.sha256(f"{self.seed}\0{self.number}\0{self.preview}\0{urn}".encode()).digest()
