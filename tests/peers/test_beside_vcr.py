"""The plugins that record HTTP, and ours, in one session: each records and replays its own part of one test."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from plugin_toolbox import COMMAND, WITHOUT

BOTH = f"""
import http.client, os, pulumi, pytest

def hello():
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["PORT"]))
    connection.request("GET", "/")
    return connection.getresponse().read()

@pytest.mark.vcr
def test_http():
    assert hello() == b"hi"

@pytest.mark.vcr
@pytest.mark.cassette(command={COMMAND!r})
def test_both(provider, pulumi_stack):
    assert hello() == b"hi"
    def program():
        type("File", (pulumi.CustomResource,), {{}})("files:index:File", "f", {{"path": "a.txt", "content": "x"}})
    pulumi_stack.up(program)
    assert hello() == b"hi"

@pytest.mark.cassette(command={COMMAND!r})
def test_neither_needs_the_other(provider, pulumi_stack):
    def program():
        type("File", (pulumi.CustomResource,), {{}})("files:index:File", "g", {{"path": "b.txt", "content": "y"}})
    pulumi_stack.up(program)
"""
HEARD = """
import os, pulumi, pytest, requests
from http_stage import Buckets
from mockprovider.calls import Reply

URL = f"http://127.0.0.1:{os.environ['PORT']}"

class Hello(Buckets):
    def create(self, call):
        return Reply(id="one", value={"said": requests.get(f"{URL}/{call.name}", timeout=60).text})

def up(provider, pulumi_stack):
    provider.use(provider=Hello(URL))
    def program():
        type("Bucket", (pulumi.CustomResource,), {})("cloud:index:Bucket", "logs", {"acl": "x"})
    pulumi_stack.up(program)

@pytest.mark.vcr
@pytest.mark.cassette(name="cloud", http=True)
def test_both(provider, pulumi_stack):
    assert requests.get(f"{URL}/mine", timeout=60).text == "hi"
    up(provider, pulumi_stack)
    assert requests.get(f"{URL}/mine-too", timeout=60).text == "hi"

@pytest.mark.cassette(name="cloud", http=True)
def test_ours_alone(provider, pulumi_stack):
    up(provider, pulumi_stack)

@pytest.mark.vcr
def test_theirs_alone():
    assert requests.get(f"{URL}/theirs", timeout=60).text == "hi"
"""
PLUGINS = {"recording": ["--record-mode=once"], "vcr": ["--vcr-record=once"]}
"""pytest-recording and pytest-vcr, with what makes them record. The first refuses to be in one session with the second."""


class Hello(BaseHTTPRequestHandler):
    """A server that says hi."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"hi")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def listening() -> Iterator[int]:
    """The port of a server that is gone after the block."""
    with HTTPServer(("127.0.0.1", 0), Hello) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def run(folder: Path, plugin: str, port: int, *options: str) -> str:
    """What an inner run of pytest with one of the plugins prints."""
    others = [word for other in PLUGINS if other != plugin for word in ("-p", f"no:{other}")]
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", *WITHOUT, *others, *options, "test_it.py"]
    shared = {"PYTHONPATH": str(Path(__file__).parents[1]), "PORT": str(port), "FILES_FOLDER": str(folder / "files")}
    environment = {**os.environ, **shared}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("plugin", PLUGINS)
def test_both_record_and_replay(tmp_path: Path, plugin: str) -> None:
    """With either plugin, HTTP and provider are recorded in one run, and replayed in the next without server and provider."""
    (tmp_path / "test_it.py").write_text(BOTH, encoding="utf-8")
    (tmp_path / "files").mkdir()
    with listening() as port:
        said = run(tmp_path, plugin, port, "--provider-record=all", *PLUGINS[plugin])
    assert "3 passed" in said, said
    names = sorted(path.name for path in (tmp_path / "cassettes").rglob("*.*"))
    assert names == ["test_both.json", "test_both.yaml", "test_http.yaml", "test_neither_needs_the_other.json"]
    (tmp_path / "files" / "a.txt").unlink()
    said = run(tmp_path, plugin, port)
    assert "3 passed" in said, said
    assert not (tmp_path / "files" / "a.txt").exists()


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_providers_http_is_ours(tmp_path: Path, plugin: str) -> None:
    """In one test, what a provider's call asks is in our cassette and what the test asks in theirs; both replay."""
    (tmp_path / "test_it.py").write_text(HEARD, encoding="utf-8")
    with listening() as port:
        said = run(tmp_path, plugin, port, "--provider-record=all", *PLUGINS[plugin])
    assert "3 passed" in said, said
    kept = {path.name: path.read_text() for path in (tmp_path / "cassettes").rglob("*.*")}
    assert sorted(kept) == ["test_both.json", "test_both.yaml", "test_ours_alone.json", "test_theirs_alone.yaml"]
    for name in ("test_both.json", "test_ours_alone.json"):
        assert ("/logs" in kept[name], "/mine" in kept[name]) == (True, False)
    assert ("/logs" in kept["test_both.yaml"], kept["test_both.yaml"].count("/mine")) == (False, 2)
    said = run(tmp_path, plugin, port)
    assert "3 passed" in said, said
