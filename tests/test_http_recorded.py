"""Cassettes with the HTTP of a provider's own code: recorded with the calls that caused it, and answered from there."""

from __future__ import annotations

import http.client
import urllib.request
from contextlib import ExitStack, nullcontext, suppress
from contextvars import copy_context
from pathlib import Path
from typing import Any

import cassette_toy
import pulumi
import pytest
import requests
import vcr
from click.testing import CliRunner
from http_stage import NOWHERE, TYPE, Buckets, Objects, Once, about, as_json, create, exchanges, listening

from mockprovider import Double, Stack, real, recording, recording_all, replaying, replaying_all
from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.cassette import CassetteLayer, Library, Mode, Reader
from mockprovider.cassette.http.rerunning import OwnCode
from mockprovider.cli import main
from mockprovider.double import Wiring
from mockprovider.errors import CassetteBrokenError, DefinitionError, HttpMissError, MissError, ProviderChangedError
from mockprovider.tape import load

HELLO = as_json({"hello": "you"})


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A cassette of a bucket's life."""
    path = tmp_path / "it.json"
    with listening(Objects()) as cloud, Double(provider=recording(path, Buckets(cloud, "a-long-token"), http=True)) as double:
        bucket = create(double, acl="private")
        about(Op.READ, double, bucket.id)
        about(Op.DELETE, double, bucket.id)
    return path


def test_http_is_recorded_with_its_calls(cassette: Path) -> None:
    """Each call has the exchanges that it caused, without the credentials, and without the server's port."""
    assert sorted(exchanges(cassette)) == [
        "create logs: POST http://localhost/buckets 201",
        "delete logs: DELETE http://localhost/buckets/b-1 200",
        "read logs: GET http://localhost/buckets/b-1 200",
    ]
    assert "a-long-token" not in cassette.read_text()
    assert "127.0.0.1" not in cassette.read_text()


def test_two_recordings_are_equal(cassette: Path, tmp_path: Path) -> None:
    """What differs from run to run, such as the server's port, dates and the length of a header, is in no cassette."""
    again = tmp_path / "again.json"
    with listening(Objects()) as cloud, Double(provider=recording(again, Buckets(cloud, "another"), http=True)) as double:
        bucket = create(double, acl="private")
        about(Op.READ, double, bucket.id)
        about(Op.DELETE, double, bucket.id)
    assert again.read_bytes() == cassette.read_bytes()


def test_the_providers_own_code_is_replayed(cassette: Path) -> None:
    """With the server gone, the provider's code runs, gets the recorded answers over HTTP, and answers as it did."""
    provider = Buckets(NOWHERE)
    with Double(provider=replaying(cassette, http=provider)) as double:
        bucket = create(double, acl="private")
        assert (bucket.id, bucket.value) == ("b-1", {"id": "b-1", "acl": "private"})
        assert about(Op.READ, double, "b-1").value == bucket.value
        about(Op.DELETE, double, "b-1")
        assert double.unplayed == []
    assert provider.runs == 3


def test_without_http_the_code_does_not_run(cassette: Path) -> None:
    """A cassette with HTTP replays without the provider, as every other does."""
    with Double(provider=replaying(cassette)) as double:
        assert create(double, acl="private").value == {"id": "b-1", "acl": "private"}


def test_the_mode_once(tmp_path: Path) -> None:
    """With ``once`` the same line records, and from then on runs the provider's code against the cassette."""
    path, cloud = tmp_path / "it.json", Objects()
    with listening(cloud) as url, Double(provider=recording(path, Buckets(url), http=True, mode="once")) as double:
        create(double, acl="private")
    provider = Buckets(NOWHERE)
    with Double(provider=recording(path, provider, http=True, mode="once")) as double:
        create(double, acl="private")
    assert (provider.runs, cloud.asked) == (1, ["POST /buckets"])


