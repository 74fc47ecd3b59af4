"""What happens to a request between the connection and the dialect: counting, faults, token, size."""

from email.utils import formatdate
import json
import threading
import time

from clock import Clock
from control import Control
from dialects import dialect
from engine import Engine
from faults import Faults
from settings import Settings
from store import Store
from wire import Refusal, Response

FOREIGN = b"<!DOCTYPE html><html><title>Welcome</title><body>Please sign in to the hotel's network.</body></html>"


class Application:
    """The server without its connections."""

    def __init__(self, path, dialect_name="004", fidelity="plain"):
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.store = Store(path)
        self.settings = Settings(self.store)
        self.settings["dialect"] = dialect_name
        self.settings["fidelity"] = fidelity
        if dialect_name == "000":
            self.settings["ids"] = "numbers"
        self.clock = Clock(self.settings, self.store)
        self.engine = Engine(self.store, self.settings, self.clock)
        self.faults = Faults()
        self.dialect = dialect(self)
        self.control = Control(self)
        self.held = set()
        self.requests = {}
        self.pulls = []
        """The query of every pull, in the order in which they came."""
        self.rows_sent = 0

    def answer(self, request):
        """The answer to a request; with what faults make of it."""
        if request.path.startswith("/_control"):
            return self.control.answer(request)
        with self.lock:
            name = f"{request.method} {request.path}"
            self.requests[name] = self.requests.get(name, 0) + 1
            direction = self.dialect.direction(request)
            if direction == "pull":
                self.pulls.append(request.query)
            keys = self.dialect.brought(request, "op_id") if direction == "push" else []
            names = keys + self.dialect.brought(request, "entity_id") if keys else []
            active = self.faults.draw(direction, names)
            self.receive(keys)
        self.wait(active.find("delay"), "before")
        refusal = active.find("refuse")
        if refusal is None or refusal.get("commit"):
            response = self.handle(request, active)
            if active.find("duplicate") is not None:
                self.receive(keys)
                response = self.handle(request, active)
        if refusal is not None:
            response = refused(refusal, self.clock.now() // 1_000_000)
        self.wait(active.find("delay"), "after")
        if active.find("drop_answer") is not None:
            response.cut = -1
        cut = active.find("cut_answer")
        if cut is not None:
            response.cut = cut.get("bytes", len(response.body or b"") // 2)
        with self.lock:
            self.rows_sent += response.rows
        return response

    def receive(self, keys):
        """Counts the op_ids that a push brought."""
        with self.lock, self.store.transaction():
            for key in keys:
                self.store.count(key, received=1)

    def handle(self, request, active):
        """The dialect's answer, in one transaction; a refusal leaves nothing behind."""
        try:
            token = self.settings["token"]
            if token is not None and request.headers.get("Authorization") != f"Bearer {token}":
                raise Refusal(401, "unauthorized", headers={"WWW-Authenticate": "Bearer"})
            if len(request.body) > self.settings["max_bytes"]:
                raise Refusal(413, "too_large", limit_bytes=self.settings["max_bytes"])
            with self.lock, self.store.transaction():
                return self.dialect.handle(request, active)
        except Refusal as refusal:
            return refusal.response

    def wait(self, delay, when):
        """Holds a request back; without the lock, so that others pass."""
        if delay is None or delay.get("when", "before") != when:
            return
        if not delay.get("held"):
            time.sleep(delay["ms"] / 1000)
            return
        with self.changed:
            request = object()
            self.held.add(request)
            self.changed.notify_all()
            while request in self.held:
                self.changed.wait()

    def release(self):
        """Lets all requests go that are held, and none that come later."""
        with self.changed:
            self.held.clear()
            self.changed.notify_all()

    def await_held(self, count):
        """Returns when so many requests are held; at most a minute later in any case."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.held) >= count, timeout=60)


def refused(wanted, now_s):
    """The answer that a `refuse` asks for."""
    body, kind = wanted.get("body", {"error": "refused"}), "application/json"
    if body == "foreign":
        body, kind = FOREIGN, "text/html; charset=utf-8"
    elif body == "none":
        body = None
    elif isinstance(body, str):
        body, kind = body.encode(), "text/plain; charset=utf-8"
    else:
        body = json.dumps(body).encode()
    headers = dict(wanted.get("headers", {}))
    if "retry_after_s" in wanted:
        headers["Retry-After"] = str(wanted["retry_after_s"])
    if "retry_at_s" in wanted:
        headers["Retry-After"] = formatdate(now_s + wanted["retry_at_s"], usegmt=True)
    return Response(wanted["status"], body, wanted.get("type", kind), headers)
