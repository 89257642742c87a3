"""Terraform's provider protocol, majors 5 and 6.

Rooms, each importing only those before it: ``proto`` (messages), ``values`` on the wire, ``schema`` of types, ``rules`` that
engines check, ``rpcs`` as calls and replies, and beside each other ``process`` (plugins) and ``recorded`` (what files keep).
"""
