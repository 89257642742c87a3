"""What an engine owes a provider, rule by rule."""

from __future__ import annotations

from itertools import islice

from mockprovider.calls import EFFECTS, Op
from mockprovider.contract import Condition, ContractRule, Party, Severity, in_order
from mockprovider.terraform.contract import lives
from mockprovider.terraform.contract.comparing import altered, differing
from mockprovider.terraform.contract.engines import PRIOR, EngineMoment
from mockprovider.terraform.rules.places import unknowns
from mockprovider.values import Bag

LIFE = "Terraform's resource instance change lifecycle"
PROTO = "Terraform's plugin protocol"
SHOWN = 3
"""How many of several differences a breach shows."""
UNKNOWN = frozenset({Condition.UNKNOWN})


def _not_answered(moment: EngineMoment) -> str:
    prior, seen = moment.prior, moment.instance
    if prior.bag is None or prior.state in seen.states:
        return ""
    return _unlike(prior.bag, seen.bags.get(prior.state[0]), "the prior state", "the last answer had")


def _not_stored(moment: EngineMoment) -> str:
    message = moment.message
    if message is None or not message.raw_state.json:
        return ""
    kept = moment.history.recognized(moment.call, message.raw_state.json)
    states = moment.history.stored_as(moment.call, kept)
    if states is None or kept.state in states:
        return ""
    return "no answer that is left has brought this state." if states else "the object with this id has been deleted."


def _outdated(moment: EngineMoment) -> str:
    prior, seen = moment.prior, moment.instance
    if prior.bag is None or prior.state not in seen.outdated or prior.state in seen.stays:
        return ""
    return "a read has answered another state since then."


def _private_not_answered(moment: EngineMoment) -> str:
    prior, seen = moment.prior, moment.instance
    privates = {*seen.states.get(prior.state, ())}
    if None in privates and not (moment.call.op is Op.PLAN and prior.state in seen.read):
        # An upgraded state comes with bytes that are stored, and no call has told them. What gave them may have been seen.
        stored = (moment.history.stored_as(moment.call, prior) or {}).get(prior.state)
        privates = privates | stored if stored else set()
    if prior.bag is None or not privates - {None} or moment.call.private in privates:
        return ""
    return "the private bytes are not those that came with this state."


def _not_planned(moment: EngineMoment) -> str:
    why, seen = moment.plan[0], moment.instance
    if why == "private":
        return "the private bytes are not those that came with this plan."
    sent = moment.sent("planned_state")
    if why != "state" or sent.bag is None:
        return ""
    if sent.state in seen.put_off:
        return "the provider has put this change off."
    return _unlike(sent.bag, seen.planned.get(sent.state[0]), "the planned state", "the last plan had")


def _other_prior(moment: EngineMoment) -> str:
    return "the prior state is not the one that this was planned from." if moment.plan[0] == "prior" else ""


def _applied_again(moment: EngineMoment) -> str:
    return "each plan of this state has been applied already." if moment.plan[0] == "applied" else ""


def _other_config(moment: EngineMoment) -> str:
    why, plans = moment.plan
    if why != "config":
        return ""
    config, planned, prior = (moment.sent(name).bag for name in ("config", "planned_state", "prior_state"))
    # What is ignored was planned as it is, and is in the configuration again when that is evaluated anew.
    names = altered(plans[-1].config, config, prior, planned)
    return f"the configuration differs at {_listed(names)} from the one that was planned." if names else ""


def _unplanned_delete(moment: EngineMoment) -> str:
    prior, before = moment.prior, moment.history
    if prior.bag is None or not before.plans_destroys or prior.state not in before.born or prior.state in before.replaceable:
        return ""
    if before.deletion(moment):
        return ""
    if before.deletable.get(prior.state):
        return "the private bytes are not those that came with the plan of this deletion."
    return "no plan is left by which this object is deleted, or replaced."


def _unlike(sent: Bag, given: Bag | None, what: str, who: str) -> str:
    if given is None:
        return f"{what} is of a type that this instance has answered nothing of."
    # Values are not shown: a secret may be any of them.
    return f"{what} differs at {_listed(differing(given, sent)) or 'the id'} from what {who}."


def _listed(names: list[str]) -> str:
    return ", ".join(names[:SHOWN])


def _unknown_prior(moment: EngineMoment) -> str:
    return _unknown_in("the prior state", moment.call.prior)


def _unknown_config(moment: EngineMoment) -> str:
    return _unknown_in("the configuration that is applied", moment.call.inputs)


def _not_validated(moment: EngineMoment) -> str:
    if moment.message is None or moment.call.type in moment.instance.validated or _unknown_config(moment):
        return ""
    return "this instance has validated no configuration of this type that was wholly known."


def _unknown_in(what: str, bag: Bag | None) -> str:
    paths = [*islice(unknowns(bag), SHOWN)]
    return f"in {what}, unknown is {', '.join(paths)}." if paths else ""


