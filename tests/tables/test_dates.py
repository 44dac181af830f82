"""Dates as features."""

import datetime
import json

import numpy as np
import pyarrow as pa
import pytest

from sskpca._tables import FeatureMap, TableError, decide_columns, fit_features
from sskpca._tables.dates import Date, date_order, read_dates

DAY = 86_400.0
START = datetime.datetime(2019, 3, 1, 8, 30)


def days(number, step=1.0):
    return [START + datetime.timedelta(days=step * i) for i in range(number)]


def cells(values):
    return pa.chunked_array([values])


def seconds(*values, order="dmy"):
    return read_dates(cells(list(values)), "when", order)[0]


def test_dates_are_read_as_people_and_programs_write_them():
    expected = (datetime.datetime(2020, 2, 29) - datetime.datetime(1970, 1, 1)).total_seconds()
    same = ["2020-02-29", "2020/2/29", "29.2.2020", "29-02-20", "2020-02-29T00:00:00Z", "2020-02-29 00:00:00.0+01:00"]
    np.testing.assert_array_equal(seconds(*same), expected)
    np.testing.assert_array_equal(seconds("2/29/2020", "02/29/20, 12:00 AM", order="mdy"), expected)
    np.testing.assert_array_equal(seconds("29.2.2020 17:45", "29.2.2020, 5:45 pm"), expected + 17.75 * 3600)
    np.testing.assert_array_equal(seconds("8:30", "08:30:00"), 8.5 * 3600)
    assert seconds("1.1.70", "1.1.68").tolist() == [0.0, (98 * 365 + 25 - 1) * DAY]


@pytest.mark.parametrize(
    "kind", [pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("us", "UTC"), pa.date32(), pa.date64()]
)
def test_typed_dates_are_the_same_as_written_ones(kind):
    whole = [START.replace(hour=0, minute=0) + datetime.timedelta(days=i) for i in range(30)]
    typed = pa.chunked_array([pa.array(whole, pa.timestamp("us")).cast(pa.timestamp("s")).cast(kind)])
    np.testing.assert_array_equal(
        read_dates(typed, "when", "dmy")[0], seconds(*[day.date().isoformat() for day in whole])
    )


def test_typed_times_of_day_are_the_same_as_written_ones():
    typed = cells([datetime.time(8, 30), datetime.time(0, 0), None])
    values, missing, _ = read_dates(typed, "when", "dmy")
    assert values.tolist() == [8.5 * 3600, 0.0, 0.0]
    assert missing.tolist() == [False, False, True]


def test_the_order_of_day_and_month_is_found():
    assert date_order(cells(["1/2/2020", "13/2/2020"])) == "dmy"
    assert date_order(cells(["1.2.2020", "2.13.2020"])) == "mdy"
    assert date_order(cells(["1.2.2020", "3.4.2020"])) == "dmy"
    assert date_order(cells(["1/2/2020", None])) == "mdy"
    assert date_order(cells(["2/13/2020", "13/2/2020"])) == ""


def test_the_parts_that_vary_are_used():
    assert Date.fit(cells(days(5)), "d").parts == ("time",)
    assert Date.fit(cells(days(100)), "d").parts == ("time", "weekday")
    assert Date.fit(cells(days(900)), "d").parts == ("time", "month", "weekday")
    assert Date.fit(cells(days(900, 1 / 12)), "d").parts == ("time", "weekday", "hour")
    assert Date.fit(cells(days(100, 7.0)), "d").parts == ("time", "month")  # always a Friday
    assert Date.fit(cells(["8:30", "17:00", "9:15"]), "d").parts == ("hour",)


def test_a_date_has_variance_one_in_all():
    column = cells(days(900, 1.3))
    X = Date.fit(column, "d").transform(column).matrix
    assert X.shape[1] == len(Date.fit(column, "d").feature_names) == 7
    assert X.var(axis=0).sum() == pytest.approx(1, abs=0.02)  # at the ends of the usual range it is cut
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-9)


def test_no_date_can_dominate():
    column = cells([*days(400), datetime.datetime(9999, 12, 31), datetime.datetime(1, 1, 1)])
    encoder = Date.fit(column, "d")
    X = encoder.transform(column).matrix
    assert np.abs(X).max() < 3
    assert X[:400, 0].std() > 0.4
    later = encoder.transform(cells([datetime.datetime(2500, 1, 1)])).matrix
    assert np.abs(later).max() < 3


def test_december_is_next_to_january():
    column = cells(days(900))
    encoder = Date.fit(column, "d")
    months = [datetime.datetime(2020, month, 15) for month in (12, 1, 6)]
    december, january, june = encoder.transform(cells(months)).matrix[:, 1:3]
    assert np.linalg.norm(december - january) < 0.4 * np.linalg.norm(december - june)


def test_missing_dates_are_the_mean_and_many_have_a_column():
    column = cells([*days(90), *[None] * 10])
    X = Date.fit(column, "d").transform(column).matrix
    np.testing.assert_array_equal(X[90:, :-1], 0)
    np.testing.assert_array_equal(X[:, -1] > 0, np.arange(100) >= 90)
    assert Date.fit(column, "d", gaps=False).transform(column).matrix.shape[1] == X.shape[1] - 1


def test_a_cell_that_is_no_date_is_missing_where_that_was_so_before():
    written = [day.date().isoformat() for day in days(50)]
    column = cells([*written, "soon"])
    encoder = Date.fit(column, "d")
    assert encoder.transform(column).notes == ('1 cell is no date in "d": taken as empty.',)
    np.testing.assert_array_equal(encoder.transform(cells(["2020-13-45"])).matrix, 0)
    strict = Date.fit(cells(written), "d")
    with pytest.raises(TableError, match='the column "d" has "soon" in row 3, which is no date; correct it'):
        strict.transform(cells(["2020-01-01", "soon"]))


def test_a_map_with_dates_goes_through_a_file_and_says_what_it_uses():
    table = pa.table({"label": ["a", "b"] * 200, "seen": days(400)})
    features, columns, notes = fit_features(table, decide_columns(table, "label"))
    assert columns[1].n_features == 5
    assert notes == ('"seen": used as dates (distance in time, month, weekday).',)
    content = json.loads(json.dumps(features.to_dict(), default=lambda array: array.tolist()))
    again = FeatureMap.from_dict(content)
    np.testing.assert_array_equal(again.transform(table).matrix, features.transform(table).matrix)
