"""Pulumi package schemas, as people publish them, read as packages of ours."""
