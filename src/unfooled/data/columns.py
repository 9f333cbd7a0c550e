"""Which columns are the text (or the two texts of a pair) and the label: given, or guessed and said so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unfooled.data.phrases import listed, shown
from unfooled.errors import BadInput, nearest, option

# The first group of names beats the second: a file with both ``label`` and ``stars`` means ``label``.
TEXTS = (
    ("text", "texts"),
    (
        *("sentence", "review", "content", "body", "comment", "tweet", "question", "document", "message"),
        *("utterance", "passage", "post", "article", "description", "abstract", "query", "prompt", "headline"),
        *("review_text", "reviewtext", "comment_text", "tweet_text", "full_text", "clean_text", "phrase"),
    ),
)
LABELS = (
    ("label", "labels"),
    (
        *("class", "category", "target", "sentiment", "stars", "rating", "stance", "topic", "intent"),
        *("polarity", "emotion", "score", "gold_label", "class_index", "class_label", "label_text", "y"),
        *("is_duplicate", "airline_sentiment"),
    ),
)
PAIRS = (
    *(("premise", "hypothesis"), ("claim", "perspective"), ("claim", "evidence")),
    *((name + one, name + two) for name in ("sentence", "question", "text") for one, two in ("12", "ab")),
    *((name + "_" + one, name + "_" + two) for name in ("sentence", "question", "text") for one, two in ("12", "ab")),
    *(("question", other) for other in ("passage", "context", "sentence", "answer")),
    *(("query", other) for other in ("passage", "document")),
    *(("s1", "s2"), ("sent1", "sent2"), ("context", "response")),
)
TRUTHS = {"true", "false", "yes", "no", "0", "1"}  # an "answer" of these is a label, as in BoolQ
NUMBERING = {"", "id", "idx", "index", "guid", "uid", "uuid", "unnamed:_0"}


@dataclass(frozen=True)
class Columns:
    """The text columns, one or two for a pair, and the label column."""

    text: tuple[str, ...]
    label: str


def choose(
    table_columns: Sequence[str],
    text: str | None,
    label: str | None,
    where: str,
    sample_rows: Iterable[Mapping[str, object]] = (),
) -> tuple[Columns, str | None]:
    """The columns asked for, or those that well-known names point to; a guess comes with a note saying it.

    >>> choose(["id", "review", "stars"], None, None, "a.csv")[0]
    Columns(text=('review',), label='stars')
    """
    rows = list(sample_rows)
    texts = None if text is None else _given_texts(table_columns, text, where)
    chosen = None if label is None else _given(table_columns, label, where, option("label"))
    if texts and chosen in texts:
        raise BadInput(f"{where}: column {shown(chosen)} cannot be both text and label; give another {option('label')}")
    chosen = chosen or _known_label(_rest(table_columns, texts or ()), where, rows)
    others = _rest(table_columns, (chosen,) if chosen else ())
    texts = texts or _known_texts(others, where, rows) or (_lone(others, rows) if chosen else None)
    # Two columns, of which one is the text: the other can only be the label.
    remaining = [name for name in _rest(table_columns, texts or ()) if plain_name(name) not in NUMBERING]
    chosen = chosen or (remaining[0] if texts and len(remaining) == 1 else None)
    if texts is None or chosen is None:
        missing = "text" if texts is None else "label"
        columns = listed(name or "(no name)" for name in table_columns)
        raise BadInput(
            f"{where}: no column is known to be the {missing}; say which with {option(missing)} (columns: {columns})"
        )
    return Columns(texts, chosen), _note(Columns(texts, chosen), text is None, label is None)


def text_column(row: Mapping[str, object], given: str | None, where: str) -> str:
    """The one column of running text: as given, by its name, or the only one that holds text in this row.

    >>> text_column({"id": "7", "Review": "a film", "title": "Rome"}, None, "a.csv, row 2")
    'Review'
    """
    if given is not None:
        return _given(list(row), given, where, option("text"))
    named = usual_column(row, [name for group in TEXTS for name in group])
    only = [name for name, value in row.items() if isinstance(value, str) and plain_name(name) not in NUMBERING]
    if named is None and len(only) != 1:
        raise BadInput(f"{where}: which column is the text is not clear ({listed(row)}); name it with {option('text')}")
    return named or only[0]


def usual_column(names: Iterable[str], usual: Iterable[str]) -> str | None:
    """The column with the first of the usual names that there is."""
    plain = {plain_name(name): name for name in reversed(list(names))}
    return next((plain[name] for name in usual if name in plain), None)


def _note(columns: Columns, guessed_text: bool, guessed_label: bool) -> str | None:
    said = f"columns: text = {','.join(map(shown, columns.text))}, label = {shown(columns.label)}"
    if guessed_text and guessed_label:
        return f"{said} (guessed; {option('text')} and {option('label')} say otherwise)"
    if guessed_text:
        return f"{said} (text guessed; {option('text')} says otherwise)"
    return f"{said} (label guessed; {option('label')} says otherwise)" if guessed_label else None


def plain_name(name: str) -> str:
    """A column's name without what people spell differently: case, spaces, hyphens."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _rest(names: Iterable[str], without: Iterable[str]) -> list[str]:
    gone = set(without)
    return [name for name in names if name not in gone]


