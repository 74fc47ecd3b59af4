"""The lattice by itself: what wins, what is gone, and what a replica lacks."""

import itertools
import unittest

import harness  # noqa: F401  (finds the modules)
from lattice import Gap, Replica

DATASET = "00000000-0000-0000-0000-000000000001"


def stamp(time, replica=1):
    return f"{time:016x}-{replica:016x}"


def delta(mutations=(), lives=(), log=(), since=None, through=None):
    return {"dataset": DATASET, "from": since or {}, "through": through or {}, "mutations": list(mutations),
            "lives": list(lives), "log": list(log)}


def write(value, at):
    return delta([{"entity": "a", "entity_id": "r", "payload": {"x": value}, "stamps": {"x": at}}])


def life(count, at):
    return delta(lives=[{"entity": "a", "id": "r", "count": count, "stamp": at}])


class LatticeTests(unittest.TestCase):
    def state(self, deltas):
        replica = Replica(DATASET)
        for one in deltas:
            replica.merge(one)
        return replica.delta({})

    def test_any_order_gives_one_state(self):
        deltas = [
            write(1, stamp(1)), write(2, stamp(2)), write(3, {"life": 3, "rank": 0, "stamp": stamp(1, 2)}),
            write(4, {"life": 1, "rank": 1, "stamp": stamp(1, 3)}), life(2, stamp(5)), life(2, stamp(4)),
            life(3, stamp(6)), write(5, {"life": 0, "rank": 0, "stamp": stamp(1, 4)}),
        ]
        states = [self.state(order) for order in itertools.permutations(deltas[:5])]
        self.assertTrue(all(state == states[0] for state in states))
        self.assertEqual(self.state(deltas), self.state(reversed(deltas)))

    def test_a_later_life_beats_a_later_time(self):
        state = self.state([write(1, stamp(9)), write(2, {"life": 3, "rank": 0, "stamp": stamp(1)})])
        self.assertEqual(state["mutations"][0]["payload"], {"x": 2})

    def test_of_one_deletion_the_earlier_counts(self):
        self.assertEqual(self.state([life(2, stamp(5)), life(2, stamp(4))])["lives"][0]["stamp"], stamp(4))

    def test_what_belongs_to_an_ended_life_is_gone(self):
        self.assertEqual(self.state([write(1, stamp(1)), life(3, stamp(2))])["mutations"], [])
        self.assertEqual(len(self.state([write(1, stamp(1)), life(2, stamp(2))])["mutations"]), 1)
        outlives = write(1, {"life": 0, "rank": 0, "stamp": stamp(1)})
        self.assertEqual(len(self.state([outlives, life(5, stamp(2))])["mutations"]), 1)

    def test_a_delta_presumes_what_it_says(self):
        replica = Replica(DATASET)
        with self.assertRaises(Gap):
            replica.merge(delta(since={"0000000000000001": "0000000000000001"}))

    def test_a_delta_holds_what_is_not_covered(self):
        replica = Replica(DATASET)
        replica.merge({**write(1, stamp(1)), "through": {f"{1:016x}": f"{1:016x}"}})
        self.assertEqual(replica.delta(replica.vector)["mutations"], [])
        self.assertEqual(len(replica.delta({})["mutations"]), 1)

    def test_one_timestamp_for_two_things_is_a_fault(self):
        with self.assertRaises(ValueError):
            self.state([write(1, stamp(1)), write(2, stamp(1))])
