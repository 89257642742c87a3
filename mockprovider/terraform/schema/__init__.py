"""What a package says of its types to Terraform, whoever declared them, and what objects of those types travel as."""
