"""What states keep of providers and of options that no provider sees: environment mappings, checksums, hidden changes
(``env_var_mappings_test.go``, ``hide_diffs_test.go``).
"""

from __future__ import annotations

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, diff, echoing, errors, steps

from mockprovider.calls import Reply

MAPPINGS = {"MY_VAR": "PROVIDER_VAR", "OTHER_VAR": "TARGET_VAR"}


def test_environment_mappings_are_kept():
    """The mappings of a provider's variables stand in its inputs, in the part that only the engine sees."""
    provider = Provider()
    up = Lifecycle(provider).up(lambda monitor: monitor.provider("pkgA", "prov", envVarMappings=MAPPINGS))
    assert up.state["prov"].inputs == {"__internal": {"envVarMappings": MAPPINGS}}
    assert up.state["prov"].outputs == {}
    assert [call.inputs for call in provider.of("check_config")] == [{}]


def test_environment_mappings_are_for_providers():
    """A resource of any other kind may have none."""
    up = Lifecycle(Provider()).up(lambda monitor: monitor.register(A, "resA", envVarMappings=MAPPINGS), expect_failure=True)
    assert "envVarMappings can only be used with provider resources" in errors(up)


def test_no_mappings_no_key():
    """A provider without mappings, now or any more, has none in the state."""
    stack = Lifecycle(Provider())
    assert stack.up(lambda monitor: monitor.provider("pkgA", "prov")).state["prov"].inputs == {}
    stack.up(lambda monitor: monitor.provider("pkgA", "prov", envVarMappings=MAPPINGS))
    assert "envVarMappings" not in stack.up(lambda monitor: monitor.provider("pkgA", "prov")).state["prov"].inputs.get(
        "__internal", {}
    )


def test_checksums_are_kept():
    """The checksums of a plugin that a resource asks for stand in its default provider's inputs, in hexadecimal digits."""
    up = Lifecycle(Provider()).up(lambda monitor: monitor.register(A, "resA", pluginChecksums={"linux-amd64": b"\x00\xff"}))
    assert up.state["default"].inputs == {"__internal": {"pluginChecksums": {"linux-amd64": "00ff"}}}


@pytest.mark.parametrize("detailed", [False, True])
def test_hidden_changes(detailed):
    """Paths whose changes are not to be shown are kept in the state, and change nothing of what is done."""

    def compare(call):
        return diff(keys=["scalar"] if detailed else []) if call.inputs != call.prior_inputs else Reply(extra={})

    stack, value = Lifecycle(echoing(diff=compare)), "a"

    def program(monitor: Monitor) -> None:
        inputs = {"scalar": value, "array": [value], "map": {"k": value}}
        monitor.register(A, "resA", inputs=inputs, hideDiffs=["array", "map", "scalar"])
        monitor.register(A, "resB", inputs=inputs, hideDiffs=["array[0]", "map.k"])
        monitor.register(A, "resC", inputs={"scalar": "fixed"}, hideDiffs=["scalar"])

    up = stack.up(program)
    assert up.state["resA"].hide_diffs == (("array",), ("map",), ("scalar",))
    exported = {resource["urn"].rpartition("::")[2]: resource for resource in stack.export()["deployment"]["resources"]}
    assert exported["resB"]["hideDiff"] == ["array[0]", "map.k"]
    value = "b"
    assert steps(stack.up(program)) == [("update", "resA"), ("update", "resB"), ("same", "resC")]
    stack.import_(stack.export())
    assert stack.state["resB"].hide_diffs == (("array", 0), ("map", "k"))


def test_a_hidden_path_that_is_none():
    """A path that cannot be read is the program's mistake."""
    up = Lifecycle(Provider()).up(lambda monitor: monitor.register(A, "resA", hideDiffs=["a["]), expect_failure=True)
    assert "a[" in errors(up)
