"""HTTP/1.1: requests, answers, and the connection that carries them."""

from __future__ import annotations

from dataclasses import dataclass, field
import gzip
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import json
import math
import socket
import socketserver
import sys
import traceback
from urllib.parse import parse_qsl, urlsplit

GZIP_FROM = 200
"""Shorter bodies are sent as they are."""


class Refusal(Exception):
    """An answer in place of what was asked for: a status code and an object that names the error."""

    def __init__(self, status, error, headers=None, **details):
        super().__init__(error)
        self.response = Response.json(status, {"error": error, **details}, headers=headers)


@dataclass
class Request:
    method: str
    path: str
    query: dict
    headers: object
    body: bytes

    def json(self):
        """The body as JSON, which has to be strict: no repeated names, no NaN."""
        try:
            return json.loads(self.body.decode(), object_pairs_hook=unique, parse_constant=finite, parse_float=finite)
        except (ValueError, RecursionError) as error:
            raise Refusal(400, "bad_request", message=f"the body is no JSON: {error}") from None

    @property
    def writer(self):
        """Who asks: what the client says in X-Client, or else its token."""
        return self.headers.get("X-Client") or self.headers.get("Authorization")


def unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def finite(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number")
    return number


@dataclass
class Response:
    status: int
    body: bytes | None = None
    type: str = "application/json"
    headers: dict = field(default_factory=dict)
    rows: int = 0
    """How many rows the body holds, for counting."""
    cut: int | None = None
    """After how many bytes of the body the connection ends; -1 before the first byte of the answer."""

    @staticmethod
    def json(status, value, headers=None, rows=0):
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        return Response(status, body, headers=dict(headers or {}), rows=rows)


class Handler(BaseHTTPRequestHandler):
    """One connection, with as many requests as the client sends over it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # Headers and body leave in one piece.
    wbufsize = 1 << 16
    server_version = "TestServer"
    sys_version = ""

    def serve(self):
        body = self.read_body()
        if body is None:
            return
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        request = Request(self.command, parts.path, query, self.headers, body)
        try:
            response = self.server.application.answer(request)
        except Refusal as refusal:
            response = refusal.response
        except Exception as error:
            # The client learns that the server is at fault, and so does who reads standard error.
            traceback.print_exc()
            response = Response.json(500, {"error": "fault_of_the_server", "message": repr(error)})
        self.send(response)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def read_body(self):
        """The request's body, read to its end so that the next request on the connection is found."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return self.read_chunks()
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit():
            self.close_connection = True
            self.send(Response.json(400, {"error": "bad_request", "message": "Content-Length"}))
            return None
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            return None
        return body

    def read_chunks(self):
        chunks = []
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            chunks.append(self.rfile.read(size))
            if size > 0:
                self.rfile.readline()
                continue
            while self.rfile.readline() not in (b"\r\n", b"\n", b""):
                pass
            return b"".join(chunks)

    def send(self, response):
        """Sends an answer, or as much of it as a fault lets through."""
        if response.cut == -1:
            return self.hang_up()
        body = response.body or b""
        may_have_body = response.status >= 200 and response.status not in (204, 304)
        if response.cut is not None:
            body_sent = body[:response.cut]
        elif may_have_body and len(body) >= GZIP_FROM and accepts_gzip(self.headers):
            response.headers["Content-Encoding"] = "gzip"
            body = body_sent = gzip.compress(body, compresslevel=1, mtime=0)
        else:
            body_sent = body
        self.send_response(response.status)
        if response.body is not None and may_have_body:
            self.send_header("Content-Type", response.type)
            self.send_header("Vary", "Accept-Encoding")
        if may_have_body:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        for name, value in response.headers.items():
            self.send_header(name, value)
        try:
            self.end_headers()
            self.wfile.write(body_sent if may_have_body else b"")
            self.wfile.flush()
        except OSError:
            self.close_connection = True
        if response.cut is not None:
            self.hang_up()

    def handle_expect_100(self):
        """Says at once that the body may come."""
        goes_on = super().handle_expect_100()
        self.wfile.flush()
        return goes_on

    def date_time_string(self, timestamp=None):
        """The header Date, by the server's clock as the test has set it."""
        if timestamp is None:
            timestamp = self.server.application.clock.now() / 1_000_000
        return super().date_time_string(timestamp)

    def hang_up(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def log_message(self, *arguments):
        """Says nothing: standard output belongs to the port, standard error to faults of the server."""


def accepts_gzip(headers):
    """Whether Accept-Encoding names gzip, or everything, and does not take it back with q=0."""
    offered = {}
    for part in headers.get("Accept-Encoding", "").lower().split(","):
        name, _, quality = part.partition(";")
        offered[name.strip()] = quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return offered.get("gzip", offered.get("*", False))


class HTTPServer(ThreadingHTTPServer):
    """Listens on a free port of the loopback interface."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, application):
        super().__init__(("127.0.0.1", 0), Handler)
        self.application = application

    def server_bind(self):
        """Binds without asking for the machine's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, request, client_address):
        """A client that hangs up is no fault; all else is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
