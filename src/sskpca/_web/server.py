"""The server: HTTP and a WebSocket around a desk, for one page on the same machine.

The routes are thin: they check what comes in, call the desk in a thread, and write what it says. `Guard` stands in
front of all of them.
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Annotated, Any

import anyio
from fastapi import FastAPI, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

from sskpca._tables.error import TableError
from sskpca._web.desk import Desk, GoneError, NotYetError
from sskpca._web.exports import Exports
from sskpca._web.guard import Guard, allowed_hosts, is_loopback
from sskpca._web.journal import JournalError
from sskpca._web.questions import describe_row, list_rows, what_if, why
from sskpca._web.session import ActionError, action_of
from sskpca._web.view import View, packed_changes

__all__ = ["LARGEST_MESSAGE", "make_app"]

# Bytes of the only message that the page sends on the WebSocket; and of a request, besides a number for each row.
LARGEST_MESSAGE, LARGEST_REQUEST, PER_ROW = 4096, 65_536, 12
# Seconds that a WebSocket may be silent before it says who it is.
PATIENCE = 10
LONGEST_CLIENT, LONGEST_SEARCH, MOST_FOUND, MOST_LISTED = 80, 500, 5000, 500
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
STATUS: dict[type[Exception], int] = {
    ActionError: 400,
    JournalError: 507,
    NotYetError: 409,
    GoneError: 410,
    TableError: 400,
}

Handler = Callable[[Request, Exception], Awaitable[Response]]


def make_app(desk: Desk, token: str, host: str, port: int, quit: Callable[[], None]) -> Guard:
    """Return the application.

    Parameters
    ----------
    desk : Desk
    token : str
    host, port
        Where it will be served.
    quit : callable
        Stops the server.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    for kind, status in STATUS.items():
        app.add_exception_handler(kind, _told(status))
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(404, _nothing_here)
    app.add_exception_handler(405, _nothing_here)
    app.add_exception_handler(Exception, _bug)
    _add_page(app)
    _add_questions(app, desk)
    _add_actions(app, desk, quit)
    _add_live(app, desk, token)
    largest = LARGEST_REQUEST + PER_ROW * desk.table.n_rows
    return Guard(app, allowed_hosts(host, port), token, largest, not is_loopback(host))


def _told(status: int) -> Handler:
    async def tell(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, status)

    return tell


async def _malformed(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the request is malformed."}, 400)


async def _nothing_here(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "there is nothing here."}, getattr(error, "status_code", 404))


async def _bug(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"a bug, please report it: {type(error).__name__}: {error}"}, 500)


def _add_page(app: FastAPI) -> None:
    folder = files("sskpca._web") / "static"

    def serve(name: str, kind: str) -> Callable[[], Awaitable[Response]]:
        async def get() -> Response:
            return Response((folder / name).read_bytes(), media_type=kind)

        return get

    for path, (name, kind) in FILES.items():
        app.get(path)(serve(name, kind))


def _add_questions(app: FastAPI, desk: Desk) -> None:
    table, exports = desk.table, Exports(desk)

    def checked(row: int) -> int:
        if not 0 <= row < table.n_rows:
            raise ActionError(f"there are the rows 0 to {table.n_rows - 1} only.")
        return row

    @app.get("/api/table")
    async def about() -> Any:
        journal = desk.journal.path
        return {
            "name": table.path.name,
            "n_rows": table.n_rows,
            "label_column": table.label_column,
            "columns": table.columns(),
            "row_names": table.ready.rows.title,
            "first_row": table.ready.rows.first,
            "classes": [{key: entry[key] for key in ("name", "color", "shape")} for entry in desk.classes()],
            "picture": None if table.pictures is None else table.pictures.describe(),
            "journal": f"{journal.parent.name}/{journal.name}",
            "least_confidence": table.options.least_confidence,
            "exports": exports.list(),
        }

    @app.get("/api/map")
    async def places() -> Any:
        if desk.map is None:
            return JSONResponse({"pending": True}, 202)
        return Response(desk.map, media_type="application/octet-stream")

    @app.get("/api/row/{row}")
    def one(row: int) -> Any:
        return describe_row(desk, checked(row))

    @app.get("/api/row/{row}/picture")
    def picture(row: int) -> Any:
        found = None if table.pictures is None else table.pictures.of(checked(row))
        if found is None:
            return JSONResponse({"error": "this row has no picture."}, 404)
        return Response(found.content, media_type=found.kind)

    @app.get("/api/row/{row}/why")
    def explained(row: int) -> Any:
        return why(desk, checked(row))

    @app.get("/api/row/{row}/what-if")
    def tried(row: int, code: Annotated[int, Query(alias="class")]) -> Any:
        return what_if(desk, checked(row), code)

    @app.get("/api/rows")
    def rows(
        wanted: Annotated[str, Query(alias="list")] = "all",
        search: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "",
        column: str | None = None,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50,
    ) -> Any:
        return list_rows(desk, wanted, search, column or None, offset, limit)

    @app.get("/api/search")
    def search(text: Annotated[str, Query(max_length=LONGEST_SEARCH)], column: str | None = None) -> Any:
        found = table.search(text, column or None)
        return {"total": len(found), "rows": found[:MOST_FOUND].tolist()}

    @app.get("/api/export/{name}")
    def exported(name: str) -> Any:
        made = exports.make(name)
        if made is None:
            return JSONResponse({"error": "there is no such export."}, 404)
        place = {"content-disposition": f"attachment; filename*=UTF-8''{made.quoted_name}"}
        return Response(made.content, media_type=made.kind, headers=place)


