"""Real Terraform providers whose values are hard to keep: recorded, and replayed three times with no provider anywhere."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept_terraform import module_plan, module_state
from terraform_stage import HEAD, Seen, lived, said

from mockprovider import tape
from mockprovider.double import Double, Wiring, real, recording, replaying
from mockprovider.drivers.terraform import Terraform
from mockprovider.protocols import of_family
from mockprovider.schema import Function, Property, ResourceType

TIMES = 3

KEEPERS = """
resource "random_password" "p" {
  length  = 20
  keepers = { env = "dev", app = "shop", tier = "web" }
}
resource "random_id" "i" {
  count       = 3
  byte_length = 4
  keepers     = { env = "dev", app = "shop", tier = "web", zone = "a", rack = "7" }
}
resource "random_pet" "after" {
  keepers = { id = random_id.i[1].hex, app = "shop", tier = "web" }
}
"""


def led(*configurations: str) -> Callable[[Terraform], Seen]:
    """A life: each configuration is planned, applied and found to need nothing more; then all is destroyed."""

    def life(cli: Terraform) -> Seen:
        seen: Seen = []
        for configuration in configurations:
            cli.write(configuration)
            seen += [module_plan(cli.plan().plan), module_state(cli.apply_plan().state)]
            assert cli.plan().exit_code == 0
        return [*seen, module_state(cli.destroy().state)]

    return life


def recorded(provider: str, binary: str, path: Path, life: Callable[[Terraform], Seen]) -> Seen:
    """What is seen of a life with the real provider, while it is recorded."""
    files = path.parent / "files"
    files.mkdir()
    wiring = real([shutil.which(f"terraform-provider-{provider}") or provider], "terraform", cwd=files)
    return lived(binary, Double(provider=recording(path, wiring, "terraform")), path.parent / "live", life)


def replayed(binary: str, path: Path, life: Callable[[Terraform], Seen]) -> list[Seen]:
    """What is seen of the same life with the cassette alone, each time anew."""
    return [lived(binary, Double(provider=replaying(path)), path.parent / f"replayed-{time}", life) for time in range(TIMES)]


def trees(path: Path) -> str:
    """All messages of a cassette but the schemas, as text."""
    cassette = tape.load(path)
    return json.dumps([[each.request, each.response] for each in cassette.interactions if each.op != "get_schema"])


def test_maps_of_several_keys_are_data(binary: str, tmp_path: Path) -> None:
    """A provider that sends a map's keys in any order is recorded as data: secrets in it are seen, equal objects told apart."""
    path, life = tmp_path / "keepers.json", led(KEEPERS)
    live = recorded("random", binary, path, life)
    assert "$msgpack" not in trees(path)
    assert not [each for each in tape.load(path).interactions if each.withheld]
    assert _unordered(replayed(binary, path, life)) == _unordered([live] * TIMES)


def _unordered(lives: list[Seen]) -> list[Any]:
    """Of each life the last state before the destroy, equal objects in the order of their values."""
    return [
        {
            each["type"]: sorted(json.dumps(found["attributes"]["id"]) for found in each["instances"])
            for each in life[-2]["resources"]
        }
        for life in lives
    ]


PREFIXED = """
resource "random_pet" "p" {
  length = 2
}
resource "random_string" "s" {
  length  = 8
  keepers = { name = "WORD-${random_pet.p.id}", env = "dev" }
}
"""


def test_what_is_known_of_an_unknown_is_data(binary: str, tmp_path: Path) -> None:
    """A text that is known to begin with a word before it is known is compared and shown by that word."""
    path, life = tmp_path / "prefixed.json", led(PREFIXED.replace("WORD", "TEP"))
    live = recorded("random", binary, path, life)
    assert '{"$unknown": {"null": false, "prefix": "TEP-"}}' in trees(path)
    assert replayed(binary, path, life) == [live] * TIMES
    with Double(provider=replaying(path)) as double:
        serving = double.serve("terraform")
        cli = Terraform(tmp_path / "other", lambda: serving.environment, binary=binary)
        cli.write(PREFIXED.replace("WORD", "PET"))
        refused = said(cli.plan(expect_failure=True))
    assert 'prefix: recorded "TEP-", now "PET-"' in refused


