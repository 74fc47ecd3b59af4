"""A replica without a file: the lattice and the JSON form of deltas, written from their description alone.

Registers are held against each other by life, rank and timestamp; life 0 is the largest of all, and belongs to no
life. Of lives the larger count counts, then the smaller timestamp. What belongs to an earlier life than the last one
that a record was alive in is gone. A log keeps every entry.

What is stamped too far ahead of the clock waits in a second slot of its address: it hides nothing before its time.
"""

LIVES = 1 << 64


class Gap(Exception):
    """A delta presumes what this replica does not have."""


class OtherDataset(Exception):
    """A delta belongs to another data set."""


def number(value):
    """A number, or 16 hex digits where it is large."""
    return int(value, 16) if isinstance(value, str) else value


def shown(value):
    return value if value <= 1 << 53 else f"{value:016x}"


def precedence(stamp):
    """What decides between two registers: life, rank and timestamp; the timestamp's text sorts as the timestamp does."""
    if isinstance(stamp, str):
        return (1, 0, stamp)
    return (number(stamp["life"]), number(stamp["rank"]), stamp["stamp"])


def weight(decides):
    life, rank, stamp = decides
    return ((life - 1) % LIVES, rank, stamp)


def stamped(decides):
    life, rank, stamp = decides
    if (life, rank) == (1, 0):
        return stamp
    return {"life": shown(life), "rank": shown(rank), "stamp": stamp}


def covers(vector, stamp):
    time, replica = stamp.split("-")
    return time <= vector.get(replica, "")


