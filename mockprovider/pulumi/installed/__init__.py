"""Installed SDKs, read as packages: their generated code says what a package schema says."""