def test_a_stack(tmp_path: Path) -> None:
    """A program under the embedded engine is recorded and replayed with its provider's HTTP; its outputs are the same."""

    def program() -> None:
        for name in ("logs", "data", "web"):
            bucket = type("Bucket", (pulumi.CustomResource,), {})("cloud:index:Bucket", name, {"acl": "private", "id": None})
            pulumi.export(name, bucket.id)

    path = tmp_path / "it.json"
    with listening(Objects()) as url, Double(provider=recording(path, Buckets(url), http=True), name="cloud") as double:
        stack = Stack(double, parallel=3)
        recorded = stack.up(program).outputs
        stack.destroy()
    with Double(provider=replaying(path, http=Buckets(NOWHERE)), name="cloud") as double:
        stack = Stack(double, parallel=3)
        assert stack.up(program).outputs == recorded
        stack.destroy()
        assert double.unplayed == []
    assert len(exchanges(path)) == 6


# What fails --------------------------------------------------------------------------------------------------------------


def test_another_answer_fails(cassette: Path) -> None:
    """Where the provider's code makes another answer of the same HTTP, the call fails, and says where the two differ."""

    class Newer(Buckets):
        def create(self, call: Call) -> Reply:
            reply = super().create(call)
            return Reply(id=reply.id, value={**(reply.value or {}), "acl": "public"})

    with Double(provider=replaying(cassette, http=Newer(NOWHERE))) as double:
        with pytest.raises(ProviderChangedError, match=r'acl: recorded "private", now "public"') as raised:
            create(double, acl="private")
        assert "To record it again" in str(raised.value)


def test_a_failure_is_an_answer(tmp_path: Path) -> None:
    """What the provider makes of a refusal of its cloud is recorded and compared, too."""

    def careful(call: Call) -> Reply:
        if call.op is not Op.CREATE:
            return Reply()
        answer = requests.get(f"{url}/buckets/none", timeout=60)
        return Reply(failures=(Failure(f"{answer.status_code} {answer.reason}: {answer.json()['error']}"),))

    path = tmp_path / "it.json"
    with listening(Objects()) as url, Double(provider=recording(path, careful, http=True)) as double:
        recorded = create(double)
    url = NOWHERE
    with Double(provider=replaying(path, http=careful)) as double:
        replayed = create(double)
    assert [failure.reason for failure in replayed.failures] == ["404 Not Found: no such bucket"]
    assert replayed.failures == recorded.failures
    with (
        Double(
            provider=replaying(path, http=Once(lambda _: requests.get(f"{url}/buckets/none", timeout=60).status_code))
        ) as double,
        pytest.raises(ProviderChangedError, match=r"status: recorded .*, now nothing"),
    ):
        create(double)


def test_another_request_is_a_miss(cassette: Path) -> None:
    """A request that the recorded call did not make is refused, with the nearest exchange and where it differs."""

    class Newer(Buckets):
        def create(self, call: Call) -> Reply:
            bucket = self.ask("POST", "/buckets?dry=1", json={**(call.inputs or {}), "acl": "public"})
            return Reply(id=bucket["id"], value=bucket)

    with Double(provider=replaying(cassette, http=Newer(NOWHERE))) as double, pytest.raises(HttpMissError) as raised:
        create(double, acl="private")
    text = str(raised.value)
    assert "The provider asks POST http://localhost/buckets?dry=1 during Create of" in text
    assert "Nearest is POST http://localhost/buckets. It differs:" in text
    assert '  body.acl: recorded "private", now "public"' in text
    assert '  query: recorded nothing, now {"dry":"1"}' in text
    assert "--provider-record=all" in text


def test_a_swallowed_miss_still_fails(cassette: Path) -> None:
    """A provider that catches whatever its client raises cannot hide a miss: its call fails with it."""

    class Careless(Buckets):
        def create(self, call: Call) -> Reply:
            with suppress(Exception):
                self.ask("GET", "/quota")
            return super().create(call)

    with (
        Double(provider=replaying(cassette, http=Careless(NOWHERE))) as double,
        pytest.raises(MissError, match=r"GET .*/quota"),
    ):
        create(double, acl="private")


def test_a_wrapped_miss_still_fails(cassette: Path) -> None:
    """Where the provider, or its client, wraps a miss into an error of its own, the call fails with the miss."""

    class Wrapping(Buckets):
        def create(self, call: Call) -> Reply:
            try:
                return Reply(value=self.ask("GET", "/quota"))
            except HttpMissError as error:
                raise RuntimeError("no connection") from error

    with Double(provider=replaying(cassette, http=Wrapping(NOWHERE))) as double:
        with pytest.raises(HttpMissError, match=r"GET .*/quota") as raised:
            create(double, acl="private")
        assert isinstance(raised.value.__cause__, RuntimeError)


