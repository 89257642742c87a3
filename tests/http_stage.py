"""What the tests of recorded HTTP share: a cloud that listens on loopback, and providers that ask it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double
from mockprovider.tape import load

TYPE = "cloud:index:Bucket"
NOWHERE = "http://127.0.0.1:9"
"""An address at which nobody listens: what is asked there is answered from a cassette, or not at all."""

Answer = tuple[int, dict[str, str], bytes]
Asked = Callable[[str, str, dict[str, str], bytes], Answer]


def as_json(tree: Any, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON, as Go and JavaScript write it."""
    return status, {"Content-Type": "application/json", **headers}, json.dumps(tree, separators=(",", ":")).encode()


class Objects:
    """A cloud that keeps objects: POST makes one with a new id, GET shows it, DELETE takes it away."""

    def __init__(self, prefix: str = "b-") -> None:
        self.prefix = prefix
        self.kept: dict[str, Any] = {}
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        with self._lock:
            self.asked.append(f"{method} {path}")
            if method == "POST":
                number = f"{self.prefix}{len(self.kept) + 1}"
                self.kept[f"/buckets/{number}"] = {"id": number, **json.loads(body)}
                return as_json(self.kept[f"/buckets/{number}"], 201)
            if path not in self.kept:
                return as_json({"error": "no such bucket"}, 404)
            return as_json(self.kept.pop(path) if method == "DELETE" else self.kept[path])


@contextmanager
def listening(answer: Asked) -> Iterator[str]:
    """The address of a server that is gone after the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answered(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, data = answer(self.command, self.path, dict(self.headers), body)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data if self.command != "HEAD" else b"")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.answered)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Buckets:
    """A provider whose buckets are objects of that cloud. ``runs`` counts how often its code ran."""

    def __init__(self, cloud: str, token: str = "") -> None:
        self.cloud = cloud
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.runs = 0

    def __call__(self, call: Call) -> Reply:
        self.runs += 1
        ways = {Op.CHECK: self.check, Op.CREATE: self.create, Op.READ: self.read, Op.DELETE: self.delete}
        return ways[call.op](call) if call.op in ways else Reply()

    def check(self, call: Call) -> Reply:
        return Reply(inputs=dict(call.inputs or {}))

    def create(self, call: Call) -> Reply:
        bucket = self.ask("POST", "/buckets", json=dict(call.inputs or {}))
        return Reply(id=bucket["id"], value=bucket)

    def read(self, call: Call) -> Reply:
        return Reply(id=call.id, value=self.ask("GET", f"/buckets/{call.id}"))

    def delete(self, call: Call) -> Reply:
        self.ask("DELETE", f"/buckets/{call.id}")
        return Reply()

    def ask(self, method: str, path: str, **options: Any) -> Any:
        return requests.request(method, self.cloud + path, headers=self.headers, timeout=60, **options).json()


class Once:
    """A provider that does one thing in a Create, and answers with what comes of it."""

    def __init__(self, does: Callable[[Call], Any]) -> None:
        self.does = does

    def __call__(self, call: Call) -> Reply:
        return Reply(id="one", value={"said": self.does(call)}) if call.op is Op.CREATE else Reply()


def create(double: Double, name: str = "logs", **inputs: Any) -> Reply:
    """A Create in a session of its own."""
    urn = f"urn:pulumi:dev::shop::{TYPE}::{name}"
    return double(Call(op=Op.CREATE, session=double.open(), type=TYPE, name=name, urn=urn, inputs=inputs))


def about(op: Op, double: Double, id_: str, name: str = "logs", **prior: Any) -> Reply:
    """A Read or Delete in a session of its own."""
    urn = f"urn:pulumi:dev::shop::{TYPE}::{name}"
    return double(Call(op=op, session=double.open(), type=TYPE, name=name, urn=urn, id=id_, prior=prior))


def exchanges(path: Path) -> list[str]:
    """What a cassette has of HTTP, in order: which call, the method, the address and the status."""
    return [
        f"{interaction.op} {interaction.urn.rpartition('::')[2]}: {exchange.method} {exchange.url} {exchange.status}"
        for interaction in load(path).interactions
        for exchange in interaction.http
    ]
