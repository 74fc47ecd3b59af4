"""What the dialects share that answer each change with a status of its own: documents 000, 001 and 002."""

import json

from clock import shown
from engine import APPLIED, CONFLICT, REJECTED, Change
from wire import Refusal, Response


class SingleDialect:
    """Reads one change for each request; a dialect says how that is written."""

    def __init__(self, application):
        self.store = application.store
        self.settings = application.settings
        self.clock = application.clock
        self.engine = application.engine

    def direction(self, request):
        """Whether a request is a push or a pull; None when it is neither."""
        if request.method == "GET":
            return "pull" if self.is_pull(request) else None
        return "push" if self.is_push(request) else None

    def brought(self, request, name):
        """The op_id, or the entity_id, of the change that a push brings, as far as it can be read."""
        if name == "op_id":
            key = request.headers.get("Idempotency-Key")
            return [key] if key else []
        try:
            return [self.change(request).entity_id]
        except (Refusal, KeyError, TypeError, ValueError):
            return []

    def handle(self, request, active):
        """The answer to a request; throws a `Refusal` in place of one."""
        direction = self.direction(request)
        if direction is None:
            raise Refusal(404, "not_found")
        check_version(self.settings, request.headers.get("Schema-Version"))
        if direction == "pull":
            return self.pull(request, active)
        if not request.headers.get("Idempotency-Key"):
            raise Refusal(400, "bad_request", message="a change needs an Idempotency-Key")
        try:
            change = self.change(request)
        except (KeyError, TypeError, ValueError) as error:
            raise Refusal(400, "bad_request", message=f"the change is malformed: {error}") from None
        plan = active.plan(change, 0)
        return self.said(request, change, self.engine.apply(change, plan, request.writer), plan)

    def said(self, request, change, verdict, plan):
        """The status of a verdict, and what stands with it."""
        if verdict.status == 404:
            return Response.json(404, {"error": "not_found"})
        if verdict.status == 410:
            return Response.json(410, {"error": "gone"})
        if verdict.outcome == APPLIED:
            return self.done(request, change, verdict, plan)
        if verdict.outcome == CONFLICT:
            return Response.json(verdict.status, self.conflict(change, verdict))
        if verdict.outcome == REJECTED:
            return Response.json(verdict.status, {"reason": verdict.reason or "rejected"})
        return Response.json(503, {"error": verdict.reason or "busy"})

    def done(self, request, change, verdict, plan):
        """Version, time, and the id where the server gave one."""
        answer = {}
        if not plan.has("no_version"):
            answer["version"] = verdict.version
        answer["updatedAt"] = shown(verdict.updated_at, self.settings["stamps"])
        if verdict.id is not None:
            answer["id"] = verdict.id
        return Response.json(200, answer)

    def conflict(self, change, verdict):
        return {"error": "conflict"}

    def made(self, request, entity, entity_id, op, payload, base, created_at_ms, body):
        """A change under the key of the request."""
        key = request.headers.get("Idempotency-Key")
        return Change(key, entity, entity_id, op, payload, base, created_at_ms, json.dumps(body, sort_keys=True))

    def current(self, entity, entity_id, op, payload):
        """What an upsert is, and on which version: the dialect knows none, so it is the server's own."""
        row = self.store.row(entity, entity_id)
        base = 0 if row is None else row.version
        if op == "delete" or row is not None and row.deleted_at is None:
            return ("delete" if op == "delete" else "update"), base
        restores = "deletedAt" in payload and payload["deletedAt"] is None
        return ("insert" if row is None or restores else "update"), base


def check_version(settings, version):
    """Refuses schema versions that are not served; a request that names none is served."""
    if version is None:
        return
    try:
        number = int(version)
    except ValueError:
        raise Refusal(400, "bad_request", message="the schema version has to be an integer") from None
    if not settings["min_schema_version"] <= number <= settings["schema_version"]:
        raise Refusal(
            426, "upgrade_required", message="This server speaks another schema version.",
            schema_version=settings["schema_version"], min_schema_version=settings["min_schema_version"])


def flat(row, form, name="id", **more):
    """A row with its fields at the top level."""
    wire = {**more, name: row.id, "version": row.version, "updatedAt": shown(row.updated_at, form),
            "deletedAt": shown(row.deleted_at, form)}
    if row.local_id is not None:
        wire["localId"] = row.local_id
    return {**wire, **row.fields}
