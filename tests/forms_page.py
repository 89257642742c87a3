"""The table of forms in docs/answers.md. ``python tests/forms_page.py`` writes it."""

from __future__ import annotations

from pathlib import Path

from mockprovider.fake.inventing import FORMS, Form

PAGE = Path(__file__).resolve().parents[1] / "docs" / "answers.md"
BEGIN, END = "<!-- forms: python tests/forms_page.py -->\n", "<!-- end of forms -->"


def written() -> str:
    """The page, with the table of today."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    rows = ["| Form | Names that end so | Example | Why |", "|---|---|---|---|", *map(_row, FORMS)]
    return before + BEGIN + "\n".join(rows) + "\n" + END + rest.partition(END)[2]


def _row(form: Form) -> str:
    names = ", ".join(f"`{_plain(name)}`" for name in form.pattern.split("|"))
    described = f"; descriptions with {_plain(form.words)}" if form.words else ""
    example = str(form.example).replace("\n", " ")
    return f"| {form.name} | {names}{described} | `{example}` | {form.why} |"


def _plain(pattern: str) -> str:
    return pattern.removeprefix("(?i)").replace("\\b", "").replace("\\", "").replace(" ?", " ").replace("|", " or ")


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
