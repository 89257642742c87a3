"""Providers on clients that people have, with their HTTP recorded: boto3 against moto's server, httpx, aiohttp, httplib2."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp
import boto3
import httplib2
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from http_stage import NOWHERE, Once, about, as_json, create, exchanges, listening
from moto.server import ThreadedMotoServer

from mockprovider import Double, recording, replaying
from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.errors import HttpMissError, ProviderChangedError

KEY = "a-secret-access-key-of-mine"
TOKEN = "a-session-token-of-mine"


def client(service: str, url: str) -> Any:
    """A client as a provider makes one; each has credentials, which sign what it asks."""
    # Each client is a session's of its own: the default one is not made for threads.
    return boto3.session.Session().client(
        service,
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key=KEY,
        aws_session_token=TOKEN,
        config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}),
    )


class Storage:
    """A provider of buckets with an object in each, a queue that is told of it, and a table."""

    def __init__(self, url: str, text: str = "hello") -> None:
        self.url = url
        self.text = text

    def __call__(self, call: Call) -> Reply:
        ways = {Op.CREATE: self.create, Op.READ: self.read, Op.DELETE: self.delete}
        try:
            return ways[call.op](call) if call.op in ways else Reply()
        except ClientError as error:
            return Reply(failures=(Failure(str(error)),))

    def create(self, call: Call) -> Reply:
        s3, name = client("s3", self.url), f"bucket-{call.name}"
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        s3.put_object(Bucket=name, Key="a b/ü.json", Body=f'{{"text": "{self.text}"}}'.encode(), Metadata={"of": call.name})
        with ThreadPoolExecutor(3) as pool:
            made = pool.map(lambda make: make(call.name), (self.queue, self.table, self.user))
        return Reply(id=name, value={"made": list(made), **self.seen(name)})

    def queue(self, name: str) -> str:
        return client("sqs", self.url).create_queue(QueueName=f"queue-{name}")["QueueUrl"].rpartition("/")[2]

    def table(self, name: str) -> str:
        keys = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
        kinds = [{"AttributeName": "id", "AttributeType": "S"}]
        dynamo = client("dynamodb", self.url)
        dynamo.create_table(TableName=f"table-{name}", AttributeDefinitions=kinds, **keys)
        dynamo.put_item(TableName=f"table-{name}", Item={"id": {"S": "1"}, "n": {"N": "3.5"}})
        return dynamo.describe_table(TableName=f"table-{name}")["Table"]["TableStatus"]

    def user(self, name: str) -> str:
        iam = client("iam", self.url)
        iam.create_user(UserName=f"user-{name}", Tags=[{"Key": "a", "Value": "b c&d"}])
        key = iam.create_access_key(UserName=f"user-{name}")["AccessKey"]
        assert key["SecretAccessKey"]
        return key["Status"]

    def seen(self, name: str) -> dict[str, Any]:
        s3 = client("s3", self.url)
        content = s3.get_object(Bucket=name, Key="a b/ü.json")
        return {"text": content["Body"].read().decode(), "of": content["Metadata"]["of"], "size": content["ContentLength"]}

    def read(self, call: Call) -> Reply:
        return Reply(id=call.id, value=self.seen(call.id))

    def delete(self, call: Call) -> Reply:
        s3 = client("s3", self.url)
        for key in s3.list_objects_v2(Bucket=call.id)["Contents"]:
            s3.delete_object(Bucket=call.id, Key=key["Key"])
        s3.delete_bucket(Bucket=call.id)
        return Reply()


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    """The address of moto's server."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


def lives(double: Double, names: list[str]) -> list[Any]:
    """What a provider answers in the lives of some buckets, side by side."""

    def life(name: str) -> list[Any]:
        bucket = create(double, name)
        seen, deleted = (about(op, double, bucket.id, name) for op in (Op.READ, Op.DELETE))
        return [bucket.id, bucket.value, bucket.failures, seen.value, deleted.ok]

    with ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(life, names))


