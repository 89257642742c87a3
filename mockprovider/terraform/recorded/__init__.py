"""What files keep: the trees in cassettes, with sorted sets and pruned schemas, and state files."""
