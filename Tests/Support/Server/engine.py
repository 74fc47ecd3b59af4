"""What one change does to the rows: the rules of documents 001 to 004 that no wire format changes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
import json

from clock import MILLISECOND
from store import Row

APPLIED, CONFLICT, REJECTED, RETRY_LATER = "applied", "conflict", "rejected", "retry_later"

STATUS = {APPLIED: 200, CONFLICT: 409, REJECTED: 422, RETRY_LATER: 503}


@dataclass
class Change:
    """One entry of a client's outbox, whatever names its dialect gives the parts."""

    op_id: str
    entity: str
    entity_id: str
    op: str
    payload: dict
    base_version: int
    created_at_ms: int
    body: str
    """The entry in one canonical text, by which a key that comes again is compared."""


@dataclass
class Verdict:
    """What became of a change."""

    outcome: str
    version: int | None = None
    updated_at: int | None = None
    id: str | None = None
    """The id that the server gave, where it is another than the client's."""
    server: dict | None = None
    """The server's row, as `Row.plain` gives it."""
    reason: str | None = None
    status: int = 0
    """The status code that stands for this verdict where a request holds one change."""
    is_final: bool = True
    """Whether the same key gets the same verdict for ever."""

    def __post_init__(self):
        self.status = self.status or STATUS.get(self.outcome, 200)


class Engine:
    """Applies changes, each key once."""

    def __init__(self, store, settings, clock):
        self.store = store
        self.settings = settings
        self.clock = clock

    def apply(self, change, plan, writer):
        """The verdict on a change: the one that its key already has, or a new one.

        `plan` (see faults.py) holds what the faults of this request want of this change.
        """
        if plan.outcome and plan.outcome["outcome"] not in (CONFLICT, REJECTED):
            return Verdict(plan.outcome["outcome"], reason=plan.outcome.get("reason", "busy"), is_final=False)
        known = self.store.answer(change.op_id)
        if known is not None:
            body, verdict = known
            if body != change.body:
                return Verdict(REJECTED, reason="op_id_reused", is_final=False)
            return Verdict(**json.loads(verdict))
        verdict = self.judge(change, plan, writer)
        if verdict.is_final:
            self.store.remember(change.op_id, change.body, json.dumps(asdict(verdict)))
        if verdict.outcome == APPLIED:
            self.store.count(change.op_id, applied=1)
        return verdict

    def judge(self, change, plan, writer):
        row = self.store.row(change.entity, change.entity_id)
        if plan.outcome:
            return self.forced(change, plan.outcome, row)
        ahead = self.settings["max_future_ms"]
        if ahead is not None and change.created_at_ms > self.clock.now() // MILLISECOND + ahead:
            return Verdict(REJECTED, reason="client_time_in_future")
        if change.entity in self.settings["logs"]:
            return self.append(change, plan, writer, row)
        return {"insert": self.insert, "update": self.update, "delete": self.delete}[change.op](
            change, plan, writer, row)

    def forced(self, change, wanted, row):
        """A verdict that a fault asks for; the change is not applied."""
        server = None
        if wanted["outcome"] == CONFLICT:
            server = (row or Row(change.entity, change.entity_id, 0, 0)).plain()
        return Verdict(
            wanted["outcome"], server=server, reason=wanted.get("reason"), status=wanted.get("status", 0))

    def append(self, change, plan, writer, row):
        """An entry of a log: both sides keep everything, nothing is ever changed."""
        if change.op != "insert":
            return Verdict(REJECTED, reason="log_is_append_only")
        if row is None:
            return self.insert(change, plan, writer, row)
        if row.fields != change.payload:
            return Verdict(REJECTED, reason="log_is_append_only")
        return Verdict(APPLIED, row.version, row.updated_at)

    def insert(self, change, plan, writer, row):
        if row is not None and row.version != change.base_version:
            return Verdict(CONFLICT, server=row.plain())
        if row is not None and row.deleted_at is None:
            return self.write(row, {**row.fields, **change.payload}, plan, writer)
        if row is not None:
            return self.write(row, change.payload, plan, writer)
        name, local = change.entity_id, None
        if plan.has("other_id") or self.settings["ids"] != "client":
            number = max(int(self.store.meta("last_id", 0)), self.store.highest_number()) + 1
            self.store.set_meta("last_id", number)
            name, local = f"srv-{number}", change.entity_id
            if self.settings["ids"] == "numbers":
                name = str(number)
        verdict = self.write(Row(change.entity, name, 0, 0, local_id=local), change.payload, plan, writer)
        verdict.id = name if local else None
        return verdict

    def update(self, change, plan, writer, row):
        if row is None:
            return Verdict(REJECTED, reason="not_found", status=404)
        if row.deleted_at is not None:
            return Verdict(CONFLICT, server=row.plain(), status=410)
        if row.version != change.base_version:
            return Verdict(CONFLICT, server=row.plain())
        return self.write(row, {**row.fields, **change.payload}, plan, writer)

    def delete(self, change, plan, writer, row):
        if row is None:
            return Verdict(APPLIED, change.base_version, self.clock.stamp(), status=404)
        if row.deleted_at is not None:
            return Verdict(APPLIED, row.version, row.updated_at, status=410)
        if row.version != change.base_version:
            return Verdict(CONFLICT, server=row.plain())
        return self.write(row, row.fields, plan, writer, is_deletion=True)

    def write(self, row, fields, plan, writer, is_deletion=False):
        """Gives a row its next version."""
        correction = None if is_deletion else plan.correction
        row.fields = {**fields, **(correction or {})}
        row.version += 1
        row.updated_at = plan.stamp(self.clock)
        row.deleted_at = row.updated_at if is_deletion else None
        row.writer = writer
        row.hidden = plan.hidden
        self.store.put(row)
        return Verdict(APPLIED, row.version, row.updated_at, server=row.plain() if correction else None)
