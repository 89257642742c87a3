"""What operations of the embedded engine are limited to, what they start from, and what is built into it."""

from __future__ import annotations

import json
from functools import partial

import pulumi
import pytest
from engine_toolbox import BUCKET, Bucket, Thing, calls, make

from mockprovider.calls import Op
from mockprovider.cloud import Cloud
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, MalformedError, MockProviderError, ProgramError, UnsupportedError
from mockprovider.values import Secret


def two(acl="1"):
    """A program of two buckets, of which one needs the other."""

    def program():
        first = Bucket("first", acl=acl)
        Bucket("second", source=first.arn, acl=acl)

    return program


def exported(program=None):
    """A stack as it was exported somewhere else."""
    stack, _, _ = make(project="shop", name="prod")
    stack.up(program or two())
    return stack.export()


# Targets -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target", ["first", "**::first", "urn:pulumi:dev::project::cloud:index:Bucket::first", "urn:*:*::*::cloud:*:Bucket::fi*"]
)
def test_a_target_is_a_name_a_urn_or_a_glob(target):
    """Each of them limits an update to the resource that it means."""
    stack, double, _ = make()
    stack.up(two())
    double.journal.clear()
    assert stack.up(two("2"), target=[target]).summary == {"update": 1}
    assert calls(double, "second") == []


def test_what_is_left_out_is_unknown_to_the_program():
    """A resource that is no target, and not there yet, is not made, and not remembered."""
    stack, double, _ = make()
    assert stack.up(lambda: (Bucket("a"), Bucket("b")), target=["b"]).summary == {"create": 1}
    assert (stack.state.names(), len(double.cloud.objects())) == ({"b"}, 1)


def test_a_target_that_is_nowhere_is_an_error():
    """A name that neither the state nor the program has is told, and so is one of a refresh, which then reads nothing."""
    stack, double, _ = make()
    stack.up(two())
    for operation in (lambda: stack.up(two(), target=["fist"]), lambda: stack.refresh(target=["fist"])):
        double.journal.clear()
        with pytest.raises(ProgramError, match=r"the target 'fist' could not be found: .* Did you mean 'first'"):
            operation()
    assert double.journal.entries(op="read") == []


def test_an_exclusion_that_is_nowhere_is_an_error():
    """An exclusion that means nothing is told with what is nearest; nothing is read or destroyed without it."""
    stack, double, _ = make()
    stack.up(two())
    urn = f"urn:pulumi:dev::project::{BUCKET}::first"
    for operation in (stack.refresh, stack.destroy, partial(stack.up, two())):
        with pytest.raises(ProgramError, match=r"the exclusion 'fist' could not be found: .* Did you mean 'first'"):
            operation(exclude=["fist"])
        with pytest.raises(ProgramError, match=f"Did you mean '{urn}'"):
            operation(exclude=[urn.replace("first", "fist")])
    assert double.journal.entries(op="read") == []
    assert stack.state.names() == {"first", "second"}


def test_an_exclusion_that_is_nowhere_is_told_before():
    """What neither the state nor the program has is told by a preview, and what only the program has is left out of the up."""
    stack, double, _ = make()
    with pytest.raises(ProgramError, match=r"(?s)preview .*the exclusion 'fist' could not be found: .* Did you mean 'first'"):
        stack.up(two(), exclude=["fist"])
    assert not stack.up(two(), exclude=["fist"], expect_failure=True).succeeded
    assert double.cloud.objects() == []
    assert stack.up(two(), exclude=["second"]).summary == {"create": 1}
    assert stack.state.names() == {"first"}


def test_what_is_excluded_is_left_as_it_is():
    """An exclusion spares a resource from updates, and from a destroy with all that it needs."""
    stack, double, _ = make()
    stack.up(two())
    double.journal.clear()
    assert stack.up(two("2"), exclude=["first"]).summary == {"update": 1}
    assert calls(double, "first") == []
    assert stack.destroy(exclude=["second"]).summary == {}
    assert stack.destroy(exclude=["first"]).summary == {"delete": 1}
    assert stack.state.names() == {"first"}


def test_an_exclusion_that_something_new_needs():
    """What is excluded and not there cannot be depended on, unless what depends on it is left out, too."""
    stack, double, _ = make()
    for operation in (stack.preview, stack.up):
        with pytest.raises(ProgramError, match="It is excluded: exclude what depends on it, too"):
            operation(two(), exclude=["first"])
    assert stack.up(two(), exclude=["first"], exclude_dependents=True).summary == {}
    assert double.cloud.objects() == []


