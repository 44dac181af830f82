"""The server: one truth for all tabs, and nothing for anybody else."""

import json

import numpy as np
import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from tables_to_label import N_ROWS, answered_desk, is_answered, wait_for, write_animals

from sskpca._web.guard import allowed_hosts
from sskpca._web.server import LARGEST_REQUEST, PER_ROW, make_app

TOKEN = "a token that is long enough"
HOST = "127.0.0.1:8000"
LIVE = f"ws://{HOST}/api/live"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "animals.csv"
    write_animals(path, note=SCRIPT)
    (path.parent / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\nsecret")
    desk = answered_desk(path)
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def stopped():
    return []


@pytest.fixture(scope="module")
def app(desk, stopped):
    return make_app(desk, TOKEN, "127.0.0.1", 8000, lambda: stopped.append(True))


@pytest.fixture
def anybody(app):
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def page(anybody):
    anybody.headers["x-sskpca-token"] = TOKEN
    return anybody


def act(client, **content):
    return client.post("/api/actions", json={"client": "test", **content})


def test_the_page_itself_needs_no_token_and_holds_no_data(anybody):
    for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")):
        answer = anybody.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "animals" not in answer.text


@pytest.mark.parametrize("path", ["/", "/api/table", "/api/row/3", "/api/nothing", "/api/map", "/nothing"])
def test_every_answer_has_a_strict_policy(page, path):
    headers = page.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN + "x", TOKEN[:-1]])
@pytest.mark.parametrize("path", ["/api/table", "/api/row/0", "/api/map", "/api/export/table", "/api/nothing"])
def test_without_the_token_there_is_no_data(anybody, token, path):
    answer = anybody.get(path, headers={} if token is None else {"x-sskpca-token": token})
    assert answer.status_code == 401
    assert answer.json()["error"].startswith("The token is missing or wrong")


def test_without_the_token_nothing_is_done(anybody, desk, stopped):
    before = desk.journal.last
    assert act(anybody, do="label", rows=[30], **{"class": "cat"}).status_code == 401
    assert anybody.post("/api/quit", json={}).status_code == 401
    assert desk.journal.last == before
    assert stopped == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1.evil.example:8000", ""]
)
@pytest.mark.parametrize("path", ["/", "/api/table"])
def test_by_another_name_the_server_is_silent(page, host, path):
    answer = page.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "animals" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_by_its_own_names_it_answers(page, host):
    assert page.get("/api/table", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001", "null", "file://"]
)
def test_other_pages_are_refused_even_with_the_token(page, desk, origin):
    before = desk.journal.last
    for answer in (
        page.get("/api/table", headers={"origin": origin}),
        page.post("/api/actions", json={"do": "undo"}, headers={"origin": origin}),
    ):
        assert answer.status_code == 403
        assert answer.json() == {"error": "Another page may not use this server."}
    assert desk.journal.last == before


def test_its_own_page_is_answered(page):
    assert page.get("/api/table", headers={"origin": f"http://{HOST}"}).status_code == 200


@pytest.mark.parametrize("headers", [{"host": "evil.example:8000"}, {"origin": "http://evil.example"}])
def test_other_names_and_pages_get_no_socket(page, headers):
    with pytest.raises(WebSocketDisconnect) as refused, page.websocket_connect(LIVE, headers=headers):
        pass
    assert refused.value.code == 1008


@pytest.mark.parametrize(
    "first", ["", "{", "[]", "{}", '{"token": 3}', '{"token": "wrong"}', json.dumps({"token": TOKEN, "x": "y" * 5000})]
)
def test_a_socket_without_the_token_is_closed(page, first):
    with page.websocket_connect(LIVE) as socket:
        socket.send_text(first)
        with pytest.raises(WebSocketDisconnect) as refused:
            socket.receive_text()
    assert refused.value.code == 1008


def test_a_socket_that_speaks_twice_is_closed(page):
    with page.websocket_connect(LIVE) as socket:
        socket.send_json({"token": TOKEN})
        assert socket.receive_json()["type"] == "state"
        socket.send_text("{}")
        while socket.receive()["type"] != "websocket.close":
            pass


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_only_json_is_accepted(page, desk, kind):
    before = desk.journal.last
    headers = {} if kind is None else {"content-type": kind}
    answer = page.post("/api/actions", content=b'{"do": "undo"}', headers=headers)
    assert answer.status_code == 415
    assert desk.journal.last == before


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b"null", b'{"do": "label", "rows": "all"}'])
def test_malformed_actions_are_refused_with_a_sentence(page, desk, content):
    before = desk.journal.last
    answer = page.post("/api/actions", content=content[:60_000], headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"].endswith((".", "?"))
    assert desk.journal.last == before


def test_a_request_that_is_too_large_is_refused(page, desk):
    before, largest = desk.journal.last, LARGEST_REQUEST + PER_ROW * N_ROWS
    headers = {"content-type": "application/json"}
    answer = page.post("/api/actions", content=b" " * (largest + 1), headers=headers)
    assert answer.status_code == 413
    # The same without saying how long it is.
    answer = page.post("/api/actions", content=iter([b" " * largest, b"   "]), headers=headers)
    assert answer.status_code >= 400
    assert desk.journal.last == before


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/row/-1", 400),
        (f"/api/row/{N_ROWS}", 400),
        ("/api/row/x", 400),
        ("/api/row/99999999999999999999999", 400),
        ("/api/row/0/what-if", 400),
        ("/api/row/0/what-if?class=77", 400),
        ("/api/rows?limit=100000", 400),
        ("/api/rows?offset=-1", 400),
        ("/api/rows?list=others", 400),
        ("/api/search?text=a&column=others", 400),
        ("/api/search?text=" + "a" * 1000, 400),
        ("/api/export/others", 404),
        ("/api/row/0/picture", 404),
        ("/docs", 404),
        ("/openapi.json", 404),
    ],
)
def test_what_is_not_there_is_a_sentence(page, path, status):
    answer = page.get(path)
    assert answer.status_code == status
    assert answer.json()["error"].endswith((".", "?"))


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/page.js",
        "/secret.png",
        "/animals.csv",
        "/api/export/..%2f..%2fanimals.csv",
        "/api/export/%2fetc%2fpasswd",
        "/api/row/..%2fsecret.png/picture",
    ],
)
def test_no_path_leads_to_a_file(page, path):
    answer = page.get(path)
    assert answer.status_code in (400, 404)
    assert "length" not in answer.text
    assert b"PNG" not in answer.content


