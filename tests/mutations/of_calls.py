"""Failures planted where a person asks: searches, gates and comparisons, and the page that tells of them."""

from mutations.change import Quote, Swap, drop, swap
from mutations.mutation import Mutation

OF_CALLS = (
    Mutation(
        "search-by-test",
        "Hyper-parameters are chosen on the test split, which is then reported as unseen.",
        "unfooled.commands.tune:score",
        swap('"validation"', '"test"'),
        "commands/test_tune.py::test_a_search_is_scored_by_validation_though_there_is_a_test_split",
    ),
    Mutation(
        "gate-by-the-point-estimate",
        "A gate passes by luck: the value decides, not the end of its interval.",
        "unfooled.commands.gate:Requirement.holds",
        Swap({"score.low": "score.value", "score.high": "score.value"}),
        "commands/test_gate.py::test_the_bound_decides_not_the_value",
    ),
    Mutation(
        "gate-passes-the-unmeasured",
        "A model passes a requirement that it was never measured by.",
        "unfooled.commands.gate:rulings",
        swap("score is not None and ...", "score is None or requirement.holds(score)"),
        "commands/test_gate.py::test_what_was_not_measured_does_not_pass",
    ),
    Mutation(
        "gate-passes-no-examples",
        "A number of no examples passes a gate.",
        "unfooled.commands.gate:Requirement.holds",
        swap("if score.n == 0 or ...: ...", "if score.n == 0: return True"),
        "commands/test_gate.py::test_of_no_examples_nothing_holds",
    ),
    Mutation(
        "gate-exits-with-0",
        "Continuous integration goes green though a requirement does not hold.",
        "unfooled.cli.gate:gate",
        swap("typer.Exit(1)", "typer.Exit(0)"),
        "cli/test_gate.py::test_exit_codes_and_junit",
    ),
    Mutation(
        "two-datasets-on-one-page",
        "Folders measured on different data are reported as a comparison.",
        "unfooled.results.open:refuse_mixture",
        swap("names = ...", "names = []"),
        "results/test_open.py::test_different_data_or_settings_are_not_compared[changes0-data_hash]",
    ),
    Mutation(
        "half-an-attack-verified-as-whole",
        "An attack that was broken off is verified as if it were whole.",
        "unfooled.commands.verify:verify",
        swap("header.examples - len(records)", "0"),
        "commands/test_verify.py::test_an_unfinished_log_says_how_many_examples_are_missing",
    ),
    Mutation(
        "page-counts-errors-as-right",
        "Significance tests count attacks that crashed as withstood.",
        "unfooled.trials.words.words:good",
        swap("SAFE", '(*SAFE, "error")'),
        "trials/test_trial.py::test_what_could_not_be_attacked_is_not_right",
    ),
    Mutation(
        "versions-of-one-text-as-many",
        "Ten versions of one text count as ten texts, and chance is called a difference.",
        "unfooled.trials.invariance:families",
        swap(r'"\n".join(one.texts[0])', "str(one.index)"),
        "report/test_tested.py::test_cases_of_one_text_do_not_count_as_many",
    ),
    Mutation(
        "uncorrected-p-on-the-page",
        "The page calls a difference one by its p before Holm's correction.",
        "unfooled.report.tested:GroupDifference.clear",
        swap("self.corrected", "self.difference.p"),
        "report/chapters/test_differences.py::test_a_difference_is_called_one_only_after_holms_correction",
    ),
    Mutation(
        "texts-not-escaped",
        "A text of the data runs as a script in the reader's browser.",
        "unfooled.report.markup:plain",
        swap("escape(visible(text))", "visible(text)"),
        "report/test_page.py::test_nothing_points_outside_and_no_hostile_text_is_markup",
    ),
    Mutation(
        "data-that-ends-its-element",
        "A text that holds </script> breaks out of the page's data.",
        "unfooled.report.markup:data",
        swap(r'"<>&\u2028\u2029"', r'"&\u2028\u2029"'),
        "report/test_page.py::test_nothing_points_outside_and_no_hostile_text_is_markup",
    ),
    Mutation(
        "hidden-characters-obeyed",
        "Bidirectional overrides turn sentences round, so that the reader sees another text than the model.",
        "unfooled.report.markup:plain",
        swap("visible(text)", "text"),
        "report/test_page.py::test_nothing_points_outside_and_no_hostile_text_is_markup",
    ),
    Mutation(
        "live-formulas-in-csv",
        "A sentence of the exported CSV runs as a formula when a spreadsheet opens it.",
        "unfooled/report/page.js",
        Quote('return `"${tame.replaceAll(\'"\', \'""\')}"`;', 'return `"${text.replaceAll(\'"\', \'""\')}"`;'),
        "report/test_browser.py::test_exports_hold_the_ticks_and_no_live_formula",
    ),
    Mutation(
        "versions-of-texts-that-changed",
        "A corpus was mended and its versions are still those of the old one.",
        "unfooled.generate.file:VersionFile.finished",
        drop("self.refuse_changed(...)"),
        "generate/test_file.py::test_a_finished_file_stands_only_for_the_texts_it_was_made_of",
    ),
    Mutation(
        "null-is-a-word",
        "A row without a text becomes the word None, with synonyms of its own.",
        "unfooled.generate.lines:VersionLines.text_of",
        swap("if value is None: ...", "value = str(value)"),
        "generate/test_lines.py::test_a_row_without_a_text_is_empty_and_a_number_is_refused",
    ),
)
