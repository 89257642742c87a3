"""What the kept cassettes of Terraform providers are recordings of: configurations, and the life that is led with each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

MASK = "[secret]"
STAND_IN = re.compile(r"mockprovider-secret-\d+")

# Comparing -------------------------------------------------------------------------------------------------------------


def module_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A Terraform state without what is the engine's own: lineage, serial, version, registry; and without its secrets."""
    kept = {key: value for key, value in state.items() if key not in ("lineage", "serial", "terraform_version")}
    kept["resources"] = [_module_resource(each) for each in state["resources"]]
    # After a refresh, one engine says that a value read from a data source is dynamic.
    kept["outputs"] = {name: each["value"] for name, each in state.get("outputs", {}).items()}
    return kept


def _module_resource(found: Mapping[str, Any]) -> dict[str, Any]:
    instances = [_instance(each) for each in found["instances"]]
    return {**found, "provider": found["provider"].rpartition("/")[2], "instances": instances}


def _instance(found: Mapping[str, Any]) -> dict[str, Any]:
    # Only one engine lists what is sensitive and null.
    told = {steps[0]["value"] for steps in found.get("sensitive_attributes", []) if steps}
    secret = {name for name in told if found["attributes"].get(name) is not None}
    attributes = {key: MASK if key in secret else value for key, value in found["attributes"].items()}
    return {**found, "attributes": attributes, "sensitive_attributes": sorted(secret)}


def module_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """``show -json`` of a plan without what is the engine's own: format and version, registry; and without its secrets.

    What it says again in other words (the prior state, the planned values, the configuration) is left out.
    """
    outputs = {name: _change(each) for name, each in plan.get("output_changes", {}).items()}
    kept = {"resource_changes": _changes(plan, "resource_changes"), "output_changes": outputs}
    drift = _changes(plan, "resource_drift")
    return {**kept, "resource_drift": drift} if drift else kept


VOLATILE = frozenset({"timestamp"})
"""What two runs of one engine may say differently in the same plan: when it was made."""
UNORDERED = "relevant_attributes"
"""What a plan lists in another order each time: the attributes that others refer to."""


def whole_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """``show -json`` of a plan to compare with another of the same engine: all of it, but for what is declared above."""
    kept = {name: each for name, each in plan.items() if name not in VOLATILE}
    return {**kept, UNORDERED: sorted(kept.get(UNORDERED, ()), key=str)}