def test_an_error_of_the_providers_own_stays(cassette: Path) -> None:
    """What the provider's code raises without a miss is raised as it is."""

    class Broken(Buckets):
        def create(self, call: Call) -> Reply:
            raise RuntimeError("a bug of mine")

    with (
        Double(provider=replaying(cassette, http=Broken(NOWHERE))) as double,
        pytest.raises(RuntimeError, match="a bug of mine"),
    ):
        create(double, acl="private")


def test_one_request_more_is_a_miss(cassette: Path) -> None:
    """An exchange answers once: what is asked more often than it was recorded is refused, and says how often that was."""

    class Eager(Buckets):
        def read(self, call: Call) -> Reply:
            self.ask("GET", f"/buckets/{call.id}")
            return super().read(call)

    again = pytest.raises(HttpMissError, match="That was recorded 1 time, and is asked once more")
    with Double(provider=replaying(cassette, http=Eager(NOWHERE))) as double, again:
        about(Op.READ, double, "b-1")


def test_a_change_that_is_no_longer_asked_for_fails(cassette: Path) -> None:
    """A provider that answers as recorded, and leaves out what changed its cloud, fails; what only looks may be left out."""

    class Lazy(Buckets):
        def read(self, call: Call) -> Reply:
            return Reply(id=call.id, value={"id": "b-1", "acl": "private"})

        def delete(self, call: Call) -> Reply:
            return Reply()

    with Double(provider=replaying(cassette, http=Lazy(NOWHERE))) as double:
        about(Op.READ, double, "b-1")
        with pytest.raises(
            ProviderChangedError, match=r"has not asked what was recorded of Delete .*\n  DELETE http://localhost"
        ):
            about(Op.DELETE, double, "b-1")


def test_equal_requests_are_answered_in_their_order(tmp_path: Path) -> None:
    """A provider that polls gets the recorded answers in their order."""
    states = iter(["pending", "pending", "done"])

    def poll(_: Call) -> list[str]:
        seen = [""]
        while seen[-1] != "done":
            seen.append(requests.get(url, timeout=60).json()["state"])
        return seen[1:]

    path = tmp_path / "it.json"
    with listening(lambda *_: as_json({"state": next(states)})) as url, ExitStack() as ending:
        create(ending.enter_context(Double(provider=recording(path, Once(poll), http=True))))
    url = NOWHERE
    with Double(provider=replaying(path, http=Once(poll))) as double:
        assert create(double).value == {"said": ["pending", "pending", "done"]}


def test_masks_apply_to_answers(tmp_path: Path) -> None:
    """A value that the provider's code makes up in each run is a difference, unless it is masked."""
    numbers = iter(range(100))
    provider = Once(lambda _: [requests.get(url, timeout=60).json()["hello"], next(numbers)])
    path = tmp_path / "it.json"
    for masks in ((), ("said",)):
        with listening(lambda *_: HELLO) as url, Double(provider=recording(path, provider, http=True, masks=masks)) as double:
            create(double)
        with Double(provider=replaying(path, http=provider)) as double:
            if masks:
                assert create(double).value["said"][0] == "you"
            else:
                with pytest.raises(
                    ProviderChangedError, match=r"said\[1\]: recorded 0.*, now 1.*\n.*name its property in masks="
                ):
                    create(double)


def test_what_was_recorded_without_http_says_so(tmp_path: Path) -> None:
    """A cassette that was recorded without HTTP cannot answer any, and the miss says why."""
    path = tmp_path / "it.json"
    with listening(Objects()) as url, Double(provider=recording(path, Buckets(url))) as double:
        create(double, acl="private")
    why = pytest.raises(HttpMissError, match="it was recorded without http=True")
    with Double(provider=replaying(path, http=Buckets(NOWHERE))) as double, why:
        create(double, acl="private")


def test_a_call_that_was_not_recorded_does_not_run(cassette: Path) -> None:
    """The provider's code runs for recorded calls only: any other is a miss as ever."""
    provider = Buckets(NOWHERE)
    with (
        Double(provider=replaying(cassette, http=provider)) as double,
        pytest.raises(MissError, match='acl: recorded "private", now "public"'),
    ):
        create(double, acl="public")
    assert provider.runs == 0


