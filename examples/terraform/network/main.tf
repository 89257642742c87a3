# A VPC with a public and a private subnet in each of some availability zones.

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

variable "cidr" {
  type    = string
  default = "10.0.0.0/16"

  validation {
    condition     = can(cidrhost(var.cidr, 0))
    error_message = "The network needs a CIDR, such as 10.0.0.0/16."
  }
}

variable "zones" {
  type    = number
  default = 2
}

variable "single_nat_gateway" {
  type    = bool
  default = true
}

locals {
  zones = slice(data.aws_availability_zones.available.names, 0, var.zones)
  nats  = var.single_nat_gateway ? 1 : var.zones
  tags  = { Name = var.name, Terraform = "true" }
}

data "aws_availability_zones" "available" {
  state = "available"
}

resource "aws_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_hostnames = true
  tags                 = local.tags
}

resource "aws_internet_gateway" "this" {
  vpc_id = aws_vpc.this.id
  tags   = local.tags
}

resource "aws_subnet" "public" {
  for_each = { for index, zone in local.zones : zone => index }

  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = cidrsubnet(aws_vpc.this.cidr_block, 4, each.value)
  map_public_ip_on_launch = true
  tags                    = merge(local.tags, { Name = "${var.name}-public-${each.key}" })
}

resource "aws_subnet" "private" {
  for_each = { for index, zone in local.zones : zone => index }

  vpc_id            = aws_vpc.this.id
  availability_zone = each.key
  cidr_block        = cidrsubnet(aws_vpc.this.cidr_block, 4, each.value + 8)
  tags              = merge(local.tags, { Name = "${var.name}-private-${each.key}" })
}

resource "aws_eip" "nat" {
  count  = local.nats
  domain = "vpc"
  tags   = local.tags
}

resource "aws_nat_gateway" "this" {
  count         = local.nats
  allocation_id = aws_eip.nat[count.index].id
  subnet_id     = aws_subnet.public[local.zones[count.index]].id
  tags          = local.tags

  depends_on = [aws_internet_gateway.this]
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.this.id
  tags   = local.tags
}

resource "aws_route" "internet" {
  route_table_id         = aws_route_table.public.id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this.id
}

resource "aws_route_table_association" "public" {
  for_each       = aws_subnet.public
  subnet_id      = each.value.id
  route_table_id = aws_route_table.public.id
}

resource "aws_route_table" "private" {
  count  = local.nats
  vpc_id = aws_vpc.this.id
  tags   = local.tags
}

resource "aws_route" "nat" {
  count                  = local.nats
  route_table_id         = aws_route_table.private[count.index].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.this[count.index].id
}

resource "aws_route_table_association" "private" {
  for_each       = aws_subnet.private
  subnet_id      = each.value.id
  route_table_id = aws_route_table.private[var.single_nat_gateway ? 0 : index(local.zones, each.key)].id
}

output "vpc_id" {
  value = aws_vpc.this.id
}

output "private_subnet_ids" {
  value = [for zone in local.zones : aws_subnet.private[zone].id]
}

output "private_cidr_blocks" {
  value = [for zone in local.zones : aws_subnet.private[zone].cidr_block]
}