def test_scripts_in_cells_are_data(page):
    answer = page.get("/api/row/3")
    assert answer.headers["content-type"] == "application/json"
    assert SCRIPT in [cell["text"] for cell in answer.json()["cells"]]
    assert page.get("/api/search", params={"text": SCRIPT}).json()["total"] == N_ROWS


def test_the_table_is_described(page):
    about = page.get("/api/table").json()
    assert about["name"] == "animals.csv"
    assert about["n_rows"] == N_ROWS
    assert about["label_column"] == "species"
    assert about["journal"] == "animals.csv.sskpca/journal.jsonl"
    kinds = {column["name"]: (column["kind"], column["used"]) for column in about["columns"]}
    assert kinds["animal_id"] == ("id", False)
    assert kinds["length"] == ("number", True)
    assert about["row_names"] == "animal_id"
    assert about["first_row"] == 2
    assert about["exports"][0] == {"id": "table", "label": "Table with results (CSV)"}
    assert about["picture"] is None


def test_the_map_is_a_place_for_every_row(page, desk):
    wait_for(desk, lambda _: desk.map is not None)
    places = np.frombuffer(page.get("/api/map").content, "<f4").reshape(-1, 2)
    assert len(places) == N_ROWS
    assert np.abs(places).max() == pytest.approx(1)


class Tab:
    """A page as it follows the messages of the server."""

    def __init__(self, socket):
        self.socket, self.state, self.map = socket, None, False
        self.rows = {}
        socket.send_json({"token": TOKEN, "client": "tab"})

    def read(self):
        message = self.socket.receive()
        if message.get("text") is not None:
            content = json.loads(message["text"])
            if content["type"] == "state":
                self.state = content
            self.map |= content["type"] == "map"
            return
        content = message["bytes"]
        k = int.from_bytes(content[4:8], "little")
        rows = np.frombuffer(content, "<u4", k, 8).tolist()
        values = np.frombuffer(content, "u1", 3 * k, 8 + 4 * k).reshape(3, k).T.tolist()
        self.rows |= dict(zip(rows, map(tuple, values), strict=True))

    def follow(self, entry):
        while self.state is None or self.state["entry"] < entry or not is_answered(self.state) or not self.rows:
            self.read()
        version = self.state["version"]
        while self.state["version"] == version and self.rows != self.seen():
            self.read()

    def seen(self):
        view = self.desk.view
        return dict(enumerate(zip(view.codes.tolist(), view.confidence.tolist(), view.source.tolist(), strict=True)))


def test_two_tabs_see_one_truth(page, desk):
    Tab.desk = desk
    with page.websocket_connect(LIVE) as one, page.websocket_connect(LIVE) as other:
        tabs = [Tab(one), Tab(other)]
        for tab in tabs:
            tab.follow(0)
        entries = [
            act(page, do="label", rows=[30, 31], **{"class": "fox"}).json()["entry"],
            act(page, do="unsure", rows=[32]).json()["entry"],
            act(page, do="undo").json()["entry"],
        ]
        assert entries == sorted(entries)
        for tab in tabs:
            tab.follow(entries[-1])
        assert tabs[0].rows == tabs[1].rows == tabs[0].seen()
        assert tabs[0].rows[30] == (2, 255, 1)
        assert tabs[0].rows[32][2] != 2
        assert [tab.state["n_given"] for tab in tabs] == [8, 8]
        assert [tab.map for tab in tabs] == [True, True]


def test_an_action_that_could_not_be_saved_is_not_acknowledged(page, desk, monkeypatch):
    before = (desk.journal.last, dict(desk.session.marks))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sskpca._web.journal.os.write", full)
    answer = act(page, do="label", rows=[35], **{"class": "cat"})
    monkeypatch.undo()
    assert answer.status_code == 507
    assert "No space left on device" in answer.json()["error"]
    assert (desk.journal.last, dict(desk.session.marks)) == before


def test_quitting_stops_the_server(page, stopped):
    assert page.post("/api/quit", json={}).status_code == 200
    assert stopped == [True]


def test_names_of_a_server_that_is_open_to_others():
    hosts = allowed_hosts("192.168.0.7", 80)
    assert "192.168.0.7:80" in hosts
    assert "evil.example:80" not in hosts
