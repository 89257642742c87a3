"""Programs in TypeScript and JavaScript, as their users write them, with SDKs from npm, under the embedded engine."""

from __future__ import annotations

import subprocess

import pytest
from click.testing import CliRunner
from engine_toolbox import said
from language_stage import SECONDS, cloud_package, kubernetes_package, nodejs_project, random_package
from real_schemas import real_schema

from mockprovider import Double, Secret, Stack, from_sdk
from mockprovider.cli import main
from mockprovider.errors import ProgramError
from mockprovider.pulumi.languages.nodejs import PRELOADED

pytestmark = pytest.mark.node_cli
ORGANIZATION = "acme"
CONFIG = {"pets": {"token": Secret("t0k3n")}, "guestbook": {"replicas": "3"}}
NETWORK = {"acme/network/dev": {"vpc": "vpc-1", "key": Secret("k3y")}}


@pytest.fixture
def double(request):
    """The real packages that the programs use, as fakes."""
    config = request.config
    with Double(random_package(config), kubernetes_package(config), cloud_package()) as double:
        double.cloud.create("cloud:index:Bucket", "b-1", {"acl": "public"})
        yield double
        double.raise_errors()


@pytest.fixture
def at_hand(double, request, tmp_path):
    """Gives a program's folder, and a stack for it."""

    def prepare(name, **options):
        project = nodejs_project(name, tmp_path, request.config)
        options = {"config": CONFIG.get(name), "organization": ORGANIZATION, "references": NETWORK, **options}
        return Stack(double, project=project, timeout=SECONDS, **options)

    return prepare


def pets(result):
    name = result.outputs["name"]
    assert result.outputs["greeting"] == f"hello, {name}"
    assert result.outputs["where"] == {"project": "pets", "stack": "dev", "organization": "acme"}
    assert result.outputs["secret"].startswith("t0k3n/")
    assert result.secret_outputs == {"secret"}
    assert result.state["pet"].inputs["prefix"] == "big"
    assert [diagnostic.message for diagnostic in result.diagnostics] == ["declared"]


def fleet(result):
    assert len(result.outputs["ships"]) == 4
    assert result.outputs["regions"] == 2
    assert result.state["north-ship-1"].parent.endswith("acme:index:Fleet::north")
    assert result.state["north"].outputs["names"] == result.outputs["ships"][:2]


