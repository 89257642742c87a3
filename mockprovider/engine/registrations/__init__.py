"""What a program asks for, and what is decided about it: words and pure functions."""
