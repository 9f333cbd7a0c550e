"""What a page is told, with everything in it, hostile texts too, for the tests of the report."""

import re
from collections.abc import Sequence
from dataclasses import replace

from results_ground import behaviour, contrast_pairs, finished, plain, shifted, word_attack

from unfooled.attacks.records import AttackRecord, Change
from unfooled.report.groups import Group, each_model
from unfooled.report.told import Told
from unfooled.results.folder import Finished, Results
from unfooled.scores.score import Score
from unfooled.text.document import read

HOSTILE = '"><script>document.title="owned"</script><img src=x onerror=document.title="owned">\u202etxet\u202c'
FORMULA = '=HYPERLINK("http://example.invalid","x")'


def words(markup: str) -> str:
    """What a reader sees of markup."""
    return " ".join(re.sub("<[^>]+>", " ", markup).split())


def score(value: float, n: int = 200) -> Score:
    return Score(value, max(value - 0.05, 0.0), min(value + 0.05, 1.0), n, "what it counts", "accuracy")


def told_of(*trials: Finished, groups: Sequence[Group] = (), warnings: Sequence[str] = ()) -> Told:
    """What a page is told of trials that are on no disk."""
    results = Results(trials, tuple(warnings))
    return Told(results, tuple(groups) or each_model(results))


def fooled(place: int, new: str = "decent", text: str = "a good film about river number {}") -> AttackRecord:
    """An example whose word "good", or whose first, became another."""
    (record,) = word_attack(0, 1, 0)
    old = text.format(place)
    at = [*read(old).words, "good"].index("good")
    at = at if at < len(read(old).words) else 0
    start, end = read(old).spans[at]
    sure = 0.5 + place % 50 / 100
    return replace(
        record,
        index=place,
        texts=(old,),
        adversary=(old[:start] + new + old[end:],),
        before=(1 - sure, sure),
        after=(0.6, 0.4),
        changes=(Change(at, old[start:end], new),),
    )


def attacked(cases: Sequence[AttackRecord], held: int, wrong: int) -> list[AttackRecord]:
    """What fooled, and so many more that held and that were wrong before."""
    return [*cases, *word_attack(held, 0, wrong)]


def usual_told(cases: Sequence[AttackRecord] = (), names: tuple[str, str] = ("plain", "robust")) -> Told:
    """Two models: the first is fooled by ten sentences, or by those given, the second by a hostile one."""
    usual = [*map(fooled, range(8)), fooled(9, "added and more"), fooled(10, "")]
    bad = fooled(8, f"{HOSTILE}{FORMULA}", HOSTILE + " a good film {}")
    one, two = names
    typos = [replace(case, texts=(case.texts[0], (HOSTILE,))) for case in behaviour(4, 6)]
    trials = [
        finished(one, "clean", plain(84, {})[0]),
        finished(one, "pgd", plain(84, {0.02: 60, 0.1: 30})[1]),
        finished(one, "pwws", attacked(list(cases) or usual, 70, 20), settings={"note": HOSTILE}),
        finished(one, "contrast", contrast_pairs(6, 2)),
        finished(one, "invariance", typos, data=HOSTILE),
        finished(one, "shift", shifted(12, "antonyms")),
        finished(two, "clean", plain(85, {})[0]),
        finished(two, "pgd", plain(85, {0.02: 70, 0.1: 60})[1]),
        finished(two, "pwws", attacked([bad], 81, 18)),
        finished(two, "contrast", contrast_pairs(7, 1)),
        finished(two, "invariance", behaviour(2, 8)),
    ]
    return told_of(*trials, warnings=[f"gradient masking {HOSTILE}"])
