"""What the server's own tests share: a server inside of the test, spoken to over real connections."""

import http.client
import json
import os
import shutil
import sys
import tempfile
import threading
import unittest
from urllib.parse import urlencode
import uuid

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, FOLDER)

from application import Application  # noqa: E402
from wire import HTTPServer  # noqa: E402

NOON = 1_764_590_400_000
"""2025-12-01T12:00:00Z in milliseconds, the time of the tests that need one."""


class Answer:
    """One answer from the server."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.raw = response.read()

    @property
    def json(self):
        return json.loads(self.raw)


class Client:
    """Speaks to a server over one connection, anew after the server has hung up."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def request(self, method, path, body=None, headers=None):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        try:
            self.connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
            return Answer(self.connection.getresponse())
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise

    def push(self, *entries, headers=None, version=1):
        return self.request("POST", "/mutations", {"schema_version": version, "mutations": entries}, headers)

    def results(self, *entries, **options):
        return self.push(*entries, **options).json["results"]

    def result(self, entry, **options):
        return self.results(entry, **options)[0]

    def sync(self, since="", limit=500, version=1, headers=None):
        query = urlencode({"since": since, "limit": limit, "schema_version": version})
        return self.request("GET", f"/sync?{query}", headers=headers)

    def pull(self, since="", limit=500, pages=100):
        """All rows behind a cursor, and the cursor behind them."""
        rows = []
        for _ in range(pages):
            page = self.sync(since, limit).json
            rows += page["changes"]
            since = page["cursor"]
            if not page["has_more"]:
                return rows, since
        raise AssertionError("the pull has no end")

    def control(self, **wanted):
        return self.succeed("POST", "/_control", wanted)

    def fault(self, kind, **wanted):
        return self.control(faults=[{"kind": kind, **wanted}])["faults"][0]

    def edit(self, **wanted):
        return self.succeed("POST", "/_control/edit", wanted)

    def write(self, name, entity="task", **fields):
        return self.edit(writes=[{"entity": entity, "id": name, "fields": fields}])

    def state(self, query=""):
        return self.succeed("GET", f"/_control/state{query}")

    def rows(self):
        return {row["id"]: row for row in self.state()["rows"]}

    def succeed(self, method, path, body=None):
        answer = self.request(method, path, body)
        if answer.status != 200:
            raise AssertionError(f"{answer.status} {answer.raw!r}")
        return answer.json


def entry(op, entity_id, base_version=0, payload=None, entity="task", **more):
    """A mutation under a new key."""
    return {
        "op_id": str(uuid.uuid4()), "entity": entity, "entity_id": entity_id, "op": op,
        "payload": payload or {}, "base_version": base_version, "created_at": NOON, **more,
    }


def insert(entity_id, base_version=0, more=None, **fields):
    return entry("insert", entity_id, base_version, fields, **(more or {}))


def update(entity_id, base_version, more=None, **fields):
    return entry("update", entity_id, base_version, fields, **(more or {}))


def delete(entity_id, base_version):
    return entry("delete", entity_id, base_version)


class ServerTestCase(unittest.TestCase):
    """A test with a server of its own, and two clients of it."""

    dialect = "004"

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.application = Application(os.path.join(self.folder, "server.db"), self.dialect)
        self.http = HTTPServer(self.application)
        thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self.client = Client(self.http.server_address[1])
        self.other = Client(self.http.server_address[1])
        self.addCleanup(self.stop, thread)

    def stop(self, thread):
        self.client.connection.close()
        self.other.connection.close()
        self.http.shutdown()
        thread.join()
        self.http.server_close()
        self.application.store.connection.close()

    def in_background(self, body):
        """Runs `body` on a thread; the function that is returned waits and gives its result."""
        found = []
        thread = threading.Thread(target=lambda: found.append(body()))
        thread.start()

        def result():
            thread.join(60)
            return found[0]
        return result
