"""Provider processes: how engines start ours, and how we start a real one."""
