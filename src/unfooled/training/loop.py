"""The training loop, once, for every method.

A step is a function of the weights, the optimiser's tensors and its number: order, noise and dropout are keyed by it.
So a run that is killed and resumed from any checkpoint ends in the same bits as one that never stopped.
"""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from unfooled.data.batches.address import Batches
from unfooled.errors import Diverged, Stopped, either
from unfooled.gather import added_up_by_name, in_step, refusing_what_is_no_number
from unfooled.methods.objective import Objective
from unfooled.progress import Display
from unfooled.recipe.plan import Plan
from unfooled.seeds import begin_pass
from unfooled.stopping import StopAsked, asked_to_stop
from unfooled.training.choice import is_best, shown_scores
from unfooled.training.engine import Engine
from unfooled.training.manifest import refuse_other_moments, refuse_other_tensors
from unfooled.training.optimizer import learning_rate, optimizer_state, restore_optimizer
from unfooled.training.pieces import moved_pieces, own_moments, written
from unfooled.training.run_folder import Checkpoint, RunFolder, State
from unfooled.types import Batch, Evaluation, Loss, Progress

Look = Callable[[], Evaluation]
SKIPPED_IN_A_ROW = 3  # updates whose gradient is no number: then it is no accident


@dataclass(frozen=True)
class Run:
    """The parts of one training run, ready to go."""

    objective: Objective
    engine: Engine
    loader: Batches
    folder: RunFolder
    look: Look  # at the validation split

    @property
    def steps(self) -> int:
        """The optimiser steps planned."""
        return planned_steps(self.engine.plan, self.loader)


def planned_steps(plan: Plan, loader: Batches) -> int:
    """The optimiser steps of all epochs, or fewer where the plan says so."""
    every = plan.epochs * loader.updates_per_epoch
    return every if plan.max_steps is None else min(every, plan.max_steps)


def fit(run: Run) -> State:
    """Train from the newest checkpoint, or from the start, to the end; the weights left are the best ones."""
    state = restore(run)
    first = run.engine.processes.first
    with Display("training", run.steps, state.step, show=first) as display, asked_to_stop() as stop:
        if state.step and not state.finished:
            display.say(f"resuming {run.folder.root} at step {state.step} of {run.steps}")
        if run.engine.plan.look_first and not state.step:
            with stop.at_once(alone(run)):
                look_first(run, display)
        if state.look_due:
            look_and_judge(run, state, display, stop)
        while state.step < run.steps and not state.finished:
            epoch, position = divmod(state.step, run.loader.updates_per_epoch)
            for batches in run.loader.updates(epoch, position):
                if run.engine.begin(batches, bool(stop)):
                    save(run, state)
                    raise stopped(run, state, stop)
                prepare(run, state, Progress(state.step, run.steps, epoch), display, stop)
                advance(run, state, batches, epoch, display, stop)
                if state.step >= run.steps or state.finished:
                    break
        if run.engine.processes.any(bool(stop)):
            raise stopped(run, state, stop)
    state.report = dict(run.objective.report())  # of the whole run, before the best weights take the last ones' place
    load_weights(run, run.folder.load(state.best_step))
    run.engine.average.settle()
    run.engine.close()
    return state


def alone(run: Run) -> bool:
    """Whether no other process trains with this one: of several none may leave in the midst of a common task."""
    return run.engine.processes.count == 1


def stopped(run: Run, state: State, stop: StopAsked) -> Stopped:
    """The sentence for a run that was asked to stop, by a signal of this process or of another one."""
    again = either("the same command with --resume", "the same call with resume=True")
    return Stopped(f"stopped at step {state.step} of {run.steps}; {again} goes on", stop.number or signal.SIGTERM)


def prepare(run: Run, state: State, progress: Progress, display: Display, stop: StopAsked) -> None:
    """What the objective wants before the next step: a sweep of the training set, batches to measure itself on."""
    if run.objective.sweep_due(progress):
        if state.step:
            save(run, state)  # a sweep is long, and a stop in the midst of it loses no step
        with stop.at_once(alone(run)), refusing_what_is_no_number():
            sweep(run)
    wanted = run.objective.measures(progress)
    if not wanted:
        return
    batches = [batch.to(run.engine.processes.device) for batch in islice(run.loader.sweep(), wanted)]
    run.objective.train()
    begin_pass(run.loader.seed, "measured", progress.step, run.loader.rank)
    with run.engine.whole(), refusing_what_is_no_number():
        found = run.objective.measure(batches)
    if run.engine.processes.first:  # as a part of the step to come: a run that is resumed before it measures again
        run.folder.log(step=progress.step + 1, kind="measured", **found.facts)
    if found.warning:
        display.say(found.warning)


