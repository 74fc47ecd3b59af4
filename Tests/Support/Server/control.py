"""The test's own entrance: switches, the state, and edits in the name of another client."""

from clock import read, shown
from store import UNTIL_REVEALED, Row
from wire import Refusal, Response


class Control:
    """Answers requests below `/_control`; no fault and no count touches them."""

    def __init__(self, application):
        self.application = application

    def answer(self, request):
        route = (request.method, request.path)
        verbs = {("POST", "/_control"): self.switch, ("POST", "/_control/edit"): self.edit}
        try:
            if route in verbs:
                wanted = request.json()
                if not isinstance(wanted, dict):
                    raise TypeError("the body has to be an object")
                return Response.json(200, verbs[route](wanted))
            if route == ("GET", "/_control/state"):
                return Response.json(200, self.state(request.query))
        except (KeyError, TypeError, ValueError) as error:
            raise Refusal(400, "bad_control", message=f"{type(error).__name__}: {error}") from None
        raise Refusal(404, "not_found")

    def switch(self, wanted):
        """Does each of the things that the body names; says the numbers of the faults that it made."""
        application, store = self.application, self.application.store
        verbs = {
            "settings": self.set, "clear": self.clear, "faults": self.add, "clock": application.clock.change,
            "snapshot": store.snapshot, "rewind": self.rewind, "epoch": self.set_epoch,
            "horizon": self.set_horizon, "reveal": lambda _: store.reveal(),
            "await_held": application.await_held,
            "release": lambda _: application.release(),
        }
        answer = {}
        with application.lock:
            for name in wanted:
                if name not in verbs:
                    raise KeyError(f"there is no control {name}")
            for name, verb in verbs.items():
                if name in wanted:
                    made = verb(wanted[name])
                    if made is not None:
                        answer[name] = made
        return answer

    def set(self, values):
        for name, value in values.items():
            if name in ("dialect", "fidelity"):
                raise KeyError(f"{name} is chosen when the server starts")
            self.application.settings[name] = value

    def rewind(self, name):
        """Brings a copy back; a server that is a replica is then another incarnation of itself."""
        self.application.store.rewind(name)
        rewound = getattr(self.application.dialect, "rewound", None)
        if rewound is not None:
            rewound()

    def add(self, faults):
        return [self.application.faults.add(fault) for fault in faults]

    def clear(self, number):
        self.application.faults.clear(None if number is True else number)

    def set_epoch(self, epoch):
        self.application.store.set_meta("epoch", epoch)

    def set_horizon(self, horizon):
        """Cursors from before the horizon are known no longer; `now` is after every write so far."""
        clock = self.application.clock
        self.application.store.set_meta("horizon", clock.stamp() if horizon == "now" else read(horizon))

    def state(self, query):
        """Everything that a test may want to compare; `rows=false` leaves the rows out, `entity` picks some."""
        application, store = self.application, self.application.store
        with application.lock:
            form = application.settings["stamps"]
            rows = [] if query.get("rows") == "false" else store.rows(query.get("entity"))
            return {
                "rows": [
                    {"entity": row.entity, "id": row.id, "version": row.version, "fields": row.fields,
                     "updated_at": shown(row.updated_at, form), "deleted_at": shown(row.deleted_at, form),
                     "local_id": row.local_id, "hidden": row.hidden}
                    for row in rows
                ],
                "operations": store.tally(),
                "requests": application.requests,
                "pulls": application.pulls,
                "rows_sent": application.rows_sent,
                "held": len(application.held),
                "epoch": store.meta("epoch", "1"),
                "faults": [fault.described() for fault in application.faults.all],
            }

    def edit(self, wanted):
        """Writes, deletes and purges rows as another client of the server would; in one transaction."""
        store, clock = self.application.store, self.application.clock
        with self.application.lock, store.transaction():
            rows = [self.write(write) for write in wanted.get("writes", [])]
            rows += [self.delete(deletion) for deletion in wanted.get("deletes", [])]
            for purge in wanted.get("purges", []):
                store.purge(purge["entity"], purge["id"])
            load = wanted.get("load")
            if load is not None:
                self.load(load, clock.stamp())
        return {"rows": [{"entity": row.entity, "id": row.id, "version": row.version} for row in rows]}

    def write(self, wanted):
        """Changes the given fields of a row, or makes it; `replace` leaves no other fields."""
        row = self.row(wanted) or Row(wanted["entity"], wanted["id"], 0, 0, local_id=wanted.get("local_id"))
        keeps = row.deleted_at is None and not wanted.get("replace")
        row.fields = {**(row.fields if keeps else {}), **wanted.get("fields", {})}
        row.deleted_at = None
        return self.put(row, wanted)

    def delete(self, wanted):
        row = self.row(wanted) or Row(wanted["entity"], wanted["id"], 0, 0)
        self.put(row, wanted)
        row.deleted_at = row.updated_at
        self.application.store.put(row)
        return row

    def row(self, wanted):
        return self.application.store.row(wanted["entity"], wanted["id"])

    def put(self, row, wanted):
        stamp = wanted.get("updated_at")
        row.updated_at = self.application.clock.stamp() if stamp is None else read(stamp)
        row.version = wanted.get("version", row.version + 1)
        row.writer = wanted.get("writer")
        row.hidden = wanted.get("pulls", UNTIL_REVEALED) if wanted.get("late") else 0
        self.application.store.put(row)
        return row

    def load(self, wanted, stamp):
        """Makes `count` new rows of one collection that share one time."""
        prefix, fields = wanted.get("prefix", ""), wanted.get("fields", {})
        self.application.store.put(*(
            Row(wanted["entity"], f"{prefix}{number:08}", 1, stamp, fields={**fields, "number": number})
            for number in range(wanted["count"])
        ))