# What is refused ---------------------------------------------------------------------------------------------------------


def test_a_process_is_refused(tmp_path: Path) -> None:
    """The HTTP of a process cannot be heard: that is said at once, and leaves no lock and no draft."""
    with pytest.raises(DefinitionError, match="is a process, so its HTTP cannot be heard"):
        recording(tmp_path / "it.json", real(["true"], "pulumi"), http=True)
    assert [*tmp_path.iterdir()] == []


def test_nobody_to_hear(tmp_path: Path, cassette: Path) -> None:
    """Without the provider's code a call fails, and says how to give it; ``double.use`` brings it."""
    with (
        Double(provider=recording(tmp_path / "none.json", http=True)) as double,
        pytest.raises(DefinitionError, match="use\\(pro"),
    ):
        create(double)
    with Double(provider=replaying(cassette, http=True)) as double:
        with pytest.raises(DefinitionError, match="Nothing can answer Read"):
            about(Op.READ, double, "b-1")
        double.use(provider=Buckets(NOWHERE))
        assert about(Op.READ, double, "b-1").id == "b-1"


def test_without_vcrpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the optional dependency, the error names the extra that brings it."""
    monkeypatch.setitem(__import__("sys").modules, "vcr.patch", None)
    with pytest.raises(DefinitionError, match=r"pip install 'mockprovider\[http\]'"):
        recording(tmp_path / "it.json", Once(lambda _: 1), http=True)


# What is left as it was --------------------------------------------------------------------------------------------------


def test_clients_are_left_alone(tmp_path: Path) -> None:
    """Clients are patched from the first call on until the double is closed, also where the provider raises."""
    original = http.client.HTTPConnection
    seen: list[bool] = []

    def breaks(_: Call) -> None:
        seen.append(http.client.HTTPConnection is original)
        raise OSError("the cloud is gone")

    with Double(provider=recording(tmp_path / "it.json", Once(breaks), http=True)) as double:
        assert http.client.HTTPConnection is original
        with pytest.raises(OSError, match="the cloud is gone"):
            create(double)
    assert http.client.HTTPConnection is original
    assert seen == [False]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_another_cassette_of_vcrpy(tmp_path: Path, when: str) -> None:
    """Beside a cassette of vcrpy's own, each has what is its own: a call's HTTP is ours, and the test's is vcrpy's."""
    path, other = tmp_path / "it.json", tmp_path / "other.yaml"

    def run(url: str, wiring: Wiring) -> None:
        with ExitStack() as ending:
            if when == "before":
                ending.enter_context(vcr.use_cassette(str(other)))
            double = ending.enter_context(Double(provider=wiring))
            create(double, "first", acl="private")
            if when == "meanwhile":
                ending.enter_context(vcr.use_cassette(str(other)))
            assert requests.post(f"{url}/buckets", json={"mine": 1}, timeout=60).json()["id"] == "b-2"
            create(double, "second", acl="private")

    with listening(Objects()) as url:
        run(url, recording(path, Buckets(url), http=True))
    assert sorted(exchanges(path)) == [
        "create first: POST http://localhost/buckets 201",
        "create second: POST http://localhost/buckets 201",
    ]
    assert other.read_text().count("uri: ") == 1
    run(url, replaying(path, http=Buckets(NOWHERE)))


def test_a_provider_is_closed(tmp_path: Path) -> None:
    """A provider that can be closed is closed with its double, as without HTTP."""

    class Closing(Buckets):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    provider = Closing(NOWHERE)
    with Double(provider=recording(tmp_path / "it.json", provider, http=True)):
        assert provider.closed == 0
    assert provider.closed == 1


def test_the_tests_own_http_is_its_own(tmp_path: Path) -> None:
    """What no call causes is neither recorded nor answered, whatever is recorded meanwhile."""
    path = tmp_path / "it.json"
    with listening(Objects()) as url:
        with Double(provider=recording(path, Buckets(url), http=True)) as double:
            requests.post(f"{url}/buckets", json={"mine": 1}, timeout=60)
            create(double, acl="private")
            requests.get(f"{url}/buckets/b-2", timeout=60)
        assert exchanges(path) == ["create logs: POST http://localhost/buckets 201"]
        with Double(provider=replaying(path, http=Buckets(NOWHERE))) as double:
            create(double, acl="private")
            assert requests.get(f"{url}/buckets/b-1", timeout=60).json() == {"id": "b-1", "mine": 1}


def test_several_providers_share_a_cassette(tmp_path: Path) -> None:
    """Each of several providers that are recorded together has the HTTP of its own calls."""
    path = tmp_path / "it.json"
    with listening(lambda *_: as_json("one")) as first, listening(lambda *_: as_json("two")) as second:
        clouds = {
            "a": Once(lambda _: requests.get(first, timeout=60).json()),
            "b": Once(lambda _: requests.get(second, timeout=60).json()),
        }
        wirings = recording_all(path, clouds, http=True)
        with Double(provider=wirings["a"]) as one, Double(provider=wirings["b"]) as two:
            create(one)
            create(two)
    clouds = dict.fromkeys(("a", "b"), Once(lambda _: requests.get(NOWHERE, timeout=60).json()))
    wirings = replaying_all(path, http=clouds)
    with Double(provider=wirings["a"]) as one, Double(provider=wirings["b"]) as two:
        assert [create(two).value, create(one).value] == [{"said": "two"}, {"said": "one"}]


def test_what_is_not_recorded_is_reported(tmp_path: Path) -> None:
    """A request of a call that has been answered goes out, and the recording says that it does not have it."""
    late = []

    def leaves(_: Call) -> str:
        late.append(copy_context())
        return "done"

    path = tmp_path / "it.json"
    wiring = recording(path, Once(leaves), http=True)
    with listening(lambda *_: HELLO) as url, Double(provider=wiring) as double:
        create(double)
        create(double, "more")
        assert late[0].run(requests.get, f"{url}/?sig=abc", timeout=60).status_code == 200
    assert exchanges(path) == []
    assert [*map(str, wiring.recorder.notices)] == [
        "1 HTTP request (GET http://localhost/) did not get recorded: asked after their call had been answered. "
        "Wait for them before the answer."
    ]


def test_compact_recordings(tmp_path: Path) -> None:
    """A compact recording keeps the HTTP of the calls that it keeps."""
    path = tmp_path / "it.json"
    with listening(Objects()) as url, Double(provider=recording(path, Buckets(url), http=True, compact=True)) as double:
        create(double, acl="private")
    assert len(load(path).interactions[0].http) == 1


def test_https_needs_no_network(tmp_path: Path) -> None:
    """On replay no client looks up a name, opens a connection or shakes hands, also where the cloud is behind TLS."""
    path = tmp_path / "it.json"

    def ask(_: Call) -> list[str]:
        with urllib.request.urlopen(f"{url}/1", timeout=60) as answer:
            first = answer.read().decode()
        connection = (http.client.HTTPSConnection if "https" in url else http.client.HTTPConnection)(url.rpartition("/")[2])
        connection.request("GET", "/2")
        second = connection.getresponse().read().decode()
        connection.close()
        return [first, second, requests.get(f"{url}/3", timeout=60).text]

    def answer(method: str, asked: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, asked.encode()

    with listening(answer) as url, Double(provider=recording(path, Once(ask), http=True)) as double:
        assert create(double).value == {"said": ["/1", "/2", "/3"]}
    path.write_text(path.read_text().replace("http://localhost", "https://cloud.invalid"))
    url = "https://cloud.invalid"
    with Double(provider=replaying(path, http=Once(ask))) as double:
        assert create(double).value == {"said": ["/1", "/2", "/3"]}


def test_over_a_wire(cassette: Path) -> None:
    """Where an engine only gets a status over gRPC, the double keeps the error, so that nobody can swallow it."""

    class Newer(Buckets):
        def create(self, call: Call) -> Reply:
            return Reply(id="b-1", value={**(self.ask("GET", "/quota"))})

    with Double(provider=replaying(cassette, http=Newer(NOWHERE)), name="cloud") as double:
        with double.serve("pulumi").client() as client:
            assert create(client, acl="private").status is not None
            assert about(Op.READ, client, "b-1").value == {"id": "b-1", "acl": "private"}
        with pytest.raises(HttpMissError, match="/quota"):
            double.raise_errors()


def test_equal_objects_in_another_order(tmp_path: Path) -> None:
    """Objects that equal requests made have each other's exchanges, with the ids that they have now."""
    path, names = tmp_path / "it.json", ["one", "two", "three"]

    def session(double: Double, ids: list[str], *, read: list[str]) -> list[Any]:
        session = double.open()
        calls = [Call(op=Op.CREATE, session=session, type=TYPE, inputs={"acl": "x"}) for _ in ids]
        created = [double(call).id for call in calls]
        looks = [
            double(Call(op=Op.READ, session=session, type=TYPE, id=id_, prior={"id": id_, "acl": "x"})).value for id_ in read
        ]
        return [created, looks]

    with listening(Objects()) as url, Double(provider=recording(path, Buckets(url), http=True)) as double:
        recorded = session(double, names, read=["b-1", "b-2", "b-3"])
    with Double(provider=replaying(path, http=Buckets(NOWHERE))) as double:
        replayed = session(double, names, read=["b-3", "b-1", "b-2"])
    assert sorted(replayed[0]) == sorted(recorded[0])
    assert [look["id"] for look in replayed[1]] == ["b-3", "b-1", "b-2"]


