"""The repair is a command that can be run."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from language_ground import near, sides, translated
from results_ground import finished, plain, word_attack
from stories import told_of, usual_told, words

from unfooled import evaluate
from unfooled.report.chapters.repair import commands, content
from unfooled.report.groups import Group
from unfooled.report.told import Told

PLAN = " --set plan.average=0.99 --set plan.choose_by=robust"  # with which worst_words was measured
OF_PAIRS = " --set method.of_pairs="
BOTH = f"{OF_PAIRS}both"


def test_the_repair_is_a_command_that_can_be_run() -> None:
    lines = commands(usual_told())
    assert (
        lines[0] == f"unfooled train --data YOUR-TRAINING-DATA --model plain --method worst_words{PLAN} --out repaired"
    )
    assert lines[1] == "unfooled evaluate plain repaired/model --data reviews --out repaired-results"
    assert all(line.startswith("unfooled ") for line in lines) and '<pre tabindex="0">' in content(usual_told())


def test_a_run_is_repaired_by_its_recipe_and_by_another_method_than_its_own(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    told = told_of(finished(str(tmp_path / "model"), "clean", plain(9, {}, 10)[0]))
    for own in ("finetune", "freelb"):
        recipe.write_text(
            f'[method]\nname = "{own}"\n[data]\nsource = "train.csv"\ntext = "review"\nlabel = "the stars"\n'
        )
        train, evaluate, _ = commands(told)
        assert train == f"unfooled train --recipe {recipe} --method worst_words{PLAN} --out repaired"
        assert "--text review --label 'the stars' --out" in evaluate
    recipe.write_text('[method]\nname = "worst_words"\n')
    assert commands(told) == ()


def test_a_model_trained_elsewhere_keeps_the_columns_and_the_names_it_was_measured_with(tmp_path: Path) -> None:
    trial = finished("theirs", "clean", plain(9, {}, 10)[0])
    asked = {"text": "the review", "label": "stars", "split": "validation", "labels": "LABEL_0=bad,LABEL_1=good"}
    train, evaluate, _ = commands(told_of(replace(trial, header=replace(trial.header, asked=asked))))
    assert train.startswith("unfooled train --data YOUR-TRAINING-DATA --text 'the review' --label stars --model theirs")
    assert "--text 'the review' --label stars --split validation --labels LABEL_0=bad,LABEL_1=good --out" in evaluate


def test_how_data_was_read_is_written_into_its_log_and_is_no_reason_to_refuse_it(tmp_path: Path) -> None:
    rows = tmp_path / "unseen.csv"
    rows.write_text("review,stars\na good film,yes\na dull film,no\n")
    callable_ = {"models": answers_yes, "labels": ("no", "yes"), "trials": ["clean"], "out": tmp_path / "results"}
    first = evaluate(data=str(rows), text="review", label="stars", **callable_)
    again = evaluate(data=str(rows), **callable_)
    assert first.trials[0].header.asked == again.trials[0].header.asked == {"text": "review", "label": "stars"}


def answers_yes(texts: list[str]) -> np.ndarray:
    """A model that likes everything."""
    return np.tile([0.2, 0.8], (len(texts), 1))


def test_nothing_is_said_of_a_callable_nor_of_a_task_for_which_nothing_was_measured() -> None:
    trial = finished("answer", "clean", plain(9, {}, 10)[0])
    for change in ({"model_hash": ""}, {"task": "multilabel"}):
        assert commands(told_of(replace(trial, header=replace(trial.header, **change)))) == ()


def test_what_a_comparison_has_shown_to_gain_most_is_chosen() -> None:
    counts = {"finetune": 40, "smart": 90, "rdrop": 60}
    trials = [finished(name, "clean", plain(right, {})[0]) for name, right in counts.items()]
    groups = [Group(name, (name,), (1.0,)) for name in counts]
    assert "--method smart --out " in commands(told_of(*trials, groups=groups))[0]
    assert "--method worst_words " in commands(told_of(*trials))[0]
    worse = told_of(*trials, groups=[groups[1], replace(groups[0])])
    assert "--method worst_words " in commands(worse)[0]


def translator(model: str) -> Told:
    trials = (
        finished(model, "quality", translated([("s", "r", "w")]), data="multi30k"),
        finished(model, "side_by_side", sides([("s", "s", "r", "x", "x")]), data="multi30k"),
    )
    return told_of(*trials)


def test_the_repair_of_models_that_write_begins_at_the_recipe_of_their_run(tmp_path: Path) -> None:
    run = tmp_path / "a run"
    run.mkdir()
    recipe = run / "recipe.toml"
    recipe.write_text('[data]\nsource = "multi30k"\ntext = "en"\nlabel = "de"\n[method]\nname = "finetune"\n')
    train, evaluate, _ = commands(translator(str(run / "model")))
    assert train == f"unfooled train --recipe '{recipe}' --method atcl --out repaired"
    assert "--data multi30k --text en --label de --trials quality,side_by_side" in evaluate
    recipe.write_text('[method]\nname = "atcl"\n')
    assert commands(translator(str(run))) == () == commands(translator("elsewhere"))
    recipe.write_text('[method]\nname = "finetune"\n')
    assert commands(told_of(finished(str(run), "neighbours", near(dog=[("cat", 1.0)])))) == ()
    assert content(translator("elsewhere")) == ""


def trained(texts: tuple[str, ...], **changes: object) -> str:
    """How a page tells to train, of a model that such texts fooled."""
    records = [replace(record, texts=texts) for record in word_attack(3, 2, 1)]
    return commands(told_of(finished("model", "pwws", records, **changes)))[0].partition(" --model model")[2]


def test_english_texts_and_pairs_are_sent_to_the_words_and_other_languages_are_not() -> None:
    assert trained(("a good film",)) == f" --method worst_words{PLAN} --out repaired"
    assert trained(("a claim", "a good film")) == f" --method worst_words{PLAN}{BOTH} --out repaired"
    german = "der Film war langweilig und öde, das Buch viel besser"
    assert trained((german,)) == trained((german, german)) == " --method freelb --out repaired"


def test_of_entailment_it_is_told_what_a_turned_text_becomes() -> None:
    kinds = {"of_pairs": "last", "sisters": "true", "turned": "0.3"}
    for one, other in (("entailment", "contradiction"), ("ENTAILMENT", "CONTRADICTION"), ("Entails", "Contradicts")):
        turns = {"turns": f'{{{one} = "{other}"}}'}
        told = shlex.split(trained(("a man sleeps", "he is awake"), labels=(other, one, "neutral")))
        assert {f"method.{name}={value}" for name, value in (kinds | turns).items()} < set(told)
    for labels in (("entailment", "not_entailment"), ("entailment", "contradiction of it"), ("SUPPORT", "UNDERMINE")):
        assert trained(("a claim", "a view"), labels=labels) == f" --method worst_words{PLAN}{BOTH} --out repaired"
    single = trained(("a man sleeps, he is awake",), labels=("contradiction", "entailment"))
    assert single == f" --method worst_words{PLAN} --out repaired"


def test_pairs_are_known_by_their_columns_or_labels_where_no_text_was_kept() -> None:
    trial = finished("model", "clean", plain(9, {}, 10)[0])
    for change in ({"asked": {"text": "claim,perspective"}}, {"labels": ("contradiction", "entailment")}):
        assert OF_PAIRS in commands(told_of(replace(trial, header=replace(trial.header, **change))))[0]
    assert OF_PAIRS not in commands(told_of(replace(trial, header=replace(trial.header, asked={"text": "claim"}))))[0]


def test_one_sentence_says_of_pairs_that_turns_are_told() -> None:
    pairs = [replace(record, texts=("a claim", "a view")) for record in word_attack(3, 2, 1)]
    stance, entailment = (
        words(content(told_of(finished("model", "pwws", pairs, labels=labels))))
        for labels in (("SUPPORT", "UNDERMINE"), ("contradiction", "entailment"))
    )
    assert "must be told" in stance and "must be told" not in entailment
    assert "tells what a turned text becomes" in entailment
    assert "turned" not in words(content(usual_told()))


def test_files_that_can_only_be_asked_are_not_trained() -> None:
    records = plain(9, {}, 10)[0]
    assert commands(told_of(finished("model", "clean", records)))
    for name in ("model.skops", "folder/model.onnx"):
        assert commands(told_of(finished(name, "clean", records))) == ()


def measured(run: Path, data: str, asked: Mapping[str, str] | None = None, learnt_from: bool = False) -> str:
    """How a page tells to measure anew, of the model of a run that was measured on some data."""
    trial = finished(str(run / "model"), "clean", plain(9, {}, 10)[0])
    header = replace(trial.header, data=data, asked=dict(asked or {}), learnt_from=learnt_from)
    return commands(told_of(replace(trial, header=header)))[1]


def save_recipe(run: Path, **data: str) -> None:
    """The recipe of a run, as far as it says which data."""
    lines = "".join(f'{name} = "{value}"\n' for name, value in data.items())
    (run / "recipe.toml").write_text(f'[method]\nname = "finetune"\n[data]\n{lines}')


def test_what_was_learnt_is_not_what_the_repaired_model_is_measured_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "linked.csv").symlink_to("reviews.csv")
    spellings = ("reviews.csv", "./reviews.csv", "run/../reviews.csv", f"{tmp_path}/reviews.csv", "~/reviews.csv")
    for source in spellings:
        for data in (*spellings, "linked.csv"):
            save_recipe(tmp_path, source=source)
            assert " --data YOUR-UNSEEN-DATA --out" in measured(tmp_path, data), (source, data)
            save_recipe(tmp_path, source="others.csv", validation=source)
            assert " --data YOUR-UNSEEN-DATA --out" in measured(tmp_path, data), (source, data)
            save_recipe(tmp_path, source="others.csv", test=source)  # which neither taught the model nor chose it
            assert f" --data {shlex.quote(data)} --out" in measured(tmp_path, data), (source, data)
    save_recipe(tmp_path, source="others.csv", validation="none", test="none")
    assert " --data reviews.csv --out" in measured(tmp_path, "reviews.csv")
    for odd in ("reviews\0.csv", "~nobody-of-this-name/reviews.csv", "r" * 5000):
        assert " --data YOUR-UNSEEN-DATA" not in measured(tmp_path, odd)


def test_the_file_that_a_run_keeps_for_the_end_is_what_it_is_measured_on_where_it_was_on_what_it_learnt(
    tmp_path: Path,
) -> None:
    save_recipe(tmp_path, source="reviews.csv", test="the unseen.csv", text="review")
    asked = {"labels": "LABEL_0=bad,LABEL_1=good", "subset": "films", "split": "train"}
    line = measured(tmp_path, "reviews.csv", asked)
    assert " --data 'the unseen.csv' --text review --labels LABEL_0=bad,LABEL_1=good --out" in line
    save_recipe(tmp_path, source="reviews.csv", test="same.csv")
    assert " --data YOUR-UNSEEN-DATA " in measured(tmp_path, "same.csv", learnt_from=True)


def test_of_data_with_splits_only_what_was_trained_on_is_learnt(tmp_path: Path) -> None:
    save_recipe(tmp_path, source="glue", subset="sst2")
    sst2, cola = {"subset": "sst2"}, {"subset": "cola"}
    assert " --data glue --subset sst2 --out" in measured(tmp_path, "glue", sst2)  # of which a split is held out
    assert " --subset sst2 --split validation --out" in measured(tmp_path, "glue", sst2 | {"split": "validation"})
    assert " --subset cola --split train --out" in measured(tmp_path, "glue", cola | {"split": "train"})
    assert " --data YOUR-UNSEEN-DATA --out" in measured(tmp_path, "glue", sst2 | {"split": "train"})
    assert " --data YOUR-UNSEEN-DATA --out" in measured(tmp_path, "elsewhere/sst2", learnt_from=True)
    assert " --data YOUR-UNSEEN-DATA --out" in measured(tmp_path / "no run", "train.csv", learnt_from=True)