def _add_actions(app: FastAPI, desk: Desk, quit: Callable[[], None]) -> None:
    @app.post("/api/actions")
    async def act(request: Request) -> Any:
        content = await _json_of(request)
        client = content.get("client", "") if isinstance(content, dict) else ""
        if not isinstance(client, str) or len(client) > LONGEST_CLIENT:
            raise ActionError(f"the name of a tab is a text of at most {LONGEST_CLIENT} characters.")
        action = action_of(content)
        receipt = await asyncio.to_thread(desk.do, action, client)
        return {"entry": receipt.entry, "n_given": receipt.n_given, "said": receipt.said}

    @app.post("/api/quit")
    async def stop() -> Any:
        quit()
        return {}


async def _json_of(request: Request) -> Any:
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError):
        raise ActionError("this is not JSON.") from None


def _add_live(app: FastAPI, desk: Desk, token: str) -> None:
    @app.websocket("/api/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        if not await _knows(socket, token):
            await socket.close(1008)
            return
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        end = desk.listen(wake)
        try:
            async with anyio.create_task_group() as both:
                both.start_soon(_until_it_speaks, socket, both.cancel_scope)
                with suppress(WebSocketDisconnect, RuntimeError):  # gone, or closed by us meanwhile
                    await _send_changes(socket, desk, changed)
                both.cancel_scope.cancel()
        finally:
            end()


async def _knows(socket: WebSocket, token: str) -> bool:
    """Return whether the first message holds the token."""
    try:
        text = await asyncio.wait_for(socket.receive_text(), PATIENCE)
        content = json.loads(text) if len(text) <= LARGEST_MESSAGE else None
    except (TimeoutError, WebSocketDisconnect, ValueError, KeyError, RecursionError):
        return False
    given = content.get("token") if isinstance(content, dict) else None
    return isinstance(given, str) and secrets.compare_digest(given.encode(), token.encode())


async def _until_it_speaks(socket: WebSocket, both: anyio.CancelScope) -> None:
    """Wait for a second message, of which there is none, or for the end; then end the sending, too."""
    message = await socket.receive()
    if message["type"] == "websocket.receive":
        await socket.close(1008)
    both.cancel()


async def _send_changes(socket: WebSocket, desk: Desk, changed: asyncio.Event) -> None:
    """Send the state and what has changed of the rows, whenever something has."""
    sent: View | None = None
    told_map = False
    changed.set()
    while True:
        await changed.wait()
        changed.clear()
        state, view = await asyncio.to_thread(_now, desk)
        await socket.send_text(json.dumps(state, allow_nan=False))
        if view is not sent:
            content = packed_changes(state["version"], view, sent)
            await socket.send_bytes(content)
            sent = view
        if desk.map is not None and not told_map:
            told_map = True
            await socket.send_text(json.dumps({"type": "map"}))
        if desk.gone is not None:
            await socket.send_text(json.dumps({"type": "gone", "message": desk.gone}))


def _now(desk: Desk) -> tuple[dict[str, Any], View]:
    with desk.lock:
        return desk.state(), desk.view
