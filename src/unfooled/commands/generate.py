"""The synonym and antonym versions of a corpus of any size, as a file of JSON lines with a summary."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from unfooled.data.corpus import corpus_file
from unfooled.data.files.texts import TextFile
from unfooled.errors import either
from unfooled.files import alone, json_lines
from unfooled.generate.file import VersionFile, Written
from unfooled.settings import Settings, settings_from
from unfooled.text.english.tagging import tagger
from unfooled.text.languages import refuse_foreign
from unfooled.text.versions import VersionSettings


class Work(Settings):
    """How a corpus is gone through: rows from the first, by how many processes, and what if it is not English."""

    seed: int = 0
    workers: int = Field(1, ge=1)
    text: str | None = None
    split: str | None = None
    limit: int | None = Field(None, ge=1)
    other_languages: Literal["refuse", "pass"] = "refuse"
    format: Literal["versions", "triplets"] = "versions"
    wait: bool = False


def generate_versions(
    corpus: str | Path, out: str | Path, settings: VersionSettings | Mapping[str, Any] | None = None, **how: Any
) -> Written:
    """Write the synonym and antonym versions of every text of a corpus as JSON lines, with a summary.

    ``corpus`` is a file of running text or a table (perhaps with .gz) of any size, or a name below UNFOOLED_DATA;
    ``settings`` say how versions are made. ``how`` takes ``seed``, ``workers`` (processes), ``text`` (a column),
    ``split`` (of a folder), ``limit`` (of rows, from the first), and ``other_languages``: refuse a corpus that is
    mostly not English, or pass it; ``format="triplets"`` writes anchor, positive and negative alone, as
    sentence-transformers reads them; ``wait`` waits for another process that makes the same file. The same call goes on
    with what an interrupted one has left.
    """
    given = settings if isinstance(settings, VersionSettings) else settings_from(VersionSettings, settings or {}, "")
    work, file = settings_from(Work, how, ""), json_lines(out)
    source = TextFile(corpus_file(corpus, work.split), work.text)
    tagger(given.tagger)  # one that is not there is missed now
    versions = VersionFile(source, file, given, work.seed, work.limit, work.format)
    with alone(file, work.wait):
        done = versions.finished()
        if done is not None:
            return done
        if versions.fresh and work.other_languages == "refuse":
            passing = either("--other-languages pass", 'settings={"other_languages": "pass"}')
            refuse_foreign(source, source.path, "row", f"{passing} leaves such texts as they are")
        return versions.grow(work.workers)
