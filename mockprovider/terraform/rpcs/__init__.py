"""The Provider service: its table, and for each RPC how messages become calls and replies, and back."""
