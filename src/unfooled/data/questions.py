"""Questions whose answers are pieces of a context (SQuAD)."""

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter

from unfooled.data.columns import Columns, usual_column
from unfooled.data.files.formats import Row
from unfooled.data.files.tables import DataTable
from unfooled.data.phrases import listed, place, shown
from unfooled.data.rows import Examples, LabelReading, read_rows
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput, option
from unfooled.types import Texts

Answers = tuple[tuple[int, str], ...]  # where each begins in the context, and what it is
QUESTIONS = ("question", "query")
CONTEXTS = ("context", "passage", "paragraph", "document")
ANSWERS = ("answers", "answer")
NO_ANSWER = "without an answer"


def columns_of(table: DataTable, settings: DataSettings) -> tuple[Columns, str | None]:
    """The question, the context and the answers, given or by their usual names."""
    names = flattened(table).columns
    given = [part.strip() for part in settings.text.split(",")] if settings.text else []
    if len(given) not in (0, 2):
        raise BadInput(
            f"{place(table.path)}: {option('text')} {shown(settings.text)} must be two columns, question,context"
        )
    asked: list[str | None] = [*given] or [usual_column(names, usual) for usual in (QUESTIONS, CONTEXTS)]
    label = settings.label or usual_column(names, ANSWERS)
    titles = ("question", "context", "answers")
    missing = [title for title, name in zip(titles, (*asked, label), strict=True) if not name]
    if missing:
        raise BadInput(
            f"{place(table.path)}: no column is known to be the {listed(missing)} (columns: {listed(names)}); "
            f"say which with {option('text', 'question,context')} and {option('label', 'answers')}"
        )
    return Columns((asked[0] or "", asked[1] or ""), label or ""), None


def read_questions(table: DataTable, columns: Columns) -> Examples[Answers]:
    """(question, context) and its answers; rows without one are left out."""
    asked = flattened(table)

    def label_of(index: int, texts: Texts) -> tuple[Answers, str]:
        answers = answers_in(asked, index, columns.label, asked.rows[index].get(columns.label), texts[1])
        return answers, "" if answers else NO_ANSWER

    return read_rows(asked, columns, label_of)


def answers_in(table: DataTable, index: int, column: str, value: object, context: str) -> Answers:
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


def flattened(table: DataTable) -> DataTable:
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


SPANS: LabelReading[Answers] = LabelReading(
    columns_of, read_questions, strata=lambda labels: [0] * len(labels), written=repr, together=itemgetter(1)
)
