"""What reading a large schema came to, kept on disk: whole or not at all, and for every process at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from real_schemas import whole
from small_sdk import NEW, write_sdk

from mockprovider import from_schema, from_sdk, from_terraform_schema, slices
from mockprovider.cli.types import read_types
from mockprovider.errors import DefinitionError
from mockprovider.ondemand import held
from mockprovider.pulumi.installed import reading as installed
from mockprovider.pulumi.package import kept as packages
from mockprovider.pulumi.schema import text as published
from mockprovider.terraform.schema import kept as providers
from mockprovider.terraform.schema.provider import ProviderSchema

NODE = {"type": "object", "properties": {"left": {"$ref": "#/types/a:index:Leaf"}, "name": {"type": "string"}}}
LEAF = {"type": "object", "properties": {"node": {"$ref": "#/types/a:index:Node"}, "size": {"type": "integer"}}}
TREE = {"inputProperties": {"root": {"$ref": "#/types/a:index:Node"}}, "properties": {"arn": {"type": "string"}}}
SIGN = {"inputs": {"properties": {"__self__": {"$ref": "#/resources/a:index:Tree"}}}, "outputs": {"properties": {}}}
PULUMI = {
    "name": "a",
    "version": "1.2.3",
    "config": {"variables": {"key": {"type": "string", "secret": True}}},
    "types": {"a:index:Node": NODE, "a:index:Leaf": LEAF},
    "resources": {
        "a:index:Tree": TREE | {"methods": {"sign": "a:index:Tree/sign"}},
        "a:Index:Tree2": {"inputProperties": {"leaf": {"$ref": "#/types/a:index:Leaf"}}},
        "a:index:Site": {"isComponent": True, "properties": {"url": {"type": "string"}}},
    },
    "functions": {"a:index:getTree": {"outputs": {"properties": {"size": {"type": "integer"}}}}, "a:index:Tree/sign": SIGN},
}
BLOCK = {"version": 3, "block": {"attributes": {"size": {"type": "number", "optional": True}}}}
PROVIDER = {
    "provider": {"version": 0, "block": {"attributes": {"key": {"type": "string", "optional": True}}}},
    "resource_schemas": {"a_tree": BLOCK, "a_leaf": BLOCK},
    "data_source_schemas": {"a_tree": {"version": 0, "block": {"attributes": {"n": {"type": "number", "computed": True}}}}},
    "ephemeral_resource_schemas": {"a_tree": BLOCK},
    "resource_identity_schemas": {"a_tree": {"version": 0, "attributes": {"size": {"type": "number"}}}},
    "functions": {"double": {"return_type": "number", "parameters": [{"name": "of", "type": "number"}]}},
}
TERRAFORM = {"format_version": "1.0", "provider_schemas": {"example.com/x/a": PROVIDER, "example.com/x/b": None}}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, for schemas of any size."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(slices.VARIABLE, str(folder))
    for module, name in ((packages, "LEAST"), (providers, "LEAST"), (installed, "LEAST_FILES")):
        monkeypatch.setattr(module, name, 0)
    return folder


def files(folder: Path) -> list[str]:
    """What the cache holds."""
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize("text", [json.dumps(PULUMI), "name: a\nresources: {'a:index:B': {}}\n"], ids=["json", "yaml"])
def test_a_kept_package_schema_is_the_one_that_was_read(text: str, cache: Path) -> None:
    """The second reading decodes what is used, and comes to the same, in whatever order it is asked."""
    first, second = from_schema(text), from_schema(text)
    assert len(files(cache)) == 1
    assert held(first.resources)
    assert not held(second.resources)
    assert second.terraform_names() == first.terraform_names()
    assert not held(second.resources)
    for token in reversed(list(second.resources)):
        assert second.resources[token].terraform == first.resources[token].terraform
    assert whole(second) == whole(first)
    assert second.schema == first.schema


def test_a_kept_provider_schema_is_the_one_that_was_read() -> None:
    """So it is of Terraform's, with identities, functions and what GetProviderSchema answers."""
    text = json.dumps({**TERRAFORM, "provider_schemas": {"example.com/x/a": PROVIDER}})
    first, second = from_terraform_schema(text), from_terraform_schema(text)
    assert not held(second.resources)
    assert whole(second) == whole(first)
    assert ProviderSchema(second).message() == ProviderSchema(first).message()


