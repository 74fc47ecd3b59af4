"""Full fidelity: a server that is one more replica, and takes and gives whole deltas page by page.

    POST /mutations  a page of what the server lacks: {"schema_version", "format", "replica", "incarnation", "dataset",
                     "from", "after", "through", "cursor", "mutations", "lives", "log"}; `cursor` says where it ends,
                     null where it is the last. The answer says where pages go on: {"vector", "cursor", "merged"}; 409
                     with the same where the page does not go on from there.
    POST /sync       {"schema_version", "format", "replica", "dataset", "from", "after", "limit_bytes"} asks for a page:
                     the same members as above, with `changes` in place of `mutations`.

Pages are kept until the last one has come, by sender, and merged with it.
"""

import json
import secrets

from dialect_004 import Dialect004
from lattice import Gap, OtherDataset, Replica, covers, cut, joined
from wire import Refusal, Response

FORMAT = 1


class Full004:
    """The server's replica, and what it keeps of pages that are on their way."""

    def __init__(self, application):
        self.store = application.store
        self.settings = application.settings
        self.clock = application.clock
        self.plain = Dialect004(application)
        self.load()

    def direction(self, request):
        return {("POST", "/mutations"): "push", ("POST", "/sync"): "pull"}.get((request.method, request.path))

    def brought(self, request, name):
        """No change has a key of its own here."""
        return []

    def handle(self, request, active):
        direction = self.direction(request)
        if direction is None:
            known = request.path in ("/mutations", "/sync")
            raise Refusal(405 if known else 404, "method_not_allowed" if known else "not_found")
        message = request.json()
        if not isinstance(message, dict):
            raise Refusal(400, "bad_request", message="the body has to be an object")
        self.plain.check_version(message.get("schema_version"))
        if message.get("format") != FORMAT:
            raise Refusal(426, "upgrade_required", format=FORMAT)
        try:
            return self.push(message) if direction == "push" else self.pull(message)
        except OtherDataset:
            raise Refusal(409, "other_dataset", dataset=self.replica.dataset) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # What was taken in of it is forgotten.
            self.load()
            raise Refusal(400, "bad_request", message=repr(error)) from None

    # Pages that come.

    def push(self, page):
        sender, stage = page["replica"], self.stages.get(page["replica"])
        if stage is not None and (stage["incarnation"] != page["incarnation"] or any(
                time > page["through"].get(one, "") for one, time in stage["through"].items())):
            # A sender that was set back does not go on where it was.
            stage = None
        if page["after"] is None and is_covered(page["from"], self.replica.vector):
            stage = None
        reached = joined(self.replica.vector, stage["vector"] if stage else {})
        self.stages.pop(sender, None)
        if stage is not None:
            self.stages[sender] = stage
        self.replica.check({**page, "from": {}}, reached)
        if page["after"] != (stage["cursor"] if stage else None) or not is_covered(page["from"], reached):
            return Response.json(409, {"error": "gap", **self.place(sender)})
        # What cannot be taken in is no page, also where it is only kept for now.
        Replica(None).join_parts(page)
        pages = (stage["pages"] if stage else []) + [page]
        if page["cursor"] is None:
            for one in pages:
                self.replica.join_parts(one)
            self.replica.advance(page["through"])
            self.stages.pop(sender, None)
        else:
            stamp, _, rest = page["cursor"].partition("/")
            end = cut(page["through"], stamp, is_whole=not rest)
            self.stages[sender] = {
                "incarnation": page["incarnation"], "through": page["through"], "pages": pages,
                "vector": joined(reached, end), "cursor": page["cursor"] if rest else None}
        self.keep()
        return Response.json(200, {"merged": page["cursor"] is None, **self.place(sender)})

    def place(self, sender):
        """Where the pages of a sender go on."""
        stage = self.stages.get(sender)
        if stage is None:
            return {"vector": self.replica.vector, "cursor": None}
        return {"vector": joined(self.replica.vector, stage["vector"]), "cursor": stage["cursor"]}

    # Pages that go.

    def pull(self, question):
        if self.replica.dataset not in (None, question["dataset"]):
            raise OtherDataset()
        limit = min(question["limit_bytes"], self.settings["max_bytes"])
        page, end = self.replica.page(question["from"], question["after"], limit)
        changes = page.pop("mutations")
        answer = {
            "format": FORMAT, "replica": self.name, "incarnation": self.incarnation, "after": question["after"],
            "cursor": end, "changes": changes, **page, "dataset": self.replica.dataset or question["dataset"]}
        return Response.json(200, answer, rows=len(changes))

    # The storage.

    def keep(self):
        replica = self.replica
        self.store.set_meta("full", json.dumps({
            "name": self.name, "incarnation": self.incarnation, "dataset": replica.dataset, "stages": self.stages,
            "state": replica.delta({})}))

    def rewound(self):
        """Goes on from an earlier state, which nobody may take for the one before."""
        self.load()
        self.incarnation = secrets.token_hex(8)
        self.keep()

    def load(self):
        """Reads what was kept; a server that starts with nothing is another one than before."""
        kept = json.loads(self.store.meta("full", "{}"))
        self.name = kept.get("name", secrets.token_hex(8))
        self.incarnation = kept.get("incarnation", secrets.token_hex(8))
        self.stages = kept.get("stages", {})
        self.replica = Replica(kept.get("dataset"), now_ms=lambda: self.clock.now() // 1_000_000)
        if "state" in kept:
            self.replica.join_parts(kept["state"])
            self.replica.advance(kept["state"]["through"])


def is_covered(vector, by):
    return all(time <= by.get(one, "") for one, time in vector.items())
