"""docs/mutations.md, made of the table: ``python -m mutations.page > ../docs/mutations.md`` in the folder tests."""

from mutations.mutation import ROOT, Mutation
from mutations.planted import PLANTED

PAGE = ROOT / "docs" / "mutations.md"
HEAD = """# Planted failures

The worst a tool for robustness can do is to fail silently: to report a number that looks right. So failures are planted
in a copy of the source, one at a time, and each must be caught by the test named beside it: by an assertion, or by a
refusal of the tool itself. `make test-mutations` plants them all; they are part of `make test` too.

Each names a function, class or constant and a change of its syntax tree. This page is made of the table in
`tests/mutations/` and a test holds it to that. To add a failure, add a `Mutation` there and run
`python -m mutations.page > ../docs/mutations.md` in the folder `tests`.
"""


def line(mutation: Mutation) -> str:
    """A row of the table: what would go wrong, where, and what catches it."""
    test = mutation.test.split("[")[0].replace("::", "`<br>`")
    cells = (f"**{mutation.name}** {mutation.suffered}", f"`{mutation.place}`", f"`{test}`")
    return f"| {' | '.join(cells)} |"


def page() -> str:
    """The whole page."""
    table = ["| failure | planted in | caught by |", "|---|---|---|", *map(line, PLANTED)]
    return "\n".join([HEAD, f"{len(PLANTED)} failures:", "", *table]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
