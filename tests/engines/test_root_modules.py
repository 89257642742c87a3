"""The real terraform and tofu on root modules as people keep them, with modules, variables, a backend and tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from terraform_stage import ZONE

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import MockProviderError, ProgramError
from mockprovider.schema import Property, ResourceType

BUCKET = ResourceType("cloud:index:Bucket", {"acl": Property(str, default="private"), "policy": Property(str)})
SERVED = (BUCKET, ZONE)

# Which protocol a double is served over makes no difference to where configurations come from.
pytestmark = pytest.mark.parametrize("major", [6], indirect=True)

REPOSITORY = {
    "envs/prod/main.tf": """
terraform {
  required_version = ">= 1.5"
  required_providers {
    cloud = {
      source  = "example.com/mock/cloud"
      version = "~> 99.0"
    }
  }
}

variable "stage" {}

module "store" {
  source = "../../modules/store"
  count  = 2
  acl    = var.stage
}

module "local" {
  source = "./inner"
}

resource "cloud_bucket" "named" {
  for_each = toset(["a.b", "[0]"])
  policy   = file("${path.module}/../../policies/open.json")
}
""",
    "envs/prod/backend.tf": 'terraform {\n  backend "s3" {\n    bucket = "states"\n  }\n}\n',
    "envs/prod/terraform.tfvars": 'stage = "public"\n',
    "envs/prod/terraform.tfstate": "of a real cloud",
    "envs/prod/.terraform.lock.hcl": 'provider "registry.terraform.io/hashicorp/aws" {\n  version = "5.0.0"\n}\n',
    "envs/prod/inner/main.tf": 'resource "cloud_bucket" "main" {}\n',
    "envs/prod/tests/acl.tftest.hcl": """
run "is_public" {
  assert {
    condition     = module.store[0].acl == "public"
    error_message = "It is private."
  }
}
""",
    "envs/other/main.tf": "this is no configuration",
    "modules/store/main.tf": """
variable "acl" {}

module "shared" {
  source = "../shared"
}

resource "cloud_bucket" "main" {
  count  = 2
  acl    = var.acl
  policy = module.shared.policy
}

output "acl" {
  value = cloud_bucket.main[0].acl
}
""",
    "modules/shared/main.tf": 'output "policy" {\n  value = file("${path.module}/policy.txt")\n}\n',
    "modules/shared/policy.txt": "shared",
    "policies/open.json": "{}",
}


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a root module in a folder of it."""
    for name, content in REPOSITORY.items():
        path = tmp_path / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "repository"


@pytest.mark.parametrize("is_git", [True, False])
def test_a_root_module_of_a_repository_runs_as_it_is(
    terraform: Terraform, double: Double, repository: Path, is_git: bool
) -> None:
    """Modules beside it, files beside it, values of variables and tests are found; its own folder stays as it is."""
    if is_git:
        (repository / ".git").mkdir()
    else:
        # Nothing says what belongs together but the sources of modules.
        (repository / "policies").rename(repository / "modules/policies")
        main = repository / "envs/prod/main.tf"
        main.write_text(main.read_text(encoding="utf-8").replace("../../policies", "../../modules/policies"), encoding="utf-8")
    before = files_in(repository)
    terraform.use(repository / "envs/prod")
    applied = terraform.apply()
    assert set(applied.instances) == {
        *(f"module.store[{i}].cloud_bucket.main[{j}]" for i in range(2) for j in range(2)),
        "module.local.cloud_bucket.main",
        'cloud_bucket.named["a.b"]',
        'cloud_bucket.named["[0]"]',
    }
    assert applied.resource("module.store[1].cloud_bucket.main[0]")["attributes"]["acl"] == "public"
    assert applied.resource("module.store[0].cloud_bucket.main")["attributes"]["policy"] == "shared"
    assert applied.resource('cloud_bucket.named["[0]"]')["attributes"]["policy"] == "{}"
    assert set(map(tuple, terraform.plan().actions.values())) == {("no-op",)}
    assert terraform.test().tests == {"tests/acl.tftest.hcl": {"is_public": "pass"}}
    assert files_in(repository) == before
    assert len(double.cloud.objects()) == 7
    terraform.destroy()
    assert double.cloud.objects() == []


