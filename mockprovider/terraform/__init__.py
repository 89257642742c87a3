"""Terraform's provider protocol, majors 5 and 6: values, schemas, the table of methods, cassette transcripts, plugin start."""
