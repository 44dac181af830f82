"""The report: whole, escaped, true to its labelling, and alone in the world."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from example_labellings import EXAMPLES, NASTY, made_up, tiny
from parsed_page import ParsedPage

from sskpca._report.page import render_report
from sskpca._report.pictures import pack_map
from sskpca._report.words import clean, clip, percent
from sskpca._selection.relevance import Relevance
from sskpca._selection.suspects import NOT_TRIED
from sskpca._tables.columns import Column
from sskpca._tables.error import RowNames
from sskpca._tables.labelling import Reliability
from sskpca._tables.results import result_columns
from sskpca.plots import neighbor_map

COMMAND = "sskpca label animals.csv --report 'a <b>.html'"
VERSIONS = {"sskpca": "0.1.0", "Python": "3.12.1"}


def render(labelling, **others):
    others = {"places": labelling.matrix[:, :2], **others}  # a map takes seconds
    return render_report(labelling, command=COMMAND, versions=VERSIONS, **others)


@cache
def labelling_of(example):
    return EXAMPLES[example]()


@cache
def page_of(example):
    return render(labelling_of(example))


@cache
def parsed(example):
    return ParsedPage(page_of(example))


def spaced(text):
    return text.replace("\u00a0", " ")


@pytest.fixture(params=list(EXAMPLES))
def example(request):
    return request.param


def test_every_tag_is_closed_and_ids_are_unique_and_found(example):
    page = parsed(example)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = {a["href"][1:] for _, a in page.elements if a.get("href", "").startswith("#")}
    wanted |= {name for _, a in page.elements for name in a.get("aria-labelledby", "").split()}
    assert wanted <= set(ids)


def test_headings_are_in_order_and_the_language_is_told(example):
    page = parsed(example)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.of("html") == [{"lang": "en"}]


def test_pictures_have_a_title_or_are_hidden_from_readers(example):
    page = parsed(example)
    for attributes in page.of("svg"):
        assert attributes.get("aria-hidden") == "true" or attributes.get("aria-labelledby")


def test_nothing_is_asked_of_a_network(example):
    page = re.sub('data-points="[A-Za-z0-9+/=]*"', "", page_of(example))
    assert not re.search(r"https?:|//[a-z]|@import|url\(|fetch|XMLHttp|WebSocket|sendBeacon", page)
    for tag, attributes in parsed(example).elements:
        assert tag not in ("link", "iframe", "object", "embed", "form", "base", "img")
        assert "src" not in attributes
        assert "style" not in attributes
        assert attributes.get("href", "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]


def test_only_the_script_and_the_style_of_the_page_are_allowed(example):
    page = page_of(example)
    (policy,) = [a["content"] for a in parsed(example).of("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_same_input_gives_the_same_bytes(example):
    assert render(labelling_of(example)).encode() == page_of(example).encode()


def test_the_page_is_small(example):
    assert len(page_of(example).encode()) < (600_000 if example == "20,000 rows" else 300_000)


def test_the_counts_are_those_of_the_labelling(example):
    labelling = labelling_of(example)
    rows = parsed(example).cells("Table of classes")
    new = labelling.given < 0
    for k, row in enumerate(rows[:-1]):
        expected = (
            np.sum(labelling.given == k),
            np.sum(new & labelling.sure & (labelling.called == k)),
            np.sum(new & ~labelling.sure & (labelling.called == k)),
        )
        assert [int(cell.replace(",", "")) for cell in row[1:5]] == [*expected, sum(expected)]
    assert int(rows[-1][4].replace(",", "")) == len(labelling.called)


def test_the_error_and_its_interval_are_those_of_the_labelling(example):
    labelling = labelling_of(example)
    text = parsed(example).text
    error, low, high = (spaced(percent(share)) for share in (labelling.expected_error, *labelling.expected_interval))
    if labelling.expected_error:
        assert f"{error} of the rows without a label probably get a wrong one. 95 % interval: {low} to {high}." in text
    else:  # no error was seen, which does not mean that there is none
        assert "0 % of the given labels come out wrong when held out." in text
        assert f"Of the rows without a label, up to {high} may get a wrong one (95 % interval)." in text
    few = np.sum(labelling.given >= 0) < 50
    assert ("This is rough: it rests on" in text) == few


def test_the_calibration_is_that_of_the_labelling(example):
    reliability = labelling_of(example).reliability
    page = parsed(example)
    filled = np.flatnonzero(reliability.count)
    rows = page.cells("Table of confidence")
    assert [[row[0], row[1], row[3]] for row in rows] == [
        [spaced(percent(reliability.confidence[i])), spaced(percent(reliability.right[i])), str(reliability.count[i])]
        for i in filled
    ]
    few = np.sum(labelling_of(example).given >= 0) < 50
    assert ("This is rough: there are only" in page.text) == few


def test_the_candidates_that_count_most_are_listed_by_weight(example):
    candidates = labelling_of(example).candidates
    page = parsed(example)
    rows = page.cells("Table of candidates")
    order = np.argsort(-candidates["weight"], kind="stable")[:30]
    assert [(row[0], row[4], row[6]) for row in rows] == [
        (candidates["kernel"][i], spaced(percent(candidates["weight"][i])), spaced(percent(candidates["loo_error"][i])))
        for i in order
    ]
    assert f"{len(candidates['weight']) - 30} more candidates not listed." in page.text


def test_rows_have_the_numbers_of_a_spreadsheet(example):
    labelling = labelling_of(example)
    page = parsed(example)
    rows = page.cells("Table of rows to label next")
    assert [row[1] for row in rows] == [f"{i + 2:,}" for i in labelling.next_rows]
    for k, suspect in enumerate(labelling.suspects):
        assert page.cells("Table of labels to check")[k][0] == f"{suspect.row + 2}"
        assert f"{suspect.n_changed} other rows would get another label" in page.text
    assert ("None of the given labels is clearly contradicted by the others." in page.text) == (not labelling.suspects)


def test_rows_are_called_as_their_owner_calls_them():
    labelling = made_up()
    assert "Check 1 label that may be wrong: row 2, " in ParsedPage(render(labelling)).text
    names = [f"<animal {i}>" for i in range(len(labelling.called))]
    page = ParsedPage(render(replace(labelling, rows=RowNames(0, names, "name"))))
    assert "Check 1 label that may be wrong: row 0, " in page.text
    assert page.cells("Table of labels to check")[0][0] == "0 <animal 0>"
    assert 'The first row is row 0; the name beside the number is "name".' in page.text


def test_warnings_are_at_the_top_and_escaped():
    page = render(made_up(warnings=("columns <left> out", "rows differ")))
    assert page.count('class="warning"') == 2
    assert page.index("columns &lt;left&gt; out") < page.index("rows differ") < page.index("<nav")
    assert 'class="warning"' not in render(made_up())


def test_command_versions_plan_gap_and_notes_are_in_the_page(example):
    labelling = labelling_of(example)
    text = parsed(example).text
    for wanted in (COMMAND, "sskpca 0.1.0, Python 3.12.1", labelling.plan, f"{labelling.gap:.3g}", *labelling.notes):
        assert " ".join(clean(wanted).split()) in text


def test_names_from_the_table_are_text_and_nothing_else():
    page = ParsedPage(render(labelling_of("nasty names"), row_texts=["<u>" + NASTY[i % 7] for i in range(120)]))
    assert len(page.of("script")) == len(page.of("style")) == 1
    for tag in ("img", "b", "i", "u", "plan"):
        assert not page.of(tag)
    assert "<b>'&\".csv" in page.text
    rows = page.cells("Table of classes")
    shown = [name if name.strip() else "(blank)" if name else "(empty)" for name in NASTY]
    assert [row[0] for row in rows[:-1]] == [" ".join(clean(name).split()) for name in shown]
    assert [row[0] for row in page.cells("Table of columns")] == [row[0] for row in rows[:-1]]
    assert "{{ 7 * 7 }}" in page.text


def test_long_texts_of_rows_are_cut():
    labelling = made_up()
    page = render(labelling, row_texts=["word " * 1000] * len(labelling.called))
    assert max(len(row[-1]) for row in ParsedPage(page).cells("Table of unsure rows")) <= 300
    assert "word word…" in page


def test_texts_for_other_rows_are_refused():
    with pytest.raises(ValueError, match="row_texts has 3 texts for 6 rows; give one for each row"):
        render(tiny(), row_texts=["a", "b", "c"])


def test_a_gap_is_not_called_a_proof():
    text = ParsedPage(render(made_up(gap=0.02))).text
    assert "not proved for the candidate of a kernel that counts most, relative gap 0.02" in text
    assert "not proved" not in parsed("one suspect").text


def test_the_proof_is_one_line_at_the_end_and_not_one_of_the_labels():
    page = page_of("one suspect")
    line = "proved for the candidate of a kernel that counts most, relative gap"
    assert parsed("one suspect").text.count("prove") == 1
    assert page.index(line) > page.rindex("<details>")
    assert "this says nothing about whether the labels are right" in page


def test_confidences_are_not_taken_at_their_word():
    labelling = labelling_of("one suspect")
    text = parsed("one suspect").text
    error = " ".join(percent(labelling.expected_error).split())
    assert "With few labels confidences are rough: the expected error, " in text
    assert f"{error} of all rows without a label, has an interval" in text


def test_what_is_not_known_is_called_so():
    nan = float("nan")
    page = render(made_up(gap=nan, expected_error=nan, expected_interval=(nan, nan), n_suspects=0, seconds=nan))
    assert "<strong>Not known</strong>: no label could be held out." in page
    assert "nan" not in ParsedPage(page).text.lower()


def test_without_held_out_labels_there_is_no_calibration():
    nothing = Reliability(np.array([]), np.array([]), np.array([], dtype=int))
    assert "No label could be held out" in render(made_up(reliability=nothing))


def test_very_many_classes_and_columns_are_cut_short_and_the_sums_hold():
    labelling = made_up(3000, 700, n_given=1400, n_suspects=0)
    columns = tuple(Column(f"c{i}", "number", "numbers", 0, 1) for i in range(5000))
    page = render(replace(labelling, columns=columns))
    found = ParsedPage(page)
    rows = found.cells("Table of classes")
    assert len(rows) == 202
    sums = np.array([[int(cell.replace(",", "")) for cell in row[1:5]] for row in rows])
    assert rows[-2][0] == "500 smaller classes"
    np.testing.assert_array_equal(sums[:-1].sum(axis=0), sums[-1])
    assert "4,800 more columns not listed." in found.text
    assert "some share colour and shape" in found.text
    assert len(page.encode()) < 1_000_000


def test_tables_are_complete_without_the_script():
    page = page_of("one suspect")
    without = page[: page.index("<script>")]
    assert "<button" not in without
    assert "<input" not in without
    assert without.count("<table class=") == 9
    assert without.count('<table class="sortable') == 8


def test_all_and_none_sure_are_said_in_words():
    assert "No row was left blank." in parsed("all sure").text
    text = parsed("none sure").text
    assert "0 more rows were labelled. 360 rows were left blank: no class reached" in text


def test_a_suspect_that_was_not_tried_comes_without_what_would_be():
    labelling = made_up(n_suspects=2)
    first, second = labelling.suspects
    untried = replace(second, n_changed=NOT_TRIED, loo_error_if_changed=float("nan"))
    page = render(replace(labelling, suspects=(first, untried)))
    assert page.count("the leave-one-out error would") == 1
    assert len(ParsedPage(page).cells("Table of labels to check")) == 2
    assert "not known" not in page


def test_the_baselines_are_beside_the_model(example):
    labelling = labelling_of(example)
    rows = parsed(example).cells("Table of methods")
    assert rows[0][:2] == ["this model", spaced(percent(labelling.loo_error))]
    assert [row[1] for row in rows[1:]] == [spaced(percent(baseline.error)) for baseline in labelling.baselines]
    always = " ".join(clean(labelling.baselines[0].always).split())
    assert rows[1][0] == f"most frequent class: always “{always}”"


def test_columns_that_matter_are_listed_and_those_that_hurt_can_be_left_out():
    page = parsed("one suspect")
    rows = page.cells("Table of relevance")
    assert [row[0] for row in rows] == ["weight", "story", "habitat"]
    assert [row[1] for row in rows] == ["+0.210 ± 0.040", "+0.050 ± 0.030", "-0.060 ± 0.020"]
    assert [row[2] for row in rows] == ["helps", "within noise", "hurts"]
    assert 'Predictions are better without “habitat”: try ignore=["habitat"].' in page.text
    many = tuple(Relevance(f"c{k}", 0.1 - 0.001 * k, 0.01) for k in range(200))
    found = ParsedPage(render(made_up(relevance=many)))
    names = [row[0] for row in found.cells("Table of relevance")]
    assert (names[0], names[-1], len(names)) == ("c0", "c199", 20)
    assert "180 more columns not listed." in found.text
    assert 'and 74 more: try ignore=["c199"' in found.text


def test_if_no_column_stands_out_the_page_says_so():
    noise = (Relevance("a", 0.01, 0.02), Relevance("b", -0.01, 0.02))
    assert "No column stands out by itself" in ParsedPage(render(made_up(relevance=noise))).text
    assert "No column stands out by itself" not in parsed("one suspect").text


def test_without_baselines_and_relevance_the_page_says_so():
    text = ParsedPage(render(made_up(baselines=(), relevance=()))).text
    assert "There are too few labels to compare with simple methods." in text
    assert "There are too few labels to tell." in text


def test_rows_that_were_filled_are_not_called_blank(example):
    labelling = labelling_of(example)
    page = ParsedPage(render(labelling, fill=True))
    free, unsure = int(np.sum(labelling.given < 0)), int(np.sum((labelling.given < 0) & ~labelling.sure))
    were = "was" if free == 1 else "were"
    assert f"{free:,} more {'row' if free == 1 else 'rows'} {were} labelled." in page.text
    assert ("filled in because of fill=True" in page.text) == (unsure > 0)
    assert ("which were filled in with the most probable class" in page.text) == (unsure > 0)
    assert "not written" not in page.text
    if unsure:
        assert "blank" not in page.text.replace("(blank)", "").replace("blank lines", "")
    assert len(page.cells("Table of classes")) == len(labelling.classes) + 1


@pytest.mark.parametrize("fill", [False, True])
def test_the_report_and_the_table_agree_on_what_was_filled_in(fill):
    labelling = made_up(matrix=np.random.default_rng(0).standard_normal((400, 2)))
    written = result_columns(labelling, pa.string(), force=fill)
    n_model = written.column("sskpca_source").to_pylist().count("model")
    n_blank = written.column("sskpca_label").null_count
    text = ParsedPage(render(labelling, fill=fill)).text
    assert f"{n_model} more rows were labelled." in text
    assert (f"{n_blank} rows were left blank:" in text) == (n_blank > 0)
    assert (n_blank == 0) == fill


def test_what_a_person_must_do_comes_before_how_it_was_found(example):
    page = page_of(example)
    parts = (
        "error",
        "todo",
        "next",
        "suspects",
        "unsure",
        "map-part",
        "classes",
        "relevance",
        "calibration",
        "details",
    )
    places = [page.index(f'<section id="{part}">') for part in parts]
    assert places == sorted(places)
    if "Table of candidates" in parsed(example).tables:
        assert page.rindex("<details>", 0, page.index("Table of candidates")) > places[-1]


def test_what_to_do_is_listed_at_the_top():
    labelling = made_up(n_suspects=4)
    page = render(labelling)
    top = ParsedPage(
        page[page.index('<section id="todo">') : page.index("</section>", page.index('id="todo"'))] + "</section>"
    ).text
    assert "Label 5 rows that would help most: rows 42, 43, 44, 45, 46." in top
    first = labelling.suspects[0]
    assert f"Check 4 labels that may be wrong: row 2, “{first.label}” or rather “{first.suggestion}”?" in top
    assert "And 1 more." in top
    assert f"Look through {np.sum(~labelling.sure)} unsure rows, which were left blank." in top
    nothing = ParsedPage(render(replace(labelling_of("all sure"), suspects=(), next_rows=()))).text
    assert "Nothing: no label looks wrong, and every row is sure." in nothing


def test_where_outcomes_are_noisy_labels_are_called_surprising():
    text = ParsedPage(render(made_up(loo_error=0.25, expected_error=0.22))).text
    assert "Check 1 surprising label:" in text
    assert "25.0 % of all given labels come out differently when held out" in text
    assert "may be wrong" not in text
    assert "surprising" not in parsed("one suspect").text.lower()


def test_where_no_label_looks_wrong_the_top_says_so():
    text = ParsedPage(render(made_up(loo_error=0.25, expected_error=0.22, suspects=()))).text
    assert "No given label is clearly contradicted by the others" in text
    assert "surprising" not in text.lower()


def test_the_only_label_of_a_class_is_said_to_be_left_out_of_the_error():
    labelling = labelling_of("one suspect")
    rows = np.flatnonzero(labelling.given == 0)
    given = labelling.given.copy()
    given[rows[1:]] = -1
    found = replace(labelling, given=given)
    assert found.alone == (labelling.classes[0],)
    assert f"leaves out the only label of “{labelling.classes[0]}”" in ParsedPage(render(found)).text
    assert "leaves out the only label" not in parsed("one suspect").text


def test_unsure_rows_are_listed_the_least_sure_first_with_their_second_class():
    labelling = labelling_of("none sure")
    rows = parsed("none sure").cells("Table of unsure rows")
    order = np.argsort(labelling.confidence[40:], kind="stable") + 40
    assert [row[0] for row in rows] == [f"{i + 2}" for i in order]
    second = np.argsort(labelling.probabilities[order], axis=1)[:, -2]
    expected = [
        f"{labelling.classes[k]} {spaced(percent(labelling.probabilities[i, k]))}"
        for i, k in zip(order, second, strict=True)
    ]
    assert [row[3] for row in rows] == expected
    assert "Every row is sure." in parsed("all sure").text


def test_of_very_many_unsure_rows_some_are_listed_and_the_rest_counted(monkeypatch):
    monkeypatch.setattr("sskpca._report.words.MOST_UNSURE", 50)
    page = ParsedPage(render(labelling_of("none sure")))
    assert len(page.cells("Table of unsure rows")) == 50
    assert "310 more rows not listed; the labelled table has all of them." in page.text


def test_without_places_the_map_is_made_of_the_rows():
    labelling = tiny()
    page = render_report(labelling, command=COMMAND, versions=VERSIONS)
    packed = pack_map(labelling, neighbor_map(labelling.matrix)).packed
    (canvas,) = ParsedPage(page).of("canvas")
    assert canvas["data-points"] == packed


def test_the_map_can_be_reached_by_keys_and_says_what_to_do_without_a_script(example):
    (canvas,) = parsed(example).of("canvas")
    assert canvas["tabindex"] == "0"
    assert "arrow keys" in canvas["aria-label"]
    assert json.loads(canvas["data-names"])[0] == clip(clean(labelling_of(example).classes[0]))
    assert len(json.loads(canvas["data-marks"])) == len(labelling_of(example).classes)
    assert "The map is drawn by a script" in page_of(example)


def test_the_expected_error_says_what_it_is_made_of():
    labelling = made_up()
    text = ParsedPage(render(labelling)).text
    assert f"The expected error, {spaced(percent(labelling.expected_error))}, combines this with the mean doubt" in text
    plain = replace(labelling, expected_error=labelling.loo_error)
    assert "mean doubt" not in ParsedPage(render(plain)).text