class Replica:
    """The state: registers by record, address and slot, lives by record, log entries by key, and the vector."""

    MAX_DRIFT_MS = 300_000

    def __init__(self, dataset, now_ms=lambda: 1 << 48):
        self.dataset = dataset
        self.now_ms = now_ms
        self.vector = {}
        self.records = {}
        self.lives = {}
        self.log = {}

    def merge(self, delta):
        """Takes in a delta."""
        self.check(delta, self.vector)
        self.join_parts(delta)
        self.advance(delta["through"])

    def check(self, delta, known):
        """Refuses what cannot be merged soundly by who knows so much."""
        if self.dataset not in (None, delta["dataset"]) and delta["through"]:
            raise OtherDataset()
        if any(time > known.get(replica, "") for replica, time in delta["from"].items()):
            raise Gap()

    def advance(self, through):
        for replica, time in through.items():
            self.vector[replica] = max(time, self.vector.get(replica, ""))

    def join_parts(self, delta):
        """Takes in what a delta holds, without its knowledge."""
        if delta["through"]:
            self.dataset = delta["dataset"]
        for life in delta["lives"]:
            key = (life["entity"], life["id"])
            self.join_life(key, (number(life["count"]), life["stamp"]))
        for mutation in delta["mutations"]:
            key = (mutation["entity"], mutation["entity_id"])
            for field, value in mutation["payload"].items():
                self.join(key, (field, 0, ""), precedence(mutation["stamps"][field]), value)
            for element in mutation.get("elements", []):
                address = (element["field"], element["kind"], element["element"])
                self.join(key, address, precedence(element["stamp"]), element["value"])
        for entry in delta["log"]:
            known = self.log.get((entry["entity"], entry["id"]))
            if known is None or known["stamp"] < entry["stamp"]:
                self.log[(entry["entity"], entry["id"])] = entry
        for key, (count, _) in self.lives.items():
            self.drop_ended(key, count if count % 2 == 1 else count - 1)

    def join_life(self, key, life):
        known = self.lives.get(key)
        if known is None or life[0] > known[0] or life[0] == known[0] and life[1] < known[1]:
            self.lives[key] = life

    def join(self, key, address, decides, value):
        """Holds a register against the one in its slot; what is ahead of its time and not larger needs no slot."""
        slots = self.records.setdefault(key, {}).setdefault(address, {})
        slot = LATER if decides[0] != 0 and self.is_ahead(decides[2]) else NOW
        known = slots.get(slot)
        if known is None or weight(decides) > weight(known[0]):
            slots[slot] = (decides, value)
        elif decides == known[0] and value != known[1]:
            raise ValueError("one timestamp for two things")
        if NOW in slots and LATER in slots and weight(slots[NOW][0]) >= weight(slots[LATER][0]):
            del slots[LATER]

    def is_ahead(self, stamp):
        return int(stamp[:16], 16) > (self.now_ms() + self.MAX_DRIFT_MS) << 16 | 0xFFFF

    def drop_ended(self, key, latest):
        kept = {}
        for address, slots in self.records.get(key, {}).items():
            slots = {slot: one for slot, one in slots.items() if one[0][0] == 0 or one[0][0] >= latest}
            if slots:
                kept[address] = slots
        self.records[key] = kept

    def delta(self, since):
        """What `since` does not cover, each record's with its life."""
        return self.parts(since, lambda stamp, place: not covers(since, stamp))

    def page(self, since, after, limit_bytes):
        """What comes behind `since` and, within a timestamp, behind `after`, in the order of timestamps: so many bytes.

        The delta and where it ends: behind a timestamp, or within one behind a record or log entry; None for the last.
        """
        changes = [change for change in self.changes() if not covers(since, change[0])]
        if after is not None and "/" in after and changes and changes[0][0] == after.split("/", 1)[0]:
            # Should something come before the timestamp, the timestamp is told from its beginning.
            stamp, _, rest = after.partition("/")
            changes = [change for change in changes if change[0] != stamp or place_text(change[1]) > rest]
        taken, used = set(), 0
        for number, (stamp, place, size) in enumerate(changes):
            if taken and used + size > limit_bytes:
                last = changes[number - 1]
                end = last[0] if last[0] != stamp else f"{last[0]}/{place_text(last[1])}"
                return self.parts(since, lambda stamp, place: (stamp, place) in taken), end
            taken.add((stamp, place))
            used += size
        return self.parts(since, lambda stamp, place: (stamp, place) in taken), None

    def changes(self):
        """Each timestamp with each record or log entry that holds something of it, and about how many bytes that has."""
        sizes = {}
        for key, registers in self.records.items():
            for slots in registers.values():
                for decides, value in slots.values():
                    one = (decides[2], ("record", *key))
                    sizes[one] = sizes.get(one, 0) + 60 + len(repr(value))
        for key, (_, stamp) in self.lives.items():
            one = (stamp, ("record", *key))
            sizes[one] = sizes.get(one, 0) + 60
        for key, entry in self.log.items():
            sizes[(entry["stamp"], ("entry", *key))] = 60 + len(repr(entry["values"]))
        return sorted(((*one, size) for one, size in sizes.items()), key=lambda one: (one[0], place_text(one[1])))

    def parts(self, since, brings):
        """A delta of what was written at some timestamps of some records and log entries."""
        mutations, lives = [], []
        for key in sorted(self.records.keys() | self.lives.keys()):
            entity, name = key
            mutation = {"entity": entity, "entity_id": name, "payload": {}, "stamps": {}}
            elements = []
            for (field, kind, element), slots in self.records.get(key, {}).items():
                for slot in (NOW, LATER):
                    if slot not in slots or not brings(slots[slot][0][2], ("record", *key)):
                        continue
                    decides, value = slots[slot]
                    if kind == 0 and field not in mutation["payload"]:
                        mutation["payload"][field] = value
                        mutation["stamps"][field] = stamped(decides)
                    else:
                        elements.append({"field": field, "kind": kind, "element": element, "value": value,
                                         "stamp": stamped(decides)})
            if elements:
                mutation["elements"] = elements
            has_registers = bool(mutation["payload"]) or bool(elements)
            if has_registers:
                mutations.append(mutation)
            life = self.lives.get(key)
            if life is not None and (has_registers or brings(life[1], ("record", *key))):
                lives.append({"entity": entity, "id": name, "count": shown(life[0]), "stamp": life[1]})
        log = [entry for key, entry in self.log.items() if brings(entry["stamp"], ("entry", *key))]
        return {"dataset": self.dataset, "from": since, "through": dict(self.vector), "mutations": mutations,
                "lives": lives, "log": log}


NOW, LATER = "now", "later"


def place_text(place):
    """A record or log entry as text, in which they are in order; nobody else reads it."""
    return " ".join(place)


def cut(vector, stamp, is_whole):
    """What of a vector comes before a timestamp, or with the whole timestamp."""
    time, replica = stamp.split("-")
    before = f"{max(int(time, 16) - 1, 0):016x}"
    kept = {}
    for one, known in vector.items():
        bound = time if one < replica or is_whole and one == replica else before
        kept[one] = min(known, bound)
    return kept


def joined(left, right):
    """What either of two vectors covers."""
    return {one: max(left.get(one, ""), right.get(one, "")) for one in {**left, **right}}
