"""Beside ``mock_provider`` of ``terraform test``, row by row: one module and one real provider, with its mocks and ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from terraform_stage import ENGINES

from mockprovider.double import Double, from_plugin
from mockprovider.drivers.terraform import Terraform
from mockprovider.schema import Package
from mockprovider.terraform.process.installing import dev_overrides

MODULE = """
variable "size" {{
  default = {size}
}}
resource "random_id" "seed" {{
  byte_length = var.size
}}
resource "random_pet" "name" {{
  prefix    = random_id.seed.hex
  separator = "{separator}"
  {more}
}}
output "name" {{
  value = random_pet.name.id
}}
"""
FIRST = {"size": "4", "separator": "-", "more": ""}
MOCKED = """
mock_provider "random" {}
run "applies" {
  assert {
    condition     = random_id.seed.byte_length == %s
    error_message = "The seed has another length."
  }
}
"""

pytestmark = pytest.mark.parametrize("binary", ENGINES, indirect=True)


def executable() -> str:
    """The real provider; the test is skipped where the machine does not have it."""
    path = shutil.which("terraform-provider-random")
    if path is None:
        pytest.skip("no terraform-provider-random on PATH; tools/build-engines builds it")
    return path


@pytest.fixture(scope="module")
def judged() -> Iterator[Package]:
    """The real provider's judgement, started once for the module."""
    package = from_plugin(executable())
    yield package
    package.judge.close()


@pytest.fixture
def ours(judged: Package, binary: str, tmp_path: Path) -> Iterator[tuple[Terraform, Double]]:
    """The module on the fake cloud."""
    with Double(judged) as double, double.serve("terraform") as serving:
        yield Terraform(tmp_path / "ours", serving.environment, binary=binary), double
        double.raise_errors()


@pytest.fixture
def mocked(binary: str, tmp_path: Path) -> Terraform:
    """The same engine with the real provider, for its own mocks."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "terraform-provider-random").symlink_to(executable())
    overrides = dev_overrides(folder, ["random"]).replace("example.com/mock/random", "hashicorp/random")
    return Terraform(tmp_path / "mocked", {}, binary=binary, settings=overrides)


def write(module: Terraform, **values: str) -> None:
    """The module with these values."""
    module.write(MODULE.format(**{**FIRST, **values}))


WRONG = {
    "a value of another kind": ({"size": '"banana"'}, "a number is required"),
    "an argument that is none": ({"more": "prefixx = 1"}, "is not expected here"),
    "an argument of another kind": ({"more": "length = {}"}, "number required"),
}


@pytest.mark.parametrize(("values", "words"), [pytest.param(*row, id=what) for what, row in WRONG.items()])
def test_what_mocks_catch_is_caught(
    ours: tuple[Terraform, Double], mocked: Terraform, values: dict[str, str], words: str
) -> None:
    """What is wrong with a configuration is told by both in the same words, for both ask the real provider."""
    module, _ = ours
    write(module, **values)
    write(mocked, **values)
    mocked.write(MOCKED % 4, "mocks.tftest.hcl")
    for refused in (module.apply(expect_failure=True), mocked.test(expect_failure=True)):
        assert words in refused.output.replace("\n", " ")


def test_what_passes_there_passes_here(ours: tuple[Terraform, Double], mocked: Terraform) -> None:
    """The mocked run passes, and so does the apply, after which nothing is planned, which no mock can show."""
    module, double = ours
    write(module)
    write(mocked)
    mocked.write(MOCKED % 4, "mocks.tftest.hcl")
    assert mocked.test().tests == {"mocks.tftest.hcl": {"applies": "pass"}}
    module.apply()
    assert {tuple(actions) for actions in module.plan().actions.values()} == {("no-op",)}
    assert double.unjudged == []


def test_a_replacement_is_no_update(ours: tuple[Terraform, Double]) -> None:
    """State lasts from run to run, and what forces a new object is the real provider's word: mocks make each object anew."""
    module, _ = ours
    write(module)
    module.apply()
    write(module, size="5")
    assert module.plan().actions == {"random_id.seed": ["delete", "create"], "random_pet.name": ["delete", "create"]}


def test_drift_and_loss(ours: tuple[Terraform, Double]) -> None:
    """An object that has gone is made again by the next apply: mocks have no cloud that could lose one."""
    module, double = ours
    write(module)
    module.apply()
    (pet,) = double.cloud.objects("random:index:Pet")
    double.cloud.delete(pet.type, pet.id)
    assert module.plan().actions["random_pet.name"] == ["create"]
    module.apply()
    assert len(double.cloud.objects()) == 2


def test_a_failure_on_the_way(ours: tuple[Terraform, Double]) -> None:
    """A create that fails leaves what was made before it, and the next apply goes on from there: mocks never fail."""
    module, double = ours
    write(module)
    double.faults.on.create("random:index:Pet").error("quota exceeded")
    assert "quota exceeded" in module.apply(expect_failure=True).output
    assert [item.type for item in double.cloud.objects()] == ["random:index:Id"]
    assert module.plan().actions == {"random_id.seed": ["no-op"], "random_pet.name": ["create"]}
