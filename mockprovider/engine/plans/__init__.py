"""Update plans: made, and kept to."""
