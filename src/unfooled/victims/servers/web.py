"""A classifier behind an address: texts are sent as JSON, and come back as probabilities, logits or labels.

    POST {"texts": ["a good film", …]}             pairs: {"texts": [["premise", "hypothesis"], …]}
    answer {"labels": ["negative", "positive"], "probabilities": [[0.1, 0.9], …]}
    or with "logits" in place of "probabilities", or {"labels": […], "answers": ["positive", …]}

A row for each text, in their order. "labels" may be left out where the caller names them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.errors import BadInput
from unfooled.hub import refuse_untyped
from unfooled.types import Texts
from unfooled.victims.servers.server import Server
from unfooled.victims.victim import Kind, Victim

KEY_VARIABLE = "UNFOOLED_KEY"
FORMS = ("probabilities", "logits", "answers")


class WebClassifier:
    """A server as a callable; what it says of itself must stay what it was at first."""

    def __init__(self, server: Server, labels: tuple[str, ...] = ()) -> None:
        self.server, self.labels, self.form = server, labels, ""
        answer = self.said(["A text."], patient=False)
        self.form = next(form for form in FORMS if form in answer)
        self.labels = names_in(answer) or labels
        if len(self.labels) < 2:
            raise BadInput(f'{server.name} does not name its labels; let it answer with "labels", or give labels=(…)')
        if labels and set(labels) != set(self.labels):
            raise BadInput(
                f"{server.name} answers with {', '.join(self.labels)}, not with {', '.join(labels)}; "
                "leave labels out, or name those"
            )

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """What it says of texts, a row each."""
        plain = [text[0] if len(text) == 1 else list(text) for text in texts]
        answer = self.said(plain)
        names = names_in(answer)
        if self.form not in answer or (names and names != self.labels):
            raise BadInput(
                f"{self.server.name} answers otherwise than at first: {self.form} of {', '.join(self.labels)} then, "
                f"{', '.join(key for key in FORMS if key in answer)} of {', '.join(names or self.labels)} now"
            )
        rows = answer[self.form]
        if not isinstance(rows, list) or len(rows) != len(texts):
            raise BadInput(f'{self.server.name} must give a list of {len(texts)} rows as "{self.form}"')
        return self.one_hot(rows) if self.form == "answers" else self.numbers(rows)

    def said(self, texts: Sequence[Any], patient: bool = True) -> dict[str, Any]:
        """The server's answer, if it is of a known form."""
        answer = self.server.asked({"texts": texts}, patient)
        if not isinstance(answer, dict) or not any(form in answer for form in FORMS):
            keys = ", ".join(map(str, answer))[:100] if isinstance(answer, dict) else type(answer).__name__
            raise BadInput(f"{self.server.name} answers with {keys}; it must give one of {', '.join(FORMS)}")
        return answer

    def numbers(self, rows: Sequence[Any]) -> np.ndarray:
        """Probabilities or logits [n, classes]."""
        try:
            return np.array(rows, dtype=np.float64)
        except (TypeError, ValueError):
            raise BadInput(f"{self.server.name} gives {self.form} that are no table of numbers") from None

    def one_hot(self, rows: Sequence[Any]) -> np.ndarray:
        """Labels as rows of 0 and 1."""
        unknown = next((str(label) for label in rows if str(label) not in self.labels), None)
        if unknown is not None:
            raise BadInput(
                f"{self.server.name} answers {unknown!r}, which is none of its labels ({', '.join(self.labels)})"
            )
        return np.eye(len(self.labels))[[self.labels.index(str(label)) for label in rows]]


def names_in(answer: dict[str, Any]) -> tuple[str, ...]:
    """The labels an answer names."""
    names = answer.get("labels")
    return tuple(map(str, names)) if isinstance(names, list) else ()


def takes(model: Any) -> bool:
    """Whether it is an address."""
    return isinstance(model, str) and model.startswith(("http://", "https://"))


def opened(url: str, labels: tuple[str, ...]) -> Victim:
    """The server at an address, asked once for its labels; it cannot be hashed."""
    refuse_untyped(url)
    call = WebClassifier(Server(url, KEY_VARIABLE), labels)
    return Victim(
        name=call.server.name,
        call=call,
        labels=call.labels,
        takes_tuples=True,
        logits=call.form == "logits",
        labels_only=call.form == "answers",
    )


WEB = Kind(takes, opened)
