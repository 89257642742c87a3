"""The schemas that a run tells of: a real or a recorded provider's types are declared nowhere else."""

from __future__ import annotations

from typing import Any

from mockprovider.terraform.schema.published import PROVIDER, RESOURCES, schema_data, tree_of
from mockprovider.terraform.schema.tree import Place

SECTIONS = {"resource": RESOURCES, "data": "data_source_schemas", "ephemeral": "ephemeral_resource_schemas"}
"""The field of the answer that has the schemas of each kind of type."""


class LearnedSchemas:
    """What answers to GetProviderSchema have said. Only the types that are asked for are read: there may be thousands."""

    def __init__(self) -> None:
        self._answers: list[Any] = []
        self._trees: dict[tuple[str, str], Place | None] = {}

    def learn(self, answer: Any) -> None:
        """Keep an answer, a message; what it says counts more than what an earlier one said."""
        # The identities of resources are asked for in another call, of the same op.
        if PROVIDER in answer.DESCRIPTOR.fields_by_name:
            self._answers.insert(0, answer)
            self._trees.clear()

    def tree(self, of: str, name: str) -> Place | None:
        """The schema of a type; ``None`` for one that no answer had. ``of`` is as for ``ProviderSchema.coder``."""
        key = (of, name)
        if key not in self._trees:
            self._trees[key] = self._read(of, name)
        return self._trees[key]

    def version(self, name: str) -> int | None:
        """The version of a resource type's states; ``None`` for a type that no answer had."""
        schemas = (answer.resource_schemas for answer in self._answers)
        return next((int(section[name].version) for section in schemas if name in section), None)

    def _read(self, of: str, name: str) -> Place | None:
        for answer in self._answers:
            if of == PROVIDER:
                return tree_of(schema_data(answer.provider))
            section = getattr(answer, SECTIONS[of], {})
            if name in section:
                return tree_of(schema_data(section[name]))
        return None
