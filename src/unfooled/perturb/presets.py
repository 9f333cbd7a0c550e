"""The four classical ascents as values; ``dataclasses.replace`` changes one.

They differ only here and in who climbs what: FGM, PGD and FreeLB climb the task loss, SMART climbs the
divergence from the clean prediction. ``unfooled.methods`` says which passes pay parameter gradients.
The sizes suit a MiniLM, whose token vectors have norm about 1: moving a sentence by 0.1 in all already turns over
a quarter of a plainly trained model's answers on film reviews.
"""

from unfooled.perturb.ascent import Ascent, Start
from unfooled.perturb.ball import Ball, Norm, Scope

FGM = Ascent(Ball(radius=0.1), steps=1)
PGD = Ascent(Ball(radius=0.1), steps=3, step_size=0.05)
FREELB = Ascent(Ball(radius=None), steps=2, step_size=0.03, start=Start.UNIFORM, spread=0.05)
SMART = Ascent(
    Ball(radius=0.01, norm=Norm.LINF, scope=Scope.TOKEN), steps=1, start=Start.NORMAL, spread=1e-5, accumulate=False
)


def k_pgd(radius: float, steps: int = 3, random_start: bool = False) -> Ascent:
    """The k-PGD attack of an evaluation: step 2.5·radius/k from 0, or from noise for a restart."""
    start = Start.UNIFORM if random_start else Start.ZERO
    return Ascent(Ball(radius), steps=steps, step_size=2.5 * radius / steps, start=start, spread=radius)
