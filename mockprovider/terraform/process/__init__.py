"""Plugins as processes: the handshake, TLS, reattaching, and how a real provider is started."""
