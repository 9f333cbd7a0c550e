"""A chapter is a value: it makes of results what it makes of them, and nothing else."""

from results_ground import finished, plain
from stories import told_of

from unfooled.report.chapter import Chapter
from unfooled.report.markup import tag


def test_a_chapter_says_what_it_is_told() -> None:
    told = told_of(finished("plain", "clean", plain(9, {}, 10)[0]))
    chapter = Chapter("Models", lambda told: tag("p", told.title))
    assert chapter.content(told) == "<p>plain</p>" and (chapter.heading, chapter.script) == ("", "")