def _given(table_columns: Sequence[str], name: str, where: str, option: str) -> str:
    if name in table_columns:
        return name
    same = [column for column in table_columns if column.casefold() == name.strip().casefold()]
    if len(same) == 1:
        return same[0]
    hint = nearest(name, [shown(column) for column in table_columns if column])
    raise BadInput(f"{where}: no column {shown(name)} for {option}; {hint}")


def _given_texts(table_columns: Sequence[str], text: str, where: str) -> tuple[str, ...]:
    names = [text] if text in table_columns else [name.strip() for name in text.split(",")]
    chosen = tuple(_given(table_columns, name, where, option("text")) for name in names)
    if len(chosen) > 2 or len(set(chosen)) < len(chosen):
        raise BadInput(f"{where}: {option('text')} {shown(text)} must be one column, or two different ones for a pair")
    return chosen


def _known_label(names: list[str], where: str, rows: list[Mapping[str, object]]) -> str | None:
    for group in LABELS:
        candidates = [name for name in names if plain_name(name) in group]
        filled = [name for name in candidates if not rows or any(row.get(name) not in (None, "") for row in rows)]
        candidates = filled or candidates
        if len(candidates) > 1:
            raise BadInput(f"{where}: {listed(candidates)} could each be the label; say which with {option('label')}")
        if candidates:
            return candidates[0]
    return next((name for name in names if plain_name(name) == "answer" and _holds_truths(name, rows)), None)


def _known_texts(names: list[str], where: str, rows: list[Mapping[str, object]]) -> tuple[str, ...] | None:
    plain = {plain_name(name): name for name in reversed(names)}
    pairs = [(plain[one], plain[two]) for one, two in PAIRS if one in plain and two in plain]
    paired = {name for pair in pairs for name in pair}
    for group in TEXTS:
        singles = [(name,) for name in names if plain_name(name) in group and name not in paired]
        if len(singles) + len(pairs) > 1:
            singles = [(name,) for (name,) in singles if _holds_words(name, rows)] or singles
        candidates: list[tuple[str, ...]] = [*pairs, *singles]
        if len(candidates) > 1:
            options = listed(",".join(candidate) for candidate in candidates)
            raise BadInput(
                f"{where}: {options.replace(', ', ' or ')} could be the text; say which with {option('text')}"
            )
        if singles:
            return singles[0]
    return pairs[0] if pairs else None


def _lone(names: list[str], rows: list[Mapping[str, object]]) -> tuple[str, ...] | None:
    candidates = [name for name in names if plain_name(name) not in NUMBERING]
    if len(candidates) > 1:
        candidates = [name for name in candidates if _holds_words(name, rows)]
    return (candidates[0],) if len(candidates) == 1 else None


def _holds_truths(name: str, rows: list[Mapping[str, object]]) -> bool:
    """Whether the column holds nothing but yes and no, in one of their spellings."""
    values = {str(row.get(name)).strip().casefold() for row in rows if row.get(name) is not None}
    return bool(values) and values <= TRUTHS


def _holds_words(name: str, rows: list[Mapping[str, object]]) -> bool:
    """Whether a letter occurs in the column: numbers and empty columns are no texts."""
    values = (row.get(name) for row in rows)
    return any(isinstance(value, str) and any(map(str.isalpha, value)) for value in values) or not rows
