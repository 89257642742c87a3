"""``mockprovider cassette``: what can be done with a recording besides replaying it."""
