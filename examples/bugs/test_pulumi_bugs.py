"""Bugs that users of Pulumi reported, each as a test under the embedded engine and the real ``pulumi``.

docs/bugs.md lists them, and says where each stands today.
"""

import pulumi
import pytest

from mockprovider import Property, ResourceType
from mockprovider.calls import Failure, Op, Reply

DATABASE, USER = "cloud:index:Database", "cloud:index:User"


class Database(pulumi.CustomResource):
    """The resource that breaks."""

    def __init__(self, **properties):
        super().__init__(DATABASE, "db", properties)


class User(pulumi.CustomResource):
    """What needs the database, and is replaced with it."""

    def __init__(self, database):
        super().__init__(USER, "user", {"database": database})


def database(**properties):
    """A program of one database."""
    return lambda: Database(**properties)


def database_with_user(**properties):
    """A program of a database and its user."""
    return lambda: User(Database(**properties).id)


@pytest.fixture(params=["pulumi_stack", pytest.param("pulumi_cli", marks=pytest.mark.pulumi_cli)])
def engine(request, provider):
    """The engine, with a provider of databases. Another zone needs another database, and the old one is deleted first."""
    properties = {"size": int, "zone": Property(str, forces_new=True)}
    provider.define(ResourceType(DATABASE, properties, delete_before_replace=True))
    provider.define(ResourceType(USER, {"database": Property(str, forces_new=True)}))
    return request.getfixturevalue(request.param)


def test_an_interrupt_reaches_the_provider(provider, engine):
    """After Ctrl-C, the provider is told while its create is under way, and what it has made by then is kept.

    https://github.com/pulumi/pulumi/issues/14054
    """
    provider.faults.on.create().cancel()
    failed = engine.up(database(size=1), expect_failure=True)

    create, cancel, *_ = (entry for entry in provider.journal.entries() if entry.call.op in {Op.CREATE, Op.CANCEL})
    assert create.began < cancel.began < create.ended
    assert failed.state["db"].init_errors == ["create was cancelled before it was done"]
    provider.audit(engine).assert_clean()
    assert engine.up(database(size=1)).summary == {"update": 1}


def test_a_pending_create_is_created_again(provider, engine):
    """After a second Ctrl-C, the next up makes a second object instead of asking what became of the first.

    https://github.com/pulumi/pulumi/issues/11599
    """
    provider.faults.on.create().cancel(times=2, then="ignore")
    engine.up(database(size=1), expect_failure=True)
    assert len(provider.audit(engine).orphans) == 1

    assert engine.up(database(size=1)).summary == {"create": 1}
    audit = provider.audit(engine)
    assert len(audit.doubles) == 1
    assert [pending.kind for pending in audit.pending] == ["creating"]


def believes_itself(call, proceed):
    """A provider that sends its cloud only what differs from the state, and reports it as done when the cloud refuses."""
    if call.op is not Op.UPDATE or call.preview:
        return proceed(call)
    wanted = {**call.prior, **call.inputs}
    refused = () if wanted == call.prior else (Failure("413 request too large"),)
    return Reply(value=wanted, id=call.id, inputs=call.inputs, failures=refused)


def test_a_failed_update_is_stored_as_success(provider, engine):
    """A refused update whose provider answers the wanted values is over with the next up, and the cloud never had them.

    https://github.com/pulumi/pulumi/issues/21458
    """
    provider.use(believes_itself)
    engine.up(database(size=1))
    engine.up(database(size=2), expect_failure=True)

    assert engine.up(database(size=2)).summary == {"update": 1}
    assert engine.up(database(size=2)).summary == {}
    assert [difference.path for difference in provider.audit(engine).stale[0].differences] == ["size"]
    engine.up(database(size=2), refresh=True, expect_failure=True)  # only who refreshes sees that it was refused


