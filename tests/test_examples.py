"""Every program in ``examples/`` runs as it stands, on a tiny model and tiny data, in an empty folder."""

import ast
from pathlib import Path

import pytest
from forked import forked
from programs import run_program
from tiny import reviews, save_reviews
from trained import trained

from unfooled.models.encoders.pretrained import save

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
MOST_LINES = 12
LABELS = ("negative", "positive")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What every example is told: the folder of a trained classifier, and a CSV of texts and labels."""
    folder = tmp_path_factory.mktemp("given")
    rows = reviews(48)
    model = trained(folder, LABELS, [(text,) for text, _ in rows], [LABELS.index(label) for _, label in rows])
    save(model, folder / "model", "# A tiny classifier\n")
    return str(folder / "model"), str(save_reviews(folder / "reviews.csv", 48))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_what_it_found(path: Path, given: tuple[str, str], tmp_path: Path) -> None:
    process = forked(run_program, str(path), str(tmp_path), given)
    process.join(timeout=600)
    assert process.exitcode == 0, (tmp_path / "stderr").read_text()[-3000:]
    assert (tmp_path / "stdout").read_text().strip(), "it prints nothing"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_shows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert (ast.get_docstring(tree) or "").splitlines()[0].endswith(".")
    own = [one for one in tree.body[1:] if not isinstance(one, ast.Import | ast.ImportFrom)]
    own = [one for one in own if "sys.argv" not in ast.unparse(one)]
    lines = {line for one in own for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    written = [line for line in lines if text.splitlines()[line - 1].strip()]
    assert len(written) <= MOST_LINES, f"{len(written)} lines of its own"
