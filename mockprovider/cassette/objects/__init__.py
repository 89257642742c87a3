"""Equal objects: which object of a recording each object of a replay is, where no call names its resource.

The problem
-----------
Terraform's calls carry no address. Where a configuration makes several objects with one request (``count = 2``), nothing but
what the provider *generated* tells them apart afterwards: names, ids, numbers, keys. A replay may make them in another order
than the recording, and what hangs on one of them must not be answered from what was recorded about another.

The words
---------
- A *generated value* is what a provider made up: it differs between the answers to equal requests (``learning``).
- A *recorded object* is the set of values that one recorded answer generated. Those of one *kin* were made by requests that are
  equal, other objects' generated values apart: the same slot of each holds the same part of the answer. Those of one *family*
  were made by requests that are wholly equal, at one time: which of them a create of the replay gets is arbitrary.
- A *live object* is one of the replay. It was given the values of exactly one recorded object, and is known by it.
- An *assignment* says which recorded object each live object *stands for*, as far as the calls until now tell (``assignment``).

The theory
----------
1. A request that was recorded with the very values that it has now is answered as recorded. Nothing is renamed. So as long as
   the objects of a family were used alike, whichever order they are made in, each has its own recorded answers.
2. A request that was recorded for another object of the kin *only* shows that the live object stands for that one. Its answer
   is given with the values renamed. That is right only if renaming explains all of it (``explaining``): text that holds a
   generated value can be renamed, a certificate or a hash that was computed from it cannot, and is never given.
3. What a live object stands for restricts what those stand for that were made from it, and the other way round. An answer is
   given only if some assignment explains everything that was asked until then.
4. Whether a family can be told apart is a property of the cassette, not of a replay's scheduling: before the first of its
   objects is given out, the recording is *rehearsed* with the family's objects exchanged (``cassette.rehearsal``). If that is
   refused, each replay of the family is refused at once, and says which answer is the reason.
5. An *address*, where both the recording and the call have it, makes all of this unnecessary: each live object gets the
   values of the object that was recorded at its address.

An example
----------
Recorded, two equal log groups and a stream of each:

    1 Create Group  {prefix: logs-}              -> {id: logs-8d}          recorded object A
    2 Create Group  {prefix: logs-}              -> {id: logs-77}          recorded object B
    3 Create Stream {group: logs-8d, name: s0}   -> {arn: cloud:logs-8d:s0}
    4 Create Stream {group: logs-77, name: s1}   -> {arn: cloud:logs-77:s1}

*Learning.* Requests 1 and 2 are equal, their answers differ at ``id``: ``logs-8d`` and ``logs-77`` are generated, A and B are
kin and a family. Requests 3 and 4, with generated values blanked, are ``{group: *, name: s0}`` and ``{group: *, name: s1}``.

*Replaying.* The program's first group is created second. Its stream s0 asks ``{group: logs-77, name: s0}``. No recorded
request is that. Blanked, it is request 3, with B's value in the place of A's: the live object that has B's values stands for
A, and the other one for B. Answer 3 with A's values renamed to B's is ``{arn: cloud:logs-77:s0}``; nothing else in it is
opaque, so it is given. Were the answer ``{arn: ..., fingerprint: 9f1c2ab07e}``, nobody would know the fingerprint of
``logs-77:s0``; the rehearsal, which exchanges A and B before anything is given out, finds that, and the family is refused.
"""

from __future__ import annotations

from mockprovider.cassette.objects.assignment import Assignment, Link
from mockprovider.cassette.objects.explaining import OpaqueWords
from mockprovider.cassette.objects.learning import learn
from mockprovider.cassette.objects.renaming import Pairing, Renaming, is_verbatim
from mockprovider.cassette.objects.values import MARK, GeneratedValue, Mark
from mockprovider.cassette.objects.vocabulary import RecordedObject, Vocabulary

__all__ = [
    "MARK",
    "Assignment",
    "GeneratedValue",
    "Link",
    "Mark",
    "OpaqueWords",
    "Pairing",
    "RecordedObject",
    "Renaming",
    "Vocabulary",
    "is_verbatim",
    "learn",
]
