"""The contract: each rule can be broken and kept, and a breach says what it was."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import rules_page
from contract_cases import CASES
from contract_cases.shapes import of_terraform
from contract_cases.terraform_engines import ALSO_BROKEN, ALSO_KEPT, applies_what_was_put_off
from contract_stage import BUCKET, PulumiRun
from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.contract import Severity
from mockprovider.double import Double
from mockprovider.double.behind import Wiring
from mockprovider.double.contract import contracts, rules
from mockprovider.protocols import of_family
from mockprovider.terraform.contract.comparing import frozen
from mockprovider.terraform.schema.tree import place_of
from mockprovider.terraform.values.types import Type
from mockprovider.values import UNKNOWN

RULES = {rule.id: rule for rule in rules()}


@pytest.mark.parametrize("id_", RULES)
def test_a_rule_that_is_broken(id_: str) -> None:
    """A run that breaks one rule breaks no other, and says which call did, how, and what to do."""
    begin, breaks, _ = CASES[id_]
    run = begin()
    breaks(run)
    assert run.broken == [id_]
    (breach, *_) = run.double.contract.breaches
    assert str(breach).startswith(f"{id_}: {breach.n} {breach.call}: ")
    assert all(words in str(breach) for words in (breach.how, breach.rule.says, breach.rule.source, breach.rule.mend))


@pytest.mark.parametrize("id_", RULES)
def test_a_rule_that_is_kept(id_: str) -> None:
    """A run that comes near a rule and keeps it breaks none."""
    begin, _, keeps = CASES[id_]
    run = begin()
    keeps(run)
    assert run.broken == []


@pytest.mark.parametrize("script", ALSO_BROKEN, ids=lambda script: script.__name__)
def test_what_terraform_engines_must_not_do(script: Any) -> None:
    """Other ways to break a rule than that of its case are told by the same rule."""
    run = of_terraform()
    script(run)
    assert run.broken == [ALSO_BROKEN[script]]


@pytest.mark.parametrize("script", ALSO_KEPT, ids=lambda script: script.__name__)
def test_what_terraform_engines_may_do(script: Any) -> None:
    """What real engines do beside the plain way, as with a tainted object, breaks no rule."""
    run = of_terraform()
    script(run)
    assert run.broken == []


def test_every_case_is_about_a_rule() -> None:
    """No case is left of a rule that is gone."""
    assert CASES.keys() == RULES.keys()


def test_what_a_provider_put_off_is_not_applied() -> None:
    """An engine that applies a plan which the provider has put off is told so."""
    run = of_terraform()
    applies_what_was_put_off(run)
    assert "the provider has put this change off" in str(run.double.contract.breaches[0])


def test_the_reference_page_is_up_to_date() -> None:
    """docs/contract-rules.md has all rules, with a breach of each: ``python tests/rules_page.py`` writes it."""
    assert rules_page.PAGE.read_text(encoding="utf-8") == rules_page.written()


def test_every_order_rule_stands_in_a_table() -> None:
    """What a table of lives calls a breach is a rule, and each table's rules are about its own events."""
    for contract in contracts().values():
        for life in contract.lives:
            assert {*life.wrong.values()} <= {rule.id for rule in contract.rules}
            for (_, event), id_ in life.wrong.items():
                ops = {op for op in life.events if life.events[op] == event}
                assert ops <= RULES[id_].ops, id_


def test_a_journal_that_is_cleared_or_forgets() -> None:
    """What happened before the journal was cleared, or beyond its limit, counts all the same, once."""
    run = PulumiRun()
    run.double.journal.limit = 3
    run.start()
    run.make({"acl": "private"})
    run.double.journal.clear()
    run.ask(Op.DELETE, id="i-1", prior={"acl": "private"})
    assert run.broken == []
    for _ in range(3):
        run.ask(Op.DELETE, id="i-1", prior={"acl": "private"})
    assert [breach.rule.id for breach in run.double.contract.breaches] == ["PULUMI-NOTHING-AFTER-DELETE"] * 3
    assert [breach.rule.id for breach in run.double.contract.breaches] == ["PULUMI-NOTHING-AFTER-DELETE"] * 3


