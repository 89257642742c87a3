"""Bugs that users of Terraform and its providers reported, each as a test under ``terraform`` and ``tofu``.

docs/bugs.md lists them, and says where each stands today.
"""

import pytest

from mockprovider import Property, ResourceType

HEAD = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
DATABASE = ResourceType("cloud:index:Database", {"size": int, "zone": Property(str, forces_new=True)})
USER = ResourceType("cloud:index:User", {"database": Property(str, forces_new=True)})

pytestmark = pytest.mark.parametrize(
    "mockprovider_terraform",
    [pytest.param("terraform", marks=pytest.mark.terraform_cli), pytest.param("tofu", marks=pytest.mark.tofu_cli)],
    indirect=True,
)


@pytest.fixture(autouse=True)
def types(provider):
    """The provider has databases and users. Another zone, or another database, needs another object."""
    provider.define(DATABASE, USER)


def database(size):
    """A configuration of one database."""
    return f'{HEAD}resource "cloud_database" "db" {{\n  size = {size}\n}}\n'


def database_with_user(zone):
    """A configuration of a database that is made anew before the old one goes, and of what needs it."""
    return f"""{HEAD}
        resource "cloud_database" "db" {{
          zone = "{zone}"
          lifecycle {{ create_before_destroy = true }}
        }}
        resource "cloud_user" "user" {{
          database = cloud_database.db.id
        }}
    """


def test_an_interrupt_leaks_what_was_begun(provider, terraform):
    """After Ctrl-C, an object whose provider answers an error and no state is an orphan.

    https://github.com/hashicorp/terraform/issues/33358
    """
    terraform.write(database(size=1))
    provider.faults.on.create().cancel(then="forget")
    terraform.apply(expect_failure=True)

    assert len(provider.audit(terraform).orphans) == 1


def test_an_interrupt_keeps_what_was_answered(provider, terraform):
    """After Ctrl-C, an object whose provider answers an error and what it has made is tainted, and the next apply replaces it.

    https://github.com/hashicorp/terraform/issues/33358
    """
    terraform.write(database(size=1))
    provider.faults.on.create().cancel()
    terraform.apply(expect_failure=True)

    provider.audit(terraform).assert_clean()
    assert terraform.plan().actions == {"cloud_database.db": ["delete", "create"]}


def test_a_failed_wait_loses_the_id(provider, terraform):
    """A create that fails while it waits, and whose provider answers no state, is made a second time by the next apply.

    https://github.com/hashicorp/terraform-provider-aws/issues/48551
    """
    terraform.write(database(size=1))
    provider.faults.on.create().error("timeout while waiting for state to become 'available'").at("after")
    terraform.apply(expect_failure=True)
    terraform.apply()

    assert len(provider.audit(terraform).doubles) == 1


def test_a_failed_wait_keeps_the_id(provider, terraform):
    """A create that fails while it waits, and whose provider answers what it has made, is replaced by the next apply.

    https://github.com/hashicorp/terraform-provider-aws/issues/48551
    """
    terraform.write(database(size=1))
    provider.faults.on.create().partial(reasons=["timeout while waiting for state to become 'available'"])
    terraform.apply(expect_failure=True)
    provider.audit(terraform).assert_clean()

    terraform.apply()
    assert len(provider.cloud.objects()) == 1
    provider.audit(terraform).assert_clean()


def test_a_taint_is_remembered(provider, terraform):
    """A tainted object whose deletion fails is still tainted afterwards.

    https://github.com/hashicorp/terraform/issues/22011
    """
    terraform.write(database(size=1))
    provider.faults.on.create().partial()
    terraform.apply(expect_failure=True)

    provider.faults.on.delete().error("still in use")
    terraform.apply(expect_failure=True)
    assert terraform.plan().actions == {"cloud_database.db": ["delete", "create"]}


def test_an_absent_first_read_makes_another_object_in_each_run(provider, terraform):
    """A provider that reads what it has just created, and finds nothing yet, makes another object in each apply.

    https://github.com/rollbar/terraform-provider-rollbar/issues/437
    """
    terraform.write(database(size=1))
    provider.faults.on.create().null().times(3)
    for attempt in (1, 2, 3):
        failed = terraform.apply(expect_failure=True)
        assert "Provider produced inconsistent result after apply" in str(failed.errors)
        assert len(provider.audit(terraform).orphans) == attempt


def test_the_old_object_waits_for_what_needs_it(provider, terraform):
    """The old object of a replacement is kept until what refers to it is created, also by the apply after the one that failed.

    https://github.com/hashicorp/terraform/issues/31635
    """
    terraform.write(database_with_user(zone="a"))
    terraform.apply()
    terraform.write(database_with_user(zone="b"))
    provider.faults.on.create("cloud:index:User").error("not now").times(2)
    for _ in (1, 2):
        terraform.apply(expect_failure=True)
        assert [found["zone"] for found in provider.cloud.objects("cloud:index:Database")] == ["a", "b"]

    assert terraform.apply().summary == {"add": 1, "remove": 1}
    assert len(provider.cloud.objects("cloud:index:Database")) == 1
    provider.audit(terraform).assert_clean()


def test_a_failed_update_is_stored(provider, terraform):
    """A refused update whose provider answers the planned values is over, and only a refresh sees that it never was.

    https://github.com/hashicorp/terraform-plugin-sdk/issues/476
    """
    terraform.write(database(size=1))
    terraform.apply()
    terraform.write(database(size=2))
    provider.faults.on.update().partial(reasons=["413 request too large"], applied=[], claimed=True)
    terraform.apply(expect_failure=True)

    assert [difference.path for difference in provider.audit(terraform).stale[0].differences] == ["size"]
    assert terraform.plan("-refresh=false").actions == {"cloud_database.db": ["no-op"]}
    assert terraform.plan().actions == {"cloud_database.db": ["update"]}


def test_a_failed_update_that_says_what_is_there_is_planned_again(provider, terraform):
    """A refused update whose provider answers the values that the cloud has is planned again, also without a refresh.

    https://github.com/hashicorp/terraform-plugin-sdk/issues/476
    """
    terraform.write(database(size=1))
    terraform.apply()
    terraform.write(database(size=2))
    provider.faults.on.update().partial(reasons=["413 request too large"], applied=[])
    terraform.apply(expect_failure=True)

    provider.audit(terraform).assert_clean()
    assert terraform.plan("-refresh=false").actions == {"cloud_database.db": ["update"]}
