"""Logs of engines for tests: made by hand, and the published ones beside this project, where there are some."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pulumi
import pytest

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "pulumi-grpc-logs"
"""Logs that real engines wrote of real providers. They are not ours to publish."""
PUBLISHED = sorted(CORPUS.glob("*.json")) if CORPUS.is_dir() else []
published = pytest.mark.parametrize(
    "log", PUBLISHED or [pytest.param(None, marks=pytest.mark.skip(f"no logs in {CORPUS}"))], ids=lambda log: log and log.stem
)

PROVIDER = "/pulumirpc.ResourceProvider/"
TYPE = "cloud:index:Bucket"
INSTANCE = "urn:pulumi:dev::shop::pulumi:providers:cloud::default"
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}


def urn_of(name, type_=TYPE):
    """The URN of a resource."""
    return f"urn:pulumi:dev::shop::{type_}::{name}"


def entry(rpc, request=None, response=None, **more):
    """A line's object, as engines before 3.213 wrote it: one a call."""
    method = rpc if "/" in rpc else PROVIDER + rpc
    answer = {} if response is None else {"response": response}
    return {"method": method, "request": request or {}, **answer, **more}


def boot(package="cloud", config=None, instance=INSTANCE, version="1.2.3"):
    """What starts a provider, without its name, as engines of 2023 wrote it."""
    args = {"region": "eu"} if config is None else config
    return [
        entry("GetPluginInfo", {}, {"version": version}),
        entry("CheckConfig", {"urn": instance.replace("cloud", package), "olds": {}, "news": args}, {"inputs": args}),
        entry("Configure", {"args": args, "acceptSecrets": True}, {"acceptSecrets": True, "supportsPreview": True}),
    ]


def made(name, inputs=None, type_=TYPE, **outputs):
    """Check and Create of a resource."""
    inputs = {"acl": "private"} if inputs is None else inputs
    urn = urn_of(name, type_)
    return [
        entry("Check", {"urn": urn, "olds": {}, "news": inputs, "randomSeed": "AAAA"}, {"inputs": inputs}),
        entry("Create", {"urn": urn, "properties": inputs}, {"id": f"{name}-id", "properties": {**inputs, **outputs}}),
    ]


def written(path, entries):
    """The log of these lines' objects."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in entries), encoding="utf-8")
    return path


VOLATILE = {
    "Check": {"randomSeed", "autonaming"},
    "Configure": {"id", "acceptSecrets", "acceptResources", "sendsOldInputs", "sendsOldInputsToDelete", "variables"},
    "Handshake": None,
}
"""What recordings do not keep of a request; ``None`` for all of it."""


def kept_of(log):
    """What a log says of its providers, as far as a cassette keeps it: a list of (RPC, request, response, errors)."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [
        (rpc, _kept(rpc, line["request"]), hidden(line.get("response")), line.get("errors"))
        for line in lines
        if line["method"].startswith(PROVIDER) and line.get("progress") != "request_started" and answered(line)
        for rpc in [line["method"].rpartition("/")[2]]
    ]


def answered(line):
    """Whether a line says how its call ended."""
    return "response" in line or "errors" in line


def _kept(rpc, request):
    volatile = VOLATILE.get(rpc, {"resourceStatusAddress", "resourceStatusToken"})
    return {} if volatile is None else {key: hidden(item) for key, item in request.items() if key not in volatile}


def hidden(tree):
    """A tree without the values of what it marks as secret, nor placeholders for them."""
    if isinstance(tree, list):
        return [hidden(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    is_secret = SECRET.items() <= tree.items()
    return {key: "(secret)" if is_secret and key == "value" else hidden(item) for key, item in tree.items()}


def counted(calls):
    """Calls as a bag: a cassette has an order of its own."""
    return Counter(json.dumps(call, sort_keys=True) for call in calls)


def by_urn(calls):
    """The RPCs of each resource, in order."""
    order = {}
    for rpc, request, *_ in calls:
        if rpc not in ("CheckConfig", "DiffConfig", "Configure") and "urn" in request:
            order.setdefault(request["urn"], []).append(rpc)
    return order


class LoggedRun:
    """What the program of a log's first update did, as a program that does it again.

    Args:
        log: the log.
    """

    def __init__(self, log):
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        updates = [at for at, line in enumerate(lines) if _is_run(line) and not line["request"].get("dryRun")]
        runs = [at for at, line in enumerate(lines) if _is_run(line)]
        end = updates[0]
        before = [at for at in runs if at < end]
        said = lines[end]["request"]
        self.project, self.stack, self.config = said["project"], said["stack"], said.get("config", {})
        self._lines = lines[before[-1] + 1 if before else 0 : end]
        self.previews = bool(before)
        self.destroys = any(line["method"] == f"{PROVIDER}Delete" for line in lines)

    @property
    def ids(self):
        """The ids of the resources that it registered, by URN."""
        answers = [line["response"] for line in self._registrations()]
        return {answer["urn"]: answer["id"] for answer in answers if "::pulumi:" not in answer["urn"]}

    def _registrations(self):
        of = [line for line in self._lines if line["method"].endswith("Monitor/RegisterResource")]
        return [line for line in of if line["request"]["type"] != "pulumi:pulumi:Stack"]

    def program(self):
        """Register what was registered, and invoke what was invoked."""
        resources = {}
        for line in self._lines:
            if line["method"].endswith("Monitor/Invoke"):
                pulumi.runtime.invoke(line["request"]["tok"], line["request"]["args"])
        for line in self._registrations():
            resources[line["response"]["urn"]] = _registered(line["request"], resources)


def ids_of(state):
    """The ids of a state's resources by URN, providers and the stack left out."""
    return {urn: state[urn].id for urn in state if not (state[urn].is_provider or state[urn].is_stack)}


def _is_run(line):
    return line["method"] == "/pulumirpc.LanguageRuntime/Run"


def _registered(request, resources):
    provider = resources.get(request.get("provider", "").rpartition("::")[0])
    needed = [resources[urn] for urn in request.get("dependencies", ())]
    options = pulumi.ResourceOptions(version=request.get("version"), provider=provider, depends_on=needed)
    kind = request["type"].removeprefix("pulumi:providers:")
    if kind != request["type"]:
        return pulumi.ProviderResource(kind, request["name"], request["object"], options)
    return pulumi.CustomResource(request["type"], request["name"], request["object"], options)
