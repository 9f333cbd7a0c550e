"""A chat model as a classifier: labels are letters, the model says one, and how likely each was.

Any server of the OpenAI kind will do (``POST …/chat/completions``): llama.cpp, vLLM, Ollama, a provider's. It is asked
for one token and the log-probabilities of the likeliest. A letter's is the sum over its tokens ("B", " B"); one that
is not among the likeliest has at most the least of them, and is given that. A server that sends none is a victim that
says labels alone.
"""

import hashlib
import json
import math
import re
import string
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.errors import BadInput, Stopped, nearest
from unfooled.files import cache_folder
from unfooled.hub import refuse_untyped
from unfooled.parsing import toml_file
from unfooled.terminal import say
from unfooled.types import Texts
from unfooled.victims.servers.memory import AnswerMemory
from unfooled.victims.servers.server import Server
from unfooled.victims.victim import Kind, Victim

LIKELIEST = 20  # tokens whose log-probabilities are asked for, as many as servers give
LETTER = re.compile(r"\W*([A-Z])(?![^\W_])")
KEYS = re.compile(r"\w*_API_KEY|UNFOOLED_\w+", re.ASCII)  # variables that a file may name as a key
NO_FOLDER = "none"


@dataclass(frozen=True)
class ChatVictim:
    """A chat model that classifies: where it is, what it is called, its labels, and what it is asked.

    The key is read from the environment, from ``key_variable``. ``budget`` is how many questions may reach the server
    before work stops (it can be gone on with); ``cache`` the folder that keeps answers, "none" for none.
    """

    base_url: str
    model: str
    labels: Sequence[str]
    instruction: str = "Which of these labels fits the text?"
    key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 8
    retries: int = 5
    timeout: float = 60.0
    budget: int | None = 10_000
    cache: str | Path | None = None
    pause: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        if not isinstance(self.base_url, str) or not isinstance(self.model, str):
            raise BadInput("a chat model needs the address of its server and its name, both as text")
        labels = [] if isinstance(self.labels, str) else [str(label) for label in self.labels]
        if not 2 <= len(set(labels)) == len(labels) <= LIKELIEST:
            raise BadInput(f"{self.model} needs 2 to {LIKELIEST} different labels, not {labels}; give labels=[…]")
        if self.concurrency < 1 or self.retries < 0 or (self.budget is not None and self.budget < 1):
            raise BadInput("a chat model needs concurrency and budget of at least 1, and retries of at least 0")

    @property
    def server(self) -> Server:
        """Where questions go."""
        address = f"{self.base_url.rstrip('/')}/chat/completions"
        return Server(address, self.key_variable, self.timeout, self.retries, self.pause)

    def question(self, text: Texts) -> dict[str, Any]:
        """The request that asks for the label of a text or a pair."""
        choices = "\n".join(
            f"{letter}: {label}" for letter, label in zip(string.ascii_uppercase, self.labels, strict=False)
        )
        named = [f"Text: {text[0]}"] if len(text) == 1 else [f"First text: {text[0]}", f"Second text: {text[1]}"]
        content = "\n\n".join([self.instruction, choices, *named, "Answer with one letter."])
        likeliest = {"logprobs": True, "top_logprobs": LIKELIEST}
        said = [{"role": "user", "content": content}]
        return {"model": self.model, "messages": said, "max_tokens": 1, "temperature": 0, **likeliest}

    def memory(self) -> AnswerMemory:
        """The answers of earlier runs."""
        if str(self.cache) == NO_FOLDER:
            return AnswerMemory(None)
        mark = hashlib.sha256(f"{self.base_url} {self.model}".encode()).hexdigest()[:16]
        return AnswerMemory((Path(self.cache) if self.cache else cache_folder() / "chat") / f"{mark}.jsonl")


