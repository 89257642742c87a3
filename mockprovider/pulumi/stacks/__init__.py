"""Stacks as both engines remember, export, import and plan them."""
