"""The page in a few sentences, whose words are explained where they first stand."""

from language_ground import continued, perplexities, sides, translated
from results_ground import finished, plain, word_attack
from stories import HOSTILE, told_of, usual_told

from unfooled.report.chapters.verdict import content, headline, named


def test_the_headline_goes_from_texts_as_they_are_to_the_hardest_attack_and_what_differs() -> None:
    told = usual_told()
    first, second = headline(told)
    assert first == (
        "Texts as they are: plain 84.0 %, robust 85.0 % right. Under pgd, eps 0.1: plain 30.0 %, robust 60.0 %."
    )
    assert second.startswith("The largest difference that these data show: pgd 0.1: accuracy under attack, +30.0 poin")
    drawn = content(told)
    assert "plain 84.0\u00a0%" in drawn and "Read with care" in drawn and HOSTILE not in drawn


def test_the_trials_of_the_headline_are_explained_below_it() -> None:
    assert named(usual_told()) == ["pgd"]
    assert '<p class="term"><dfn>pgd</dfn> moves the vectors' in content(usual_told())
    only = told_of(finished("plain", "clean", plain(9, {}, 10)[0]), finished("plain", "pwws", word_attack(8, 1, 1)))
    assert named(only) == ["pwws"] and "<dfn>pwws</dfn> replaces words by dictionary synonyms" in content(only)
    assert named(told_of(finished("plain", "clean", plain(9, {}, 10)[0]))) == []


def test_models_that_differ_in_nothing_are_not_said_to_differ() -> None:
    trials = [finished(name, "clean", plain(90, {})[0]) for name in ("a", "b")]
    assert headline(told_of(*trials))[1:] == ["These data show no difference between them."]


def test_language_models_are_told_by_their_perplexity_and_the_largest_move() -> None:
    trials = [
        finished(name, "perplexity", perplexities(value, {1.0: 22.0, 0.03: 20.5, 30.0: 40.0}))
        for name, value in (("atcl", 18.0), ("plain", 20.0))
    ]
    texts = [("the old", "old", "man", "dog"), ("a cat", "cat", "sat", "sat")]
    found = headline(told_of(*trials, finished("plain", "continuation", continued(texts))))
    assert found == [
        "Perplexity of the texts as they are: atcl 18, plain 20. "
        "With one word a segment moved by 30: atcl 40, plain 40. Lower is better.",
        "One moved word changes what is written (continuation): plain 50.0 %.",
        "The largest difference that these data show in nats: perplexity: log p per word, mean over lines, -0.105 nats "
        "from atcl to plain.",
    ]


def test_translators_are_told_by_their_bleu() -> None:
    trials = []
    for name, end in (("a", "five"), ("b", "six")):
        trials.append(
            finished(name, "quality", translated([("s", "one two three four five", f"one two three four {end}")]))
        )
        trials.append(finished(name, "side_by_side", sides([("s t", "t", "r", "x", "x y" if name == "a" else "x")])))
    first, second = headline(told_of(*trials))
    assert first.startswith("BLEU of the translations: a 100, b ") and first.endswith(".")
    assert second == "One moved word changes what is written (side by side): a 100.0 %, b 0.0 %."
