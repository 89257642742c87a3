"""The real command-line engines as Python objects: isolated, parallel-safe, every process ended by its handle."""