def test_breaches_from_a_position_on() -> None:
    """Who follows a run gets each breach once, and what allows a breach is needed once there is one."""
    run = PulumiRun()
    run.double.contract.allow("pulumi-inputs-*", because="by hand")
    run.double.contract.allow("PULUMI-DIFF-*", because="by hand")
    positions = [0]
    for shown in (2, 0, 1):
        for number in range(shown):
            run.ask(Op.CREATE, Reply(id=f"i-{shown}{number}", value={}), inputs={}, name=f"{shown}{number}")
        breaches, position = run.double.contract.since(positions[-1])
        assert [breach.rule.id for breach in breaches] == ["PULUMI-CONFIGURE-BEFORE-USE"] * shown
        positions.append(position)
    assert len(run.double.contract.breaches) == 3
    assert [*run.double.contract.allowed] == ["PULUMI-INPUTS-*", "PULUMI-DIFF-*"]
    assert run.double.contract.unneeded == ["PULUMI-DIFF-*"]


def test_a_call_that_is_under_way() -> None:
    """A breach of a call that has not ended is told, and its end counts in a later look."""
    run = PulumiRun()
    run.start()
    looks: list[list[str]] = []

    def look(call: Call, proceed: Handler) -> Reply:
        looks.append(run.broken)
        return proceed(call)

    run.double.use(look)
    run.ask(Op.DELETE, id="i-1", prior={})
    assert looks == [["PULUMI-ID-WAS-ISSUED"]]
    run.check({"acl": "private"})
    run.ask(Op.CREATE, Reply(id="i-1", value={"acl": "private"}), inputs={"acl": "private"})
    run.ask(Op.DELETE, id="i-1", prior={"acl": "private"})
    assert run.broken == ["PULUMI-ID-WAS-ISSUED"]


def test_a_lost_reply_is_not_the_providers() -> None:
    """Faults stand between the two sides: the engine is judged by what it was told, the provider by what it answered."""
    run = PulumiRun()
    run.start()
    run.check({"acl": "private"})
    run.double.faults.on.create().lose_reply()
    run.ask(Op.CREATE, Reply(id="i-1", value={"acl": "private"}), inputs={"acl": "private"})
    assert run.broken == []
    run.ask(Op.DELETE, id="i-1", prior={"acl": "private"})
    assert run.broken == ["PULUMI-ID-WAS-ISSUED"]


def test_objects_that_are_older_than_the_run() -> None:
    """A real or recorded provider may have given an id before the run began; once it is deleted, that is over."""
    wiring = Wiring("cloud", lambda _: Reply(), protocol=of_family("pulumi"))
    with Double(provider=wiring) as double:
        session = double.open()
        about: dict[str, Any] = {
            "session": session,
            "urn": "urn:pulumi:dev::shop::cloud:index:Bucket::logs",
            "type": BUCKET.token,
        }
        double(Call(op=Op.CONFIGURE, session=session))
        for _ in range(2):
            double(Call(op=Op.DELETE, id="i-1", prior={}, **about))
    assert [breach.rule.id for breach in double.contract.breaches] == ["PULUMI-NOTHING-AFTER-DELETE"]


def test_a_protocol_without_rules() -> None:
    """A protocol that offers no contract is not judged."""
    with Double(provider=lambda _: Reply()) as double:
        session = double.open()
        session.protocol = replace(session.protocol, contract="")
        double(Call(op=Op.CREATE, session=session))
        assert double.contract.breaches == []