def test_a_second_version_of_a_root_module_finds_the_state_of_the_first(terraform: Terraform, tmp_path: Path) -> None:
    """A test of an upgrade uses one folder after the other; what the second one does not have is destroyed."""
    for version, names in (("v1", ("a", "b")), ("v2", ("b",))):
        for name in names:
            path = tmp_path / version / f"{name}.tf"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'resource "cloud_bucket" "{name}" {{}}\n', encoding="utf-8")
    terraform.use(tmp_path / "v1")
    terraform.apply()
    terraform.use(str(tmp_path / "v2"))
    assert terraform.plan().actions == {"cloud_bucket.a": ["delete"], "cloud_bucket.b": ["no-op"]}


def test_an_organisation_of_a_cloud_is_not_asked(terraform: Terraform, tmp_path: Path) -> None:
    """A ``cloud`` block keeps states and runs elsewhere; here they stay in the driver's folder."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root/main.tf").write_text(
        'terraform {\n  cloud {\n    organization = "x"\n    workspaces {\n      name = "y"\n    }\n  }\n}\n'
        'resource "cloud_bucket" "a" {}\n',
        encoding="utf-8",
    )
    terraform.use(tmp_path / "root")
    assert terraform.apply().resource("cloud_bucket.a")["attributes"]["acl"] == "private"


def test_a_root_with_undeclared_providers_says_which_to_define(terraform: Terraform, tmp_path: Path) -> None:
    """Of several providers those that nobody serves are named, and what is not meant is not suggested."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root/main.tf").write_text(
        'terraform {\n  backend "s3" {}\n  required_providers {\n    dns = { source = "acme/dns" }\n  }\n}\n'
        'resource "cloud_bucket" "a" {}\nresource "aws_vpc" "a" {}\nresource "dns_record" "a" {}\n',
        encoding="utf-8",
    )
    terraform.use(tmp_path / "root")
    with pytest.raises(ProgramError) as caught:
        terraform.plan()
    host = "registry.opentofu.org" if terraform.binary.endswith("tofu") else "registry.terraform.io"
    assert f"Nobody defines {host}/acme/dns and {host}/hashicorp/aws: define each with provider.define(" in str(caught.value)
    assert "id you mean" not in str(caught.value)


def test_a_module_that_was_fetched_before_is_taken_from_there(terraform: Terraform, tmp_path: Path) -> None:
    """A remote module that the original folder has fetched is not asked of its registry again."""
    root = tmp_path / "root"
    vendored = root / ".terraform/modules/far"
    vendored.mkdir(parents=True)
    (vendored / "main.tf").write_text('resource "cloud_bucket" "a" {}\n', encoding="utf-8")
    host = "registry.opentofu.org" if terraform.binary.endswith("tofu") else "registry.terraform.io"
    (root / ".terraform/modules/modules.json").write_text(
        '{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"far",'
        f'"Source":"{host}/acme/far/cloud","Version":"1.2.3","Dir":".terraform/modules/far"}}]}}',
        encoding="utf-8",
    )
    (root / "main.tf").write_text('module "far" {\n  source  = "acme/far/cloud"\n  version = "~> 1.0"\n}\n', encoding="utf-8")
    terraform.use(root)
    assert list(terraform.apply().instances) == ["module.far.cloud_bucket.a"]


def test_a_remote_module_that_is_not_there_is_told_with_what_to_do(terraform: Terraform, tmp_path: Path) -> None:
    """Without a network the engine cannot fetch it; the message says where it is looked for first."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root/main.tf").write_text('module "far" {\n  source = "nowhere.invalid/acme/far/cloud"\n}\n', encoding="utf-8")
    with pytest.raises(ProgramError, match=r"(?s)nowhere\.invalid.*Fetch it once in .*root: `\w+ get` there"):
        terraform.use(tmp_path / "root")


def test_what_is_no_root_module_is_refused(terraform: Terraform, repository: Path) -> None:
    """A folder that is not there, or that has its configuration further down, is told with the nearest."""
    with pytest.raises(MockProviderError, match=r"envs/prd is not there\. Did you mean 'prod'\?"):
        terraform.use(repository / "envs/prd")
    with pytest.raises(MockProviderError, match=r"has no \*\.tf file\. There are some in: other, prod, prod/inner\."):
        terraform.use(repository / "envs")
    with pytest.raises(MockProviderError, match=r"main\.tf is a file"):
        terraform.use(repository / "envs/prod/main.tf")
