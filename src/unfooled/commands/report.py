"""What a person calls to see results: ``report`` writes one page that tells their story."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from unfooled.commands.comparison import Comparison, read_comparison
from unfooled.errors import BadInput
from unfooled.files import alone, write_whole
from unfooled.report.groups import Group, each_model
from unfooled.report.leaderboard import leaderboard_page, leaderboard_text, read_leaderboard
from unfooled.report.page import page
from unfooled.report.told import Told
from unfooled.results.folder import Results, logs
from unfooled.results.open import open_results, results_in

MEASUREMENTS = ".jsonl"  # how files of a leaderboard's lines end


def report(
    folders: str | Path | Sequence[str | Path],
    out: str | Path = "report.html",
    wait: bool = False,
    require: Sequence[str] = (),
) -> Path:
    """Write the page of one or more folders of results; the same results give the same bytes.

    ``require`` are requirements as the gate has them ("accuracy_under_attack.pwws >= 0.4"): the page then answers.
    Folders may be written to meanwhile; ``wait`` waits for another process that writes the same page.
    Files of measurements, a line of JSON each, become a leaderboard instead, and the same in Markdown beside it.
    """
    names = [folders] if isinstance(folders, str | Path) else list(folders)
    path = Path(out)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file such as {path / 'report.html'}")
    files = [Path(name) for name in names if Path(name).name.endswith(MEASUREMENTS)]
    if files and require:
        raise BadInput(
            f"{files[0]} holds measurements for a leaderboard, of which nothing can be required; leave it out"
        )
    if files:
        return board(files, len(files) < len(names), path, wait)
    made = page(told(names, require))
    with alone(path, wait):
        write_whole(path, made)
    return path


def board(files: Sequence[Path], mixed: bool, path: Path, wait: bool) -> Path:
    """Write the leaderboard of files of measurements, and beside it the same in Markdown."""
    if mixed:
        raise BadInput(f"{files[0]} holds measurements for a leaderboard, the others are results; report them apart")
    made = read_leaderboard(files)
    path.parent.mkdir(parents=True, exist_ok=True)
    with alone(path, wait):
        write_whole(path, leaderboard_page(made))
        write_whole(path.with_suffix(".md"), leaderboard_text(made))
    return path


def told(folders: Sequence[str | Path], require: Sequence[str] = ()) -> Told:
    """What a page is told of folders: methods in its columns where they were compared, models otherwise."""
    results = open_results(folders)
    comparison = next((one for folder in folders if (one := read_comparison(Path(folder))) is not None), None)
    groups = each_model(results) if comparison is None else compared(results, comparison)
    return Told(results, groups, tuple(require), last_day(folders))


def last_day(folders: Sequence[str | Path]) -> str:
    """The day, in UTC, on which the last record of any log was written."""
    times = [path.stat().st_mtime for folder in folders for path in logs(results_in(Path(folder)))]
    day = datetime.fromtimestamp(max(times), UTC)
    return f"{day.day}\u00a0{day:%B}\u00a0{day.year}"


def compared(results: Results, comparison: Comparison) -> tuple[Group, ...]:
    """Each method with its models and what their trainings took."""
    names = {one.header.model: one.model for one in results.trials}
    groups = []
    for method in comparison.methods:
        own = [entry for entry in comparison.entries if entry.method == method]
        members = tuple(names[entry.model] for entry in own if entry.model in names)
        peaks = tuple(entry.cost.megabytes for entry in own if entry.cost.megabytes is not None)
        if members:
            groups.append(Group(method, members, tuple(entry.cost.seconds for entry in own), peaks))
    if not groups:
        raise BadInput("none of the comparison's models has been measured yet; run the comparison again, it goes on")
    return tuple(groups)