def test_an_object_that_a_read_takes_the_place_of_is_not_lost():
    """Where it is excluded it stays in the state, to be deleted; the real engine forgets it."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "kept", {"acl": "1"})
    stack.up(lambda: Bucket("first"))
    stack.up(lambda: Bucket("first", pulumi.ResourceOptions(id="kept")), exclude=["first"])
    assert len(double.cloud.objects(BUCKET)) == 2

    stack.destroy()
    assert [each.id for each in double.cloud.objects(BUCKET)] == ["kept"]


def test_options_that_do_not_go_together():
    """What the CLI does not take is refused here, too, before anything is done."""
    stack, double, _ = make()
    with pytest.raises(DefinitionError, match="target and exclude cannot be given together"):
        stack.up(two(), target=["first"], exclude=["second"])
    for operation, programs, option in (
        ("destroy", [], {"exclude_dependents": True}),
        ("destroy", [], {"replace": ["first"]}),
        ("refresh", [], {"replace": ["first"]}),
        ("refresh", [], {"continue_on_error": True}),
        ("preview", [two()], {"continue_on_error": True}),
    ):
        with pytest.raises(DefinitionError, match=f"{operation} takes no {next(iter(option))}"):
            getattr(stack, operation)(*programs, **option)
    assert len(double.journal) == 0


def test_a_misspelt_option_is_refused():
    """An option that there is not, such as ``targets``, would otherwise mean all resources."""
    stack, double, _ = make()
    for operation, programs in (("up", [two()]), ("preview", [two()]), ("refresh", []), ("destroy", [])):
        with pytest.raises(DefinitionError, match=f"{operation} takes no 'targets'. Did you mean 'target'"):
            getattr(stack, operation)(*programs, targets=["first"])
    assert len(double.journal) == 0


@pytest.mark.parametrize("option", ["target", "replace", "exclude"])
@pytest.mark.parametrize("given", ["first", [None], [""]])
def test_targets_are_lists_of_names(option, given):
    """A text in place of a list would be taken letter by letter, so it is refused."""
    stack, _, _ = make()
    with pytest.raises(DefinitionError, match=f"{option}=.* is no list of names or URNs"):
        stack.up(two(), **{option: given})


def test_a_resource_can_be_replaced_on_demand():
    """What ``replace`` names is replaced, though nothing has changed."""
    stack, _, _ = make()
    stack.up(two())
    before = stack.state["first"].id
    assert stack.up(two(), replace=["first"]).summary == {"replace": 1, "update": 1}
    assert stack.state["first"].id != before


def test_going_on_after_errors():
    """With ``continue_on_error`` what does not depend on the failed resource is still made, and the run fails all the same."""
    stack, _, breaking = make()
    breaking.fail(Op.CREATE, "first")
    failed = stack.up(lambda: (two()(), Bucket("third")), continue_on_error=True, expect_failure=True)
    assert (failed.summary, failed.state.names()) == ({"create": 1}, {"third"})
    assert "no create of first" in str(failed.error)


def test_going_on_after_errors_where_the_up_previews_first():
    """A preview takes no ``continue_on_error``, and an up with one does."""
    stack, _, _ = make()
    assert stack.up(two(), preview=True, continue_on_error=True).summary == {"create": 2}


def test_previews_of_a_refresh_and_a_destroy_change_nothing():
    """They tell what would be found and done."""
    stack, double, _ = make()
    stack.up(two())
    double.cloud.vanish(BUCKET, stack.state["second"].id)
    assert stack.refresh(preview=True).summary == {"delete": 1}
    assert stack.destroy(preview=True).summary == {"delete": 2}
    assert stack.state.names() == {"first", "second"}


# Starting from an exported stack -------------------------------------------------------------------------------------


def test_an_exported_stack_goes_on():
    """Its objects exist, its names are the stack's, and nothing is to be changed."""
    stack, double, _ = make()
    stack.import_(exported(), cloud=double.cloud)
    assert (stack.project, stack.name, len(double.cloud.objects(BUCKET))) == ("shop", "prod", 2)
    assert stack.refresh().summary == {}
    assert stack.up(two()).summary == {}


def test_an_exported_stack_can_be_a_file(tmp_path):
    """A path is read; one that is not there, or no JSON, is told."""
    stack, double, _ = make()
    file = tmp_path / "prod.json"
    with pytest.raises(MalformedError, match="There is no exported stack at"):
        stack.import_(file)
    file.write_text("resources:")
    with pytest.raises(MalformedError, match="it is no JSON"):
        stack.import_(file)
    file.write_text(json.dumps(exported()))
    stack.import_(file, cloud=double.cloud)
    assert stack.state.names() == {"first", "second"}


