"""The phases of an operation: registering, refreshing, removing and importing, over one course."""