def test_what_forces_a_replacement_is_no_part_of_what_is_kept() -> None:
    """A reader of a kept schema says it anew, and a typo in it is told at once."""
    text = json.dumps(PROVIDER)
    from_terraform_schema(text)
    second = from_terraform_schema(text, forces_new={"a_tree": ["size"]})
    assert second.resources["a:index:Tree"].properties["size"].forces_new
    with pytest.raises(DefinitionError, match="no attribute 'sice'"):
        from_terraform_schema(text, forces_new={"a_tree": ["sice"]})


def test_only_a_provider_that_was_checked_is_kept() -> None:
    """Another provider of the same text that is wrong stays so, whoever was read before."""
    wrong = {"resource_schemas": {"b_x": {"block": {"attributes": {"n": {"type": "nonsense", "optional": True}}}}}}
    text = json.dumps({"format_version": "1.0", "provider_schemas": {"x/y/a": PROVIDER, "x/y/b": wrong}})
    for _ in range(2):
        assert from_terraform_schema(text, "a").resources
        with pytest.raises(DefinitionError, match="nonsense"):
            from_terraform_schema(text, "b").resources.values()


@pytest.mark.parametrize("content", [PULUMI, PROVIDER], ids=["pulumi", "terraform"])
def test_a_file_that_was_read_before_is_not_parsed_again(content: dict, tmp_path: Path) -> None:
    """What a file is, is kept too: the command line's reader reads no type of it."""
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(content))
    said: list[str] = []
    (first,) = read_types([file], said.append)
    (second,) = read_types([file], said.append)
    assert said[0] == said[1]
    assert not held(second.resources)
    assert whole(first) == whole(second)


def test_the_text_of_an_sdk_is_written_once_and_again_if_a_file_changes(tmp_path: Path) -> None:
    """Who runs YAML on a large SDK has its schema written once: the second time not one type of it is read."""
    folder = write_sdk(tmp_path / "sdk", NEW)
    first, second = from_sdk(folder), from_sdk(folder)
    text = published(first)
    assert "cloud:index:Site" in text
    assert published(second) == text
    assert not held(second.resources)
    (folder / "site.py").write_text("")
    assert "cloud:index:Site" not in published(from_sdk(folder))


def test_an_sdk_is_looked_through_once_and_again_if_a_file_changes(tmp_path: Path, monkeypatch) -> None:
    """Where types are is kept as long as all files are as they were."""
    folder = write_sdk(tmp_path / "sdk", NEW)
    first = from_sdk(folder)
    with monkeypatch.context() as patched:
        patched.setattr(installed, "index_sdk", None)
        second = from_sdk(folder)
    assert whole(first) == whole(second)
    (folder / "site.py").unlink()
    assert not from_sdk(folder).components


@pytest.mark.parametrize("at", ["beginning", "index", "slices", "end", "empty", "more"])
def test_a_damaged_file_is_read_anew_and_replaced(at: str, cache: Path) -> None:
    """Whichever byte is wrong or missing, the schema is read from its text, and kept again."""
    text = json.dumps(PULUMI)
    first = from_schema(text)
    (path,) = cache.iterdir()
    data = bytearray(path.read_bytes())
    for place in {"beginning": [3], "index": [60], "slices": [len(data) - 40], "end": [len(data) - 1]}.get(at, []):
        data[place] ^= 1
    path.write_bytes(b"" if at == "empty" else bytes(data) + b"x" * (at == "more"))
    again = from_schema(text)
    assert whole(again) == whole(first)
    assert isinstance(again.resources, dict)
    assert not isinstance(from_schema(text).resources, dict)


