"""Open a table in the browser, and serve the page until it is stopped."""

import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress

import uvicorn

from sskpca._tables.error import TableError
from sskpca._tables.options import FileOptions, Options
from sskpca._web.desk import Desk
from sskpca._web.guard import is_loopback
from sskpca._web.server import LARGEST_MESSAGE, make_app
from sskpca._web.table import open_table

__all__ = ["serve"]

# Seconds that open connections have when the server stops, and the worker for the end of its step.
GRACE = 1
# As hard to guess as a password should be.
SHORTEST_TOKEN = 16


def checked_token(host: str, tokens: Sequence[str]) -> str:
    """Return the token: a new one, or the one that was given.

    Raises
    ------
    TableError
        The page would be open to other machines, and the token was not given twice.
    """
    if not tokens:
        if not is_loopback(host):
            raise TableError(
                f"{host} is open to other machines, which could read the table and label it; think of a token of "
                f"{SHORTEST_TOKEN} characters or more and give it twice, --token TOKEN --token TOKEN.",
                parameter="host",
            )
        return secrets.token_urlsafe(24)
    if not is_loopback(host) and (len(tokens) != 2 or tokens[0] != tokens[1]):
        raise TableError("give the same token twice, --token TOKEN --token TOKEN.", parameter="token")
    token = tokens[0]
    if any(other != token for other in tokens) or len(token) < SHORTEST_TOKEN or not token.isascii():
        raise TableError(f"a token has {SHORTEST_TOKEN} plain characters or more.", parameter="token")
    return token


def serve(
    path: str | os.PathLike[str],
    options: Options,
    reading: FileOptions,
    *,
    picture: str | None = None,
    pixels: tuple[int, int] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    tokens: Sequence[str] = (),
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the page of a table until it is stopped from there, or by Ctrl-C.

    Parameters
    ----------
    path : path-like
    options : Options
    reading : FileOptions
    picture, pixels
        See `open_table`.
    host : str, default="127.0.0.1"
    port : int, default=0
        0 is any that is free.
    tokens : sequence of str
        By default one is made.
    browser : bool, default=True
        Open it.
    say : callable
        Takes lines for the person at the terminal.

    Raises
    ------
    TableError
        The table cannot be opened, its journal cannot be had, or the port is taken.
    """
    token = checked_token(host, tokens)
    desk = Desk(open_table(path, options, reading, picture=picture, pixels=pixels), options.n_jobs)
    try:
        with _listening(host, port) as listener:
            number = listener.getsockname()[1]
            stop = threading.Event()
            config = uvicorn.Config(
                make_app(desk, token, host, number, stop.set),
                ws="wsproto",
                ws_max_size=LARGEST_MESSAGE,
                log_level="error",
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=GRACE,
            )
            server = uvicorn.Server(config)
            threading.Thread(target=_stop_when, args=(stop, server), daemon=True).start()
            shown = f"[{host}]" if ":" in host else ("127.0.0.1" if host in ("0.0.0.0", "::") else host)
            address = f"http://{shown}:{number}/#token={token}"
            desk.start()
            say(f"{desk.table.path.name}: {desk.table.n_rows:,} rows, {desk.session.n_given:,} labels.")
            say(f"The page: {address}")
            if not is_loopback(host):
                say("Warning: other machines can reach this page, and what is sent to them is not encrypted.")
            say(f"Labels are saved in {desk.journal.path}. Ctrl-C stops.")
            sys.stdout.flush()
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            with suppress(KeyboardInterrupt):
                server.run(sockets=[listener])
    finally:
        desk.close(GRACE)
    say(f"Stopped. What was labelled here is in {desk.journal.path}; open the table again to go on.")


def _stop_when(stop: threading.Event, server: uvicorn.Server) -> None:
    stop.wait()
    server.should_exit = True


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(64)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{host}:{port} cannot be used: {reason}; give another.", parameter="port") from None
    return found