WORDS = (
    "string",
    "filename",
    "content",
    "local_sensitive_file",
    "GetProviderSchema",
    "PlanResourceChange",
    "DynamicValue",
    "msgpack",
    "plain",
    "PLAIN",
    "WARNING",
    "config",
    "true",
    "1",
    "registry.terraform.io",
)
"""What a secret may be by chance: words of schemas, of the protocol, of cassettes, and what is hardly a secret at all."""

FILE = 'resource "local_sensitive_file" "f{number}" {{\n  filename = "./f{number}.out"\n  content  = "{word}"\n}}\n'


def test_a_secret_may_be_any_word(binary: str, tmp_path: Path) -> None:
    """Secrets that are words of the schema or of the protocol are hidden where they stand, and leave the schema as it was."""
    files = "".join(FILE.format(number=number, word=word) for number, word in enumerate(WORDS))
    path, life = tmp_path / "words.json", led(files)
    live = recorded("local", binary, path, life)
    cassette = tape.load(path)
    schemas = [cassette.response(each) for each in cassette.interactions if each.method.endswith("Schema")]
    assert "$secret" not in json.dumps(schemas)
    assert len({json.dumps(each, sort_keys=True) for each in schemas}) == 1
    assert "$withheld" not in trees(path)
    assert '"content": "' not in trees(path)
    assert replayed(binary, path, life) == [live] * TIMES


EPHEMERAL = """
resource "random_pet" "p" {
  length = 2
}
ephemeral "random_password" "e" {
  length  = 24
  special = false
}
ephemeral "random_password" "of_it" {
  length  = ephemeral.random_password.e.length + 1
  lower   = ephemeral.random_password.e.lower
  special = ephemeral.random_password.e.special
}
"""


def test_an_ephemeral_resource_tells_what_is_public(binary: str, tmp_path: Path) -> None:
    """What an ephemeral resource was given, and its unmarked numbers, are equal on replay; the password is nowhere."""
    path, life = tmp_path / "ephemeral.json", led(EPHEMERAL)
    live = recorded("random", binary, path, life)
    opened = [each for each in tape.load(path).interactions if each.method == "OpenEphemeralResource"]
    for each in opened:
        result = each.response["result"]["msgpack"]
        assert (result["length"], result["lower"], result["special"]) in [(24, True, False), (25, True, False)]
        assert {"$secret", "$text"} & result["result"].keys()
        assert {"$secret", "$text"} & result["bcrypt_hash"].keys()
    assert opened
    assert replayed(binary, path, life) == [live] * TIMES


LOOK = Function(
    "cloud:index:getLook", {"question": Property(str), "config": Property(str, secret=True)}, {"answer": "answer to {question}"}
)
HIDING = ResourceType(
    "cloud:index:Hiding",
    {
        "name": Property(str),
        **{name: Property(str, secret=True) for name in ("config", "private", "result", "typeName", "priorState", "msgpack")},
    },
)
HIDDEN = """
resource "cloud_hiding" "h" {
  name        = "NAME"
  config      = "a"
  private     = "bb"
  result      = "result-secret"
  type_name   = "cloud_hiding"
  prior_state = "d"
  msgpack     = "msgpack-secret"
}
data "cloud_look" "l" {
  question = "NAME"
  config   = "none of your business"
}
output "answer" {
  value = data.cloud_look.l.answer
}
"""


def test_a_secret_may_be_called_as_a_field_of_the_protocol(binary: str, major: int, tmp_path: Path) -> None:
    """A sensitive attribute of such a name hides itself and not the message: what was not recorded is refused, not guessed."""
    path = tmp_path / "fields.json"
    life = led(HEAD + HIDDEN.replace("NAME", "production"))
    double = Double(HIDING, LOOK, provider=recording(path, Wiring("cloud", protocol=of_family("terraform", major))))
    live = lived(binary, double, tmp_path / "live", life)
    assert live[1]["outputs"] == {"answer": "answer to production"}
    assert "result-secret" not in path.read_text(encoding="utf-8")
    assert replayed(binary, path, life) == [live] * TIMES
    with Double(provider=replaying(path)) as other:
        serving = other.serve("terraform")
        cli = Terraform(tmp_path / "other", lambda: serving.environment, binary=binary)
        cli.write(HEAD + HIDDEN.replace("NAME", "staging"))
        assert 'recorded "production", now "staging"' in said(cli.plan(expect_failure=True))
