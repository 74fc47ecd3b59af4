"""Dialect 003: batches of records of one table, answered record by record; tables are pulled one by one."""

import json
from urllib.parse import unquote

from clock import shown
from cursors import START, Cursor
from engine import APPLIED, CONFLICT, REJECTED, Change
from singles import SingleDialect, check_version, flat
from store import Row
from wire import Refusal, Response

OWN = ("localId", "serverId", "opId", "updatedAt", "deletedAt")


class Dialect003(SingleDialect):
    """`POST /{entity}/batch` and `GET /{entity}`."""

    def parts(self, request):
        return [unquote(part) for part in request.path.split("/")[1:]]

    def is_push(self, request):
        parts = self.parts(request)
        return request.method == "POST" and len(parts) == 2 and parts[1] == "batch"

    def is_pull(self, request):
        return len(self.parts(request)) == 1

    def brought(self, request, name):
        try:
            records = request.json()["records"]
            wanted = "opId" if name == "op_id" else "localId"
            return [record[wanted] for record in records if isinstance(record.get(wanted), str)]
        except (Refusal, KeyError, TypeError, AttributeError):
            return []

    def handle(self, request, active):
        direction = self.direction(request)
        if direction is None:
            raise Refusal(404, "not_found")
        if direction == "pull":
            check_version(self.settings, request.query.get("schema_version"))
            return self.pull(request, active)
        check_version(self.settings, request.headers.get("Schema-Version"))
        envelope = request.json()
        if not isinstance(envelope, dict) or not isinstance(envelope.get("records"), list):
            raise Refusal(400, "bad_request", message="the body has to be an object with records")
        records = envelope["records"]
        limit = self.settings["max_entries"]
        if len(records) > limit:
            raise Refusal(413, "too_large", limit_entries=limit)
        results = []
        for index, record in enumerate(records):
            try:
                change = self.record(self.parts(request)[0], record)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise Refusal(400, "bad_request", message=f"a record is malformed: {error}") from None
            plan = active.plan(change, index)
            verdict = self.engine.apply(change, plan, request.writer)
            answer = None if plan.has("missing") else self.result(record, change, verdict, plan)
            if answer is not None:
                results.append(answer)
        return Response.json(200, {"results": results})

    def record(self, entity, record):
        """One record of a batch as a change."""
        entity_id = record.get("serverId", record["localId"])
        wanted = "delete" if record.get("deletedAt") is not None else "upsert"
        op, base = self.current(entity, entity_id, wanted, record)
        payload = {name: value for name, value in record.items() if name not in OWN}
        return Change(
            record["opId"], entity, entity_id, op, payload, base, record["updatedAt"],
            json.dumps(record, sort_keys=True))

    def result(self, record, change, verdict, plan):
        """The answer to one record; None where nothing can be said yet."""
        answer = {"localId": record["localId"]}
        if "serverId" in record or verdict.id is not None:
            answer["serverId"] = record.get("serverId", verdict.id)
        if verdict.outcome == APPLIED:
            answer["status"] = "synced"
            if not plan.has("no_version"):
                answer["version"] = verdict.version
            answer["updatedAt"] = shown(verdict.updated_at, self.settings["stamps"])
        elif verdict.outcome == CONFLICT:
            answer["status"] = "conflict"
            answer["server"] = flat(Row(**verdict.server), self.settings["stamps"], "serverId")
        elif verdict.outcome == REJECTED:
            answer |= {"status": "failed", "error": verdict.reason or "rejected"}
        else:
            return None
        return answer

    def pull(self, request, active):
        entity = self.parts(request)[0]
        limit = min(int(request.query.get("limit", "500")), self.settings["max_page"])
        epoch = self.store.meta("epoch", "1")
        since = request.query.get("since", "")
        cursor = Cursor(START, epoch) if since == "" else Cursor.read(since)
        horizon = int(self.store.meta("horizon", 0))
        if cursor is None or active.find("unknown_cursor") is not None or since and cursor.position[0] < horizon:
            raise Refusal(
                410, "unknown_cursor", message="This server does not know the cursor; start from nothing.",
                epoch=epoch)
        writer = request.writer if self.settings["echo"] == "never" else None
        empty = active.find("empty_page")
        rows = [] if empty else self.store.page(cursor.position, limit + 1, writer, entity)
        has_more, rows = len(rows) > limit or empty is not None, rows[:limit]
        if not empty:
            self.store.pull_passed()
        position = rows[-1].position if rows else cursor.position
        turn = cursor.turn + 1 if empty and empty.get("mode", "moving") == "moving" else 0
        return Response.json(200, {
            "records": [flat(row, self.settings["stamps"], "serverId") for row in rows],
            "cursor": Cursor(position, epoch, turn=turn).text(), "hasMore": has_more,
        }, rows=len(rows))
