"""What files keep: the views in cassettes, their sets in order and their schemas cut down, and state files."""
