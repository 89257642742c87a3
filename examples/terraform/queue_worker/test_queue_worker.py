"""The queue and its worker: how they fit together, and in what order they come."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/mailer"
pytestmark = pytest.mark.terraform_cli


@pytest.fixture
def worker(aws, terraform):
    """The module, called as its users call it."""
    terraform.use(HERE)
    terraform.write(f'name = "mailer"\nimage = "{IMAGE}:1"\n', "terraform.tfvars")
    return terraform


def test_no_job_is_given_out_twice(worker):
    """A job stays hidden six times as long as the function may take, and five failures park it."""
    applied = worker.apply()
    jobs, failed = (applied.resource(f"aws_sqs_queue.{name}")["attributes"] for name in ("jobs", "failed"))
    function = applied.resource("aws_lambda_function.worker")["attributes"]
    assert jobs["visibility_timeout_seconds"] >= 6 * function["timeout"]
    assert json.loads(jobs["redrive_policy"]) == {"deadLetterTargetArn": failed["arn"], "maxReceiveCount": 5}
    assert function["environment"][0]["variables"]["QUEUE"] == applied.outputs["queue_url"] == jobs["url"]


def test_the_role_reaches_its_own_queue_alone(worker):
    """The function's role may work on this queue and on nothing else."""
    applied = worker.apply()
    [statement] = json.loads(applied.resource("aws_iam_role_policy.work")["attributes"]["policy"])["Statement"]
    assert statement["Resource"] == applied.resource("aws_sqs_queue.jobs")["attributes"]["arn"]


def test_the_log_group_is_there_before_the_function(aws, worker):
    """Lambda would make a group without an end of retention; ours comes first."""
    worker.apply()
    aws.journal.assert_calls("create aws:index:CloudwatchLogGroup", "create aws:index:LambdaFunction")


def test_a_new_image_is_an_update(worker):
    """Another image changes the function in place: the mapping, and with it the jobs under way, stays."""
    worker.apply()
    worker.write(f'name = "mailer"\nimage = "{IMAGE}:2"\n', "terraform.tfvars")
    changed = {address: actions for address, actions in worker.plan().actions.items() if actions != ["no-op"]}
    assert changed == {"aws_lambda_function.worker": ["update"]}


def test_an_alarm_where_there_is_a_topic(worker):
    """There is no alarm unless somebody is to be told."""
    assert "aws_cloudwatch_metric_alarm.failed[0]" not in worker.plan().actions
    topic = "arn:aws:sns:eu-west-1:123456789012:on-call"
    worker.write(f'name = "mailer"\nimage = "{IMAGE}:1"\nalarm_topic = "{topic}"\n', "terraform.tfvars")
    assert worker.plan().actions["aws_cloudwatch_metric_alarm.failed[0]"] == ["create"]
