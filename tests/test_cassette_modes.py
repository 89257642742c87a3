"""The modes: their names, and what those that are built are said to do."""

import pytest

from mockprovider.cassette import DECISIONS, DEFAULT, CassetteAction, Mode, mode
from mockprovider.errors import DefinitionError, UnsupportedError


def test_the_default_never_records():
    """Without a mode nothing is recorded, whether the cassette knows the call or not."""
    rule = DECISIONS[DEFAULT]
    assert (rule.known, rule.unknown) == (CassetteAction.REPLAY, CassetteAction.REFUSE)


def test_all_records_everything():
    """In mode all every call is recorded, known or not."""
    rule = DECISIONS[mode("all")]
    assert {rule.known, rule.unknown} == {CassetteAction.RECORD}


@pytest.mark.parametrize("name", sorted(set(Mode) - set(DECISIONS)))
def test_modes_to_come_are_refused_by_name(name):
    """A mode that is named and not built is refused, with those that are."""
    with pytest.raises(UnsupportedError, match=f"'{name}' is not built yet.*'none' and 'all'"):
        mode(name)


def test_an_unknown_mode_is_a_definition_error():
    """A word that is no mode is refused, with the modes that there are."""
    with pytest.raises(DefinitionError, match=r"'al' is no cassette mode.*'none' and 'all'"):
        mode("al")
