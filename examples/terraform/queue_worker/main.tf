# A queue, the function that works on it, and an alarm for what the function could not do.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "name" {
  type = string
}

variable "image" {
  type = string
}

variable "timeout" {
  type    = number
  default = 30
}

variable "alarm_topic" {
  type    = string
  default = null
}

data "aws_region" "current" {}

data "aws_partition" "current" {}

resource "aws_sqs_queue" "failed" {
  name                      = "${var.name}-failed"
  message_retention_seconds = 14 * 24 * 3600
}

resource "aws_sqs_queue" "jobs" {
  name                       = var.name
  visibility_timeout_seconds = 6 * var.timeout

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.failed.arn
    maxReceiveCount     = 5
  })
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "work" {
  statement {
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
    resources = [aws_sqs_queue.jobs.arn]
  }
}

resource "aws_iam_role" "worker" {
  name               = "${var.name}-worker"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role_policy" "work" {
  name   = "work"
  role   = aws_iam_role.worker.id
  policy = data.aws_iam_policy_document.work.json
}

resource "aws_iam_role_policy_attachment" "logs" {
  role       = aws_iam_role.worker.name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
}

resource "aws_cloudwatch_log_group" "worker" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = 30
}

resource "aws_lambda_function" "worker" {
  function_name = var.name
  role          = aws_iam_role.worker.arn
  package_type  = "Image"
  image_uri     = var.image
  timeout       = var.timeout
  memory_size   = 256

  environment {
    variables = {
      QUEUE  = aws_sqs_queue.jobs.url
      REGION = data.aws_region.current.name
    }
  }

  depends_on = [aws_cloudwatch_log_group.worker, aws_iam_role_policy_attachment.logs]
}

resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn        = aws_sqs_queue.jobs.arn
  function_name           = aws_lambda_function.worker.arn
  batch_size              = 10
  function_response_types = ["ReportBatchItemFailures"]
}

resource "aws_cloudwatch_metric_alarm" "failed" {
  count = var.alarm_topic == null ? 0 : 1

  alarm_name          = "${var.name}-failed"
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  statistic           = "Maximum"
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  period              = 60
  evaluation_periods  = 1
  alarm_actions       = [var.alarm_topic]
  dimensions          = { QueueName = aws_sqs_queue.failed.name }
}

output "queue_url" {
  value = aws_sqs_queue.jobs.url
}
