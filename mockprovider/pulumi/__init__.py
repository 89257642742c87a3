"""Pulumi's protocol: how its values, RPCs and plugins become ours and ours become theirs."""
