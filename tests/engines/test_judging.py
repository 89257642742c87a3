"""Real providers validate and plan under the real terraform and tofu, and the fake cloud does the rest."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
from engine_toolbox import cli_of
from terraform_stage import ENGINES

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.double import Double, Wiring, from_plugin, real
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import ProgramError
from mockprovider.schema import Package
from mockprovider.terraform.rpcs.methods import SERVICES

FILES = [sys.executable, str(Path(__file__).parents[2] / "examples" / "files" / "provider.py")]
NAMES = ("random", "tls", "time", "local", "null")

ROOT = """
resource "random_id" "seed" {{
  byte_length = {size}
}}
resource "random_pet" "name" {{
  prefix    = random_id.seed.hex
  separator = "-"
}}
resource "random_password" "word" {{
  length = {length}
}}
resource "tls_private_key" "key" {{
  algorithm = "{algorithm}"
}}
resource "tls_self_signed_cert" "cert" {{
  private_key_pem       = tls_private_key.key.private_key_pem
  validity_period_hours = 12
  allowed_uses          = ["server_auth"]
  subject {{
    common_name = "example.com"
  }}
}}
resource "time_static" "then" {{}}
resource "time_rotating" "soon" {{
  rotation_days = 30
}}
resource "local_file" "note" {{
  filename        = "{folder}/note"
  content         = random_pet.name.id
  file_permission = "{permission}"
}}
resource "null_resource" "done" {{
  triggers = {{ note = local_file.note.id }}
}}
"""
FIRST = {"size": "4", "length": "16", "algorithm": "RSA", "permission": "0640"}


def executable(name: str) -> str:
    """A real provider; the test is skipped where the machine does not have it."""
    path = shutil.which(f"terraform-provider-{name}")
    if path is None:
        pytest.skip(f"no terraform-provider-{name} on PATH; tools/build-engines builds it")
    return path


@pytest.fixture(scope="module")
def packages() -> Iterator[list[Package]]:
    """The real providers, each started once for the module."""
    packages = [from_plugin(executable(name)) for name in NAMES]
    yield packages
    for package in packages:
        package.judge.close()


@pytest.fixture
def judged(packages: list[Package]) -> Iterator[Double]:
    """A fake cloud, judged by all of them."""
    with Double(*packages) as double:
        yield double
        double.raise_errors()


@pytest.fixture
def module(judged: Double, binary: str, tmp_path: Path) -> Iterator[Terraform]:
    """The engine in an empty module, attached to it."""
    with judged.serve("terraform") as serving:
        yield Terraform(tmp_path / "module", serving.environment, binary=binary)


def write(module: Terraform, folder: Path, **values: str) -> None:
    """The root module with these values."""
    module.write(ROOT.format(folder=folder, **{**FIRST, **values}))


def test_a_root_of_five_real_providers_lives_in_the_fake_cloud(module: Terraform, judged: Double, tmp_path: Path) -> None:
    """It applies, plans nothing the second time, and is destroyed; no file was written, and nothing was the fake's opinion."""
    write(module, tmp_path)
    module.apply()
    assert {tuple(actions) for actions in module.plan().actions.values()} == {("no-op",)}
    assert not (tmp_path / "note").exists()
    assert len(judged.cloud.objects()) == 9
    module.destroy()
    assert judged.cloud.objects() == []
    assert judged.unjudged == []


