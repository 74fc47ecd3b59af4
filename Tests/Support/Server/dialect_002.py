"""Dialect 002: a change is posted under its key, and pulls begin behind a time and an id."""

import json

from clock import read, shown
from cursors import START
from singles import SingleDialect, check_version, flat
from wire import Refusal, Response

LAST = "\U0010ffff"
"""Behind every name of a collection: the id in a cursor stands for itself."""


class Dialect002(SingleDialect):
    """`POST /mutations/{key}` and `GET /sync?since={"at", "id"}`."""

    def is_push(self, request):
        return request.method == "POST" and request.path.startswith("/mutations/")

    def is_pull(self, request):
        return request.path == "/sync"

    def change(self, request):
        body = request.json()
        if request.path != f"/mutations/{body['id']}" or body["op"] not in ("upsert", "delete"):
            raise ValueError("key or operation")
        payload = dict(body["payload"])
        entity_id = payload.pop("id")
        op, base = self.current(body["entity"], entity_id, body["op"], payload)
        payload.pop("deletedAt", None)
        # How often it came before does not belong to what the key stands for.
        counted = {name: value for name, value in body.items() if name != "attempts"}
        return self.made(
            request, body["entity"], entity_id, op, payload, base, body["createdAt"], counted)

    def pull(self, request, active):
        check_version(self.settings, request.query.get("schema_version"))
        limit = min(int(request.query.get("limit", "500")), self.settings["max_page"])
        since = request.query.get("since", "")
        form = self.settings["stamps"]
        position = START
        if since:
            try:
                place = json.loads(since)
                position = (read(place["at"]), place["id"], LAST if place["id"] else "")
            except (ValueError, KeyError, TypeError, AttributeError):
                raise Refusal(410, "unknown_cursor") from None
            if active.find("unknown_cursor") is not None or position[0] < int(self.store.meta("horizon", 0)):
                raise Refusal(410, "unknown_cursor")
        writer = request.writer if self.settings["echo"] == "never" else None
        empty = active.find("empty_page")
        rows = [] if empty else self.store.page(position, limit + 1, writer)
        has_more, rows = len(rows) > limit or empty is not None, rows[:limit]
        if not empty:
            self.store.pull_passed()
        cursor = json.loads(since) if since else None
        if rows:
            cursor = {"at": shown(rows[-1].updated_at, form), "id": rows[-1].id}
        return Response.json(200, {
            "changes": [flat(row, form, entity=row.entity) for row in rows], "cursor": cursor,
            "hasMore": has_more,
        }, rows=len(rows))
