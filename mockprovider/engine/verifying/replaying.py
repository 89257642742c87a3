"""The program's side of a log, asked of the embedded engine again: a program that speaks to the monitor itself."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.json_format import ParseError
from google.protobuf.message import Message

from mockprovider.engine.outcomes import CallbackFailedError
from mockprovider.engine.programs.inline import Ended, Environment
from mockprovider.engine.verifying.answers import parsed
from mockprovider.engine.verifying.hindsight import fill_hashes, hashes
from mockprovider.engine.verifying.operations import LoggedOperation
from mockprovider.errors import ProgramError
from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.pulumi.signatures import SENTINELS
from mockprovider.urn import PROVIDERS, reference

SPOKEN = frozenset(
    {"RegisterResource", "ReadResource", "RegisterResourceOutputs", "Invoke", "Call", "RegisterPackage"}
    | {"RegisterResourceHook", "RegisterErrorHook", "RegisterStackTransform", "RegisterStackInvokeTransform"}
    | {"SignalAndWaitForShutdown"}
)
"""What changes something, or has an answer of a provider. What asks for features only decides how an SDK goes on."""


class LoggedCallbacks:
    """The functions of one operation's program, which answer as they did in the log, but for what is ``renamed``."""

    def __init__(self, logged: Sequence[FinishedCall], renamed: Mapping[str, str]) -> None:
        self._renamed = renamed
        self._answers: dict[str, list[FinishedCall]] = defaultdict(list)
        for call in logged:
            self._answers[str(call.request.get("token", ""))].append(call)

    @property
    def left(self) -> dict[str, int]:
        """How often each function was called in the log, and not since, by its token."""
        return {token: len(answers) for token, answers in self._answers.items() if answers}

    def serves(self, target: str) -> bool:  # noqa: ARG002 - whoever served it then
        """All of them are its own."""
        return True

    def attended(self, work: Callable[[], Any]) -> Any:
        """What ``work`` returns: a log's functions wait for nobody."""
        return work()

    def call(self, request: Any) -> Any:
        """The next answer of a function. Raises ``CallbackFailedError`` where the log has an error, or no call."""
        from pulumi.runtime.proto import callback_pb2  # noqa: PLC0415 - imports pulumi, and only logs with hooks need it

        answers = self._answers[request.token]
        if not answers:
            raise CallbackFailedError("the log's engine does not call it here")
        # Of calls that ran side by side the log has the end, and so no order.
        asked = b64encode(request.request).decode()
        call = next((one for one in answers if one.request.get("request", "") == asked), answers[0])
        answers.remove(call)
        if not call.responses:
            raise CallbackFailedError(call.error)
        response = b64decode(str(call.responses[0].get("response", "")))
        for logged, own in dict(self._renamed).items():
            # Within a message a text may only be replaced by one of its length; ids of providers all have 36 letters.
            if len(logged) == len(own):
                response = response.replace(logged.encode(), own.encode())
        return callback_pb2.CallbackInvokeResponse(response=response)


class LoggedProgram:
    """The program of one operation. Requests are sent one by one in the order in which the log's were answered.

    What the embedded engine names differently (ids of providers, references to packages) is put into later requests, by
    ``renamed``.
    """

    def __init__(self, operation: LoggedOperation, renamed: dict[str, str]) -> None:
        self._operation = operation
        self._renamed = renamed
        self._hashes = hashes(operation)
        self.problems: list[str] = []
        """Requests that could not be asked, or that the embedded engine refused and the real one did not."""

    def __call__(self) -> None:
        """Nothing: it is spoken to the monitor."""

    def speak(self, environment: Environment) -> Ended:
        """Ask the monitor all that the program asked."""
        import grpc  # noqa: PLC0415 - slow, and only logs need it

        environment.monitor.callbacks.local = callbacks = LoggedCallbacks(self._operation.callbacks, self._renamed)
        for call in self._operation.program:
            if call.rpc not in SPOKEN:
                continue
            try:
                answer = getattr(environment.monitor, call.rpc)(self._request(call))
            except grpc.RpcError as error:
                if _is_answered(call):
                    self.problems.append(f"{call.rpc} of {_subject(call)} was refused: {error.details()}")
                continue
            except ParseError as error:
                self.problems.append(f"{call.rpc} of {_subject(call)} cannot be read: {error}")
                continue
            self._learn(call, answer)
        self.problems += [f"{count} call(s) of its function {token!r} were not made" for token, count in callbacks.left.items()]
        return Ended(ProgramError(self._operation.error)) if self._operation.error else Ended()

    def _request(self, call: FinishedCall) -> Message:
        from mockprovider.pulumi.sdk import resource_pb2  # noqa: PLC0415 - imports messages, and only logs need it

        request = renaming(call.request, self._renamed)
        fill_hashes(request, self._hashes)
        service = resource_pb2.DESCRIPTOR.services_by_name["ResourceMonitor"]
        return parsed(_class(service.methods_by_name[call.rpc].input_type), request)

    def _learn(self, call: FinishedCall, answer: Any) -> None:
        logged: Mapping[str, Any] = call.responses[0] if call.responses else {}
        if str(call.request.get("type", "")).startswith(PROVIDERS):
            # Older engines had no id in a preview, and programs made an unknown one of it.
            theirs = reference(str(logged.get("urn", "")), logged.get("id") or SENTINELS["string"])
            self._renamed[theirs] = reference(answer.urn, answer.id)
        if call.rpc == "RegisterPackage":
            self._renamed[str(logged.get("ref", ""))] = answer.ref


def _is_answered(call: FinishedCall) -> bool:
    """Whether the log's engine took the request. Of a registration whose transform failed, its log has an empty answer."""
    return any(call.responses) if call.rpc == "RegisterResource" else bool(call.responses)


def renaming(value: Any, renamed: Mapping[str, str]) -> Any:
    """A JSON value of a log in the words of the embedded engine."""
    text = json.dumps(value)
    # Other threads may learn another name meanwhile.
    for logged, own in dict(renamed).items():
        text = text.replace(logged, own)
    return json.loads(text)


def _class(descriptor: Any) -> type[Message]:
    from google.protobuf.message_factory import GetMessageClass  # noqa: PLC0415 - only logs need it

    return GetMessageClass(descriptor)


def _subject(call: FinishedCall) -> str:
    return str(call.request.get("name") or call.request.get("tok") or call.request.get("urn") or "the program")