def _changes(plan: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return [
        {**each, "provider_name": each["provider_name"].rpartition("/")[2], "change": _change(each["change"])}
        for each in plan.get(name, [])
    ]


def _change(change: Mapping[str, Any]) -> dict[str, Any]:
    sides = {side: _masked(change.get(side), change.get(f"{side}_sensitive")) for side in ("before", "after")}
    # Only one engine tells of replacements in the order of the provider, and only one has identities in its plans.
    return {key: each for key, each in {**change, **sides}.items() if not key.endswith("_identity")}


def _masked(value: Any, sensitive: Any) -> Any:
    if sensitive is True:
        return value if value is None else MASK
    if isinstance(value, dict) and isinstance(sensitive, dict):
        return {key: _masked(each, sensitive.get(key)) for key, each in value.items()}
    if isinstance(value, list) and isinstance(sensitive, list):
        return [_masked(each, marked) for each, marked in zip(value, sensitive, strict=True)]
    return value


# Living ----------------------------------------------------------------------------------------------------------------

States = list[dict[str, Any]]
Imports = Mapping[str, str]


def planned_and_applied(cli: Any, *options: str, shown: Callable[[Mapping[str, Any]], dict[str, Any]] = module_plan) -> States:
    """One change as it is planned, and then applied: the plan, as ``shown`` gives it, and the state that it leads to."""
    return [shown(cli.plan(*options).plan), module_state(cli.apply_plan().state)]


def terraform_life(text: str, imports: Imports | None = None) -> Callable[[Any, Callable[[], object]], States]:
    """Plan, apply, plan again, change, refresh, import and destroy; ``imports`` gives the ids of further resources."""

    def life(cli: Any, touch: Callable[[], object]) -> States:
        cli.write(text.format(length=2))
        states = planned_and_applied(cli)
        assert cli.plan().exit_code == 0
        cli.write(text.format(length=3))
        states += [module_plan(cli.plan().plan), module_state(cli.apply().state)]
        touch()
        states += [module_state(each().state) for each in (cli.refresh, cli.apply)]
        for address, id_ in (imports or {}).items():
            kind, _, name = address.partition(".")
            cli.write(f'resource "{kind}" "{name}" {{\n{IMPORTED[kind]}}}\n', f"{name}.tf")
            states.append(module_state(cli.import_(address, id_).state))
        return [*states, module_state(cli.destroy().state)]

    return life


def equal_life(text: str) -> Callable[[Any, Callable[[], object]], States]:
    """Apply, plan again, refresh and destroy what has equal objects in it: each at its own address, in each run."""

    def life(cli: Any, touch: Callable[[], object]) -> States:
        cli.write(text)
        states = [module_state(cli.apply().state)]
        assert cli.plan().exit_code == 0
        touch()
        return [*states, *(module_state(each().state) for each in (cli.refresh, cli.destroy))]

    return life


def names_life(text: str, right: Callable[[Instances], bool]) -> Callable[[Any, Callable[[], object]], States]:
    """Apply, plan again, refresh and destroy ten of each. Which of them has which generated values differs from run to run.

    ``right`` says whether everything belongs together, given the attributes by type and index.
    """

    def life(cli: Any, touch: Callable[[], object]) -> States:
        cli.write(text)
        states = [cli.apply().state]
        assert cli.plan().exit_code == 0
        touch()
        states += [cli.refresh().state, cli.destroy().state]
        assert all(right(instances(each)) for each in states)
        return [_unordered(each) for each in states]

    return life


Instances = Mapping[str, Mapping[int, Any]]


def instances(state: Mapping[str, Any]) -> Instances:
    """The attributes of counted resources, by type and index."""
    return {
        each["type"]: {found["index_key"]: found["attributes"] for found in each["instances"]} for each in state["resources"]
    }


def _unordered(state: Mapping[str, Any]) -> dict[str, Any]:
    """Of each type, all the ids, whichever instance has which."""
    return {
        each["type"]: sorted(found["attributes"]["id"] for found in each["instances"])
        for each in module_state(state)["resources"]
    }


def random_names_right(found: Instances) -> bool:
    """Whether passwords and pets were made for the id of their own index."""
    ids = found.get("random_id", {})
    return all(
        found["random_password"][n]["keepers"]["first"] == each["hex"]
        and found["random_pet"][n]["keepers"]["first"] == each["b64_url"]
        and found["random_pet"][n]["id"].startswith(f"pet-{n}/")
        and int(each["hex"], 16) == int(each["dec"])
        for n, each in ids.items()
    )


def aws_names_right(found: Instances) -> bool:
    """Whether each stream is in the group of its own index, and each group is one group."""
    streams = found.get("aws_cloudwatch_log_stream", {})
    return all(
        streams[n]["log_group_name"] == group["name"] == group["arn"].rpartition(":")[2]
        and streams[n]["name"] == f"stream-{n}"
        and streams[n]["arn"] == f"{group['arn']}:log-stream:stream-{n}"
        for n, group in found.get("aws_cloudwatch_log_group", {}).items()
    )


# Configurations --------------------------------------------------------------------------------------------------------

IMPORTED = {
    "random_integer": "  min = 1\n  max = 50000\n",
    "random_string": "  length = 8\n",
    "random_password": "  length = 12\n",
    "time_static": "",
}
RANDOM_IMPORTS = {
    "random_integer.imported": "15390,1,50000",
    "random_string.imported": "ab3Dk9xZ",
    "random_password.imported": "notASecret12",
}
TIME_IMPORTS = {"time_static.imported": "2026-02-12T06:36:13Z"}

RANDOM = """
resource "random_pet" "pet" {{
  length = {length}
}}
resource "random_integer" "number" {{
  min = 1
  max = 50000
}}
resource "random_shuffle" "shuffled" {{
  input = [random_pet.pet.id, "x", "y"]
}}
resource "random_password" "password" {{
  length = 20
}}
resource "random_string" "string" {{
  length  = 8
  special = false
}}
output "pet" {{
  value = random_pet.pet.id
}}
"""
RANDOM_NAMES = """
resource "random_id" "first" {
  count       = 10
  byte_length = 8
}
resource "random_password" "second" {
  count   = 10
  length  = 16
  keepers = { first = random_id.first[count.index].hex }
}
resource "random_pet" "third" {
  count     = 10
  prefix    = "pet-${count.index}"
  separator = "/"
  keepers   = { first = random_id.first[count.index].b64_url }
}
resource "random_integer" "same" {
  count = 10
  min   = 10000
  max   = 99999
}
"""
NULL = """
resource "null_resource" "first" {{
  triggers = {{ version = "{length}" }}
}}
data "null_data_source" "values" {{
  inputs = {{ first = null_resource.first.id }}
}}
"""
TIME = """
resource "time_static" "start" {{
  triggers = {{ version = "{length}" }}
}}
resource "time_offset" "later" {{
  offset_days = {length}
}}
"""
LOCAL = """
resource "local_file" "first" {{
  filename = "first.txt"
  content  = "length {length}\\n"
}}
resource "local_sensitive_file" "second" {{
  filename = "second.txt"
  content  = "not for everybody {length}"
}}
data "local_file" "first" {{
  filename = local_file.first.filename
}}
output "read" {{
  value = data.local_file.first.content
}}
"""
TLS = """
resource "tls_private_key" "key" {{
  algorithm = "ED25519"
}}
resource "tls_self_signed_cert" "cert" {{
  private_key_pem       = tls_private_key.key.private_key_pem
  validity_period_hours = 1000{length}
  allowed_uses          = ["server_auth"]
  subject {{
    common_name = "example.test"
  }}
}}
data "tls_public_key" "public" {{
  private_key_pem = tls_private_key.key.private_key_pem
}}
"""
RANDOM_EQUAL = """
resource "random_id" "i" {
  count       = 3
  byte_length = 5
  keepers     = { app = "shop", env = "dev", tier = "web" }
}
resource "random_password" "p" {
  count   = 3
  length  = 12 + count.index
  keepers = { app = "shop", env = "dev", hash = sha256(random_id.i[count.index].hex) }
}
ephemeral "random_password" "e" {
  length = 24
}
"""
TLS_EQUAL = """
resource "tls_private_key" "key" {
  count     = 2
  algorithm = "ED25519"
}
resource "tls_self_signed_cert" "ca" {
  private_key_pem       = tls_private_key.key[1].private_key_pem
  validity_period_hours = 1000
  is_ca_certificate     = true
  allowed_uses          = ["cert_signing"]
  subject {
    common_name = "ca.example.test"
  }
}
resource "tls_cert_request" "leaf" {
  private_key_pem = tls_private_key.key[0].private_key_pem
  subject {
    common_name = "leaf.example.test"
  }
}
resource "tls_locally_signed_cert" "leaf" {
  cert_request_pem      = tls_cert_request.leaf.cert_request_pem
  ca_private_key_pem    = tls_private_key.key[1].private_key_pem
  ca_cert_pem           = tls_self_signed_cert.ca.cert_pem
  validity_period_hours = 1000
  allowed_uses          = ["server_auth"]
}
"""
TOGETHER = """
resource "random_id" "i" {
  count       = 3
  byte_length = 5
  keepers     = { app = "shop", env = "dev", tier = "web" }
}
resource "null_resource" "n" {
  count    = 3
  triggers = { of = random_id.i[count.index].hex, app = "shop" }
}
resource "local_file" "f" {
  count    = 3
  filename = "file-${count.index}.txt"
  content  = "${random_id.i[count.index].hex} of ${null_resource.n[count.index].id}\\n"
}
"""
FAKE = """
data "cloud_zone" "zone" {{
  region = "eu"
}}
resource "cloud_bucket" "logs" {{
  name = "logs-{length}"
  acl  = "x"
  tags = {{ zone = data.cloud_zone.zone.zone }}
}}
resource "cloud_bucket" "more" {{
  acl    = "acl-{length}"
  source = cloud_bucket.logs.arn
  token  = "correct horse battery staple"
}}
resource "cloud_user" "user" {{
  name = "ann"
}}
output "arn" {{
  value = cloud_bucket.logs.arn
}}
"""
