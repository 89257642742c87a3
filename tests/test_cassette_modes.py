"""The modes: every cell of their table is what the layer does."""

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
from mockprovider.cassette.live.beside import Beside
from mockprovider.cassette.live.growth import Growth
from mockprovider.cassette.merging import Earlier
from mockprovider.errors import AmbiguousError, DefinitionError, MissError

LIVE = answer(id="live")
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
        earlier = Earlier(library.cassette, library.sent) if library and chosen is Mode.NEW else None
        self.recorder = Recorder(Toy(), header(), earlier=earlier)
        growth = Growth(library, self.recorder) if earlier else None
        self.beside = Beside(library) if library and chosen is Mode.VERIFY else None
        self.layer = CassetteLayer(chosen, library, self.recorder, live=growth or self.beside)
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
        if self.beside is not None:
            assert (reply, self.reached, self.recorder.recorded, self.beside.noticed) == (LIVE, 1, 0, [])
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


def test_the_names_of_modes():
    """What users write for a mode, and what messages call the cells of the table."""
    assert [str(chosen) for chosen in Mode] == ["none", "once", "new", "all", "rewrite", "verify"]
    assert [str(outcome) for outcome in LookResult] == ["found", "missing", "ambiguous"]
    assert [str(action) for action in CassetteAction] == ["replay", "record", "refuse", "compare"]


def test_an_unknown_mode_is_a_definition_error():
    """A word that is no mode is refused, with the modes that there are."""
    with pytest.raises(DefinitionError, match=r"'al' is no cassette mode. There are 'none', .*'rewrite' and 'verify'"):
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
    """Of those that put a recording in the place of a cassette, ``new`` adds to it, and the others are one row of the table."""
    assert [mode for mode in Mode if RULES[mode].replaces] == [Mode.NEW, Mode.ALL, Mode.REWRITE]
    assert [mode for mode in Mode if RULES[mode].adds] == [Mode.NEW]
    assert RULES[Mode.ALL] == RULES[Mode.REWRITE]


def test_which_modes_need_a_provider():
    """Where there is a cassette, ``none`` and ``once`` ask nobody; where there is none, only ``none`` and ``verify`` do not."""
    assert [mode for mode in Mode if not RULES[mode].asks(existed=True)] == [Mode.NONE, Mode.ONCE]
    assert [mode for mode in Mode if not RULES[mode].asks(existed=False)] == [Mode.NONE, Mode.VERIFY]
