"""Providers as the engine has them: instances, their resources, and what goes to them and comes back."""