class ChatClassifier:
    """A chat model as a callable: many questions at once, each asked once, no more than the budget."""

    def __init__(self, chat: ChatVictim) -> None:
        self.chat, self.server, self.memory = chat, chat.server, chat.memory()
        self.spent, self.lock = 0, threading.Lock()
        self.logits: bool | None = None  # not known before the first answer
        self.logits = self.answer(("A text.",), patient=False)[1]

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Log-probabilities of the labels [n, classes], or rows of 0 and 1."""
        different = list(dict.fromkeys(texts))
        with ThreadPoolExecutor(self.chat.concurrency) as pool:
            answers = dict(zip(different, pool.map(self.answer, different), strict=True))
        if any(logits != self.logits for _, logits in answers.values()):
            raise BadInput(f"{self.server.name} sends log-probabilities of some answers and not of others")
        return np.array([answers[text][0] for text in texts])

    def answer(self, text: Texts, patient: bool = True) -> tuple[list[float], bool]:
        """The row of a text, and whether it is of log-probabilities; from memory where it was asked before."""
        question = self.chat.question(text)
        known = self.memory.recall(json.dumps(question))
        if known is None:
            self.spend()
            known = row_of(self.server.asked(question, patient), len(self.chat.labels), self.server.name)
            self.memory.keep(json.dumps(question), known)
        return known, max(known) != 1.0  # which no log-probability is

    def spend(self) -> None:
        """Take one question off the budget, or stop."""
        with self.lock:
            if self.chat.budget is not None and self.spent >= self.chat.budget:
                raise Stopped(
                    f"the budget of {self.chat.budget:,} questions to {self.server.name} is used up; what was "
                    "answered is kept, and the same call with a larger budget goes on"
                )
            self.spent += 1


def row_of(answer: Any, classes: int, name: str) -> list[float]:
    """Log-probabilities of so many letters out of a server's answer, or 1 for the letter said where it sends none."""
    try:
        choice = answer["choices"][0]
        said = str(choice["message"].get("content") or "")
        first = ((choice.get("logprobs") or {}).get("content") or [{}])[0]
        listed = [(str(one["token"]), float(one["logprob"])) for one in first.get("top_logprobs") or []]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise BadInput(f"{name} answers with something else than a chat completion ({str(answer)[:100]})") from None
    letters = string.ascii_uppercase[:classes]
    found: dict[str, float] = {}
    for token, chance in listed:
        letter = token.strip()
        if len(letter) == 1 and letter in letters and math.isfinite(chance):
            found[letter] = float(np.logaddexp(found.get(letter, -math.inf), chance))
    if found:
        least = min(chance for _, chance in listed if math.isfinite(chance))
        return [min(found.get(letter, least), 0.0) for letter in letters]
    match = LETTER.match(said)
    if listed or match is None or match.group(1) not in letters:
        raise BadInput(
            f"{name} answers {said[:40]!r}, not with a letter from A to {letters[-1]}; "
            "change the instruction, or the model"
        )
    return [float(letter == match.group(1)) for letter in letters]


def from_file(path: Path) -> ChatVictim:
    """A chat model as a TOML file describes it; a key is refused there."""
    known = [field.name for field in fields(ChatVictim) if field.name != "pause"]
    try:
        told = toml_file(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as TOML ({error})") from None
    unknown = next((name for name in told if name not in known), None)
    if unknown is not None:
        raise BadInput(f"{path}: a chat model has no {unknown}; {nearest(unknown, known)}")
    missing = [name for name in ("base_url", "model", "labels") if name not in told]
    if missing:
        raise BadInput(f"{path} does not say {', '.join(missing)}; a chat model needs base_url, model and labels")
    key = told.get("key_variable", "")
    if key and not KEYS.fullmatch(str(key)):
        raise BadInput(
            f"{path}: key_variable = {str(key)[:40]} would send what is no key of a server; a file may name "
            "variables that end in _API_KEY or begin with UNFOOLED_"
        )
    return ChatVictim(**told)


def takes(model: Any) -> bool:
    """Whether it is a chat model, or a TOML file of one."""
    is_file = isinstance(model, str | Path) and str(model).endswith(".toml") and Path(model).is_file()
    return isinstance(model, ChatVictim) or is_file


def opened(model: Any, labels: tuple[str, ...]) -> Victim:
    """A chat model, asked once whether it sends log-probabilities; it cannot be hashed."""
    chat: ChatVictim
    if isinstance(model, ChatVictim):
        chat = model
    else:
        refuse_untyped(str(model))
        chat = from_file(Path(model))
        say(f"{chat.model} is asked at {chat.server.host}, as {model} says", error=True)
    own = tuple(map(str, chat.labels))
    if labels and set(labels) != set(own):
        raise BadInput(f"{chat.model} has the labels {', '.join(own)}, not {', '.join(labels)}; leave labels out")
    call = ChatClassifier(chat)
    return Victim(
        name=f"{chat.model} at {chat.server.host}",
        call=call,
        labels=own,
        takes_tuples=True,
        logits=bool(call.logits),
        labels_only=not call.logits,
    )


CHAT = Kind(takes, opened)