def test_an_object_in_anothers_place(tmp_path: Path) -> None:
    """Where an object stands for another one that an equal request made, the exchanges have its own id."""
    path = tmp_path / "it.json"

    def session(double: Double, seen: int) -> Any:
        session = double.open()
        calls = [Call(op=Op.CREATE, session=session, type=TYPE, inputs={"acl": "x"}) for _ in range(2)]
        ids = sorted(double(call).id for call in calls)
        return double(Call(op=Op.READ, session=session, type=TYPE, id=ids[seen], prior={"acl": "x"})).value

    with listening(Objects("bucket-000")) as url, Double(provider=recording(path, Buckets(url), http=True)) as double:
        assert session(double, 1) == {"id": "bucket-0002", "acl": "x"}
    with Double(provider=replaying(path, http=Buckets(NOWHERE))) as double:
        assert session(double, 0) == {"id": "bucket-0001", "acl": "x"}


def test_sets_have_no_order() -> None:
    """A set in an answer may be in another order than it was recorded in, as Python's own are."""
    where = cassette_toy.session()
    ask = cassette_toy.call(Op.READ, where, "it")
    cassette = cassette_toy.recorded((ask, cassette_toy.answer(tags=["a", "b"])))

    def ordered(_method: str, _type: str, tree: Any) -> Any:
        return {name: sorted(value) for name, value in tree.items()}

    library = Library(cassette, {"": Reader(cassette_toy.Toy(), ordered)})
    layer = CassetteLayer(Mode.NONE, library, None, live=OwnCode(library, lambda _: nullcontext()))
    assert layer(ask, lambda _: cassette_toy.answer(tags=["b", "a"])).value == {"tags": ["b", "a"]}
    with pytest.raises(ProviderChangedError, match=r'tags\[1\]: recorded "b", now "c"'):
        layer(ask, lambda _: cassette_toy.answer(tags=["c", "a"]))