def test_a_failed_update_that_says_what_is_there_is_tried_again(provider, engine):
    """A refused update whose provider answers the values that the cloud has is tried again by the next up.

    https://github.com/pulumi/pulumi/issues/21458
    """
    engine.up(database(size=1))
    provider.faults.on.update().partial(reasons=["413 request too large"], applied=[])
    engine.up(database(size=2), expect_failure=True)
    provider.audit(engine).assert_clean()

    engine.up(database(size=2))
    assert [found["size"] for found in provider.cloud.objects()] == [2]
    provider.audit(engine).assert_clean()


def test_a_refresh_forgets_that_a_create_failed(provider, engine):
    """A half-made object counts as made after `pulumi up --refresh`, if the provider's read finds nothing wrong with it.

    https://github.com/pulumi/pulumi/issues/17949
    """
    provider.faults.on.create().partial(reasons=["still starting"])
    engine.up(database(size=1), expect_failure=True)

    up = engine.up(database(size=1), refresh=True)
    assert up.summary == {}
    assert up.state["db"].init_errors == []


def test_a_read_that_says_what_is_wrong_survives_a_refresh(provider, engine):
    """A half-made object whose provider reports it as such when it is read is updated after `pulumi up --refresh`, too.

    https://github.com/pulumi/pulumi/issues/17949
    """
    provider.faults.on.create().partial(reasons=["still starting"])
    engine.up(database(size=1), expect_failure=True)

    provider.faults.on.read().partial(reasons=["still starting"])
    assert engine.up(database(size=1), refresh=True).summary == {"update": 1}


def test_a_replacement_that_failed_half_way_survives_a_revert(provider, engine):
    """A database that was deleted, and whose replacement failed, is made anew when the program is as it was.

    https://github.com/pulumi/pulumi/issues/16629
    """
    engine.up(database(zone="a"))
    provider.faults.on.create().error("no capacity")
    engine.up(database(zone="b"), expect_failure=True)
    assert provider.cloud.objects() == []

    assert engine.up(database(zone="a")).summary == {"replace": 1}
    assert [found["zone"] for found in provider.cloud.objects()] == ["a"]
    provider.audit(engine).assert_clean()


def test_what_is_deleted_already_is_deleted_in_every_run(provider, engine):
    """A user that was deleted with its database is deleted again in every up, none of which succeeds where that is an error.

    https://github.com/pulumi/pulumi/issues/24561
    """
    engine.up(database_with_user(zone="a"))
    provider.faults.on.create(DATABASE).error("no capacity")
    engine.up(database_with_user(zone="b"), expect_failure=True)
    assert provider.cloud.objects() == []

    gone = provider.faults.on.delete(USER).error("there is no such user").always()
    for attempt in (1, 2):
        engine.up(database_with_user(zone="b"), expect_failure=True)
        assert gone.fired == attempt
    assert provider.cloud.objects() == []


def test_what_is_deleted_already_is_deleted_after_a_revert(provider, engine):
    """A database that was deleted is made anew after a revert, but that up fails where deleting it again is an error.

    https://github.com/pulumi/pulumi/issues/24561
    """
    engine.up(database(zone="a"))
    provider.faults.on.create().error("no capacity")
    engine.up(database(zone="b"), expect_failure=True)

    provider.faults.on.delete().error("there is no such database").always()
    assert engine.up(database(zone="a"), expect_failure=True).summary == {"replace": 1}
    assert engine.up(database(zone="a")).summary == {}
    provider.audit(engine).assert_clean()


def test_a_provider_that_deletes_what_is_gone_can_go_on(provider, engine):
    """Where deleting what is gone is no error, the same stack is as it should be after one more up.

    https://github.com/pulumi/pulumi/issues/24561
    """
    engine.up(database_with_user(zone="a"))
    provider.faults.on.create(DATABASE).error("no capacity")
    engine.up(database_with_user(zone="b"), expect_failure=True)

    engine.up(database_with_user(zone="b"))
    assert len(provider.cloud.objects()) == 2
    provider.audit(engine).assert_clean()
