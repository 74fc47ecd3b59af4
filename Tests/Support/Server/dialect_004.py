"""Dialect 004 with plain fidelity: `POST /mutations` and `GET /sync`."""

import json
import uuid

from clock import MILLISECOND, shown
from cursors import START, Cursor
from engine import APPLIED, CONFLICT, Change, Verdict
from wire import Refusal, Response

SENTENCES = {
    "upgrade_required": "This server speaks another schema version.",
    "unknown_cursor": "This server does not know the cursor; start from nothing.",
}


class Dialect004:
    """Reads and writes the wire format of document 004, with the additions of 001 and 002."""

    def __init__(self, application):
        self.store = application.store
        self.settings = application.settings
        self.clock = application.clock
        self.engine = application.engine

    def direction(self, request):
        """Whether a request is a push or a pull; None when it is neither."""
        return {("POST", "/mutations"): "push", ("GET", "/sync"): "pull"}.get((request.method, request.path))

    def brought(self, request, name):
        """The op_ids, or another part, of the mutations that a push brings, as far as it can be read."""
        try:
            found = [entry[name] for entry in request.json()["mutations"]]
        except (Refusal, KeyError, TypeError):
            return []
        return [part for part in found if isinstance(part, str)]

    def handle(self, request, active):
        """The answer to a request; throws a `Refusal` in place of one."""
        direction = self.direction(request)
        if direction == "push":
            return self.push(request, active)
        if direction == "pull":
            return self.pull(request, active)
        known = request.path in ("/mutations", "/sync")
        raise Refusal(405 if known else 404, "method_not_allowed" if known else "not_found")

    def check_version(self, version):
        if isinstance(version, bool) or not isinstance(version, int):
            raise Refusal(400, "bad_request", message="schema_version has to be an integer")
        if not self.settings["min_schema_version"] <= version <= self.settings["schema_version"]:
            raise Refusal(
                426, "upgrade_required", message=SENTENCES["upgrade_required"],
                schema_version=self.settings["schema_version"],
                min_schema_version=self.settings["min_schema_version"])

    # Push.

    def push(self, request, active):
        envelope = request.json()
        if not isinstance(envelope, dict) or not isinstance(envelope.get("mutations"), list):
            raise Refusal(400, "bad_request", message="the body has to be an object with mutations")
        self.check_version(envelope.get("schema_version"))
        entries = envelope["mutations"]
        limit = self.settings["max_entries"]
        if len(entries) > limit:
            raise Refusal(413, "too_large", limit_entries=limit)
        for entry in entries:
            if not isinstance(entry, dict) or not is_uuid(entry.get("op_id")):
                raise Refusal(400, "bad_request", message="every mutation needs a UUID as op_id")
        header = request.headers.get("Idempotency-Key")
        if len(entries) == 1 and header not in (None, entries[0]["op_id"]):
            raise Refusal(400, "bad_request", message="Idempotency-Key is not the op_id of the mutation")

        dropped = active.find("drop_answer")
        if dropped is not None:
            entries = entries[:dropped.get("entries", len(entries))]
        results = []
        for index, entry in enumerate(entries):
            verdict, answer = self.entry(entry, index, active, request.writer)
            if answer is not None:
                results.append(answer)
        if self.settings["status_codes"] and len(entries) == 1 and results:
            return Response.json(verdict.status, results[0])
        return Response.json(200, {"results": results})

    def entry(self, entry, index, active, writer):
        """The verdict on one entry, and the answer to it; None where a fault leaves it out."""
        fault = malformation(entry)
        if fault is not None:
            verdict = Verdict("rejected", reason=fault, is_final=False)
            return verdict, self.answer(entry["op_id"], verdict)
        change = Change(
            entry["op_id"], entry["entity"], entry["entity_id"], entry["op"], entry["payload"],
            entry["base_version"], entry["created_at"], json.dumps(entry, sort_keys=True))
        plan = active.plan(change, index)
        verdict = self.engine.apply(change, plan, writer)
        if plan.has("missing"):
            return verdict, None
        return verdict, self.answer(change.op_id, verdict, without_version=plan.has("no_version"))

    def answer(self, op_id, verdict, without_version=False):
        """The answer to one entry."""
        answer = {"op_id": op_id, "outcome": verdict.outcome}
        if verdict.outcome == APPLIED and verdict.version is not None:
            if not without_version:
                answer["version"] = verdict.version
            answer["updated_at"] = shown(verdict.updated_at, self.settings["stamps"])
        if verdict.id is not None:
            answer["id"] = verdict.id
        if verdict.server is not None:
            answer["server"] = self.row(verdict.server)
        if verdict.outcome == CONFLICT:
            answer["server_version"] = verdict.server["version"]
        if verdict.reason is not None:
            answer["reason"] = verdict.reason
        return answer

    def row(self, row):
        """A row as a page or an answer holds it."""
        form = self.settings["stamps"]
        wire = {
            "entity": row["entity"], "id": row["id"], "version": row["version"],
            "updated_at": shown(row["updated_at"], form), "deleted_at": shown(row["deleted_at"], form),
            "fields": row["fields"],
        }
        if row["local_id"] is not None:
            wire["local_id"] = row["local_id"]
        return wire

    # Pull.

    def pull(self, request, active):
        self.check_version(integer(request.query.get("schema_version"), "schema_version"))
        limit = integer(request.query.get("limit", str(self.settings["max_page"])), "limit")
        if limit < 1:
            raise Refusal(400, "bad_request", message="limit has to be at least 1")
        limit = min(limit, self.settings["max_page"])
        epoch = self.store.meta("epoch", "1")
        since = self.cursor(request.query.get("since", ""), epoch, active)

        # A pull that begins starts a little before its cursor; one that goes on does so where it was.
        begin, high = since.position, since.position if since.high is None else since.high
        look_back = self.settings["look_back_ms"] * MILLISECOND
        if since.high is None and look_back > 0 and begin != START:
            begin = (max(0, begin[0] - look_back), "", "")
        empty = active.find("empty_page")
        writer = request.writer if self.settings["echo"] == "never" else None
        rows = [] if empty and not empty.get("rows") else self.store.page(begin, limit + 1, writer)
        has_more, rows = len(rows) > limit, rows[:limit]
        reached = rows[-1].position if rows else begin
        cursor = Cursor(reached, epoch, high=max(high, reached))
        if empty:
            has_more, cursor = True, self.stuck(since, begin, empty, epoch)
        elif not has_more:
            cursor = Cursor(max(high, reached), epoch)
        if not empty:
            self.store.pull_passed()
        return Response.json(200, {
            "changes": [self.row(row.plain()) for row in rows],
            "cursor": cursor.text(),
            "has_more": has_more,
            "server_time": shown(self.clock.now(), self.settings["stamps"]),
            "epoch": epoch,
        }, rows=len(rows))

    def cursor(self, text, epoch, active):
        """The position that a client asks from."""
        if text == "":
            return Cursor(START, epoch)
        cursor = Cursor.read(text)
        horizon = int(self.store.meta("horizon", 0))
        if cursor is None or active.find("unknown_cursor") is not None or cursor.position[0] < horizon:
            raise Refusal(410, "unknown_cursor", message=SENTENCES["unknown_cursor"], epoch=epoch)
        return cursor

    def stuck(self, since, begin, empty, epoch):
        """The cursor of a page that says there is more and brings nothing."""
        turn = {
            "moving": since.turn + 1,
            "still": 0,
            "cyclic": (since.turn + 1) % empty.get("length", 2),
        }[empty.get("mode", "moving")]
        return Cursor(begin, epoch, high=since.high or begin, turn=turn)


def malformation(entry):
    """What is wrong with an entry; None when it has the form that it should have."""
    for name in ("entity", "entity_id"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            return f"malformed: {name}"
    if entry.get("op") not in ("insert", "update", "delete"):
        return "malformed: op"
    if not isinstance(entry.get("payload"), dict):
        return "malformed: payload"
    for name in ("base_version", "created_at"):
        if isinstance(entry.get(name), bool) or not isinstance(entry.get(name), int):
            return f"malformed: {name}"
    if entry["base_version"] < 0:
        return "malformed: base_version"
    if "intent" in entry and not isinstance(entry["intent"], str):
        return "malformed: intent"
    return None


def is_uuid(value):
    try:
        return isinstance(value, str) and str(uuid.UUID(value)) == value.lower()
    except ValueError:
        return False


def integer(text, name):
    try:
        return int(text)
    except (TypeError, ValueError):
        raise Refusal(400, "bad_request", message=f"{name} has to be an integer") from None