RULES: tuple[ContractRule, ...] = (
    in_order(
        lives.SESSION,
        lives.CONFIGURED_FIRST,
        says="A provider is configured before it plans, applies, reads, imports or opens anything.",
        source=f"{PROTO}, ConfigureProvider",
        mend="Call ConfigureProvider once for each instance; validation, upgrades, moves and functions need none.",
    ),
    in_order(
        lives.SESSION,
        lives.CONFIGURED_ONCE,
        says="An instance is configured once.",
        source=f"{PROTO}, ConfigureProvider; engines start a process for each configuration",
        mend="Start another instance for another configuration.",
    ),
    in_order(
        lives.SESSION,
        lives.STOPPED,
        says="After a stop, an engine starts nothing new with that instance; it waits, and closes what is open.",
        source=f"{PROTO}, StopProvider",
        mend="Wait for the calls that are under way, and start no others.",
    ),
    in_order(
        lives.EPHEMERAL,
        lives.OPENED_FIRST,
        says="Renew and Close get the private bytes that Open, or an earlier Renew, answered.",
        source=f"{PROTO}, RenewEphemeralResource, CloseEphemeralResource",
        mend="Keep the private bytes of each answer with the resource.",
    ),
    in_order(
        lives.EPHEMERAL,
        lives.CLOSED,
        says="An ephemeral resource is closed once, and not renewed afterwards.",
        source=f"{PROTO}, CloseEphemeralResource",
        mend="Stop renewing before you close.",
    ),
    ContractRule(
        id="TF-STATE-WAS-ANSWERED",
        party=Party.ENGINE,
        says="The prior state is what this instance has made of the stored one: upgraded, moved, read, imported or applied.",
        source=f"{LIFE}, UpgradeResourceState and ReadResource",
        mend="Call UpgradeResourceState for each stored state, and send on what was answered.",
        ops=frozenset(PRIOR),
        broken=_not_answered,
    ),
    ContractRule(
        id="TF-STATE-IS-THE-LAST-READ",
        party=Party.ENGINE,
        says="Once an object is read, its prior state is what the read answered.",
        source=f"{LIFE}, ReadResource",
        mend="Plan with the state of the answer; an engine that does not refresh does not read at all.",
        ops=frozenset({Op.PLAN, *EFFECTS}),
        broken=_outdated,
    ),
    ContractRule(
        id="TF-STATE-WAS-STORED",
        party=Party.ENGINE,
        says="What is upgraded is the last state that an apply or a read of this object answered.",
        source=f"{LIFE}, UpgradeResourceState",
        mend="Store what each apply answers, also where it failed half-way, and forget what was deleted.",
        ops=frozenset({Op.UPGRADE}),
        broken=_not_stored,
        # People restore states, and engines are killed before they store one.
        severity=Severity.WARNING,
    ),
    ContractRule(
        id="TF-PRIVATE-WAS-ANSWERED",
        party=Party.ENGINE,
        says="Private bytes come back with the state that they came with.",
        source=f"{PROTO}, ReadResource (private), PlanResourceChange (prior_private)",
        mend="Store the private bytes of each answer with its state.",
        ops=frozenset({Op.READ, Op.PLAN}),
        broken=_private_not_answered,
    ),
    ContractRule(
        id="TF-STATE-IS-KNOWN",
        party=Party.ENGINE,
        says="A prior state is always wholly known.",
        source=f"{LIFE}, New State",
        mend="Store what was applied, not what was planned.",
        ops=frozenset(PRIOR),
        broken=_unknown_prior,
        when=UNKNOWN,
    ),
    ContractRule(
        id="TF-APPLY-WAS-PLANNED",
        party=Party.ENGINE,
        says="What is applied is the final planned state, as the provider answered it.",
        source=f"{LIFE}, ApplyResourceChange; {PROTO}, planned_private",
        mend="Plan again before each apply, with the configuration that is known by then, and apply that plan.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_not_planned,
    ),
    ContractRule(
        id="TF-APPLY-HAS-THE-PRIOR-STATE",
        party=Party.ENGINE,
        says="A plan is applied to the prior state that it was made from.",
        source=f"{LIFE}, ApplyResourceChange",
        mend="Plan again where the state has changed since the plan.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_other_prior,
    ),
    ContractRule(
        id="TF-PLAN-IS-APPLIED-ONCE",
        party=Party.ENGINE,
        says="A plan is applied once.",
        source=f"{LIFE}, ApplyResourceChange, which takes what PlanResourceChange answered to the next state",
        mend="Plan again before each apply, also before one that repeats what has failed.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_applied_again,
        counts=True,
    ),
    ContractRule(
        id="TF-APPLY-HAS-THE-CONFIGURATION",
        party=Party.ENGINE,
        says="A plan is applied with the configuration that it was made of.",
        source=f"{LIFE}, ApplyResourceChange",
        mend="Plan again where the configuration has changed since the plan.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_other_config,
        # terraform 1.11.4 and tofu 1.12.6 evaluate uuid() and timestamp() anew between plan and apply.
        severity=Severity.WARNING,
    ),
    ContractRule(
        id="TF-DELETE-WAS-PLANNED",
        party=Party.ENGINE,
        says="If a provider plans deletions (plan_destroy), the deletion or replacement of an object is planned first.",
        source=f"{PROTO}, ServerCapabilities.plan_destroy; {LIFE}, PlanResourceChange",
        mend="Plan each deletion, with the state that is deleted as the prior one and nothing proposed.",
        ops=frozenset({Op.DELETE}),
        broken=_unplanned_delete,
        counts=True,
    ),
    ContractRule(
        id="TF-CONFIGURATION-IS-KNOWN",
        party=Party.ENGINE,
        says="During apply, the configuration is wholly known.",
        source=f"{LIFE}, PlanResourceChange",
        mend="Apply what it depends on first.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_unknown_config,
        when=UNKNOWN,
    ),
    ContractRule(
        id="TF-CONFIGURATION-WAS-VALIDATED",
        party=Party.ENGINE,
        says="Before an apply, the engine calls ValidateResourceConfig with a wholly known configuration.",
        source=f"{LIFE}, ValidateResourceConfig",
        mend="Validate each configuration again once it is known, before it is planned for the last time.",
        # With ignore_changes the configuration that is applied is not quite the one that was validated.
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_not_validated,
    ),
)
"""In the order of the reference page."""
