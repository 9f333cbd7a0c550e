"""A picture that is a file of its own."""

import xml.etree.ElementTree as ElementTree

from results_ground import contrast_pairs, finished, results_of, word_attack

from unfooled.report.charts.alone import is_for, verdict_file

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_a_whole_document_with_its_style() -> None:
    trials = [
        finished(model, trial, records)
        for model, held in (("plain <b>", 20), ("robust", 40))
        for trial, records in (("pwws", word_attack(held, 60 - held, 5)), ("contrast", contrast_pairs(30, 10)))
    ]
    drawing = verdict_file(results_of(*trials).verdicts)
    root = ElementTree.fromstring(drawing)
    assert root.tag == f"{SVG}svg" and (root.get("width"), root.get("height")) == ("640", "400")
    style = root.find(f"{SVG}style").text
    used = {name for one in root.iter() for name in (one.get("class") or "").split()}
    assert {"series-0", "series-1", "good", "corners"} <= used
    for name in ("series-0", "series-1", "good", "ticks", "grid"):
        assert f".{name}" in style
    assert "--card: #ffffff" in style and "@media" not in style and ".case" not in style
    assert "robust: fickleness" in drawing and "<b>" not in drawing


def test_a_rule_is_kept_for_what_the_drawing_has() -> None:
    assert is_for(".arms.series-0 line", {"arms", "series-0"}) and not is_for(".arms.series-1 line", {"arms"})
    assert not is_for("body", {"body"})
