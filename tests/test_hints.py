"""What a wrong word probably was meant to be."""

from __future__ import annotations

import pytest

from mockprovider.hints import did_you_mean, near

MANY = [f"type-{n:02}" for n in range(30)]


@pytest.mark.parametrize(
    ("word", "known", "options", "sentence"),
    [
        ("acll", ["acl", "name"], {}, "Did you mean 'acl'?"),
        ("acll", {"acl": 1}, {"otherwise": "It has"}, "Did you mean 'acl'?"),
        ("zzz", ["name", "acl"], {"otherwise": "It has"}, "It has: acl, name."),
        ("zzz", [], {"otherwise": "Declared are"}, "Declared are: none."),
        ("zzz", ["name", "acl"], {}, ""),
        ("acl", [], {}, ""),
        ("zzz", MANY, {"otherwise": "There are"}, f"There are: {', '.join(MANY[:20])}, and 10 more."),
        ("abcd", ["abxy"], {"alike": 0.5}, "Did you mean 'abxy'?"),
        ("abcd", ["abxy"], {}, ""),
        ("Bucket", ["Bukket", "Bucke"], {}, "Did you mean 'Bucke'?"),
    ],
)
def test_did_you_mean(word, known, options, sentence):
    """The nearest word is named, else those that there are, else nothing; of many only the first."""
    assert did_you_mean(word, known, **options) == sentence


@pytest.mark.parametrize(("word", "known", "nearest"), [("acll", ["acl"], "acl"), ("zzz", ["acl"], ""), ("a", [], "")])
def test_near(word, known, nearest):
    """The nearest word itself, or nothing."""
    assert near(word, known) == nearest