def sweep(run: Run) -> None:
    """Go through the training set once for the objective's own ends; a restart before the next save does it again."""
    batches = list(run.loader.sweep())
    with Display("filling the memory", len(batches), show=run.engine.processes.first) as display:
        run.objective.train(False)
        for number, batch in enumerate(batches, start=1):
            run.objective.sweep(batch.to(run.engine.processes.device))
            display.at(number)


def advance(run: Run, state: State, batches: list[Batch], epoch: int, display: Display, stop: StopAsked) -> None:
    """One update, and what is due after it: a log line, a look at the validation split, a checkpoint."""
    plan, began = run.engine.plan, time.monotonic()
    run.objective.train()
    rate = learning_rate(plan, state.step, run.steps)
    losses: list[Loss] = []
    try:
        for turn, batch in enumerate(batches):
            begin_pass(run.loader.seed, "dropout", state.step, turn, run.loader.rank)
            with in_step():
                losses.append(run.objective.step(run.engine, batch.to(run.engine.processes.device)))
    except FloatingPointError:
        run.engine.spoil()  # so that all processes leave the update out, and say the same
    norm: float | None = None
    try:
        norm = run.engine.update(rate)
    except FloatingPointError as error:
        skip(run, state, error, display)
    else:
        state.skipped_in_a_row = 0
        for loss in losses:
            add_to(state.tally, loss)
    state.step += 1
    run.objective.after_step(Progress(state.step, run.steps, epoch))
    run.engine.average.follow()
    display.at(state.step, f"loss {losses[-1].total().item():.4f}" if losses else "")
    if state.step % plan.log_every == 0 or state.step == run.steps:
        log(run, state, rate, norm, time.monotonic() - began)
    if look_due(run, state.step):
        look_and_judge(run, state, display, stop)
    elif plan.save_every is not None and state.step % plan.save_every == 0:
        save(run, state)


def skip(run: Run, state: State, error: FloatingPointError, display: Display) -> None:
    """Leave an update out, count it and say so; too many in a row end the run."""
    state.skipped, state.skipped_in_a_row = state.skipped + 1, state.skipped_in_a_row + 1
    if state.skipped_in_a_row >= SKIPPED_IN_A_ROW:
        raise not_finite(run, state, error) from error
    run.engine.leave_out()
    if run.engine.processes.first:
        run.folder.log(step=state.step + 1, kind="skipped", so_far=state.skipped)
    display.say(f"WARNING: step {state.step + 1}: {error}; this update was left out ({state.skipped} so far)")


def look_and_judge(run: Run, state: State, display: Display, stop: StopAsked) -> None:
    """Look at the validation split and save; a stop meanwhile leaves a checkpoint from which it is looked at again."""
    state.look_due = True
    try:
        with run.engine.average.in_place(stop.in_peace), run.engine.whole(), stop.at_once(alone(run)):
            evaluation = run.look()
    except Stopped:
        save(run, state)
        raise stopped(run, state, stop) from None
    state.look_due = False
    run.objective.after_eval(evaluation)
    judge(run, state, evaluation, display)
    save(run, state)


def look_first(run: Run, display: Display) -> None:
    """Say and log what the weights are like before the first step; they are never chosen, and try no patience."""
    with run.engine.whole():
        scores = run.look().scores
    if run.engine.processes.first:
        run.folder.log(step=0, kind="validation", **scores)
    display.say(f"step 0: validation {shown_scores(scores)}")


def look_due(run: Run, step: int) -> bool:
    """Whether the validation split is looked at after this step: so often per epoch, and at the end."""
    per_epoch, wanted = run.loader.updates_per_epoch, run.engine.plan.evaluations_per_epoch
    if wanted < 1:
        return step == run.steps or step % round(per_epoch / wanted) == 0
    position = (step - 1) % per_epoch
    return step == run.steps or (position + 1) * wanted // per_epoch > position * wanted // per_epoch


