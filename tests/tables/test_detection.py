"""How a CSV is written, found out from its bytes; in doubt, a refusal that names the option."""

import gzip
import io

import pytest

from sskpca._tables import Limits, TableError, read_table
from sskpca._tables.reading import read_file
from sskpca._tables.writing import put_table


def put(folder, content, name="a.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, words, **settings):
    with pytest.raises(TableError, match=words) as caught:
        read_table(path, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.csv.gz"])
def test_the_mark_between_columns_is_found(tmp_path, mark, name):
    content = f"a{mark}b\n1{mark}x\n2{mark}y\n".encode()
    read = read_file(put(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name))
    assert read.table.to_pydict() == {"a": ["1", "2"], "b": ["x", "y"]}
    assert read.form.delimiter == mark


def test_commas_in_text_do_not_count(tmp_path):
    expected = {"a": ["x, y, z", "u"], "b; c": ["1", "2"]}
    assert read_table(put(tmp_path, 'a;"b; c"\nx, y, z;1\nu;2\n')).to_pydict() == expected
    assert read_table(put(tmp_path, 'a,b; c\n"x, y, z",1\nu,2\n')).to_pydict() == expected


def test_a_mark_that_is_as_often_in_every_row_is_refused_if_another_is_too(tmp_path):
    path = put(tmp_path, "x, mm;y, mm;label\n1,5;2,5;cat\n")
    refused(path, r'a.csv may have "," or ";" between its columns; say which by delimiter=')
    assert read_table(path, delimiter=";").column_names == ["x, mm", "y, mm", "label"]


def test_a_row_too_long_does_not_make_another_mark_the_right_one(tmp_path):
    refused(put(tmp_path, "id,a|b,c\n1,x|y,z\n2,x|y,z,z\n"), "may have")
    refused(put(tmp_path, "id;a;c\n1;x;z\n2;x;z;z\n"), r'4 cells in line 3 but 3 columns.*";" in a cell')


def test_columns_of_tsv_have_tabs_between_them_whatever_else_there_is(tmp_path):
    assert read_table(put(tmp_path, "a,x\tb,y\n1,2\t3,4\n", "a.tsv")).column_names == ["a,x", "b,y"]
    assert read_table(put(tmp_path, "a,b\n1,2\n", "a.tsv")).column_names == ["a", "b"]


def test_spaces_between_columns_are_refused(tmp_path):
    refused(put(tmp_path, "a b c\n1 2 3\n4 5 6\n", "a.txt"), 'spaces between its columns; give delimiter=" "')
    assert read_table(put(tmp_path, "a b c\n1 2 3\n4 5 6\n", "a.txt"), delimiter=" ").num_columns == 3
    assert read_table(put(tmp_path, "a text\none word\ntwo words\n")).num_columns == 1


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
def test_the_line_of_excel_tells_the_mark_and_is_no_row(tmp_path, first):
    read = read_file(put(tmp_path, f"{first}\r\na;b\r\n1,5;2\r\n"))
    assert read.table.to_pydict() == {"a": ["1.5"], "b": ["2"]}
    refused(put(tmp_path, f"{first}\r\na;b\r\n1;2\r\n1;2;3\r\n"), "line 4")
    refused(put(tmp_path, f"{first}\r\n"), "is empty")
    assert read_table(put(tmp_path, "sep=;,b\n1,2\n")).column_names == ["sep=;", "b"]


GERMAN = "größe;straße\n1;Köln – „Süd“ 5 €\n2;Maß\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_the_encoding_is_found_and_kept(tmp_path, encoding):
    path = put(tmp_path, GERMAN.encode(encoding))
    read = read_file(path)
    assert read.table.to_pydict() == {"größe": ["1", "2"], "straße": ["Köln – „Süd“ 5 €", "Maß"]}
    file = io.BytesIO()
    put_table(read.table, file, "csv", False, None, read)
    assert file.getvalue() == path.read_bytes()


FRENCH = "né,cœur\nà l’été,«déjà»\ncréée,naïf\n"


@pytest.mark.parametrize("text", [FRENCH, "name,city\nÅse,Malmö\nJosé,A Coruña\n", "a,b\n5 m²,½\n"])
def test_western_text_is_windows_1252(tmp_path, text):
    assert read_file(put(tmp_path, text.encode("cp1252"))).form.encoding == "cp1252"


OTHERS = {
    "cp1251": "имя,город\nТом,Москва\n",
    "cp1253": "όνομα,b\nΤομ,x\n",
    "cp1250": "imię,miasto\nWładysław,Łódź\n",
    "shift-jis": "名前,データ\nトム,コード\n",
    "gbk": "姓名,城市\n汤姆,北京\n",
    "koi8-r": "имя,город\nТом,Москва\n",
}


@pytest.mark.parametrize("encoding", OTHERS)
def test_other_encodings_are_refused_until_they_are_given_and_then_kept(tmp_path, encoding):
    path = put(tmp_path, OTHERS[encoding].encode(encoding))
    refused(path, "not clear in which encoding it is; give encoding=")
    assert read_table(path, encoding=encoding).column_names == OTHERS[encoding].splitlines()[0].split(",")


def test_utf_8_with_a_damaged_character_is_not_taken_for_another_encoding(tmp_path):
    refused(put(tmp_path, "a,b\nKöln,Süd\nBär,x\n".encode() + b"K\xf6ln,x\n"), "line 4.*encoding=")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    refused(put(tmp_path, bytes(range(256)) * 20), "encoding=")


def test_another_encoding_far_down_names_the_option(tmp_path):
    path = put(tmp_path, b"a,b\n" + b"1,2\n" * 5000 + "x,é\n".encode("latin-1"))
    refused(path, "UTF-8.*encoding=", limits=Limits(row=2**10))
    assert read_table(path, encoding="cp1252", limits=Limits(row=2**12))["b"][-1].as_py() == "é"


def test_a_class_that_the_encoding_does_not_have_is_refused(tmp_path):
    read = read_file(put(tmp_path, "a,b\nx,é\n".encode("latin-1")))
    with pytest.raises(TableError, match='"☃" cannot be written in Windows-1252'):
        put_table(read.table.append_column("sskpca_label", [["☃"]]), io.BytesIO(), "csv", False, None, read)


def test_columns_without_names_and_cells_are_left_out(tmp_path):
    read = read_file(put(tmp_path, "a,b,,\n1,2,,\n3,4, ,\n"))
    assert read.table.to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}
    assert read.form.n_blank == 2
    assert read_table(put(tmp_path, ",a\n0,x\n1,y\n")).column_names == ["", "a"]
    refused(put(tmp_path, "a,,\n1,2,3\n"), "one name in its first line but 3 columns; is it a title")
    refused(put(tmp_path, "a,b,,\n1,2,3,4\n"), "several columns without a name")


def test_a_title_above_the_names_is_refused(tmp_path):
    refused(put(tmp_path, "My table\na,b\n1,2\n"), "one name in its first line but 2 cells in line 2; is it a title")
    refused(put(tmp_path, "My table,,\na,b,c\n1,2,3\n"), "is it a title")


def test_a_last_row_that_sums_up_is_noted(tmp_path):
    rows = "a,b\nx,1\ny,2\n"
    assert read_file(put(tmp_path, rows)).form.notes == ()
    (note,) = read_file(put(tmp_path, rows + "Total:,3\n")).form.notes
    assert note.startswith('the last row begins with "Total"')
    assert read_file(put(tmp_path, "a,b\ntotal,1\nx,2\ntotal,2\n")).form.notes == ()


def test_line_ends_that_differ_are_read(tmp_path):
    assert read_table(put(tmp_path, b"a,b\r\n1,2\n3,4\r5,6\r\n"))["b"].to_pylist() == ["2", "4", "6"]
