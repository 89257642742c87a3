"""Faults in front of what is no fake: a real Terraform provider, while it is recorded, and the recording."""

from __future__ import annotations

from pathlib import Path

import pytest
from terraform_stage import ENGINES

from mockprovider.double import Double, real, recording, replaying
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import DefinitionError

MODULE = 'resource "random_id" "it" {\n  byte_length = 4\n}\nresource "random_pet" "pet" {\n  prefix = random_id.it.hex\n}\n'


@pytest.mark.parametrize("engine", ENGINES)
def test_a_real_provider_is_broken_by_the_names_of_its_protocol(engine: str, tmp_path: Path) -> None:
    """A rule about ``random_pet`` fails its create once: live, recorded, and over the recording, with the same lives."""
    lives = []
    cassette = tmp_path / "random.cassette"
    command = ["terraform-provider-random"]
    for place, wiring in enumerate((lambda: recording(cassette, real(command)), lambda: replaying(cassette))):
        with Double(provider=wiring()) as double:
            double.faults.on.create("random_pet").error("quota exceeded")
            serving = double.serve("terraform")
            terraform = Terraform(tmp_path / str(place), lambda: serving.environment, binary=engine)  # noqa: B023 - used at once
            terraform.write(MODULE)
            failed = terraform.apply(expect_failure=True)
            assert [error.summary for error in failed.errors] == ["quota exceeded"]
            assert [change["type"] for change in failed.state["resources"]] == ["random_id"]
            state = terraform.apply().state
            lives.append([one["instances"][0]["attributes"] for one in state["resources"]])
            terraform.destroy()
    assert lives[0] == lives[1]

    with Double(provider=replaying(cassette)) as double:
        with pytest.raises(DefinitionError, match="Nothing about random_cat was recorded, only about random_id, random_pet"):
            double.faults.on.create("random_cat")
        with pytest.raises(DefinitionError, match="Nothing about random:index:Pet was recorded"):
            double.faults.use({"faults": [{"when": {"op": "create", "type": "random:index:Pet"}, "fault": {"kind": "hang"}}]})


TWINS = 'resource "random_id" "i" {\n  count = 3\n  byte_length = 4\n}\n'


@pytest.mark.parametrize("engine", ENGINES)
def test_one_of_several_twins_is_broken_by_its_address_or_whichever_it_is(engine: str, tmp_path: Path) -> None:
    """A fault that would break one of three twins by scheduling is refused; by address it breaks that one in a serial run."""
    with Double(provider=real(["terraform-provider-random"])) as double:
        serving = double.serve("terraform")
        terraform = Terraform(tmp_path, lambda: serving.environment, binary=engine, doubles=[double])
        terraform.write(TWINS)

        double.faults.on.create("random_id").error("quota exceeded")
        terraform.apply(expect_failure=True)
        with pytest.raises(DefinitionError, match=r"several equal calls fit.*address='\.\.\.'.*\.whichever\(\)"):
            double.raise_errors()
        terraform.destroy()
        double.faults.clear()

        by_address = double.faults.on.create("random_id", address="random_id.i[1]").error("quota exceeded")
        terraform.apply(expect_failure=False)
        assert by_address.unfired.startswith("no create told an address: run serially (parallelism = 1)")
        terraform.destroy()
        terraform.parallelism = 1
        state = terraform.apply(expect_failure=True).state
        assert [one["index_key"] for one in state["resources"][0]["instances"]] == [0, 2]
        terraform.destroy()

        terraform.parallelism = None
        double.faults.clear()
        double.faults.on.create("random_id").error("quota exceeded").whichever()
        state = terraform.apply(expect_failure=True).state
        assert len(state["resources"][0]["instances"]) == 2
        terraform.destroy()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_of_a_real_provider_is_altered_as_one_of_the_fake(engine: str, tmp_path: Path) -> None:
    """An id and an attribute that a real provider's answer lacks are null in the state, as those of a fake's answer are."""
    with Double(provider=real(["terraform-provider-random"])) as double:
        serving = double.serve("terraform")
        terraform = Terraform(tmp_path, lambda: serving.environment, binary=engine)
        terraform.write('resource "random_id" "it" {\n  byte_length = 4\n}\n')
        double.faults.on.create("random_id").altered(id="", without=["hex"])
        [resource] = terraform.apply().state["resources"]

        attributes = resource["instances"][0]["attributes"]
        assert (attributes["id"], attributes["hex"]) == (None, None)
        assert attributes["dec"]
