"""The AWS provider in front of a local `moto` server: what its kept cassettes are made of, and how they are recorded.

Recording needs both: the provider's executable (its file, or a folder that it is in, as ``MOCKPROVIDER_AWS_PROVIDER``, else on
PATH), and a Python that has moto (``MOCKPROVIDER_MOTO_PYTHON``, else ``python3``). Replaying needs neither.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kept_terraform import aws_names_right, module_plan, module_state, names_life, planned_and_applied

from mockprovider.double import Wiring, real

PROVIDER = "terraform-provider-aws"
PORT = 45500
"""Fixed, because it is in the addresses of queues: another one would change the whole cassette."""
ACCESS_KEY, SECRET_KEY = "AKIAMOCKPROVIDER0001", "mockprovider/not+a+real+secret+key/0000001"
ENVIRONMENT = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{PORT}", "AWS_EC2_METADATA_DISABLED": "true"}
"""What leads the provider to the local cloud."""
SECONDS = 60

SETTINGS = f"""
  access_key                  = "{ACCESS_KEY}"
  secret_key                  = "{SECRET_KEY}"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  s3_use_path_style           = true
"""
PROVIDERS = f"""
provider "aws" {{
  region = "us-east-1"{SETTINGS}}}
provider "aws" {{
  alias  = "west"
  region = "us-west-2"{SETTINGS}}}
"""
EVERYTHING = """
data "aws_region" "here" {}
resource "aws_s3_bucket" "data" {
  bucket        = "mockprovider-data"
  force_destroy = true
  tags          = { size = "SIZE" }
}
resource "aws_s3_bucket_versioning" "data" {
  bucket = aws_s3_bucket.data.id
  versioning_configuration { status = "Enabled" }
}
resource "aws_sqs_queue" "jobs" {
  name                       = "jobs"
  visibility_timeout_seconds = SIZE
}
resource "aws_sqs_queue" "jobs_west" {
  provider                   = aws.west
  name                       = "jobs"
  visibility_timeout_seconds = SIZE
}
resource "aws_sns_topic" "events" {
  name         = "events"
  display_name = "size SIZE"
}
resource "aws_sns_topic_subscription" "jobs" {
  topic_arn = aws_sns_topic.events.arn
  protocol  = "sqs"
  endpoint  = aws_sqs_queue.jobs.arn
}
resource "aws_dynamodb_table" "items" {
  name         = "items"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
  tags = { size = "SIZE" }
}
resource "aws_iam_role" "worker" {
  name        = "worker"
  description = "size SIZE"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }]
  })
}
resource "aws_iam_role_policy" "worker" {
  name = "read"
  role = aws_iam_role.worker.id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "${aws_s3_bucket.data.arn}/*" }]
  })
}
resource "aws_ssm_parameter" "size" {
  name  = "/mockprovider/size"
  type  = "String"
  value = "SIZE"
}
resource "aws_cloudwatch_log_group" "logs" {
  name              = "/mockprovider/logs"
  retention_in_days = RETENTION
}
resource "aws_kms_key" "key" {
  description = "size SIZE"
}
output "queue" { value = aws_sqs_queue.jobs.url }
output "queue_west" { value = aws_sqs_queue.jobs_west.url }
"""
NAMES = """
resource "aws_cloudwatch_log_group" "logs" {
  count       = 10
  name_prefix = "logs-"
}
resource "aws_cloudwatch_log_stream" "stream" {
  count          = 10
  name           = "stream-${count.index}"
  log_group_name = aws_cloudwatch_log_group.logs[count.index].name
}
"""


aws_names_life = names_life(PROVIDERS + NAMES, aws_names_right)


def configuration(text: str, size: int) -> str:
    """One of the configurations, of a size: 30 at first, then 60."""
    return PROVIDERS + text.replace("SIZE", str(size)).replace("RETENTION", {30: "7"}.get(size, "14"))


def aws_life(
    cli: Any, touch: Callable[[], object], shown: Callable[[Mapping[str, Any]], dict[str, Any]] = module_plan
) -> list[dict[str, Any]]:
    """Create, plan again, update, refresh, destroy, of everything: the plans, as ``shown`` gives them, and the states."""
    cli.write(configuration(EVERYTHING, 30))
    seen = planned_and_applied(cli, shown=shown)
    assert cli.plan().exit_code == 0
    cli.write(configuration(EVERYTHING, 60))
    seen += planned_and_applied(cli, shown=shown)
    touch()
    return [*seen, module_state(cli.refresh().state), *planned_and_applied(cli, "-destroy", shown=shown)]


def provider() -> str | None:
    """The provider's executable, where there is one."""
    given = os.environ.get("MOCKPROVIDER_AWS_PROVIDER", "")
    return next((str(each) for each in _executables(Path(given))), None) if given else shutil.which(PROVIDER)


def _executables(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else sorted(place.rglob(f"{PROVIDER}_v*"))


def live(_: Path) -> Wiring:
    """The real provider, each process of which speaks to a fresh moto that lasts as long as this process."""
    found = provider()
    assert found, f"no {PROVIDER}; say where it is with MOCKPROVIDER_AWS_PROVIDER"
    _start_cloud()
    quiet = {"TF_LOG_SDK": "OFF", "TF_LOG_PROVIDER": "OFF"}
    return real([found], "terraform", name="aws", env={**quiet, **ENVIRONMENT})


def _start_cloud() -> None:
    try:
        socket.create_connection(("127.0.0.1", PORT), timeout=1).close()
    except OSError:
        python = os.environ.get("MOCKPROVIDER_MOTO_PYTHON", "python3")
        process = subprocess.Popen(
            [python, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(PORT)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(process.wait)
        atexit.register(process.terminate)
        _wait(process)
    # Whatever an earlier recording left there is gone.
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{PORT}/moto-api/reset", method="POST"), timeout=10).close()


def _wait(process: subprocess.Popen[bytes]) -> None:
    for _ in range(SECONDS * 10):
        assert process.poll() is None, "moto does not start; say which Python has it with MOCKPROVIDER_MOTO_PYTHON"
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"moto does not listen at port {PORT}")
