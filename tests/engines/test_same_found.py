"""The embedded engine against the real CLI: what programs by chance (``test_differential.py``) have found, made small."""

from __future__ import annotations

from unittest.mock import ANY

import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Thing, one_by_one
from pulumi import Alias, Output, ResourceOptions

pytestmark = pytest.mark.pulumi_cli


def test_what_is_only_read_hands_no_provider_down(make_both):
    """A child of a resource that is only read gets a default provider of its own version."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1", arn="arn:kept")

    @one_by_one
    def program():
        read = Bucket("read", ResourceOptions(id="kept", version="2.0.0"))
        yield read
        yield Bucket("child", ResourceOptions(parent=read, version="1.2.3"))

    both.run("up", program)
    both.run("destroy")


def test_a_provider_that_goes_before_its_replacement_is_ended_too_early(make_both):
    """Where a provider is to be replaced because of what it depends on, nothing that it serves can be deleted any more."""
    both = make_both(serial=True)
    inputs = {"peer": "1"}

    @one_by_one
    def program():
        net = Thing(NET, "net", **inputs)
        yield net
        provider = Cloud("provider", region=net.id)
        yield provider
        yield Bucket("served", ResourceOptions(provider=provider))

    both.run("up", program)
    inputs["peer"] = "2"
    both.run("preview", program)
    both.run("up", program, fails=True)
    both.run("up", program, fails=True)
    both.run("destroy")


def test_what_needs_an_old_instance_spares_it_in_the_run_that_replaced_it_alone(make_both):
    """A protected leftover needs the old instance of what was just replaced; in the next run, it needs the new one."""
    both = make_both(serial=True)
    inputs, names = {}, ["kept", "gone"]

    @one_by_one
    def program():
        first = Bucket("first", **inputs)
        yield first
        for name in names:
            yield Bucket(name, ResourceOptions(protect=True), token=first.id)

    both.run("up", program)
    inputs["name"] = "x"
    names.remove("gone")
    both.run("up", program, fails=True)
    assert len(both.objects()[0]) == 4
    both.run("up", program, fails=True)
    assert len(both.objects()[0]) == 3


def test_a_half_made_replacement_has_its_old_instance_deleted(make_both):
    """Where the operation goes on after errors, and what the replaced resource needs stays."""
    both = make_both(serial=True)
    inputs, names = {}, ["needed", "other"]

    @one_by_one
    def program():
        needed = [Bucket(name) for name in names]
        yield from needed
        second = Bucket("second", ResourceOptions(depends_on=needed), **inputs)
        yield second
        yield Bucket("third", ResourceOptions(depends_on=[second]))

    both.run("up", program)
    inputs["name"] = "x"
    names.remove("needed")
    both.breaks(lambda on: on.create(BUCKET).partial(reasons=["slow"]))
    assert both.run("up", program, continue_on_error=True, fails=True)["second"][-2:] == ["Create", "Delete"]
    both.mend()
    both.run("up", program)


def test_a_skipped_registration_spares_nothing(make_both):
    """What only a skipped resource needs, and the program does not have any more, is deleted."""
    both = make_both(serial=True)
    names = ["needed"]

    @one_by_one
    def program():
        needed = [Bucket(name) for name in names]
        yield from needed
        first = Bucket("first", acl="1" if needed else "2")
        yield first
        yield Bucket("second", ResourceOptions(depends_on=[*needed, first]))

    both.run("up", program)
    names.clear()
    both.breaks(lambda on: on.update(BUCKET).error("no"))
    both.run("up", program, continue_on_error=True, fails=True)
    both.mend()
    both.run("up", program)


def test_a_dependent_of_a_target_of_a_refresh_has_no_provider(make_both):
    """Only the providers of the targets themselves are started for it, so what has another one fails."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        provider = Cloud("provider")
        yield provider
        first = Bucket("first", ResourceOptions(provider=provider))
        yield first
        yield Bucket("second", ResourceOptions(depends_on=[first]))

    both.run("up", program)
    both.run("refresh", target=["first"], target_dependents=True, fails=True)
    both.run("up", program, refresh=True, target=["first"], target_dependents=True, fails=True)
    both.run("refresh", target=["first", "second"], target_dependents=True)


def test_what_is_replaced_with_another_needs_its_provider_to_be_there(make_both):
    """Where the program has another provider, nobody starts the old one for what is only deleted with a replacement."""
    both = make_both(serial=True)
    inputs = {"cidr": "1"}
    names = ["other"]

    @one_by_one
    def program():
        first = Thing(NET, "first", **inputs)
        yield first
        provider = Cloud("new" if not names else "old")
        yield provider
        for name in names:
            yield Bucket(name, ResourceOptions(replace_with=[first], provider=provider))

    both.run("up", program)
    inputs["cidr"] = "2"
    names.clear()
    both.run("preview", program)
    both.run("up", program, fails=True)
    both.run("destroy")