def judge(run: Run, state: State, evaluation: Evaluation, display: Display) -> None:
    """Keep the best score; stop when it has not been beaten for as long as the plan allows."""
    patience = run.engine.plan.patience
    if is_best(state, evaluation):
        state.best_score, state.best_step = evaluation.scores[evaluation.best_by], state.step
        state.kept = None if evaluation.keeps is None else evaluation.scores[evaluation.keeps]
        state.since_best = 0
    else:
        state.since_best += 1
    state.finished = state.step >= run.steps or (patience is not None and state.since_best >= patience)
    if run.engine.processes.first:
        run.folder.log(step=state.step, kind="validation", **evaluation.scores)
    values = shown_scores(evaluation.scores)
    display.say(f"step {state.step}: validation {values}" + (" (best)" if not state.since_best else ""))


def add_to(tally: dict[str, list[float]], loss: Loss) -> None:
    """Add a loss's sums and counts to those since the last log line."""
    for name, term in loss.terms.items():
        sums = tally.setdefault(name, [0.0, 0.0])
        sums[0] += term.sum.item()
        sums[1] += term.count


def log(run: Run, state: State, rate: float, norm: float | None, seconds: float) -> None:
    """One line of mean losses over all processes since the last line."""
    pool(run, state)
    means = {name: total / max(count, 1) for name, (total, count) in state.tally.items()}
    state.tally = {}
    if run.engine.processes.first:
        pace = {"learning_rate": rate, "gradient_norm": norm, "step_seconds": seconds}
        run.folder.log(step=state.step, kind="train", **means, **pace)


def pool(run: Run, state: State) -> None:
    """Move all processes' sums since the last log line to the first one."""
    processes = run.engine.processes
    sums = added_up_by_name(state.tally, processes.device)
    state.tally = sums if processes.first else {name: [0.0, 0.0] for name in sums}


def save(run: Run, state: State) -> None:
    """Write a checkpoint: the first process, or where the network is shared out all of them; the others wait."""
    pool(run, state)
    engine, first = run.engine, run.engine.processes.first
    if engine.shares or first:
        kept = engine.kept()
        moments = moved_pieces(kept, optimizer_state(engine.optimizer, engine.held))
        run.folder.save(
            state, written(kept, first), written(moments, first), engine.processes if engine.shares else None
        )
    engine.processes.wait()


def restore(run: Run) -> State:
    """Load the newest checkpoint; a fresh state where there is none."""
    if not run.folder.steps():
        if run.engine.processes.first:
            run.folder.forget_after(-1)  # what was said of step 0 is said again
        return State()
    checkpoint = run.folder.load(run.folder.steps()[0])
    run.folder.check_best(checkpoint.state)
    load_weights(run, checkpoint)
    moments = own_moments(run.engine.kept(), checkpoint.optimizer)
    restore_optimizer(run.engine.optimizer, run.engine.held, moments)
    if run.engine.processes.first:
        run.folder.forget_after(checkpoint.state.step)
        run.folder.keep_only(checkpoint.state)  # a kill may have come before those were gone
    else:
        checkpoint.state.tally = {name: [0.0, 0.0] for name in checkpoint.state.tally}
    run.engine.processes.wait()
    return checkpoint.state


def load_weights(run: Run, checkpoint: Checkpoint) -> None:
    """Put the objective's tensors of a checkpoint, and the averages of its weights, back in place: all, or none."""
    own, place = run.engine.kept(), f"the checkpoint of step {checkpoint.state.step} in {run.folder.checkpoints}"
    refuse_other_tensors(checkpoint.objective, own, place)
    refuse_other_moments(checkpoint.optimizer, own, place)
    for name, tensor in checkpoint.objective.items():
        own[name].take(tensor)


def not_finite(run: Run, state: State, error: FloatingPointError) -> Diverged:
    """The sentence for a loss that is not a number."""
    kept = f"the checkpoint of step {run.folder.steps()[0]} is kept" if run.folder.steps() else "nothing was saved yet"
    return Diverged(
        f"training stopped at step {state.step + 1}: {error}, {SKIPPED_IN_A_ROW} times in a row; {kept}; "
        "lower plan.learning_rate or the method's radius and start a new run"
    )