def test_values_of_states_are_told_apart() -> None:
    """True is not 1, the unknown is no text, 0.1 is what its decimal text is, and sets may come in another order."""
    apart = [
        True,
        1,
        False,
        0,
        "1",
        "unknown",
        "true",
        UNKNOWN,
        None,
        0.1,
        10**400,
        [1, 1],
        [1],
        [[1], 1],
        {"a": 1},
        {"a": True},
    ]
    assert len({frozen(value) for value in apart}) == len(apart)
    assert frozen(0.1) == frozen(Decimal("0.1"))
    assert frozen(1.0) == frozen(1) == frozen(Decimal("1.00"))
    assert frozen({"a": [{"b": 2}, {"b": 1}], "c": None}) == frozen({"a": [{"b": 1}, {"b": 2}]})


def test_the_schema_says_what_has_an_order() -> None:
    """In a list and a tuple the order counts, at every depth; in a set it does not, nor how often an element stands there."""
    listed, in_set = Type("list", items=Type("number")), Type("set", items=Type("string"))
    pair = Type("tuple", elements=(Type("string"), Type("string")))
    place = place_of(Type("object", attributes={"a_b": listed, "c": in_set, "d": Type("map", items=listed), "e": pair}))
    state = {"aB": [1, 2], "c": ["x", "y"], "d": {"k": [1, 2]}, "e": ["x", "y"]}
    for other in ({"aB": [2, 1]}, {"d": {"k": [2, 1]}}, {"e": ["y", "x"]}):
        assert frozen({**state, **other}, place) != frozen(state, place)
    for other in ({"c": ["y", "x"]}, {"c": ["y", "x", "y"]}):
        assert frozen({**state, **other}, place) == frozen(state, place)


def test_what_real_engines_and_people_break_is_a_warning() -> None:
    """Rules that real engines break, that a state which somebody edits does, or that nobody enforces, fail no test."""
    assert {rule.id for rule in RULES.values() if rule.severity is Severity.WARNING} == {
        "PULUMI-DELETES-FIRST-WHERE-DIFF-ASKS",
        "PULUMI-CREATES-ONCE",
        "PULUMI-HALF-MADE-IS-REMEMBERED",
        "PULUMI-SECRETS-STAY-SECRET",
        "TF-STATE-WAS-STORED",
        "TF-APPLY-HAS-THE-CONFIGURATION",
        "PULUMI-ANSWERS-FIT-THE-SCHEMA",
        "PULUMI-CHANGES-TELL-THE-STATE",
        "PULUMI-DELETE-OF-NOTHING-SUCCEEDS",
        "PULUMI-DIFF-PATHS-EXIST",
        "PULUMI-DIFF-SETTLES",
        "PULUMI-FAILURES-NAME-PROPERTIES",
        "PULUMI-IDS-ARE-UNIQUE",
        "PULUMI-PREVIEWS-HAVE-NO-EFFECT",
        "PULUMI-REPLACEMENTS-AGREE",
        "TF-PLAN-SETTLES",
        "PULUMI-IMPORT-NEEDS-THE-ID-ALONE",
        "PULUMI-REPLACED-WITH-THE-PROVIDER",
        "TF-VALIDATION-LETS-THE-UNKNOWN-PASS",
    }


@pytest.mark.parametrize("secret", ["x" * 200, 'a\n"b', 4711, "xyz"])
def test_values_are_not_shown(secret: object) -> None:
    """No breach shows a value: any of them may be a secret, however long, short, or spelled."""
    run = PulumiRun()
    run.start()
    run.check({"pin": 1, "nest": {"pw": 1}})
    run.ask(Op.CREATE, Reply(id="i-1", value={"pin": secret}), inputs={"pin": secret, "nest": {"pw": secret}})
    run.ask(Op.DIFF, id="i-1", prior={"pin": [secret]}, inputs={})
    run.check({"a": 1}, {"a": secret}, seed=b"1")
    run.check({"a": 1}, {"a": [secret]}, seed=b"1")
    assert len(run.broken) == 3
    how = " ".join(breach.how for breach in run.double.contract.breaches)
    assert [form for form in (str(secret)[:5], repr(secret)[1:5]) if form in how] == []
