"""A story with everything in it, hostile texts too, for the tests of the report."""

import math
from typing import Any

from unfooled.report.story import (
    Attacked,
    Case,
    Check,
    Cloud,
    Cost,
    Facts,
    Gap,
    Line,
    Matrix,
    Measure,
    Number,
    Plot,
    Standing,
    Story,
)

HOSTILE = '"><script>document.title="owned"</script><img src=x onerror=document.title="owned">\u202etxet\u202c'
FORMULA = '=HYPERLINK("http://example.invalid","x")'


def number(value: float, n: int = 200) -> Number:
    return Number(value, max(value - 0.05, 0.0), min(value + 0.05, 1.0), n)


def case(place: int, old: str = "good", new: str = "decent", model: int = 0, trial: int = 0) -> Case:
    texts = (("a ", (old, new), f" film about river number {place}"),)
    return Case(model, trial, place, "positive", "positive", "negative", 0.5 + place % 50 / 100, 0.6, texts, 0.9)


def measures() -> tuple[Measure, ...]:
    return (
        Measure("clean", "accuracy", "share of examples that are right", (number(0.84), number(0.85))),
        Measure("clean", "confidence", "mean probability", (Number(0.7, None, None, 1), None), share=False),
        Measure("pwws", "fooled", "share of the right ones fooled", (number(0.9), number(0.6)), better="less"),
        Measure("empty", "nothing", "of no examples", (Number(math.nan, 0.0, 1.0, 0), None)),
    )


def curve(name: str, values: list[float]) -> Line:
    return Line(name, tuple((0.02 * place, number(value)) for place, value in enumerate(values)))


LABELS = ("negative", "positive")
FAR = ((0.0, 0.0, 0, "a film"), (1.0, 2.0, 1, HOSTILE))


def usual_cases() -> tuple[Case, ...]:
    """Eight plain ones, a hostile one, a word added and a word deleted."""
    odd = case(8, HOSTILE, FORMULA, model=1), case(9, "", "added"), case(10, "gone", "")
    return (*(case(place) for place in range(8)), *odd)


def pictures() -> dict[str, Any]:
    many = tuple(f"c{number}" for number in range(13))
    lines = curve("plain", [0.9, 0.5, 0.2]), curve("robust", [0.9, 0.7, 0.6])
    return {
        "plots": (Plot("Accuracy over the radius", "eps", "accuracy", lines, "it falls"),),
        "matrices": (
            Matrix("plain, clean", LABELS, ((90.0, 10.0), (0.0, 100.0))),
            Matrix("many classes", many, tuple(tuple(float(a == b) for b in many) for a in many), False),
        ),
        "clouds": (Cloud("plain", ("original", "perturbed"), FAR, "apart"),),
        "training": (Plot("Loss", "step", "loss", (curve("task", [1.0, 0.5, 0.3]),), share=False),),
    }


def judgements() -> dict[str, Any]:
    parts = ("fickleness", "pwws", number(0.4)), ("obstinacy", "contrast", number(0.12))
    return {
        "standings": (
            Standing("plain", number(0.4), number(0.12), parts),
            Standing("robust", number(0.22), number(0.2), ()),
            Standing("half", number(0.3), None, ()),
        ),
        "gaps": (
            Gap("pwws accuracy", "plain", "robust", Number(0.2, 0.1, 0.3, 200), 0.0001, 0.0002, "McNemar", 10, 50),
            Gap("clean accuracy", "plain", "robust", Number(0.01, -0.03, 0.05, 200), 0.6, 0.6, "bootstrap"),
        ),
        "costs": (Cost("plain", number(40.0), Number(900, None, None, 1)), Cost("robust", number(110.0), None)),
        "checks": (
            Check("INV", "typos", (number(0.1), None), (f"typo: {HOSTILE}",)),
            Check("DIR", "negation", (number(0.5), number(0.4))),
        ),
    }


def full_story(cases: tuple[Case, ...] = (), title: str = "plain against robust") -> Story:
    return Story(
        title=title,
        subtitle="mr, 200 examples",
        headline=("robust is fooled less often than plain.", f"A second sentence. {HOSTILE}"),
        models=("plain", "robust"),
        measures=measures(),
        support="Each model was trained once.",
        trials=("pwws",),
        attacked=(Attacked(0, 0, 100, 80, 10, 70), Attacked(1, 0, 100, 82, 1, 81)),
        cases=cases or usual_cases(),
        repair=("unfooled train --data mr --method freelb --out repaired",),
        warnings=(f"gradient masking {HOSTILE}",),
        facts=(Facts("plain", (("model hash", "ab" * 32), ("labels", HOSTILE))),),
        **pictures(),
        **judgements(),
    )
