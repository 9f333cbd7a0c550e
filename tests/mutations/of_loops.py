"""Failures planted where a method trains in somebody else's loop."""

from mutations.change import swap
from mutations.mutation import Mutation

OF_LOOPS = (
    Mutation(
        "a-head-that-is-not-clipped",
        "A trainer clips the model's gradient without the method's own head, and takes other steps than the method's.",
        "unfooled.loops.trainer:RobustMixin._clip_grad_norm",
        swap("self._robust.trained()", "model.parameters()"),
        "loops/test_trainer.py::test_the_head_of_a_method_is_clipped_with_the_model",
    ),
    Mutation(
        "means-over-one-pass",
        "The means of an update in several passes are over the first of them: gradients grow with accumulation.",
        "unfooled.loops.robust:Robust.begin",
        swap(
            "[sum(batch.counts[unit] for batch in batches) for unit in units]",
            "[batches[0].counts[unit] for unit in units]",
        ),
        "loops/test_robust.py::test_several_batches_are_one_update",
    ),
)
