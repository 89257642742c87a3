"""What the real terraform and tofu owe a provider: whatever they are made to do, they break no rule of the contract."""

from __future__ import annotations

from contract_stage import with_private_bytes
from terraform_stage import HEAD, THING, Stage

from mockprovider.calls import Call, Failure, Handler, Op, Reply

LIKE = """
provider "cloud" {
}
provider "cloud" {
  alias = "other"
}
resource "cloud_thing" "like" {
  count = 3
  name  = "like"
}
resource "cloud_thing" "other" {
  provider = cloud.other
  name     = "like"
}
resource "cloud_thing" "first" {
  name = "first"
  size = SIZE
  SPOTS
  lifecycle {
    create_before_destroy = true
  }
}
"""

SPOTS = {5: "spots {\nport = 2\n}\nspots {\nport = 1\n}", 6: "spots = [{ port = 2 }, { port = 1 }]"}


def test_a_long_life(stage: Stage) -> None:
    """Equal objects, aliases, replacements, drift, stored plans, taints, failures and deletions break no rule."""
    stage.double.use(with_private_bytes())
    text = HEAD + LIKE.replace("SPOTS", SPOTS[stage.major])
    cli = stage.cli
    cli.write(text.replace("SIZE", "1"))
    cli.apply()
    cli.apply()
    for thing in stage.double.cloud.objects(THING.token)[:2]:
        stage.double.cloud.drift(THING.token, thing.id, name="drifted")
    cli.plan()
    cli.apply("-refresh=false")
    cli.plan("-refresh-only")
    cli.apply()
    cli.write(text.replace("SIZE", "2"))
    cli.plan()
    cli.apply_plan()
    cli.apply("-replace=cloud_thing.like[1]")
    cli.command("taint", "cloud_thing.like[0]")
    cli.apply()
    for op in (Op.CREATE, Op.DELETE):
        stage.on(op, fails)
        cli.apply("-replace=cloud_thing.first", expect_failure=True)
        stage._meddling.clear()
        for thing in stage.double.cloud.objects(THING.token):
            # Among them is the old object of a replacement, which is left to be deleted.
            stage.double.cloud.drift(THING.token, thing.id, name="drifted")
        cli.apply()
    stage.double.cloud.vanish(THING.token, stage.double.cloud.objects(THING.token)[0].id)
    cli.apply()
    cli.command("state", "mv", "cloud_thing.other", "cloud_thing.moved")
    cli.write(HEAD + 'provider "cloud" {\n}\nprovider "cloud" {\n  alias = "other"\n}\n')
    cli.apply()
    assert stage.double.cloud.objects(THING.token) == []
    assert [str(breach) for breach in stage.double.contract.breaches] == []


def fails(call: Call, _: Handler) -> Reply:
    """A create that makes nothing, a delete that leaves what there is."""
    return Reply(failures=(Failure("it is in use"),), value=call.prior if call.op is Op.DELETE else None, id=call.id)


def test_functions_that_answer_otherwise_each_time(stage: Stage) -> None:
    """Both engines evaluate uuid() anew between plan and apply, so another configuration than the plan's is a warning."""
    stage.write("name = uuid()")
    stage.cli.apply()
    (breach,) = stage.double.contract.breaches
    assert (breach.rule.id, breach.is_error) == ("TF-APPLY-HAS-THE-CONFIGURATION", False)
    assert breach.how == "the configuration differs at name from the one that was planned."
