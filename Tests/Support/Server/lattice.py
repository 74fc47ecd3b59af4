"""A replica without a file: the lattice and the JSON form of deltas, written from their description alone.

Run as a program it reads one command for each line and answers each with one line:

    {"do": "reset", "dataset": id}    forgets everything
    {"do": "merge", "delta": delta}   takes in a delta; {"error": "gap"} where it presumes what is not here
    {"do": "delta", "since": vector}  says what a replica with this vector lacks

Registers are held against each other by life, rank and timestamp; life 0 is the largest of all, and belongs to no
life. Of lives the larger count counts, then the smaller timestamp. What belongs to an earlier life than the last one
that a record was alive in is gone. A log keeps every entry.
"""

import json
import sys

LIVES = 1 << 64


class Gap(Exception):
    """A delta presumes what this replica does not have."""


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
    """The state: registers by record and address, lives by record, log entries by key, and the vector."""

    def __init__(self, dataset):
        self.dataset = dataset
        self.vector = {}
        self.records = {}
        self.lives = {}
        self.log = {}

    def merge(self, delta):
        if delta["dataset"] != self.dataset:
            raise ValueError("another data set")
        if any(time > self.vector.get(replica, "") for replica, time in delta["from"].items()):
            raise Gap()
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
            self.log[(entry["entity"], entry["id"])] = entry
        for key, (count, _) in self.lives.items():
            self.drop_ended(key, count if count % 2 == 1 else count - 1)
        for replica, time in delta["through"].items():
            self.vector[replica] = max(time, self.vector.get(replica, ""))

    def join_life(self, key, life):
        known = self.lives.get(key)
        if known is None or life[0] > known[0] or life[0] == known[0] and life[1] < known[1]:
            self.lives[key] = life

    def join(self, key, address, decides, value):
        registers = self.records.setdefault(key, {})
        known = registers.get(address)
        if known is None or weight(decides) > weight(known[0]):
            registers[address] = (decides, value)
        elif decides == known[0] and value != known[1]:
            raise ValueError("one timestamp for two things")

    def drop_ended(self, key, latest):
        registers = self.records.get(key, {})
        self.records[key] = {
            address: register for address, register in registers.items()
            if register[0][0] == 0 or register[0][0] >= latest
        }

    def delta(self, since):
        """What `since` does not cover, each record's with its life."""
        mutations, lives = [], []
        for key in sorted(self.records.keys() | self.lives.keys()):
            entity, name = key
            mutation = {"entity": entity, "entity_id": name, "payload": {}, "stamps": {}}
            elements = []
            for (field, kind, element), (decides, value) in self.records.get(key, {}).items():
                if covers(since, decides[2]):
                    continue
                if kind == 0:
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
            if life is not None and (has_registers or not covers(since, life[1])):
                lives.append({"entity": entity, "id": name, "count": shown(life[0]), "stamp": life[1]})
        log = [entry for entry in self.log.values() if not covers(since, entry["stamp"])]
        return {"dataset": self.dataset, "from": since, "through": self.vector, "mutations": mutations,
                "lives": lives, "log": log}


def answer(replica, command):
    if command["do"] == "merge":
        try:
            replica.merge(command["delta"])
        except Gap:
            return {"error": "gap"}
        return {}
    return replica.delta(command["since"])


def main():
    replica = None
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "reset":
            replica, said = Replica(command["dataset"]), {}
        else:
            said = answer(replica, command)
        print(json.dumps(said, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
