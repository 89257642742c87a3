"""A marker with ``http=True``: the test brings its provider's code, which is recorded with its HTTP, and runs on replay."""

from __future__ import annotations

import pytest
from http_stage import Objects, exchanges, listening

SOURCE = """
    import os, pulumi, pytest, requests
    from http_stage import Buckets, NOWHERE

    class Bucket(pulumi.CustomResource):
        def __init__(self, name):
            super().__init__("cloud:index:Bucket", name, {{"acl": "private", "id": None}})

    def program():
        pulumi.export("id", Bucket("logs").id)

    {more}
    @pytest.mark.cassette("it.json", name="cloud", http=True{marked})
    def test_it(provider, pulumi_stack, cassette):
        provider.use(provider={provider}(os.environ.get("CLOUD", NOWHERE)))
        assert pulumi_stack.up(program{options}).outputs == {outputs}
        pulumi_stack.destroy()
    """


def source(
    more: str = "", provider: str = "Buckets", marked: str = "", options: str = "", outputs: str = '{"id": "b-1"}'
) -> str:
    """A test with a provider of its own."""
    return SOURCE.format(more=more, provider=provider, marked=marked, options=options, outputs=outputs)


@pytest.fixture
def recorded(run, pytester, monkeypatch):
    """A test whose cassette has been recorded; the server is gone since then."""
    with listening(Objects()) as url:
        monkeypatch.setenv("CLOUD", url)
        run(source(), "--provider-record=all").assert_outcomes(passed=1)
    monkeypatch.delenv("CLOUD")
    return pytester.path / "it.json"


def test_record_and_replay(run, recorded):
    """One test records with the option and replays without it, with its provider's own code and no server."""
    assert exchanges(recorded) == [
        "create logs: POST http://localhost/buckets 201",
        "delete logs: DELETE http://localhost/buckets/b-1 200",
    ]
    before = recorded.read_bytes()
    run(source()).assert_outcomes(passed=1)
    assert recorded.read_bytes() == before


def test_a_changed_provider_fails(run, recorded):
    """A provider that sends something else fails the test, with the difference and the command that records anew."""
    more = """class Newer(Buckets):
        def ask(self, method, path, **options):
            if "json" in options:
                options["json"] = {**options["json"], "tags": {}}
            return super().ask(method, path, **options)

    """
    result = run(source(more=more, provider="Newer"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "E *HttpMissError: The provider asks POST http://localhost/buckets during Create of *",
        "E * Nearest is POST http://localhost/buckets. It differs:",
        "E *   body.tags: recorded nothing, now {}",
        "E * Have the provider ask what was recorded. To record it again: pytest --provider-record=all *::test_it.",
    ])  # fmt: skip


def test_a_program_that_swallows_fails(run, recorded):
    """A test that expects its program to fail cannot pass by a provider that has changed."""
    more = """class Newer(Buckets):
        def create(self, call):
            reply = super().create(call)
            reply.value["acl"] = "open"
            return reply

    """
    result = run(source(more=more, provider="Newer", options=", expect_failure=True", outputs="{}"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['E *acl: recorded "private", now "open"'])


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        (', command="pulumi-resource-random"', "*http=True hears a provider that is Python code in this process*"),
        (', providers={"random": "pulumi-resource-random"}', "*http=True hears a provider that is Python code*"),
    ],
)
def test_a_command_is_refused(run, marked, said):
    """A provider that is a process cannot be heard: the marker says so."""
    # One provider has a name of its own, and several have theirs.
    result = run(source(marked=marked).replace('name="cloud", ', "" if "providers" in marked else 'name="cloud", '))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_http_that_is_no_bool(run):
    """A wrong value of the argument is refused with what it may be."""
    result = run(source().replace("http=True", "http='yes'"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*http='yes' is a str; say True or False*"])


def test_a_failed_recording_keeps_the_cassette(run, recorded, monkeypatch):
    """A recording whose test fails does not replace a cassette, with HTTP as without."""
    before = recorded.read_bytes()
    with listening(Objects()) as url:
        monkeypatch.setenv("CLOUD", url)
        run(source(outputs="'something else'"), "--provider-record=all").assert_outcomes(failed=1)
    assert recorded.read_bytes() == before
    assert recorded.with_name("it.json.failed").exists()


def test_stray_requests_are_reported(run, monkeypatch):
    """The end of a run says which requests a recording does not have."""
    more = """import threading
    todo, done = threading.Event(), threading.Event()

    def work():
        todo.wait(30)
        requests.get(os.environ["CLOUD"] + "/mine", timeout=60)
        done.set()

    WORKER = threading.Thread(target=work, daemon=True)
    WORKER.start()

    class Mine(Buckets):
        def create(self, call):
            todo.set()
            done.wait(30)
            return super().create(call)

    """
    with listening(Objects()) as url:
        monkeypatch.setenv("CLOUD", url)
        result = run(source(more=more, provider="Mine"), "--provider-record=all")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 HTTP request (GET http://localhost/mine) did not get recorded: asked by a thread*"])
