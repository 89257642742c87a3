"""What engines check of the answers to a plan and an apply, value by value."""
