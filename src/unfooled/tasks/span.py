"""Where the answer to a question stands in its context (SQuAD).

The network gives each token a logit to be the answer's first and one to be its last. Long contexts are read in windows
that share a third of their tokens; a window without the answer asks for the first token twice. The answer is the best
legal span over all windows of a context. Weights are chosen by F1 on validation.
"""

from collections.abc import Mapping

from unfooled import models
from unfooled.data.questions import load_questions
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.answers import answer_scores
from unfooled.evaluation.metrics import Score
from unfooled.methods import Task
from unfooled.models.encoders.spans import LONGEST_ANSWER, Windows, best_spans, picked, positions_of, windows
from unfooled.recipe.config import Recipe
from unfooled.tasks.task import Job, choice
from unfooled.tasks.text_job import answers_on, enlarged, judges, loader_of, text_job
from unfooled.training import Processes, planned_steps

SCORES = ("f1", "exact match")
LABELS = ("start", "end")


def prepare(recipe: Recipe, processes: Processes) -> Job:
    """A model that answers questions by spans of their contexts."""
    chosen = choice(recipe.plan, SCORES)
    dataset = load_questions(recipe.data, recipe.seed)
    model = models.build(recipe.model, LABELS, recipe.seed, "span").to(processes.device)
    more = enlarged(recipe, dataset.train, free=(0,))  # the question: answers are taken from the context as it is
    train = windows(model.tokenizer, more.train.texts, model.max_length)
    labels = positions_of(train, [some[0] for some in more.train.labels])
    held = int(labels.any(dim=1).sum())
    if not held:
        raise BadInput(f"no window of {model.max_length} tokens holds an answer whole; raise model.max_length")
    loader = loader_of(recipe, train.encoded, labels, processes, "span")

    def read(split: Split) -> Windows:
        return windows(model.tokenizer, split.texts, model.max_length)

    def scored(found: Windows, split: Split) -> Mapping[str, Score]:
        spans = answers_on(
            model, found.encoded, 3, processes, read=lambda logits, rows: best_spans(found, logits, rows)
        )
        return answer_scores(picked(found, spans, split.texts), [[text for _, text in some] for some in split.labels])

    def task() -> Task:
        return Task(2, labels, planned_steps(recipe.plan, loader), recipe.seed, LABELS)

    note = f"{len(more.train):,} questions are {len(labels):,} windows of at most {model.max_length} tokens"
    facts = {"chosen_by": chosen, "longest_answer": LONGEST_ANSWER, "windows": len(labels), "windows_with_answer": held}
    look, scores = judges(dataset, read, scored, chosen)
    return text_job(recipe, processes, dataset, model, loader, task, look, scores, more, facts, (note,))
