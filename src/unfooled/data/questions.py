"""Questions whose answers are pieces of a context (SQuAD)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from unfooled.data.assembly import Reading, assemble
from unfooled.data.columns import Columns, plain_name
from unfooled.data.datasets import Dataset, DataSettings, source_of
from unfooled.data.phrases import listed, place, shown
from unfooled.data.readers import Row, Table
from unfooled.data.rows import EMPTY_TEXT, Examples, check_columns, row_text
from unfooled.errors import BadInput
from unfooled.types import Texts

Answers = tuple[tuple[int, str], ...]  # where each begins in the context, and what it is
QUESTIONS = ("question", "query")
CONTEXTS = ("context", "passage", "paragraph", "document")
ANSWERS = ("answers", "answer")
NO_ANSWER = "without an answer"


def load_questions(settings: DataSettings, seed: int) -> Dataset:
    """Splits of (question, context) with all right answers as labels."""
    return assemble(source_of(settings), settings, seed, reading())


def reading() -> Reading[Answers]:
    """How questions are read; those about one context belong together."""
    return Reading(columns_of, read_questions, lambda labels: [0] * len(labels), repr, lambda texts: texts[1])


def columns_of(table: Table, settings: DataSettings) -> tuple[Columns, str | None]:
    """The question, the context and the answers, given or by their usual names."""
    names = flattened(table).columns
    given = [part.strip() for part in settings.text.split(",")] if settings.text else []
    if len(given) not in (0, 2):
        raise BadInput(f"{place(table.path)}: --text {shown(settings.text)} must be two columns, question,context")
    asked: list[str | None] = [*given] or [known(names, usual) for usual in (QUESTIONS, CONTEXTS)]
    label = settings.label or known(names, ANSWERS)
    titles = ("question", "context", "answers")
    missing = [title for title, name in zip(titles, (*asked, label), strict=True) if not name]
    if missing:
        raise BadInput(
            f"{place(table.path)}: no column is known to be the {listed(missing)} (columns: {listed(names)}); "
            f"say which with --text question,context and --label answers"
        )
    return Columns((asked[0] or "", asked[1] or ""), label or ""), None


def known(names: Iterable[str], usual: Sequence[str]) -> str | None:
    """The first column with a usual name."""
    plain = {plain_name(name): name for name in names}
    return next((plain[name] for name in usual if name in plain), None)


def read_questions(table: Table, columns: Columns) -> Examples[Answers]:
    """(question, context) and its answers; rows without one are left out."""
    table = flattened(table)
    check_columns(table, columns)
    texts: list[Texts] = []
    labels: list[Answers] = []
    left_out = Counter({EMPTY_TEXT: 0, NO_ANSWER: 0})
    for index, row in enumerate(table.rows):
        question, context = [row_text(table, index, name, row.get(name)) for name in columns.text]
        found = answers_in(table, index, columns.label, row.get(columns.label), context)
        if not question.strip() or not context.strip():
            left_out[EMPTY_TEXT] += 1
        elif not found:
            left_out[NO_ANSWER] += 1
        else:
            texts.append((question, context))
            labels.append(found)
    return Examples(texts, labels, dict(left_out))


def answers_in(table: Table, index: int, column: str, value: object, context: str) -> Answers:
    """The answers of a row, each at its place in the context; none where none is given."""
    where = table.at(index, column)
    pairs: list[tuple[object, object]] = []
    if isinstance(value, Mapping) and isinstance(value.get("text"), list):
        starts = value.get("answer_start") or [None] * len(value["text"])
        if len(starts) != len(value["text"]):
            raise BadInput(f"{where}: {len(value['text'])} texts and {len(starts)} starts; give one start per text")
        pairs = list(zip(value["text"], starts, strict=True))
    elif isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        pairs = [(one.get("text"), one.get("answer_start")) for one in value]
    elif isinstance(value, str):
        pairs = [(value, None)]
    elif value is not None:
        raise BadInput(f'{where}: holds {shown(value)}, not answers like {{"text": ["…"], "answer_start": [0]}}')
    return tuple(dict.fromkeys(placed(where, text, start, context) for text, start in pairs if text not in (None, "")))


def placed(where: str, text: object, start: object, context: str) -> tuple[int, str]:
    """An answer and where it begins; refused where the context does not hold it there."""
    if not isinstance(text, str):
        raise BadInput(f"{where}: an answer is {shown(text)}, not a text; mend the row")
    if start is None:
        at = context.find(text)
    else:
        at = start if isinstance(start, int) and start >= 0 and context.startswith(text, start) else -1
    if at < 0:
        said = "" if start is None else f" at letter {shown(start)}"
        raise BadInput(f"{where}: the answer {shown(text)} does not stand in its context{said}; mend or delete the row")
    return at, text


def flattened(table: Table) -> Table:
    """A table of SQuAD's published form (articles, paragraphs, questions) as one row per question."""
    if "data" not in table.columns or not all(isinstance(row.get("data"), list) for row in table.rows):
        return table
    rows: list[Row] = []
    try:
        for article in (article for row in table.rows for article in row["data"]):  # type: ignore[attr-defined]
            for paragraph in article["paragraphs"]:
                rows += [{**asked, "context": paragraph["context"]} for asked in paragraph["qas"]]
    except (KeyError, TypeError) as error:
        raise BadInput(
            f"{place(table.path)}: articles, paragraphs and qas as in SQuAD were expected ({error})"
        ) from None
    return replace(table, rows=rows, columns=tuple(dict.fromkeys(name for row in rows for name in row)), first_row=1)