def test_a_file_that_goes_while_it_is_in_use_stays_readable(cache: Path) -> None:
    """Whoever has opened it reads on, though another removed or replaced it."""
    text = json.dumps(PULUMI)
    first, second = from_schema(text), from_schema(text)
    for path in cache.iterdir():
        path.unlink()
    assert whole(second) == whole(first)


@pytest.mark.parametrize("folder", ["", "/proc/nowhere", "file/inside"])
def test_without_a_folder_there_is_no_cache_and_no_error(folder: str, tmp_path: Path, monkeypatch) -> None:
    """An empty variable, and a folder that cannot be made: the schema is read all the same."""
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(slices.VARIABLE, folder)
    for _ in range(2):
        assert isinstance(from_schema(json.dumps(PULUMI)).resources, dict)


def test_the_user_s_cache_folder(tmp_path: Path, monkeypatch) -> None:
    """Unless the variable names another, it is below XDG_CACHE_HOME."""
    monkeypatch.delenv(slices.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    from_schema(json.dumps(PULUMI))
    assert len(files(tmp_path / "xdg" / "mockprovider" / "slices")) == 1


def test_what_json_cannot_hold_is_not_kept(cache: Path) -> None:
    """Half a character, which only an escape can say, is read as before; a number of any size comes back."""
    from_schema(json.dumps(PULUMI | {"description": "\ud800"}))
    assert files(cache) == []
    text = json.dumps(PULUMI | {"language": {"x": [2**70, 1e300, 0.1]}})
    from_schema(text)
    (name,) = files(cache)
    assert slices.find(name).root["root"]["language"] == {"x": [2**70, 1e300, 0.1]}


def test_files_that_nobody_uses_go(cache: Path, monkeypatch) -> None:
    """The cache keeps those that were used last, and unfinished ones only while they may still be written."""
    monkeypatch.setattr(slices, "MOST", 2)
    cache.mkdir()
    for name, age in ((".old.new", 7200), (".young.new", 5)):
        (cache / name).write_text("")
        os.utime(cache / name, (slices.time.time() - age,) * 2)
    for number in range(4):
        slices.keep(f"k{number}", number, {})
        os.utime(cache / f"k{number}", (number, number))
    slices.keep("last", None, {})
    assert files(cache) == [".young.new", "k3", "last"]


SCRIPT = """
import os, sys
from pathlib import Path
from mockprovider import from_schema, slices
from mockprovider.pulumi.package import kept
kept.LEAST = 0
if "kill" in sys.argv:
    Path.replace = lambda *_: os.kill(os.getpid(), 9)
sys.stdin.readline()
package = from_schema(Path(sys.argv[1]).read_text())
print(len(package.resources), package.resources["a:index:Type7"].properties["p0"].kind)
"""


def _start(script: Path, *arguments: str) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen([sys.executable, "-P", str(script), *arguments], env=environment, **pipes)


def test_processes_that_race_and_one_that_is_killed(cache: Path, tmp_path: Path) -> None:
    """A writer that is killed leaves nothing that counts; eight that begin at once all read the same, and leave one file."""
    script, schema = tmp_path / "script.py", tmp_path / "schema.json"
    script.write_text(SCRIPT)
    types = {f"a:index:Type{number}": {"inputProperties": {"p0": {"type": "string"}}} for number in range(300)}
    schema.write_text(json.dumps({"name": "a", "resources": types}))

    with _start(script, str(schema), "kill") as killed:
        killed.communicate("\n")
    assert killed.returncode == -signal.SIGKILL
    assert [name for name in files(cache) if not name.startswith(".")] == []
    assert len(files(cache)) == 1

    processes = [_start(script, str(schema)) for _ in range(8)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in processes] == ["300 string\n"] * 8
    assert len([name for name in files(cache) if not name.startswith(".")]) == 1
    assert held(from_schema(schema.read_text()).resources) == {}
