"""Models of one text stand side by side on the terminal, whatever the text holds."""

import pytest
from language_ground import continued, near, perplexities, sides, translated
from results_ground import finished, results_of

from unfooled.cli.printed.tables import print_results
from unfooled.cli.printed.texts import in_brackets, print_texts
from unfooled.results.folder import Finished
from unfooled.trials.passages import Passage

SOURCE = "an old man ran"


def show(*trials: Finished) -> None:
    """What the command prints."""
    print_results(results_of(*trials))
    print_texts(results_of(*trials))


def rows_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_translations_of_several_models_stand_in_one_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "170")
    models = ("runs/plain/model", "runs/atcl/model", "runs/adv/model")
    texts = {name: [(SOURCE, "old", "ein alter", f"clean {name[5]}", f"moved {name[5]}")] for name in models}
    show(*(finished(name, "side_by_side", sides(own)) for name, own in texts.items()))
    lines = rows_of(capsys)
    heads = [line for line in lines if "source with its [moved] word" in line]
    assert len(heads) == 1 and heads[0].split()[-3:] == ["plain", "atcl", "adv"]
    (first,) = [line for line in lines if "an [old] man ran" in line]
    assert "as it is" in first and [first.index(f"clean {one}") for one in "paa"] == sorted(
        first.index(f"clean {one}") for one in "paa"
    )
    (second,) = [line for line in lines if "reference: ein alter" in line]
    assert " moved  " in second and "moved p" in second and second.count("moved a") == 2
    numbers = [line for line in lines if "side_by_side: changed by the moved word" in line]
    assert [line.count("100.0 % [20.7 – 100.0]") for line in numbers] == [3]


def test_continuations_neighbours_and_numbers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    texts = [(f"text {place} word", "word", "x", "x") for place in range(6)] + [("late word", "word", "x", "y")]
    show(
        finished("a", "perplexity", perplexities(20.0, {3.0: 30.0})),
        finished("b", "perplexity", perplexities(21.0, {3.0: 31.0})),
        finished("a", "continuation", continued(texts)),
        finished("a", "neighbours", near(dog=[("cat", 1.5)])),
        finished("b", "neighbours", near(dog=[("pig", 2.5)])),
    )
    lines = rows_of(capsys)
    assert any("perplexity 3: perplexity" in line and "30 [" in line and "31 [" in line for line in lines)
    assert any("dog" in line and "cat 1.5" in line and "pig 2.5" in line for line in lines)
    texts_shown = [line for line in lines if "[word]" in line]
    assert "late [word]" in texts_shown[0] and len(texts_shown) == 5  # what changed comes first
    assert any("5 of 7 texts; the folder has all" in line for line in lines)


def test_a_narrow_terminal_loses_no_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = [f"wort{place}" for place in range(30)]
    models = ("plain", "adv", "atcl")
    text = (SOURCE, "old", "r", " ".join(words), " ".join(reversed(words)))
    show(*(finished(name, "side_by_side", sides([text])) for name in models))
    shown = capsys.readouterr().out
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert all(len([one for one in shown.split() if one == word]) == 6 for word in words)


def test_texts_are_neither_markup_nor_orders_to_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    texts = [("[bold]s[/bold] \x1b[31mred", "[/]", "\x1b]0;owned\x07 \u202etxet")]
    show(finished("[red]m[/]", "quality", translated(texts)))
    shown = capsys.readouterr().out
    assert "[bold]s[/bold] ⟨U+001B⟩[31mred" in shown and "\x1b" not in shown and "\u202e" not in shown


def test_a_word_alone_needs_no_brackets() -> None:
    assert in_brackets(Passage("dog", "dog", "", {}, 0)) == "dog"
    assert in_brackets(Passage("a dog", "", "", {})) == "a dog"
