"""The rules by which engines check the values in answers to plan and apply."""
