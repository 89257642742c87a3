"""Our own errors. What a provider said went wrong is a ``calls.Failure``, never an exception.

MockProviderError
├── DefinitionError        a resource type, property or types file that cannot be served
├── MalformedError         text or bytes that are not what they claim to be (a URN, a path, a message)
├── CassetteError
│   ├── CassetteMissingError     there is no such file
│   ├── CassetteBrokenError      the file is torn, or is not a cassette
│   ├── CassetteVersionError     written by a newer format
│   ├── CassetteBusyError        another recorder holds it
│   ├── MissError                a call that was never recorded
│   │   └── HttpMissError            a request of a replayed provider's own that its call had not made
│   ├── ProviderChangedError     a replayed provider's own code does something else than was recorded
│   ├── AmbiguousError           recorded calls that cannot be told apart
│   ├── DifferentAnswersError    a live provider that answers otherwise than was recorded
│   └── UnknownSecretError       a recorded secret that its user has to tell
├── ContractError          a reply that breaks the protocol's contract, which an engine would refuse
├── UnsupportedError       the protocol allows it, this version does not do it yet
├── PluginError            a provider process that does not start, speak or end as it must
└── ProgramError           a program that raised, or an engine run that failed where success was expected

What nobody may overlook and yet breaks nothing is a ``MockProviderWarning``.
"""

from __future__ import annotations

from typing import Any


class MockProviderError(Exception):
    """Base of every error that this package raises on purpose. The message says what happened and what to do next."""


class DefinitionError(MockProviderError, ValueError):
    """A resource type, property or types file that cannot be served."""


class MalformedError(MockProviderError, ValueError):
    """Text or bytes that are not what they claim to be."""


class CassetteError(MockProviderError):
    """Something is wrong with a cassette."""


class CassetteMissingError(CassetteError, FileNotFoundError):
    """There is no such cassette."""


class CassetteBrokenError(CassetteError):
    """The file is torn or is not a cassette."""


class CassetteVersionError(CassetteError):
    """The cassette was written in a format that this version cannot read."""


class CassetteBusyError(CassetteError):
    """Another recorder is writing this cassette."""


class MissError(CassetteError):
    """A call that the cassette does not hold."""


class HttpMissError(MissError):
    """A provider whose own code is replayed makes an HTTP request that its call had not made when it was recorded."""


class ProviderChangedError(CassetteError):
    """A provider whose own code is replayed answers a call in another way than was recorded, or leaves out what it asked."""


class AmbiguousError(CassetteError):
    """Recorded calls that cannot be told apart, with different answers: refused, because a guess could be wrong."""


class DifferentAnswersError(CassetteError):
    """A live provider that answers otherwise than was recorded, in mode ``verify``.

    ``cassette`` is the recording's name, ``answers`` are the calls whose answers differ, in the order in which they came, each
    with its ``differences``. More may come until the provider's double is closed.
    """

    def __init__(self, cassette: str, answers: list[Any], again: str = "") -> None:
        super().__init__(cassette, answers, again)
        self.cassette = cassette
        self.answers = answers
        self._again = again

    def __str__(self) -> str:
        count = "one call" if len(self.answers) == 1 else f"{len(self.answers)} calls"
        lines = [f"The provider answers {count} otherwise than {self.cassette} holds."]
        for answer in self.answers:
            lines += [f"{answer}:", *(f"  {difference}" for difference in answer.differences)]
        return "\n".join([*lines, f"Mask what differs each time. {self._again}".rstrip()])


class UnknownSecretError(CassetteError):
    """A provider is to be asked with a secret that the cassette does not have, and that nobody has told."""


class ContractError(MockProviderError):
    """A reply that breaks the protocol's contract: an engine would refuse it, and say less about it."""


class UnsupportedError(MockProviderError):
    """The protocol allows it and this version does not do it yet."""


class PluginError(MockProviderError):
    """A provider process that does not start, speak or end as the protocol asks."""


class ProgramError(MockProviderError):
    """A program raised, or an engine run failed where success was expected."""


class MockProviderWarning(UserWarning):
    """A test passed, and hardly tests what it says: a fault that never fired, a cassette that nothing used."""


EXTRAS = {"pulumi": "pulumi", "msgpack": "terraform", "cryptography": "tls", "freezegun": "time", "vcr": "http"}
"""The extra of this package that brings a module."""


def extra_hint(error: BaseException) -> str:
    """What to install where an optional dependency is missing; empty for any other error."""
    name = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    return f"This needs {name}: pip install 'mockprovider[{EXTRAS[name]}]'" if name in EXTRAS else ""
