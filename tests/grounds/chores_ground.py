"""Chores for tests: functions that a worker finds by their place, and a list of chores that several may share."""

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput, Taken, option
from unfooled.progress import Display
from unfooled.workers.chores import Chore


def shown(word: str) -> dict[str, Any]:
    """Work that shows how far it is, a bar that does not count and a line, and says how options are spelt."""
    Display("filling", 9).at(9)
    display = Display("training", 4)
    display.at(1)
    display.say(f"a line about {word}")
    display.at(4)
    return {"word": word, "folder": str(Path.cwd()), "option": option("workers")}


def taken() -> None:
    """What another process is at."""
    raise Taken("another process is at it")


def refused() -> None:
    """What a person can mend."""
    raise BadInput("mend it")


def full(file: str) -> None:
    """What the system refuses."""
    raise OSError(28, "No space left on device", file)


def failing() -> None:
    """What is wrong in the code."""
    raise ValueError("wrong")


class Numbers:
    """Chores by number; some of them are in other hands for so many looks, or for good."""

    def __init__(self, total: int, elsewhere: dict[int, int] | None = None) -> None:
        self.total, self.left = total, list(range(total))
        self.away = dict(elsewhere or {})
        self.order: list[int] = []
        self.answers: dict[int, Any] = {}
        self.mine: dict[Chore, int] = {}
        self.turn = threading.Lock()

    @property
    def done(self) -> int:
        """How many are done."""
        return len(self.answers)

    def here(self, number: int) -> int:
        """The work itself."""
        with self.turn:
            assert number not in self.answers, "done twice"
            self.order.append(number)
        return number * number

    def take(self) -> Chore | None:
        """The first that nobody is at."""
        for number in self.left:
            self.away[number] = self.away.get(number, 0) - 1
            if self.away[number] < 0:
                self.left.remove(number)
                chore = Chore(f"number {number}", "chores_ground:shown", {"number": number}, partial(self.here, number))
                self.mine[chore] = number
                return chore
        return None

    def give_back(self, chore: Chore) -> None:
        """It is to be done again."""
        self.left.insert(0, self.mine.pop(chore))

    def finish(self, chore: Chore, answer: Any) -> None:
        """It is done."""
        number = self.mine.pop(chore)
        assert number not in self.answers
        self.answers[number] = answer

    def elsewhere(self) -> str:
        """What is left."""
        return ", ".join(map(str, self.left))


def squares(total: int) -> dict[int, int]:
    """What comes of all of them."""
    return {number: number * number for number in range(total)}


def numbers_in(letters: Sequence[bytes]) -> list[int]:
    """The numbers that workers were told of."""
    import json

    return [json.loads(letter)["values"]["number"] for letter in letters]
