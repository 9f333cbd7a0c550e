import re
from pathlib import Path

import unfooled.play
from unfooled.attacks.records import OUTCOMES
from unfooled.play.wording import english, say
from unfooled.text.changes import CHANGES

ROOM = Path(unfooled.play.__file__).parent
CODE = "\n".join(path.read_text(encoding="utf-8") for path in ROOM.iterdir() if path.suffix in (".py", ".js"))
BUILT = re.compile(r"(outcome|heading|change|should|turn|nav|example|copy)\.")  # names that are put together


def test_every_text_that_is_asked_for_is_there() -> None:
    asked = set(re.findall(r'say\(\s*"([^"{}]+)"', CODE)) | set(re.findall(r'button\("[^"]+", "([^"]+)"', CODE))
    assert len(asked) > 60 and asked <= set(english())
    assert {f"{kind}.{outcome}" for kind in ("outcome", "heading") for outcome in OUTCOMES} <= set(english())
    assert {f"change.{name}{end}" for name in CHANGES for end in ("", ".line")} <= set(english())


def test_no_text_is_left_over() -> None:
    unused = {name for name in english() if f'"{name}"' not in CODE and not BUILT.match(name)}
    assert not unused


def test_no_sentence_for_people_stands_in_the_script() -> None:
    script = (ROOM / "play.js").read_text(encoding="utf-8")
    quoted = re.findall(r'"([^"\n]*)"', re.sub(r"//.*", "", script))
    assert not [text for text in quoted if re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", text) and "case" not in text]


def test_values_stand_in_their_places() -> None:
    assert say("long", characters="100,000", most="10,000").startswith(
        "The text has 100,000 characters; at most 10,000"
    )
