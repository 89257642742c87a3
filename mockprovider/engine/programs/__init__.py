"""The program's side: what speaks to the monitor, in this process or outside of it."""