def test_a_read_in_a_preview_is_not_sent_what_is_unknown(make_both):
    """What ``.get()`` is given and nobody knows yet is left out of its Read, also in lists and maps."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1", arn="arn:kept")

    @one_by_one
    def program():
        first = Bucket("first")
        yield first
        hidden = Output.secret(first.arn)
        yield Bucket("read", ResourceOptions(id="kept"), acl="1", name=first.arn, token=hidden, tags={"k": first.arn, "l": "1"})

    both.run("preview", program)
    both.run("up", program)
    both.run("preview", program)


def test_a_refresh_that_reads_nothing_tidies_the_state_all_the_same(make_both):
    """Where no resource is its target, the state is still written as a refresh leaves it."""
    both = make_both(serial=True)
    names = ["first"]

    @one_by_one
    def program():
        for name in names:
            yield Bucket(name, acl="1")

    both.run("up", program)
    names.append("second")
    both.run("up", program, refresh=True, target=["second"])


def test_secret_outputs_are_marked_after_the_diff_of_a_refresh(make_both):
    """Diff sees what Read has answered; only in the state, the outputs that the program calls secret are so again."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        yield Bucket("b", ResourceOptions(additional_secret_outputs=["acl", "arn"]), acl="1", token=Output.secret("x"))

    both.run("up", program)
    both.drift(BUCKET, acl="drifted", token="drifted")
    both.run("refresh", preview=True)
    both.run("refresh")
    both.run("up", program)


@pytest.mark.parametrize("option", ["exclude", "target"])
def test_what_needs_something_that_is_only_read_goes_with_it(make_both, option):
    """What is only read is read in any case, and what depends on it goes by whether that was named."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1", arn="arn:kept")
    inputs = {"acl": "1"}

    @one_by_one
    def program():
        source = Bucket("source", ResourceOptions(id="kept"))
        yield source
        yield Bucket("needs", source=source.arn, **inputs)
        yield Bucket("other", **inputs)

    both.run("up", program)
    inputs["acl"] = "2"
    both.run("up", program, **{option: ["source"], f"{option}_dependents": True})
    both.run("destroy")


@pytest.fixture
def both_with_old_instances(make_both):
    """Both engines with two buckets and their old instances, whose deletions have failed; the program has neither any more."""
    both = make_both(serial=True)
    inputs, names = {}, ["first", "second"]

    @one_by_one
    def program():
        for name in names:
            yield Bucket(name, **inputs)

    both.run("up", program)
    inputs["name"] = "x"
    both.breaks(lambda on: on.delete(BUCKET).error("no").always())
    both.run("up", program, continue_on_error=True, fails=True)
    both.mend()
    names.clear()
    return both, program


@pytest.mark.parametrize("limits", [{"exclude": ["first"]}, {"target": ["second"]}])
@pytest.mark.parametrize("operation", ["up", "destroy"])
def test_old_instances_are_kept_as_the_others_are(both_with_old_instances, operation, limits):
    """Where the program has no such resource any more, each instance that an operation passes over has a step of its own."""
    both, program = both_with_old_instances
    both.run(*((operation, program) if operation == "up" else (operation,)), **limits)
    assert len(both.objects()[0]) == 2
    both.run("destroy")


def test_each_instance_of_a_resource_is_refreshed(both_with_old_instances):
    """What each Read has found is told, though they are of one resource and come one after the other."""
    both, _ = both_with_old_instances
    assert both.run("refresh")["first"] == ["Read", "Diff"] * 2


@pytest.mark.parametrize("operation", ["up", "destroy"])
def test_an_exclusion_does_not_spare_what_is_old_alone(both_with_old_instances, make_both, operation):
    """An old instance whose resource is not in the state any more is deleted, though it is excluded."""
    older, program = both_with_old_instances
    exported = older.stack.export()
    resources = exported["deployment"]["resources"]
    resources[:] = [each for each in resources if each.get("delete") or not each["urn"].endswith("::first")]
    both = make_both(serial=True)
    both.adopt(exported)
    deleted = both.run(*((operation, program) if operation == "up" else (operation,)), exclude=["first"])
    assert deleted["first"] == ["Delete"]


def test_a_provider_that_is_ended_is_not_asked_again(make_both):
    """Where two targets of a destroy would each replace it, the second question fails, and nothing is deleted."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        first = Bucket("first")
        yield first
        second = Bucket("second", ResourceOptions(depends_on=[first]))
        yield second
        yield Cloud("provider", region=Output.concat(first.id, second.id))

    both.run("up", program)
    both.run("destroy", target=["first"], target_dependents=True, fails=True)
    assert len(both.objects()[0]) == 2
    both.run("destroy")


