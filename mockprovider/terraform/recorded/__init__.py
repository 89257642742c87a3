"""What files keep: the trees in cassettes, their sets in order and their schemas cut down, and state files."""
