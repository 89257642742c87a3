"""Terraform's schema of a package, declared or published, and the encoding of its objects."""
