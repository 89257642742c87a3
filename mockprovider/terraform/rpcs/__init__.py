"""The Provider service: its table, and how the messages of each RPC become calls and replies, and back."""
