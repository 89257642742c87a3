"""The packages of a double."""

from __future__ import annotations

from collections.abc import Iterator

from mockprovider.schema import Package


class DeclaredPackages(dict[str, Package]):
    """The declared packages by name. Others may walk through them while one is added, in the middle of a run."""

    def __iter__(self) -> Iterator[str]:
        return iter([*self.keys()])

    def values(self) -> list[Package]:  # type: ignore[override]
        """The packages, as they are now."""
        return [*super().values()]

    def items(self) -> list[tuple[str, Package]]:  # type: ignore[override]
        """Both, as they are now."""
        return [*super().items()]

    @property
    def offered(self) -> list[str]:
        """The names of those, and of the packages that they build on."""
        return [*dict.fromkeys([*self, *(name for package in self.values() for name in package.beside)])]
