"""Python's HTTP clients, made to ask a talk (``cassette.http.talks``) while a provider in this process answers a call.

vcrpy patches the clients, and knows them all; it is an optional dependency (``mockprovider[http]``). What belongs to which call
is a context variable, which ``threads`` carries into the threads that a provider's code starts.
"""

from mockprovider.web.clients import Ears, ready

__all__ = ["Ears", "ready"]
