"""The bucket: what its policy says, and what becomes of objects that somebody changes by hand."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
READER = "arn:aws:iam::210987654321:role/report"
pytestmark = pytest.mark.terraform_cli


@pytest.fixture
def bucket(aws, terraform):
    """The module, called as its users call it."""
    terraform.use(HERE)
    terraform.write(f'name = "reports"\nreaders = ["{READER}"]\n', "terraform.tfvars")
    return terraform


def policy_of(result):
    """The statements of the bucket's policy by their names."""
    document = json.loads(result.resource("aws_s3_bucket_policy.this")["attributes"]["policy"])
    return {statement["Sid"]: statement for statement in document["Statement"]}


def test_only_tls_and_the_readers(bucket):
    """Requests without TLS are denied to all, readers may only read, and the bucket bears the account's number."""
    applied = bucket.apply()
    policy = policy_of(applied)
    assert policy["OnlyTls"]["Effect"] == "Deny"
    assert policy["OnlyTls"]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert policy["Readers"]["Principal"] == {"AWS": READER}
    assert not [action for action in policy["Readers"]["Action"] if "Put" in action or "Delete" in action]
    assert applied.outputs["bucket"] == "reports-123456789012"


def test_without_readers_nobody_else_is_named(bucket):
    """An empty list has no statement of its own, which AWS would refuse."""
    bucket.write('name = "reports"\n', "terraform.tfvars")
    assert list(policy_of(bucket.apply())) == ["OnlyTls"]


def test_a_bucket_that_was_opened_by_hand_is_closed(aws, bucket):
    """Somebody lifts the block of public access in the console: the next plan says so, and the next apply puts it back."""
    bucket.apply()
    aws.cloud.drift("aws:index:S3BucketPublicAccessBlock", blockPublicPolicy=False)
    assert bucket.plan().actions["aws_s3_bucket_public_access_block.this"] == ["update"]
    bucket.apply()
    assert aws.cloud.objects("aws:index:S3BucketPublicAccessBlock")[0]["blockPublicPolicy"] is True


def test_another_name_is_another_bucket(bucket):
    """A rename replaces the bucket and what belongs to it, and leaves the key."""
    bucket.apply()
    bucket.write('name = "archive"\n', "terraform.tfvars")
    actions = bucket.plan().actions
    assert actions["aws_s3_bucket.this"] == actions["aws_s3_bucket_policy.this"] == ["delete", "create"]
    assert actions["aws_kms_key.this"] == ["update"]