def test_a_renamed_parent_leaves_the_dependencies_of_properties_as_they_are(make_both):
    """Where only the name of its parent has changed, the state still lists the properties that depend on nothing."""
    both = make_both(serial=True)
    names = ["parent"]

    @one_by_one
    def program():
        parent = Component(names[-1], ResourceOptions(aliases=[Alias(name=name) for name in names[:-1]]))
        yield parent
        if len(names) == 1:
            yield Bucket("child", ResourceOptions(parent=parent, protect=True), acl="1")

    both.run("up", program)
    names.append("renamed")
    both.run("up", program, fails=True)


def test_paths_that_are_hidden(both):
    """A state spells the paths of ``hide_diffs`` as the real engine does, which reads the other's state."""

    def program(acl="1"):
        Bucket("a", ResourceOptions(hide_diffs=["acl", 'tags["x.y"]', "tags.k"]), acl=acl, tags={"k": acl, "x.y": acl})

    both.run("up", program)
    both.cli.import_(both.stack.export())
    both.run("up", lambda: program("2"))
    both.stack.import_(both.cli.export())
    both.run("refresh")


def test_a_read_that_hides_a_value_is_counted(make_both):
    """The summary has a read whose output is a secret since the program hides it, and none where it stays one."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1", arn="arn:kept")
    hides = False

    def program():
        Bucket("read", ResourceOptions(id="kept"), **({"acl": Output.secret("1")} if hides else {}))

    both.run("up", program)
    hides = True
    both.run("up", program)
    assert both.results[0].summary == {"read": 1}
    both.run("up", program, refresh=True)
    both.run("preview", program)
    hides = False
    both.run("up", program)


def test_a_parent_that_is_left_out_is_named_first(make_both):
    """A target whose parent and dependency would both be created by nobody is refused because of its parent."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        first = Bucket("first")
        yield first
        parent = Bucket("parent")
        yield parent
        yield Bucket("child", ResourceOptions(parent=parent, depends_on=[first]))

    both.run("up", program, target=["child"], fails=True)
    both.run("preview", program, target=["child"], fails=True)


def test_a_provider_s_ignored_changes_are_told(make_both):
    """DiffConfig has the paths that a provider's option names, as Diff has those of a resource."""
    both = make_both(serial=True)
    wanted = {"region": "1", "tag": "1"}

    @one_by_one
    def program():
        provider = Cloud("provider", ResourceOptions(ignore_changes=["region"]), **wanted)
        yield provider
        yield Bucket("bucket", ResourceOptions(provider=provider))

    both.run("up", program)
    wanted["region"] = "2"
    both.run("preview", program)
    both.run("up", program)
    wanted["tag"] = "2"
    both.run("up", program)
    both.run("destroy")


@pytest.mark.parametrize("run_program", [False, True])
def test_a_destroy_of_a_target_that_is_not_there(make_both, run_program):
    """It is refused before anything else, hooks that nobody can run among it; a target of the program alone does not count."""
    both = make_both(serial=True)

    def before():
        Bucket("a", ResourceOptions(hooks=both.hooks("a", "before_delete")))

    def program():
        before()
        Bucket("new")

    both.run("up", before)
    given = {"program": program, "run_program": True} if run_program else {}
    both.run("destroy", target=["urn:pulumi:dev::project::cloud:index:Bucket::new"], fails=True, **given)
    assert [double.journal.entries() for double in both.doubles] == [[], []]


def test_an_import_that_is_to_be_replaced_at_once(make_both):
    """The update fails, the import stays, and nothing else is registered; without the import option it is replaced."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1", arn="arn:kept")

    def version(**options):
        @one_by_one
        def program():
            yield Bucket("bucket", ResourceOptions(**options), name="other")
            yield Bucket("next")

        return program

    assert both.run("up", version(import_="kept"), fails=True) == {"default": ANY, "bucket": ["Read", "Check", "Diff"]}
    both.run("up", version())


def test_a_target_of_a_destroy_that_something_needs(make_both):
    """The destroy is refused, and deletes nothing; a preview of it tells the same."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        component = Component("component")
        yield component
        yield Bucket("bucket", ResourceOptions(parent=component))

    both.run("up", program)
    both.run("destroy", target=["component"], preview=True, fails=True)
    both.run("destroy", target=["component"], fails=True)
    both.run("destroy", target=["component"], target_dependents=True)


@pytest.mark.parametrize("protect", [False, True])
@pytest.mark.parametrize("imported", [False, True])
def test_what_a_failed_import_was_to_replace_is_deleted(make_both, protect, imported):
    """Where the operation goes on after errors, what is remembered under the name of a failed import goes, unless protected."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1")
    ids = ["kept" if imported else None]

    @one_by_one
    def program():
        bucket = Bucket("bucket", ResourceOptions(import_=ids[-1], protect=protect), acl="1")
        yield bucket
        yield Bucket("dependent", ResourceOptions(depends_on=[bucket]))

    both.run("up", program)
    ids.append("nowhere")
    both.run("up", program, continue_on_error=True, fails=True)
    assert ("bucket" in both.stack.state.names()) == protect
