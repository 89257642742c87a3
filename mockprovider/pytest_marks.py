"""The markers of the pytest plugin: their words, and what ``faults`` does. Nothing slow is imported before a test is marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean

if TYPE_CHECKING:
    from mockprovider.double import Double

ALLOW = "provider_contract_allow"
"""The ini option with rules that may be broken in every test, a line each: the id, a colon, and the reason."""

MARKS = (
    "cassette(path=None, command=None, protocol=None, env=None, name=None, secrets=(), public=(), masks=(), prove=False, "
    "providers=None, mode=None, unplayed=None, max_age=None, matching=None, beyond=None, http=False): "
    "replay the provider from a cassette "
    "(cassettes/<module>/<test>.json beside the test, unless path is given); with mode='once', record it where there is none, "
    "and with --provider-record=all, record it: "
    "the real provider that `command` starts, or the fake if there is none. name is the package that real engines know "
    "it by, and protocol is pulumi or terraform; unless given, the executable's name tells both; secrets, public and masks "
    "name properties that are secret, that are readable in spite of a declaration, and that do not count in comparisons; "
    "prove replays what was recorded at once, and fails the test if that fails; "
    "unplayed='allow' lets it pass without some recorded changes; max_age='90d' warns of an older cassette; "
    "beyond='fake' has a fake answer what a replayed cassette does not hold; "
    "http=True also records what a provider that is Python code in this process asks over HTTP, and runs that code on replay; "
    "providers has the commands of several providers by package, which share the cassette",
    "faults(*plans, provider=None): break the provider by these fault plans: data, or .json and .toml files beside the test. "
    "provider is the one of several that is broken",
    "contract(allow): rules of the contract that the test's engine or provider may break, by id, with the reason for each: "
    "allow={'PULUMI-INPUTS-ARE-CHECKED': 'calls by hand'}. An id may have wildcards",
)
"""Each marker with its arguments, and what it does."""


def break_doubles(item: pytest.Item, doubles: Sequence[Double]) -> None:
    """Give the doubles of a test the faults that it is marked with, the outermost marker first; equal marks count once.

    Raises ``DefinitionError`` for a marker that says no plan, a plan that cannot fire, and a provider that there is not.
    """
    markers = [*item.iter_markers("faults")]
    if not markers:
        return
    from mockprovider.faults import FaultPlan, load  # noqa: PLC0415 - slow to import

    given: list[tuple[str, FaultPlan]] = []
    for marker in reversed(markers):
        options = dict(marker.kwargs)
        double = _named(options.pop("provider", None), doubles)
        if options or not marker.args:
            raise DefinitionError(
                "@pytest.mark.faults takes fault plans, and provider=NAME: @pytest.mark.faults('lost.toml'), or data: "
                '@pytest.mark.faults({"faults": [{"when": {"op": "create"}, "fault": {"kind": "lose_reply"}}]}).'
            )
        for plan in marker.args:
            marked = (double.name, load(_beside(item, plan)))
            # A class and its test may well bear the same mark, and mean one fault by it.
            if marked not in given:
                given.append(marked)
                double.faults.use(marked[1])


def allow_breaches(item: pytest.Item, doubles: Sequence[Double]) -> None:
    """Let the doubles of a test break the rules that the ini file and its markers allow.

    Raises ``DefinitionError`` for a marker or a line that does not say which rules, and why.
    """
    given = allowed_everywhere(item.config)
    for marker in item.iter_markers("contract"):
        allow = marker.kwargs.get("allow")
        if marker.args or set(marker.kwargs) != {"allow"} or not isinstance(allow, Mapping):
            raise DefinitionError(
                "@pytest.mark.contract takes rules with reasons: "
                "@pytest.mark.contract(allow={'PULUMI-INPUTS-ARE-CHECKED': 'calls by hand'})."
            )
        given += allow.items()
    for double in doubles:
        for id_, because in given:
            double.contract.allow(id_, because=because)


def allowed_everywhere(config: pytest.Config) -> list[tuple[str, str]]:
    """What the ini file allows, with the reasons. Raises ``DefinitionError`` for a line without one."""
    return [_allowed(line) for line in config.getini(ALLOW)]


def check_allowed(config: pytest.Config) -> None:
    """Raise ``UsageError`` where a line of the ini file names no rule, or gives no reason."""
    if not config.getini(ALLOW) or hasattr(config, "workerinput"):
        return
    from mockprovider.contract import Allowed  # noqa: PLC0415 - slow to import, and only needed where something is allowed
    from mockprovider.double.contract import rules  # noqa: PLC0415 - as above

    allowed, known = Allowed(), [*rules()]
    try:
        for id_, because in allowed_everywhere(config):
            allowed.allow(id_, because, known)
    except DefinitionError as error:
        name = "" if ALLOW in str(error) else f"{ALLOW}: "
        raise pytest.UsageError(f"{name}{error}") from error


def _allowed(line: str) -> tuple[str, str]:
    id_, colon, because = line.partition(":")
    if not colon:
        raise DefinitionError(f"{ALLOW} = {line}: say why, as in {ALLOW} = {line.strip()}: calls by hand.")
    return id_.strip(), because.strip()


def _beside(item: pytest.Item, plan: Any) -> Any:
    return item.path.parent / plan if isinstance(plan, (str, Path)) else plan


def _named(name: str | None, doubles: Sequence[Double]) -> Double:
    names = [double.name for double in doubles]
    if name is None and len(doubles) == 1:
        return doubles[0]
    if name in names:
        return doubles[names.index(name)]
    hint = did_you_mean(name or "", names, "There are")
    raise DefinitionError(f"@pytest.mark.faults(provider={name!r}): this test has no such provider. {hint}")
