"""Methods of providers themselves, which current schemas of bridged packages have."""

from __future__ import annotations

from typing import Any

import pytest
from provider_methods import METHOD, SCHEMA, package, program

from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.package.reading import from_schema


def test_a_providers_method_is_read() -> None:
    """A schema may have a method of its provider, whose token has no package before the colon."""
    read = package()
    assert (list(read.methods), list(read.functions), read.methods[METHOD].inputs) == ([METHOD], [], {})


def test_the_provider_that_is_called_answers() -> None:
    """A provider's method is called on the instance of that provider, not on one that its package would have by default."""
    with Double(package()) as double:
        result = Stack(double).up(program)
    assert result.outputs == {"here": {"result": {}}, "there": {"result": {}}}
    calls = [entry.call for entry in double.journal.entries(op="call")]
    assert [call.session.config for call in calls] == [{"region": "eu"}, {"region": "us"}]
    assert "default" not in str(double.journal)


@pytest.mark.parametrize(
    ("functions", "methods", "message"),
    [
        ({"pulumi:providers:other/run": {}}, {}, "'pulumi:providers:other/run' does not belong to the package"),
        ({"pulumi:index:run": {}}, {}, "'pulumi:index:run' does not belong to the package"),
        ({}, {"run": "cloud:index:run"}, "there is no function 'cloud:index:run'"),
        ({METHOD: {}}, {"terraformConfig": METHOD}, "a method's inputs begin with '__self__'"),
    ],
)
def test_what_is_no_method_of_the_provider(functions: Any, methods: Any, message: str) -> None:
    """A function of another package's provider, a method that is no function, and one without its provider are errors."""
    with pytest.raises(DefinitionError, match=message.replace("(", r"\(")):
        from_schema({**SCHEMA, "functions": functions, "provider": {"methods": methods}})
