# A Kubernetes cluster (EKS) with groups of nodes, in subnets that somebody else has made.

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

variable "kubernetes_version" {
  type    = string
  default = "1.31"
}

variable "vpc_id" {
  type = string
}

variable "subnet_ids" {
  type = list(string)
}

variable "groups" {
  type = map(object({
    instance_types = optional(list(string), ["m6i.large"])
    capacity_type  = optional(string, "ON_DEMAND")
    min            = optional(number, 1)
    max            = optional(number, 3)
  }))
  default = { default = {} }
}

locals {
  policies = {
    cluster = ["AmazonEKSClusterPolicy"]
    nodes   = ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly"]
  }
  attachments = merge([for role, names in local.policies : { for name in names : name => role }]...)
}

data "aws_partition" "current" {}

data "aws_iam_policy_document" "assume" {
  for_each = { cluster = "eks.amazonaws.com", nodes = "ec2.amazonaws.com" }

  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = [each.value]
    }
  }
}

resource "aws_iam_role" "this" {
  for_each           = local.policies
  name_prefix        = "${var.name}-${each.key}-"
  assume_role_policy = data.aws_iam_policy_document.assume[each.key].json
}

resource "aws_iam_role_policy_attachment" "this" {
  for_each   = local.attachments
  role       = aws_iam_role.this[each.value].name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/${each.key}"
}

resource "aws_security_group" "api" {
  name_prefix = "${var.name}-api-"
  description = "The API of ${var.name}"
  vpc_id      = var.vpc_id

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_vpc_security_group_ingress_rule" "api" {
  security_group_id            = aws_security_group.api.id
  referenced_security_group_id = aws_security_group.api.id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
}

resource "aws_eks_cluster" "this" {
  name     = var.name
  role_arn = aws_iam_role.this["cluster"].arn
  version  = var.kubernetes_version

  vpc_config {
    subnet_ids              = var.subnet_ids
    security_group_ids      = [aws_security_group.api.id]
    endpoint_private_access = true
    endpoint_public_access  = false
  }

  depends_on = [aws_iam_role_policy_attachment.this]
}

resource "aws_eks_addon" "this" {
  for_each     = toset(["coredns", "kube-proxy", "vpc-cni"])
  cluster_name = aws_eks_cluster.this.name
  addon_name   = each.key

  depends_on = [aws_eks_node_group.this]
}

resource "aws_eks_node_group" "this" {
  for_each        = var.groups
  cluster_name    = aws_eks_cluster.this.name
  node_group_name = each.key
  node_role_arn   = aws_iam_role.this["nodes"].arn
  subnet_ids      = var.subnet_ids
  instance_types  = each.value.instance_types
  capacity_type   = each.value.capacity_type

  scaling_config {
    min_size     = each.value.min
    max_size     = each.value.max
    desired_size = each.value.min
  }

  lifecycle {
    ignore_changes = [scaling_config[0].desired_size]
  }

  depends_on = [aws_iam_role_policy_attachment.this]
}

output "endpoint" {
  value = aws_eks_cluster.this.endpoint
}

output "certificate_authority" {
  value = base64decode(aws_eks_cluster.this.certificate_authority[0].data)
}

output "issuer" {
  value = aws_eks_cluster.this.identity[0].oidc[0].issuer
}
