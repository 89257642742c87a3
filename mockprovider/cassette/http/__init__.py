"""What a provider says to its cloud during a call: written down with the call, and answered from there.

A provider that is Python code in this process makes its HTTP requests with the clients that everybody has. While it answers a
call, a *talk* stands between these clients and the network (``talks``). Recording, the talk lets a request through and keeps
the exchange; the recorder writes it down beside the call's answer (``writing``). Replaying, the provider's own code runs, the
talk answers from the call's recorded exchanges (``matching``), and the provider's answer is compared with the recorded one
(``rerunning``). How clients are made to ask is nothing that is known here: ``mockprovider.web`` does that.

- ``messages``: requests and responses as they travel;
- ``bodies``: bytes as data and back;
- ``addresses``: URLs and forms, so that equal ones are equal texts;
- ``headers``: which headers count, which say nothing, and which are credentials;
- ``credentials``: the credentials themselves, which are searched for everywhere else.
"""
