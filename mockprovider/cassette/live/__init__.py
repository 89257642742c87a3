"""A live provider beside a cassette, in the two modes that both look into the cassette and ask the provider.

In ``new`` (``growth``) what the cassette does not hold is asked live, and added. The live provider has never heard of the
recorded objects: those were made in another year, in another account, and are gone. So a call only reaches it if it is about
none of them (``belonging``). Such a run is recorded as a whole, its replayed answers and its live ones, as if all had been
recorded together; what the cassette held and the run did not ask for stays where it was (``merging``).

In ``verify`` (``beside``) every call is asked live, and the engine gets today's answer. To find the recorded one, today's
request is turned back into what the replay would have been asked: with the values that the replay would have given out.
"""
