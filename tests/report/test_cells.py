"""Rows in a line: what names them first, then what matters."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from example_labellings import made_up

from sskpca._report.words import MOST_CELLS, describe_rows, unsure_rows
from sskpca._tables.columns import Column

N = 400
ANIMALS = pa.table(
    {
        "species": [None] * N,
        "weight": [k / 2 for k in range(N)],
        "habitat": ["wood", ""] * (N // 2),
        "story": [f"once upon {k}" for k in range(N)],
        "id": [f"A-{k}" for k in range(N)],
    }
)


def test_ids_come_first_then_texts_then_the_columns_that_matter_most():
    labelling = made_up()
    texts = describe_rows(labelling, ANIMALS)
    assert len(texts) == N
    assert texts[40] == "id: A-40 · story: once upon 40 · weight: 20.0 · habitat: wood"
    assert texts[41] == "id: A-41 · story: once upon 41 · weight: 20.5"  # an empty cell is left out


def test_only_rows_that_are_listed_have_a_text():
    labelling = made_up()
    texts = describe_rows(labelling, ANIMALS)
    listed = {*labelling.next_rows, *(suspect.row for suspect in labelling.suspects), *unsure_rows(labelling).tolist()}
    assert {row for row, text in enumerate(texts) if text} == listed


def test_a_column_that_is_the_same_in_every_row_names_none():
    labelling = made_up()
    same = Column("batch", "ignored", "the same in every row", 0, 0)
    labelling = replace(labelling, columns=(same, *labelling.columns))
    table = ANIMALS.append_column("batch", [["seven"] * N])
    assert describe_rows(labelling, table)[40].startswith("id: A-40 · story")


def test_of_many_columns_a_few_are_shown():
    columns = tuple(Column(f"c{k}", "number", "numbers", 0, 1) for k in range(300))
    labelling = made_up(columns=columns, relevance=())
    table = pa.table({f"c{k}": np.arange(N) for k in range(300)})
    assert describe_rows(labelling, table)[40].count(":") == MOST_CELLS


def test_times_that_python_does_not_know_are_question_marks():
    columns = (Column("when", "number", "times", 0, 1), Column("id", "ignored", "unique", 0, 0))
    when = pa.array([2**62 if k == 40 else 0 for k in range(N)], pa.timestamp("s"))
    table = ANIMALS.select(["id"]).append_column("when", when)
    texts = describe_rows(made_up(columns=columns), table)
    assert texts[40] == "id: A-40 · when: ?"
    assert texts[41] == "id: A-41 · when: 1970-01-01 00:00:00"


def test_without_rows_to_list_all_texts_are_empty():
    labelling = replace(made_up(least_confidence=0.0), suspects=(), next_rows=())
    assert describe_rows(labelling, ANIMALS) == [""] * N