def test_what_the_real_provider_calls_a_replacement_is_one(module: Terraform, tmp_path: Path) -> None:
    """A change that forces a new object makes one, with all that depends on it; no schema says so, and no test did."""
    write(module, tmp_path)
    module.apply()
    write(module, tmp_path, size="5")
    actions = module.plan().actions
    replaced = {address for address, action in actions.items() if action == ["delete", "create"]}
    assert replaced == {"random_id.seed", "random_pet.name", "local_file.note", "null_resource.done"}
    before = module.state()
    module.apply()
    assert module.state() != before
    assert {tuple(actions) for actions in module.plan().actions.values()} == {("no-op",)}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"size": '"banana"'}, "a number is required"),
        ({"length": "0"}, "Attribute length value must be at least 1, got: 0"),
        ({"algorithm": "X"}, 'Attribute algorithm value must be one of: ["RSA" "ECDSA" "ED25519"], got: "X"'),
        ({"permission": "rw"}, "bad mode permission: string length should be 3 or 4 digits: rw"),
    ],
)
def test_a_wrong_value_is_refused_in_the_real_providers_words(
    module: Terraform, judged: Double, tmp_path: Path, values: dict[str, str], words: str
) -> None:
    """Validators that no schema tells of are those of the real provider, and nothing is made."""
    write(module, tmp_path, **values)
    failed = module.apply(expect_failure=True)
    assert any(words.casefold() in f"{error.summary} {error.detail}".casefold() for error in failed.errors)
    assert judged.cloud.objects() == []


def noting(wiring: Wiring, reached: list[Call]) -> Wiring:
    """The same, with a note of each call that reaches the process."""

    class Noting:
        def __init__(self, handler: Handler) -> None:
            self._handler = handler
            self.end = handler.end  # type: ignore[attr-defined]

        def __call__(self, call: Call) -> Reply:
            reached.append(call)
            return self._handler(call)

    assert wiring.provider is not None
    return Wiring(wiring.name, Noting(wiring.provider), (), wiring.protocol)


def no_network() -> list[str]:
    """The command that gives a program a network namespace of its own, in which there is no network at all."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("unshare -n is not permitted on this machine: test_judging.py proves the same by what reaches a provider")


@pytest.mark.parametrize("binary", ENGINES)
def test_the_process_needs_no_network_and_is_asked_nothing_else(binary: str, tmp_path: Path) -> None:
    """In a namespace without a network a whole life is the same, and only pure RPCs and our configuration reach the process."""
    reached: list[Call] = []
    wiring = noting(real([*no_network(), executable("random")]), reached)
    package = from_plugin(wiring)
    with Double(package) as double, double.serve("terraform") as serving:
        module = Terraform(tmp_path, serving.environment, binary=binary)
        for size in (4, 5):
            module.write(f'resource "random_id" "a" {{\n  byte_length = {size}\n}}\n')
            module.apply()
        module.refresh()
        module.destroy()
        double.raise_errors()
        assert double.unjudged == []
        assert {"create", "read", "delete"} <= {*double.journal.ops()}
    package.judge.close()
    assert wiring.protocol is not None
    rows = SERVICES[wiring.protocol.version].methods
    assert all(rows[call.method].pure or call.op is Op.CONFIGURE for call in reached)
    assert {Op.PLAN, Op.CHECK, Op.CONFIGURE} <= {call.op for call in reached}


@pytest.mark.pulumi_cli
def test_a_pulumi_provider_checks_and_diffs_under_the_real_pulumi(tmp_path: Path) -> None:
    """The files provider of the examples decides on defaults, replacements and what is wrong; no file is written."""
    folder = tmp_path / "files"
    folder.mkdir()
    package = from_plugin(FILES, "pulumi", name="files", env={"FILES_FOLDER": str(folder)})
    wanted: dict[str, Any] = {"content": "x"}

    def program() -> None:
        pulumi.CustomResource("files:index:File", "hello", wanted)

    with Double(package) as double:
        cli = cli_of(double, tmp_path / "stack")
        assert cli.up(program).state["hello"].inputs["path"] == "hello.txt"
        assert cli.up(program).summary == {}
        wanted["path"] = "other.txt"
        assert cli.up(program).summary == {"replace": 1}
        wanted["path"] = "../other.txt"
        with pytest.raises(ProgramError, match="must stay below the folder"):
            cli.up(program)
        double.raise_errors()
        assert double.unjudged == []
    package.judge.close()
    assert [*folder.iterdir()] == []
