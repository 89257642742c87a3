"""A real Terraform provider's own judgement behind a fake cloud: it validates and plans, and the fake does the rest."""
