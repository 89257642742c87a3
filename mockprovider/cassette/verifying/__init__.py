"""The other direction: a cassette's calls are asked of a provider of today, and its answers are compared with the recorded.

Nothing of today equals the recording as it stands: the provider makes other ids, times and passwords. So these parts share what
they learn:

- ``schedule``: in which order the recorded calls are asked;
- ``correspondence``: which value of today stands for which recorded one, learnt from each pair of answers;
- ``pairing``: which value of today stands for which recorded one in one object, as far as its places agree;
- ``handing``: a recorded request, with what the provider has answered today in place of what it had answered then;
- ``comparing``: a recorded answer and today's, through the same correspondence: where they differ.

``play`` does one after the other, and ``report`` says what came of it. All of it is pure: ``double/verifying.py`` brings the
provider.
"""

from mockprovider.cassette.verifying.play import Opened, Verification
from mockprovider.cassette.verifying.report import AnswerOutcome, LeftObject, Verified, VerifiedCall, left_lines, lines
from mockprovider.cassette.verifying.schedule import scheduled
from mockprovider.cassette.verifying.starts import Starts

__all__ = [
    "AnswerOutcome",
    "LeftObject",
    "Opened",
    "Starts",
    "Verification",
    "Verified",
    "VerifiedCall",
    "left_lines",
    "lines",
    "scheduled",
]
