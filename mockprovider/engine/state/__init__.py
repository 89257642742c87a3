"""What the engine remembers while an operation runs, and the orders over it."""
