"""The lists of CONTRIBUTING.md, carried out in a copy of the source, and what is then seen of each addition.

Run as a process of its own: ``python additions.py FOLDER``, with the copy before everything else on the path.
"""

import ast
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n# (src/\S+?)(?:, (in|before) (\w+)(, first)?)?\n(.*?)```", re.DOTALL)
COMMANDS = {
    "train": "train --data reviews.colons --model textcnn --method unsure --out run --set plan.max_steps=3",
    "evaluate": "evaluate run/model always:negative,positive --data reviews.colons --out results"
    " --trials clean,backwards,shouting --set backwards.similarity=none",
    "verify": "verify results --model run/model",
    "gate": "gate results --require mean_loss.clean<=99 --require shouted_down.shouting<=1"
    " --require accuracy_under_attack.backwards>=0 --require fickleness<=1",
    "report": "report results --out page.html",
    "train stars": "train --data stars.csv --model textcnn --out stars --set plan.max_steps=3",
    "evaluate stars": "evaluate stars/model --data stars.csv --out star-results --trials clean",
    "list": "list",
}


def additions() -> list[tuple[str, str, str, bool, str]]:
    """Every block of CONTRIBUTING.md: its file, "in" or "before" what, whether it comes first, and the code."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [(file, how, name, bool(first), code) for file, how, name, first, code in BLOCK.findall(text)]


def enlarged(folder: Path) -> None:
    """A copy of the source with every addition in it, each as CONTRIBUTING.md says."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "recipes").symlink_to(ROOT / "recipes")
    for file, how, name, first, code in additions():
        path = folder / file
        if not how:
            assert not path.exists(), f"{file} is there already"
            path.write_text(code, encoding="utf-8")
            continue
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        start, table = assigned("".join(lines), name)
        place = start - 1 if how == "before" else table.lineno if first else (table.end_lineno or 0) - 1
        lines[place:place] = [code, *(["\n\n"] if how == "before" else [])]
        path.write_text("".join(lines), encoding="utf-8")


def assigned(source: str, name: str) -> tuple[int, ast.AST]:
    """The line in which a name is given its value, and the table of entries in that value."""
    for node in ast.parse(source).body:
        if name in ast.unparse(node).split("=")[0].replace(":", " ").split() and isinstance(
            node, ast.Assign | ast.AnnAssign
        ):
            return node.lineno, next(part for part in ast.walk(node) if isinstance(part, ast.Dict))
    raise ValueError(f"no {name}")


def main(folder: Path) -> None:
    """Call every command in the folder and write down what it said, its exit code, and what it left behind."""
    from typer.testing import CliRunner

    import unfooled
    from unfooled.cli.main import app

    words = {"positive": "a good fine warm film", "negative": "a bad poor cold film"}
    reviews = [(label, f"{text} number {row}") for row in range(24) for label, text in words.items()]
    records = "".join(f"text: {text}\nlabel: {label}\n\n" for label, text in reviews)
    (folder / "reviews.colons").write_text(records, encoding="utf-8")
    stars = "".join(f"{text},{1 + row % 5}\n" for row, (_, text) in enumerate(reviews))
    (folder / "stars.csv").write_text(f"text,stars\n{stars}", encoding="utf-8")
    said = {"source": str(unfooled.__file__)}
    for name, command in COMMANDS.items():
        result = CliRunner(env={"COLUMNS": "200"}).invoke(app, command.split())
        said[name] = f"{result.exit_code}\n{result.output}\n{result.exception or ''}"
    said["page"] = (folder / "page.html").read_text(encoding="utf-8")
    (folder / "said.json").write_text(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
