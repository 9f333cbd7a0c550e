"""What models say of a text, and which of its words they say it by."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import JsonValue

from unfooled.play.line import Errand
from unfooled.play.players import Player
from unfooled.play.wording import say
from unfooled.terminal import visible
from unfooled.text.document import read
from unfooled.text.english.candidates import english
from unfooled.types import Texts

BATCH = 32  # texts
MOST_WORDS = 150  # of which each is left out once


def rows_of(player: Player, texts: Sequence[Texts]) -> np.ndarray:
    """What a model gives for texts: probabilities [n, classes], or numbers [n, 1]."""
    some = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    ask = player.victim.raw if player.kind == "number" else player.shown.answer
    return np.concatenate([np.asarray(ask(batch), dtype=np.float64) for batch in some])


def said(player: Player, row: np.ndarray) -> tuple[int, ...]:
    """The labels that a row says, by number; a number says none."""
    if player.kind == "number":
        return ()
    if player.victim.sets is not None:
        return player.victim.sets.said(row)
    return (int(row.argmax()),)


def told(player: Player, row: np.ndarray) -> dict[str, Any]:
    """A row as the page is sent it."""
    if player.kind == "number":
        return {"value": float(row[0])}
    return {"shares": [round(float(value), 4) for value in row], "said": list(said(player, row))}


def answer(players: Sequence[Player], texts: Texts) -> list[JsonValue]:
    """What every model says of a text."""
    return [told(player, rows_of(player, [texts])[0]) for player in players]


def ask(players: Sequence[Player], texts: Texts) -> JsonValue:
    """What every model says of a text, and what is to be said of the text."""
    return {"answers": answer(players, texts), "notes": [*notes(players, texts)]}


def notes(players: Sequence[Player], texts: Texts) -> list[str]:
    """What keeps a text from being read as it stands: another language, more tokens than a model reads."""
    said = [] if all(english(read(text).words) for text in texts) else [say("not_english")]
    for player in players:
        limit, network = player.victim.max_length, player.victim.network
        if limit is None or network is None:
            continue
        pieces = sum(len(network.tokenizer.tokenize(text)) for text in texts)
        if pieces + len(texts) + 1 > limit:
            said.append(say("cut", name=player.name, limit=limit))
    return said


def heat(players: Sequence[Player], texts: Texts, errand: Errand) -> JsonValue:
    """How much of each model's answer every word carries: what is lost where the word is left out.

    Pieces are the text's words and what stands between them; a piece between words carries nothing.
    """
    documents = [read(text) for text in texts]
    if sum(map(len, documents)) > MOST_WORDS:
        return {"note": say("heat.long", words=MOST_WORDS)}
    left_out = [
        (*texts[:column], str(document.replace({place: ""})), *texts[column + 1 :])
        for column, document in enumerate(documents)
        for place in range(len(document))
    ]
    models: list[JsonValue] = []
    for player in players:
        errand.check()
        losses = lost(player, texts, left_out)
        models.append([round(value, 4) for value in losses])
    return {"columns": [pieces(text) for text in texts], "models": models}


def lost(player: Player, texts: Texts, left_out: Sequence[Texts]) -> list[float]:
    """What each version of a text takes from the answer: from how sure it is, or from the number."""
    rows = rows_of(player, [texts, *left_out])
    if player.kind == "number":
        sure = rows[:, 0]
    elif player.victim.sets is not None:
        sure = player.victim.sets.judged(rows, said(player, rows[0]))[:, 0]
    else:
        sure = rows[:, said(player, rows[0])[0]]
    return [float(sure[0] - value) for value in sure[1:]]


def pieces(text: str) -> list[JsonValue]:
    """A text as what stands before each word and the word, and at last what stands behind them.

    >>> pieces("So: good.")
    [['', 'So'], [': ', 'good'], ['.', '']]
    """
    cut: list[JsonValue] = []
    done = 0
    for start, end in read(text).spans:
        cut.append([visible(text[done:start]), visible(text[start:end])])
        done = end
    return [*cut, [visible(text[done:]), ""]]
