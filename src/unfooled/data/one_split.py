"""One split of data whose labels are no classes, for a model that was trained for such labels."""

from collections.abc import Sequence
from typing import Any

from unfooled.data import label_sets, numbers, questions
from unfooled.data.assembly import Reading
from unfooled.data.datasets import DataSettings, refuse_none, source_of, wanted_splits
from unfooled.data.labels import match_labels
from unfooled.data.phrases import place
from unfooled.data.rows import Examples
from unfooled.data.sources import Source
from unfooled.data.splits import Split, draw, fingerprint


def load_one_split(
    settings: DataSettings,
    problem: str,
    labels: Sequence[str],
    split: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> tuple[Split[Any], str, tuple[str, ...]]:
    """A split of numbers, sets or spans (``problem``), its fingerprint, and notes; as ``load_split`` does for classes.

    Sets come as numbers of the model's ``labels``, questions with their answers and where these begin.
    """
    source = source_of(settings)
    reading = reading_of(problem, source)
    notes: list[str | None] = [*source.notes]
    wanted = wanted_splits(source, split)
    for name in wanted:
        table = source.splits[name]()
        where = place(table.path)
        columns, guess = reading.columns(table, settings)
        examples = reading.rows(table, columns)
        if not examples.lack_labels or name == wanted[-1]:
            break
        notes.append(f"{name} has no labels, so another split is used")
    refuse_none(examples, columns, where)
    written = [reading.written(label) for label in examples.labels]
    mark = fingerprint({name: Split(examples.texts, written)}, None)
    title = source.name if source.is_one_file and name == "train" else name
    notes += [guess, examples.note(title)]
    strata = reading.strata(examples.labels)
    if problem == "set":
        examples, how = numbered(examples, labels, where)
        notes.append(how)
    whole: Split[Any] = Split(examples.texts, examples.labels)
    chosen = whole
    if limit is not None and limit < len(whole):
        chosen = whole.take(draw(strata, limit, seed, "evaluation"))
        notes.append(f"{title}: {len(chosen):,} of {len(whole):,} rows, drawn by seed {seed}")
    return chosen, mark, tuple(note for note in notes if note)


def reading_of(problem: str, source: Source) -> Reading[Any]:
    """How the labels of a problem are read."""
    if problem == "set":
        return label_sets.reading(source.names)
    return numbers.reading() if problem == "number" else questions.reading()


def numbered(
    examples: Examples[tuple[str, ...]], labels: Sequence[str], where: str
) -> tuple[Examples[tuple[int, ...]], str | None]:
    """Sets by the numbers of a model's labels, sorted; refused where the model does not know one of them."""
    flat = [label for some in examples.labels for label in some]
    found, note = match_labels(flat, (), labels, where)
    number = dict(zip(flat, found, strict=True))
    sets = [tuple(sorted(number[label] for label in some)) for some in examples.labels]
    return Examples(examples.texts, sets, examples.left_out), note
