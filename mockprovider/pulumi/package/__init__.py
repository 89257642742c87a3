"""Published Pulumi package schemas, read as packages."""
