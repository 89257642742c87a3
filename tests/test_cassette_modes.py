"""The modes: every cell of their table is what the layer does, and modes to come are refused by the table itself."""

import itertools

import pytest
from cassette_toy import Toy, answer, call, header, recorded, session

from mockprovider.calls import Op
from mockprovider.cassette import (
    DEFAULT,
    RULES,
    CassetteAction,
    CassetteLayer,
    Library,
    LookResult,
    Mode,
    Reader,
    Recorder,
    mode,
)
from mockprovider.errors import AmbiguousError, DefinitionError, MissError, UnsupportedError

LIVE = answer(id="live")
BUILT = [mode for mode, rule in RULES.items() if rule.built]
CALLS = {
    LookResult.FOUND: call(Op.CREATE, session(), "urn:a", name="a"),
    LookResult.MISSING: call(Op.CREATE, session(), "urn:a", name="never"),
    LookResult.AMBIGUOUS: call(Op.INVOKE, session(), name="x"),
}
CONVERSATION = [
    (CALLS[LookResult.FOUND], answer(id="recorded")),
    (call(Op.INVOKE, session(1), name="x"), answer(zone="1")),
    (call(Op.INVOKE, session(2), name="x"), answer(zone="2")),
    (call(Op.INVOKE, session(1), name="x"), answer(zone="3")),
]


class Stage:
    """A cassette of a mode in front of a provider; what reached the provider, and what was recorded."""

    def __init__(self, chosen, *, existed):
        library = Library(recorded(*CONVERSATION), {"": Reader(Toy())}) if existed else None
        self.recorder = Recorder(Toy(), header())
        self.layer = CassetteLayer(chosen, library, self.recorder)
        self.reached = 0

    def provider(self, _):
        self.reached += 1
        return LIVE

    def happens(self, outcome):
        """What the layer does with a call of this outcome, in the table's words."""
        try:
            reply = self.layer(CALLS[outcome], self.provider)
        except (MissError, AmbiguousError):
            assert (self.reached, self.recorder.recorded) == (0, 0)
            return CassetteAction.REFUSE
        except UnsupportedError:
            assert RULES[self.layer.mode].if_found is CassetteAction.COMPARE
            return CassetteAction.COMPARE
        assert (reply is LIVE) == (self.reached == 1) == (self.recorder.recorded == 1)
        return CassetteAction.RECORD if reply is LIVE else CassetteAction.REPLAY


@pytest.mark.parametrize(("chosen", "existed", "outcome"), [*itertools.product(Mode, [True, False], LookResult)])
def test_every_cell_of_the_table_is_what_happens(chosen, existed, outcome):
    """For each mode, with and without a cassette, found, missing or ambiguous: the layer does what the table says."""
    assert Stage(chosen, existed=existed).happens(outcome) is RULES[chosen].action(outcome, existed=existed)


def test_the_default_never_records():
    """Without a mode nothing is recorded, whatever the cassette holds and whether or not there is one."""
    actions = {
        RULES[DEFAULT].action(outcome, existed=existed) for outcome, existed in itertools.product(LookResult, [True, False])
    }
    assert actions == {CassetteAction.REPLAY, CassetteAction.REFUSE}


@pytest.mark.parametrize("name", sorted(set(Mode) - set(BUILT)))
def test_modes_to_come_are_refused_by_name(name):
    """A mode that is named and not built is refused, with those that are."""
    with pytest.raises(UnsupportedError, match=f"'{name}' is not built yet.*'none', 'once', 'all' and 'rewrite'"):
        mode(name)


def test_the_names_of_modes():
    """What users write for a mode, also for those that are not built yet, and what messages call the cells of the table."""
    assert [str(chosen) for chosen in Mode] == ["none", "once", "new", "all", "rewrite", "verify"]
    assert [str(outcome) for outcome in LookResult] == ["found", "missing", "ambiguous"]
    assert [str(action) for action in CassetteAction] == ["replay", "record", "refuse", "compare"]


def test_an_unknown_mode_is_a_definition_error():
    """A word that is no mode is refused, with the modes that there are."""
    with pytest.raises(DefinitionError, match=r"'al' is no cassette mode.*'none', 'once', 'all' and 'rewrite'"):
        mode("al")


def test_looking_moves_nothing():
    """However often a call was looked for, its one answer is still there, and afterwards it is gone."""
    library = Library(recorded(*CONVERSATION), {"": Reader(Toy())})
    for _ in range(3):
        assert {library.look(asked).outcome for asked in [CALLS[LookResult.FOUND]]} == {LookResult.FOUND}
        assert library.look(CALLS[LookResult.MISSING]).outcome is LookResult.MISSING
        assert library.look(CALLS[LookResult.AMBIGUOUS]).outcome is LookResult.AMBIGUOUS
    assert library.take(library.look(CALLS[LookResult.FOUND]))().value == {"id": "recorded"}
    assert library.look(CALLS[LookResult.FOUND]).outcome is LookResult.MISSING


def test_which_modes_replace_a_cassette():
    """Only ``all`` and ``rewrite`` put a recording in the place of a cassette, and they are one row of the table."""
    assert [mode for mode in BUILT if RULES[mode].replaces] == [Mode.ALL, Mode.REWRITE]
    assert RULES[Mode.ALL] == RULES[Mode.REWRITE]