def test_looking_inside(cassette: Path, tmp_path: Path) -> None:
    """What shows a call shows its exchanges, and what compares two cassettes says where exchanges differ."""
    again = tmp_path / "again.json"
    again.write_text(cassette.read_text().replace('"status": 201', '"status": 202'))
    shown = CliRunner().invoke(main, ["cassette", "show", str(cassette), "--call", "1"])
    assert '"url": "http://localhost/buckets' in shown.output
    compared = CliRunner().invoke(main, ["cassette", "diff", str(cassette), str(again)])
    assert compared.exit_code == 1
    assert "http[0].status" in compared.output
    arguments = ["cassette", "check", str(cassette), "--value-env", "CLOUD_PLACE"]
    checked = CliRunner().invoke(main, arguments, env={"CLOUD_PLACE": "localhost/buckets"})
    assert ".url (interactions 1, 2, 3): a declared secret is readable" in checked.output


@pytest.mark.parametrize("damage", ['{"$secret": -1}', '{"$text": [1]}', "[" * 250 + "]" * 250])
def test_a_damaged_exchange(cassette: Path, damage: str) -> None:
    """An exchange that no recorder wrote is an error of the cassette, and no answer."""
    text = cassette.read_text()
    cassette.write_text(text.replace('"http://localhost/buckets"', damage, 1))
    with pytest.raises(CassetteBrokenError):
        replaying(cassette, http=Buckets(NOWHERE))
