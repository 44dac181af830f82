"""Who may speak to the server: the page that it has served, with the token that it was opened with.

Other pages in the same browser can send requests to 127.0.0.1, and with a name of their own that leads there (DNS
rebinding) even read the answers. So the names by which the server may be called are listed (Host), and so are the pages
that may call it (Origin); and nothing that holds data is given without the token, which other pages do not know.
"""

import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["HEADERS", "Guard", "allowed_hosts", "is_loopback"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Everything comes from the server itself; pictures of rows are blobs. No inline scripts, no eval, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
)
TOKEN = b"x-sskpca-token"


def is_loopback(host: str) -> bool:
    """Return whether an address is of this machine alone.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """List the names by which the server may be called.

    Examples
    --------
    >>> sorted(allowed_hosts("127.0.0.1", 8000))
    ['127.0.0.1:8000', '[::1]:8000', 'localhost:8000']
    """
    names = {"127.0.0.1", "localhost", "[::1]"}
    if not is_loopback(host):
        own = socket.gethostname()
        names |= {host, own, f"{own}.local", socket.getfqdn()}
    return frozenset(f"{name.lower()}:{port}" for name in names)


class Guard:
    """A layer around the application that refuses what does not come from its own page.

    Parameters
    ----------
    app : ASGI application
    hosts : frozenset of str
        With ports, in lower case.
    token : str
    largest : int
        Bytes of a request's body.
    any_address : bool
        Whether numbers are accepted for the host, too: of a server that is open to other machines, whose addresses
        are many. A name of somebody else is never accepted.
    """

    def __init__(self, app: Any, hosts: frozenset[str], token: str, largest: int, any_address: bool = False) -> None:
        self.app, self.hosts, self.token, self.largest = app, hosts, token, largest
        self.any_address = any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a sentence."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        refused = self._refused(scope, headers)
        if refused is None:
            if scope["type"] == "http":
                await self.app(scope, self._limited(receive), _with_headers(send))
            else:
                await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: answered with 403
        else:
            await _answer(_with_headers(send), *refused)

    def _refused(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not self._is_host(hosts[0]):
            return 421, "This server has another name; use the address that sskpca has printed."
        for name, value in headers:
            if name == b"origin" and not self._is_origin(value.decode("latin-1").lower()):
                return 403, "Another page may not use this server."
        if scope["type"] == "websocket" or not scope["path"].startswith("/api"):
            return None
        tokens = [value for name, value in headers if name == TOKEN]
        if len(tokens) != 1 or not secrets.compare_digest(tokens[0], self.token.encode()):
            return 401, "The token is missing or wrong; use the address that sskpca has printed."
        if scope["method"] == "POST":
            kinds = [value.split(b";")[0].strip().lower() for name, value in headers if name == b"content-type"]
            if kinds != [b"application/json"]:
                return 415, "Only JSON is accepted (content-type application/json)."
            lengths = [value for name, value in headers if name == b"content-length"]
            if any(not length.isdigit() or int(length) > self.largest for length in lengths):
                return 413, f"A request may have {self.largest:,} bytes."
        return None

    def _is_host(self, host: str) -> bool:
        if host in self.hosts:
            return True
        if not self.any_address:
            return False
        name, _, _ = host.rpartition(":")
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _is_origin(self, origin: str) -> bool:
        return origin.startswith("http://") and self._is_host(origin.removeprefix("http://"))

    def _limited(self, receive: Receive) -> Receive:
        """Cut off a body that is longer than it may be, whatever its header says."""
        left = self.largest

        async def limited() -> MutableMapping[str, Any]:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                return {"type": "http.disconnect"}
            return message

        return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in HEADERS}
            kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in own]
            message = {**message, "headers": [*kept, *HEADERS]}
        await send(message)

    return sending


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = b'{"error":"' + sentence.replace('"', "'").encode() + b'"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