def guestbook(result):
    assert (result.outputs["ports"], result.outputs["wanted"]) == ([80], 3)
    [deployment] = [resource for resource in result.state.values() if resource.type == "kubernetes:apps/v1:Deployment"]
    assert deployment.inputs["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.27"


def tenants(result):
    assert result.outputs["names"] == ["login", "login"]
    assert result.secret_outputs == {"login"}
    assert "::red::" in result.state["red-login"].provider


def site(result):
    assert result.outputs["zone"] == "zone-eu"
    assert result.outputs["late"].startswith("zone-")
    assert result.outputs["same"] == result.outputs["arn"] == result.state["page"].outputs["arn"]
    assert result.state["page"].inputs["file"].path == "./www/index.html"
    assert ("info", "the zone is zone-eu") in said(result)


def tags(result):
    assert result.outputs["owners"] == ["team-a", "team-a"]
    assert result.secret_outputs == {"hidden"}


def consumer(result):
    assert result.outputs["placed"].endswith(" in vpc-1")
    assert result.outputs["unlocked"] == "k3y"
    assert result.secret_outputs == {"unlocked"}


def modern(result):
    assert (result.outputs["pair"], result.outputs["many"]) == ("...", 3)


def lookups(result):
    assert result.state["adopted"].id == "b-1"
    assert result.outputs["acl"] == "public"
    assert result.outputs["urls"] == {"a": "https://a.example.com", "b": "https://b.example.com"}
    assert result.outputs["missing"] is None


def nested(result):
    assert (result.outputs["folder"], result.outputs["dry"]) == ("src", False)


def stamped(result):
    assert result.outputs == {"captain": "pet-own-team-stack"}
    assert set(result.state["team-captain"].ignore_changes) == {"keepers"}


@pytest.mark.parametrize(
    ("check", "created"),
    [
        (pets, 2),
        (fleet, 8),
        (guestbook, 4),
        (tenants, 3),
        (site, 3),
        (tags, 4),
        (consumer, 1),
        (modern, 3),
        (nested, 2),
        (lookups, 2),
        (stamped, 2),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_life_of_a_program(at_hand, double, check, created):
    """A program is brought up, does nothing the second time, has nothing to refresh, and leaves nothing behind."""
    stack = at_hand(check.__name__)
    up = stack.up()
    check(up)
    assert up.summary["create"] == created
    again = stack.up()
    assert (again.summary, again.outputs) == ({}, up.outputs)
    assert stack.refresh().summary == {}
    assert stack.destroy().summary["delete"] == created + (check is lookups)
    assert [remaining.id for remaining in double.cloud.objects()] == ["b-1"] * (check is not lookups)


def test_a_preview_changes_nothing(at_hand, double):
    """The program learns that it is a preview, outputs that nobody can know yet are unknown, and nothing is made."""
    preview = at_hand("nested").preview()
    assert (preview.summary, preview.outputs["dry"]) == ({"create": 2}, True)
    assert len(double.cloud.objects()) == 1


def test_a_program_in_parallel(at_hand):
    """A program may have several registrations under way; what comes of it is the same."""
    stack = at_hand("fleet", parallel=4)
    assert stack.up().summary == {"create": 8}
    assert stack.up().summary == {}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("throw", "thrown on purpose"),
        ("reject", "refused on purpose"),
        ("exit", "exit code 3"),
        ("apply", "thrown on the way"),
        ("answer", "no zone today"),
    ],
)
def test_a_program_that_fails(at_hand, double, how, words):
    """Whatever way a program fails, the run does, with its own words, once and without colours."""
    double.faults.on.invoke("cloud:index:getZone").error("no zone today").optional()
    failed = at_hand("misfit", config={"how": how}).up(expect_failure=True)
    assert words in str(failed.error)
    assert [words in message for _, message in said(failed)].count(True) == 1
    assert "\x1b" not in str(failed.error)


def test_an_error_of_a_scoped_package_is_shown_at_once():
    """Node.js searches the coloured stack of this error without end; with what is loaded before a program it does not."""
    script = """
        const error = new Error("here");
        error.stack = "Error: here\\n    at apply (/a/node_modules/@pulumi/output.ts:516:31)\\n    at b";
        import("util").then(({ inspect }) => console.log(inspect(error, { colors: true }), inspect.custom.toString()));
    """
    shown = subprocess.run(
        ["node", "--require", str(PRELOADED), "-e", script], check=True, capture_output=True, text=True, timeout=SECONDS
    )
    assert shown.stdout.splitlines()[1:] == [
        "    at apply (/a/node_modules/@pulumi/output.ts:516:31)",
        "    at b Symbol(nodejs.util.inspect.custom)",
    ]


def test_a_program_that_does_not_compile(at_hand, tmp_path):
    """A mistake in types is told with its place, as the compiler has it."""
    stack = at_hand("nested")
    (tmp_path / "nested" / "src" / "index.ts").write_text("const count: number = 'two';\n")
    failed = stack.up(expect_failure=True)
    assert "Type 'string' is not assignable to type 'number'" in str(failed.error)


def test_a_provider_that_fails(at_hand, double):
    """The provider's words are the error; the program, which then loses its monitor, adds none, and nothing is deleted."""
    stack = at_hand("pets")
    stack.up()
    double.faults.on.create("random:index/randomPet:RandomPet").error("no more pets")
    stack.config["pets:length"] = "5"
    failed = stack.up(expect_failure=True)
    assert "no more pets" in str(failed.error)
    own, *others = [message for severity, message in said(failed) if severity == "error"]
    assert ("no more pets" in own, others) == (True, ["update failed"])
    assert "pet" in failed.state


def test_a_program_that_never_ends(at_hand, double, monkeypatch):
    """Once the operation has failed, a program that goes on is ended, and everything that it started."""
    monkeypatch.setattr("mockprovider.pulumi.languages.running.LEAVING", 0.0)
    double.faults.on.create("random:index/randomPet:RandomPet").error("no more pets")
    failed = at_hand("misfit", config={"how": "forever"}).up(expect_failure=True)
    assert "no more pets" in str(failed.error)


def test_on_the_command_line(request, tmp_path):
    """``mockprovider run`` runs a project as it is, and keeps its state and cloud for the next run."""
    project = nodejs_project("nested", tmp_path, request.config)
    types = tmp_path / "random.json"
    types.write_text(real_schema("random", request.config))
    for operation, words in (("up", "up: 2 create"), ("up", "up: nothing changed"), ("destroy", "destroy: 2 delete")):
        ended = CliRunner().invoke(main, ["run", str(project), operation, "--types", str(types)])
        assert (ended.exit_code, words in ended.output) == (0, True), ended.output


def test_packages_that_are_not_installed(at_hand, tmp_path):
    """A project whose packages are missing is told what to do, before anything runs."""
    stack = at_hand("pets", config={"token": "x"})
    (tmp_path / "node_modules").unlink()
    with pytest.raises(ProgramError, match="npm ci"):
        stack.up()


def test_hooks(double, at_hand):
    """The hooks of a program in TypeScript are called while it runs, and while it waits for the deletions."""
    stack = at_hand("patient")
    double.faults.on.create(name="pet").error("try later").times(2)
    up = stack.up()
    assert [diagnostic.message for diagnostic in up.diagnostics if diagnostic.severity == "info"] == [
        "pet: ",
        "create failed: try later",
        "create failed: try later",
        "pet: length prefix separator",
    ]
    assert up.state["pet"].resource_hooks["OnError"] == ("patient",)
    destroyed = stack.destroy(run_program=True)
    assert [diagnostic.message for diagnostic in destroyed.diagnostics] == ["pet: length prefix separator"]


@pytest.mark.parametrize("check", [pets, guestbook], ids=["random", "kubernetes"])
def test_a_program_with_its_own_sdk_as_the_schema(request, tmp_path, check):
    """The npm SDK that the program uses is all that declares its types: it runs twice and leaves nothing, strictly."""
    name = check.__name__
    project = nodejs_project(name, tmp_path, request.config)
    packages = [from_sdk(tmp_path / "node_modules" / "@pulumi" / package) for package in ("random", "kubernetes")]
    with Double(*packages, strict=True) as double:
        stack = Stack(double, project=project, timeout=SECONDS, config=CONFIG[name], organization=ORGANIZATION)
        check(stack.up())
        assert stack.up().summary == {}
        stack.destroy()
        assert double.cloud.objects() == []
        double.raise_errors()


@pytest.mark.parametrize("name", ["random", "kubernetes"])
def test_an_npm_sdk_and_a_schema_declare_the_same_types(request, tmp_path, name):
    """Of a resource that both know, the names, kinds and required inputs are the same but for what changed between versions."""
    nodejs_project("nested", tmp_path, request.config)
    read = from_sdk(tmp_path / "node_modules" / "@pulumi" / name)
    schema = random_package(request.config) if name == "random" else kubernetes_package(request.config)
    common = sorted(set(read.resources) & set(schema.resources))
    assert len(common) >= 7
    differing = {token for token in common if _summary(read.resources[token]) != _summary(schema.resources[token])}
    # The schemas are of other versions than the SDKs.
    assert len(differing) <= len(common) // 4, differing


def _summary(declared):
    return {
        wire: (item.kind.name.replace("integer", "number"), item.required, item.is_input)
        for wire, item in declared.properties.items()
    }
