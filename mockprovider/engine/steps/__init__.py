"""Steps: what each asks of a provider and makes of the state, and how registrations become steps."""