def test_boto3(tmp_path: Path, moto: str) -> None:
    """A provider on boto3 is recorded against moto's server, several calls at once, and its code runs without the server."""
    path, names = tmp_path / "it.json", ["a", "b", "c"]
    with Double(provider=recording(path, Storage(moto), http=True)) as double:
        recorded = lives(double, names)
    assert [life[2:3] + life[4:] for life in recorded] == [[(), True]] * 3
    text = path.read_text()
    assert [word for word in (KEY, TOKEN, "AKIAIOSFODNN7EXAMPLE", "AWS4-HMAC", "Signature") if word in text] == []
    for name in names:
        own = [line for line in exchanges(path) if line.startswith(f"create {name}:")]
        assert f"create {name}: PUT http://localhost/bucket-{name} 200" in own
        assert len(own) == 9

    with Double(provider=replaying(path, http=Storage(NOWHERE))) as double:
        assert lives(double, names[::-1]) == recorded[::-1]
        assert double.unplayed == []


def test_boto3_changes(tmp_path: Path, moto: str) -> None:
    """boto3 wraps what goes wrong below it; a provider that has changed fails all the same, with the difference."""
    path = tmp_path / "it.json"
    with Double(provider=recording(path, Storage(moto), http=True)) as double:
        create(double, "changes")
    with Double(provider=replaying(path, http=Storage(NOWHERE, "other"))) as double, pytest.raises(HttpMissError) as raised:
        create(double, "changes")
    assert "The provider asks PUT http://localhost/bucket-changes/a%20b/%C3%BC.json during Create" in str(raised.value)
    assert 'body.text: recorded "hello", now "other"' in str(raised.value)

    class Newer(Storage):
        def seen(self, name: str) -> dict[str, Any]:
            return {**super().seen(name), "size": 0}

    differs = pytest.raises(ProviderChangedError, match="size: recorded 17, now 0")
    with Double(provider=replaying(path, http=Newer(NOWHERE))) as double, differs:
        create(double, "changes")


async def with_aiohttp(url: str) -> str:
    async with aiohttp.ClientSession() as session:

        async def ask(path: str) -> str:
            async with session.get(url + path) as answer:
                return (await answer.json())["path"]

        return "".join(await asyncio.gather(*map(ask, ("/1", "/2", "/moved"))))


async def with_async_httpx(url: str) -> str:
    async with httpx.AsyncClient(follow_redirects=True) as session:
        answers = await asyncio.gather(*(session.get(url + path) for path in ("/1", "/2", "/moved")))
        return "".join(answer.json()["path"] for answer in answers)


def with_httpx(url: str) -> str:
    with httpx.Client(follow_redirects=True) as session:
        return "".join(session.get(url + path).json()["path"] for path in ("/1", "/2", "/moved"))


def with_httplib2(url: str) -> str:
    session = httplib2.Http()
    try:
        return "".join(json.loads(session.request(url + path)[1])["path"] for path in ("/1", "/2", "/moved"))
    finally:
        session.close()


CLIENTS: dict[str, Callable[[str], str]] = {
    "aiohttp": lambda url: asyncio.run(with_aiohttp(url)),
    "async httpx": lambda url: asyncio.run(with_async_httpx(url)),
    "httpx": with_httpx,
    "httplib2": with_httplib2,
}


def moving(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
    if path == "/moved":
        return 302, {"Location": "/there"}, b""
    return as_json({"path": path})


@pytest.mark.parametrize("name", CLIENTS)
def test_clients(tmp_path: Path, name: str) -> None:
    """Each client that vcrpy knows is recorded and replayed, several calls at once, also where it follows a redirect."""
    path, names = tmp_path / "it.json", ["a", "b", "c"]

    def both(double: Double) -> list[Any]:
        with ThreadPoolExecutor(3) as pool:
            return [reply.value for reply in pool.map(lambda label: create(double, label), names)]

    with listening(moving) as url, Double(provider=recording(path, Once(lambda _: CLIENTS[name](url)), http=True)) as double:
        assert both(double) == [{"said": "/1/2/there"}] * 3
    assert len(exchanges(path)) == 12
    with Double(provider=replaying(path, http=Once(lambda _: CLIENTS[name](NOWHERE)))) as double:
        assert both(double) == [{"said": "/1/2/there"}] * 3
    miss = pytest.raises(HttpMissError, match="Nearest is GET http://localhost")
    with Double(provider=replaying(path, http=Once(lambda _: CLIENTS[name](f"{NOWHERE}/x")))) as double, miss:
        create(double, "a")