def test_packages_may_have_clouds_of_their_own():
    """A mapping of clouds fills those of its packages, and leaves the others alone."""
    clouds = {"cloud": Cloud(), "elsewhere": Cloud()}
    stack, _, _ = make()
    stack.import_(exported(lambda: (Bucket("b"), Thing("other:index:Kind", "k"))), cloud=clouds)
    assert [[each.type for each in cloud.objects()] for cloud in clouds.values()] == [[BUCKET], []]


def test_what_exists_is_not_adopted_twice():
    """An object that is there already is an error that says so, and the stack stays as it was."""
    stack, double, _ = make()
    deployment = exported()
    stack.import_(deployment, cloud=double.cloud)
    other, _, _ = make()
    with pytest.raises(MockProviderError, match="exists in the cloud already"):
        other.import_(deployment, cloud=double.cloud)
    assert (len(other.state), other.project) == (0, "project")


def test_encrypted_secrets_are_refused():
    """The message names the resource, and how to export."""
    deployment = exported(lambda: Bucket("b", token=pulumi.Output.secret("hush")))
    secret = deployment["deployment"]["resources"][-1]["inputs"]["token"]
    secret["ciphertext"] = secret.pop("plaintext")
    stack, double, _ = make()
    with pytest.raises(UnsupportedError, match=r"::b: .*--show-secrets"):
        stack.import_(deployment, cloud=double.cloud)
    assert double.cloud.objects() == []


@pytest.mark.parametrize("given", [[], "prod.json", {"version": 3}, {"version": 3, "deployment": {"resources": [{}]}}])
def test_what_is_no_export_is_refused(given):
    """Each time with what to give instead, or what is wrong."""
    stack, _, _ = make()
    with pytest.raises((MalformedError, UnsupportedError)):
        stack.import_(given)


# What is built in ----------------------------------------------------------------------------------------------------


def test_stack_references():
    """Other stacks are referred to by the names that they were given under; their secrets stay secret."""
    network, _, _ = make(project="network")
    network.up(lambda: pulumi.export("key", pulumi.Output.secret("hush")))
    given = {"organization/network/dev": network, "fixed": {"cidr": "::", "key": Secret("psst")}}
    stack, double, _ = make(references=given)

    def program():
        for name in given:
            pulumi.export(name, pulumi.StackReference(name).require_output("key"))

    up = stack.up(program)
    assert up.outputs == {"organization/network/dev": "hush", "fixed": "psst"}
    assert up.secret_outputs == set(given)
    assert double.journal.entries() == []


def test_an_unknown_stack_is_named_with_the_nearest():
    """The error tells which names were given, and which is nearest, or how to give one."""
    stack, _, _ = make(references={"organization/network/prod": {}})
    with pytest.raises(
        ProgramError, match=r"unknown stack 'organization/network/pord'\. Did you mean 'organization/network/prod'\?"
    ):
        stack.up(lambda: pulumi.StackReference("organization/network/pord"))
    said = r"unknown stack 'acme/shop/dev'\. A test says .*references=\{'acme/shop/dev': \{\.\.\.\}\}\)\. Given are: none\."
    with pytest.raises(ProgramError, match=said):
        make()[0].up(lambda: pulumi.StackReference("acme/shop/dev"))


@pytest.mark.parametrize(
    ("inputs", "said"),
    [({}, "missing required property 'input'"), ({"input": 1, "more": 2}, "unknown property 'more'")],
)
def test_a_stash_takes_one_input(inputs, said):
    """Anything else is refused as the real engine refuses it."""
    stack, _, _ = make()
    with pytest.raises(ProgramError, match=said):
        stack.up(lambda: Thing("pulumi:index:Stash", "s", **inputs))


def test_there_are_no_other_built_in_types_and_functions():
    """What this engine does not have is told by name."""
    stack, _, _ = make()
    with pytest.raises(ProgramError, match="unrecognized resource type 'pulumi:index:Nothing'"):
        stack.up(lambda: Thing("pulumi:index:Nothing", "n"))
    with pytest.raises(ProgramError, match="no function 'pulumi:pulumi:nothing'"):
        stack.up(lambda: pulumi.runtime.invoke("pulumi:pulumi:nothing", {}))


def test_an_imported_stack_is_not_a_program_s_stack():
    """A stack without operations has no outputs."""
    assert Stack(make()[1]).outputs == {}
