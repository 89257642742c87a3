"""Orders over a state."""

from mockprovider.engine.state.graph import deletion_batches, dependents, repaired, staying, transitive_dependencies
from mockprovider.pulumi.stacks.state import ResourceState


def state(name, *dependencies, **fields):
    """A resource whose URN is its name."""
    return ResourceState(urn=name, type="cloud:index:Bucket", custom=True, id=name, dependencies=dependencies, **fields)


def names(resources):
    """What they are called."""
    return [each.urn for each in resources]


def test_dependents_are_found_through_all_edges_but_parents():
    """Dependencies, property dependencies, providers and ``deletedWith`` count, transitively; a mere parent does not."""
    root = state("a")
    resources = [
        root,
        state("b", "a"),
        state("c", property_dependencies={"x": ("b",)}),
        state("d", provider="a::id"),
        state("e", deleted_with="d"),
        state("f", parent="a"),
        state("g"),
    ]
    assert names(dependents(resources, root, lambda _: False)) == ["b", "c", "d", "e"]
    assert names(dependents(resources, root, lambda urn: urn == "b")) == ["d", "e"]


def test_an_unknown_root_has_no_dependents():
    """What is not in the state (a resource imported just now) has none."""
    assert dependents([state("a")], state("a"), lambda _: False) == []


def test_deletions_run_in_batches_from_the_dependents_down():
    """Whatever depends on something, also as its child, is in an earlier batch."""
    a, b, c, d = state("a"), state("b", "a"), state("c", parent="b"), state("d", "a")
    assert [names(batch) for batch in deletion_batches([a, b, c, d], [a, b, c, d])] == [["c"], ["b", "d"], ["a"]]


def test_what_depends_on_a_component_goes_before_what_is_inside_of_it():
    """At every depth, as Pulumi's dependency graph has it, since dependencies name the component alone."""
    component = state("c")
    component.custom = False
    resources = [
        component,
        state("kid", parent="c"),
        state("grandchild", parent="kid"),
        state("x", "c"),
        state("late", parent="c"),
    ]
    batches = deletion_batches(resources, resources)
    assert [names(batch) for batch in batches] == [["x"], ["grandchild"], ["kid", "late"], ["c"]]


def test_only_what_is_condemned_is_in_the_batches():
    """What stays does not count, and does not order anything."""
    a, b, c = state("a"), state("b", "a"), state("c", "b")
    assert [names(batch) for batch in deletion_batches([a, b, c], [a, c])] == [["a", "c"]]


def test_two_instances_of_one_urn_are_told_apart():
    """The old instance of a replacement and the new one are deleted each in its place."""
    old, dependent, new = state("a", delete=True), state("b", "a"), state("a")
    batches = deletion_batches([old, dependent, new], [old, dependent, new])
    assert [[id(each) for each in batch] for batch in batches] == [[id(dependent)], [id(old), id(new)]]


def test_transitive_dependencies():
    """Everything that a resource needs is found, directly or not."""
    a, b, c, d = state("a"), state("b", "a"), state("c", "b"), state("d")
    assert transitive_dependencies([a, b, c, d], c) == {id(a), id(b)}


def test_references_to_what_is_gone_are_pruned():
    """After a refresh nothing refers to what vanished, and who has lost its parent has none."""
    kept = state(
        "c", "a", "b", parent="b", property_dependencies={"x": ("b",), "y": ("a",)}, deleted_with="b", replace_with=("b", "a")
    )
    (_, found) = repaired([state("a"), kept])
    assert (found.dependencies, found.parent, found.deleted_with, found.replace_with) == (("a",), "", "", ("a",))
    assert found.property_dependencies == {"y": ("a",)}


def test_what_stays_with_what_is_excluded():
    """What it needs stays, its parent, too, and a component with all that is inside; what depends on it on request."""
    component = state("b")
    component.custom = False
    resources = [
        state("a"),
        component,
        state("kid", parent="b"),
        state("grandchild", parent="kid"),
        state("c", "b", parent="a"),
        state("d", "c"),
        state("other", "a"),
        state("late", parent="b"),
    ]
    found = staying(resources, lambda urn: urn == "c", dependents=False)
    assert found == {"a", "b", "kid", "grandchild", "c"}
    assert staying(resources, lambda urn: urn == "c", dependents=True) == {*found, "d", "other", "late"}
    assert staying(resources, lambda urn: urn == "kid", dependents=False) == {"b", "kid"}
