"""Dialect 000: accounts with nested trackers on a plain REST server, which gives all ids itself."""

from urllib.parse import unquote

from clock import MILLISECOND, read, shown
from engine import APPLIED
from singles import SingleDialect
from wire import Refusal, Response

DAY = 86_400_000_000
"""A day in microseconds."""


class Dialect000(SingleDialect):
    """`/accounts` and `/trackers`; a list of all accounts is the only pull."""

    def parts(self, request):
        return [unquote(part) for part in request.path.split("/")[1:]]

    def is_push(self, request):
        parts = self.parts(request)
        return parts[0] in ("accounts", "trackers") and len(parts) == (1 if request.method == "POST" else 2)

    def is_pull(self, request):
        return request.path == "/accounts"

    def change(self, request):
        parts, now = self.parts(request), self.clock.now()
        entity, key = parts[0], request.headers.get("Idempotency-Key")
        body = {} if request.method == "DELETE" else request.json()
        said = [request.method, request.path, body]
        if request.method != "POST":
            op = "delete" if request.method == "DELETE" else "update"
            row = self.store.row(entity, parts[1])
            return self.made(
                request, entity, parts[1], op, body, 0 if row is None else row.version, now // MILLISECOND, said)
        payload = {name: value for name, value in body.items() if name != "provider_slugs"}
        if entity == "accounts":
            payload = {"nickname": None, **payload, "createdAt": shown(now, "iso")}
        else:
            payload = {"cooldownDays": self.settings["cooldown_days"], "lastLimitHitAt": None, **payload}
        # Nobody says an id; the key is one that nobody else has.
        return self.made(request, entity, key, "insert", payload, 0, now // MILLISECOND, said)

    def handle(self, request, active):
        answer = super().handle(request, active)
        # What is gone is gone for ever: a resource is never made anew.
        if answer.status == 410:
            return Response.json(404, {"error": "not_found"})
        return answer

    def done(self, request, change, verdict, plan):
        if change.op == "delete":
            if change.entity == "accounts":
                self.delete_trackers(change.entity_id)
            return Response(204)
        name = verdict.id or change.entity_id
        row = self.store.row(change.entity, name)
        if change.entity == "trackers":
            answer = self.tracker(row)
        elif change.op == "insert":
            answer = self.account(row, self.make_trackers(request, change, row, plan))
        else:
            answer = self.account(row, self.trackers(row.id))
        return Response.json(201 if change.op == "insert" else 200, answer)

    def make_trackers(self, request, change, account, plan):
        """The trackers of a new account, one for each slug; the same ones when the key comes again."""
        rows = []
        for number, slug in enumerate(request.json().get("provider_slugs", [])):
            payload = {
                "accountId": account.id, "providerSlug": slug, "cooldownDays": self.settings["cooldown_days"],
                "lastLimitHitAt": None,
            }
            part = self.made(
                request, "trackers", f"{change.op_id}#{number}", "insert", payload, 0, change.created_at_ms, slug)
            part.op_id = f"{change.op_id}#{number}"
            verdict = self.engine.apply(part, plan, request.writer)
            if verdict.outcome == APPLIED:
                rows.append(self.store.row("trackers", verdict.id))
        return rows

    def delete_trackers(self, account):
        for row in self.trackers(account):
            row.version += 1
            row.updated_at = row.deleted_at = self.clock.stamp()
            self.store.put(row)

    def conflict(self, change, verdict):
        row = self.store.row(change.entity, change.entity_id)
        if row is None:
            return {"error": "conflict"}
        return self.tracker(row) if change.entity == "trackers" else self.account(row, self.trackers(row.id))

    # Entities.

    def trackers(self, account):
        rows = self.store.rows("trackers")
        return [row for row in rows if row.fields.get("accountId") == account and row.deleted_at is None]

    def account(self, row, trackers):
        nested = [{name: value for name, value in self.tracker(tracker).items() if name != "accountId"}
                  for tracker in trackers]
        return {"id": row.id, **row.fields, "updatedAt": shown(row.updated_at, "iso"), "trackers": nested}

    def tracker(self, row):
        """A tracker with what is derived from the time: nobody stores that."""
        fields, now = row.fields, self.clock.now()
        derived = {"restoreAt": None, "status": "ready", "remainingSeconds": 0, "progressPercentage": 0}
        hit = fields.get("lastLimitHitAt")
        if hit is not None:
            length = fields["cooldownDays"] * DAY
            restore = read(hit) + length
            remaining = max(0, (restore - now) // 1_000_000)
            if remaining > 0:
                progress = max(0, min(100, (now - read(hit)) * 100 // length))
                derived = {"status": "cooling", "remainingSeconds": remaining, "progressPercentage": progress}
            derived["restoreAt"] = shown(restore, "iso")
        return {"id": row.id, **fields, **derived}

    # Pull.

    def pull(self, request, active):
        rows = [row for row in self.store.rows("accounts") if row.deleted_at is None and row.hidden == 0]
        self.store.pull_passed()
        accounts = [self.account(row, self.trackers(row.id)) for row in rows]
        return Response.json(200, accounts, rows=len(rows))
