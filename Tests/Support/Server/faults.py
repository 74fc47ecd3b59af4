"""The switches by which a test makes the server misbehave.

A fault is an object with a `kind`, what that kind needs, and a scope: `next` (so many requests; without it, all),
`skip` (so many pass before), `probability` with `seed` (a generator of its own, drawn once for each request in the
order of their arrival), `on` ("push" or "pull"; without it, what the kind is about), `containing` (an op_id or
entity_id; only pushes that bring it), and for those that concern single entries `entity`, `entity_id`, `op`, `op_id`
or `index`.
"""

import random

from engine import APPLIED

# The kind, and on which requests it acts: "push", "pull" or any of the two.
KINDS = {
    # The connection and the request as a whole.
    "drop_answer": None,       # handles the request (of a push the first `entries`; 0 loses it), then hangs up
    "cut_answer": None,        # sends `bytes` of the answer's body (half of it by default), then hangs up
    "delay": None,             # waits `ms`, or with `held` until a test releases it; `when`: before, after
    "refuse": None,            # `status`, `body`, `type`, `headers`, `retry_after_s` or `retry_at_s`, `commit`
    "duplicate": None,         # handles the request twice and gives the second answer
    # Single entries of a push.
    "outcome": "push",         # answers `outcome` (any word but "applied") with `reason`, without applying
    "missing": "push",         # applies, and leaves the answer out
    "correct": "push",         # writes `fields` over what the client sent, and answers with the row
    "no_version": "push",      # answers "applied" without a version
    "other_id": "push",        # gives an inserted row another id
    "late": "push",            # pulls see the row only after `pulls` of them, or when a test reveals it
    "same_stamp": "push",      # all writes in scope share one updated_at
    # Pulls.
    "empty_page": "pull",      # no rows but has_more; `mode`: moving, still, cyclic (`length`); `rows`: with rows
    "unknown_cursor": "pull",  # knows no cursor
}


class Fault:
    """One switch, with how often it still acts."""

    def __init__(self, number, wanted):
        if wanted.get("kind") not in KINDS:
            raise KeyError(f"there is no fault {wanted.get('kind')}")
        if wanted.get("outcome") == APPLIED:
            raise ValueError("a change that is not applied is not answered as applied")
        self.number = number
        self.wanted = wanted
        self.kind = wanted["kind"]
        self.on = wanted.get("on", KINDS[self.kind])
        self.left = wanted.get("next")
        self.skip = wanted.get("skip", 0)
        self.probability = wanted.get("probability")
        self.generator = random.Random(wanted.get("seed", 0))
        self.acted = 0
        self.shared_stamp = None

    def draws(self, direction, names):
        """Whether the fault acts on the request that has just arrived, which brings these op_ids and entity_ids."""
        if direction is None or self.on not in (None, direction) or self.left == 0:
            return False
        if "containing" in self.wanted and self.wanted["containing"] not in names:
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.probability is not None and self.generator.random() >= self.probability:
            return False
        if self.left is not None:
            self.left -= 1
        self.acted += 1
        return True

    def concerns(self, change, index):
        """Whether the fault is about this entry of a push."""
        if self.wanted.get("index", index) != index:
            return False
        names = ("entity", "entity_id", "op", "op_id")
        return all(self.wanted.get(name, getattr(change, name)) == getattr(change, name) for name in names)

    def described(self):
        return {**self.wanted, "id": self.number, "left": self.left, "acted": self.acted}


class Faults:
    """All switches that are on."""

    def __init__(self):
        self.all = []
        self.made = 0

    def add(self, wanted):
        self.made += 1
        self.all.append(Fault(self.made, wanted))
        return self.made

    def clear(self, number=None):
        self.all = [fault for fault in self.all if number is not None and fault.number != number]

    def draw(self, direction, names=()):
        """The faults that act on the request that has just arrived."""
        return Active([fault for fault in self.all if fault.draws(direction, names)])


class Active:
    """The faults that act on one request."""

    def __init__(self, faults):
        self.faults = faults

    def find(self, kind):
        """What was asked for by the first fault of a kind; None without one."""
        return next((fault.wanted for fault in self.faults if fault.kind == kind), None)

    def plan(self, change, index):
        """What these faults want of one entry of a push."""
        return Plan([fault for fault in self.faults if fault.concerns(change, index)])


class Plan(Active):
    """The faults that act on one entry."""

    def has(self, kind):
        return self.find(kind) is not None

    @property
    def outcome(self):
        return self.find("outcome")

    @property
    def correction(self):
        found = self.find("correct")
        return None if found is None else found["fields"]

    @property
    def hidden(self):
        found = self.find("late")
        return 0 if found is None else found.get("pulls", -1)

    def stamp(self, clock):
        """The time of a write; the same for all in the scope of `same_stamp`."""
        for fault in self.faults:
            if fault.kind == "same_stamp":
                if fault.shared_stamp is None:
                    fault.shared_stamp = clock.stamp()
                return fault.shared_stamp
        return clock.stamp()
