"""Full fidelity: pages that come are kept until the last, pages that go have an end, and a server may be set back."""

import unittest

import harness  # noqa: F401  (finds the modules)
from application import Application
from lattice import cut
from wire import Request

DATASET = "00000000-0000-0000-0000-000000000001"
ONE = f"{1:016x}"


def stamp(time, replica=1):
    return f"{time:016x}-{replica:016x}"


def mutation(name, at, value=1):
    return {"entity": "a", "entity_id": name, "payload": {"x": value}, "stamps": {"x": at}}


class FullTests(unittest.TestCase):
    def setUp(self):
        self.application = Application(":memory:", "004", "full")

    def ask(self, path, **body):
        import json
        envelope = {"schema_version": 1, "format": 1, "replica": ONE, "dataset": DATASET, **body}
        request = Request("POST", path, {}, {}, json.dumps(envelope).encode())
        response = self.application.answer(request)
        return response.status, json.loads(response.body)

    def push(self, *mutations, since=None, through=3, after=None, cursor=None, incarnation="i"):
        return self.ask(
            "/mutations", incarnation=incarnation, **{"from": since or {}}, through={ONE: f"{through:016x}"},
            mutations=list(mutations), lives=[], log=[], after=after, cursor=cursor)

    def pull(self, since=None, after=None, limit=1 << 20):
        return self.ask("/sync", **{"from": since or {}}, after=after, limit_bytes=limit)[1]

    def test_nothing_shows_before_the_last_page(self):
        status, said = self.push(mutation("r", stamp(1)), cursor=stamp(1))
        self.assertEqual((status, said), (200, {"merged": False, "vector": {ONE: f"{1:016x}"}, "cursor": None}))
        self.assertEqual(self.pull()["changes"], [])
        status, said = self.push(mutation("s", stamp(2)), since={ONE: f"{1:016x}"})
        self.assertEqual((status, said), (200, {"merged": True, "vector": {ONE: f"{3:016x}"}, "cursor": None}))
        self.assertEqual(len(self.pull()["changes"]), 2)

    def test_another_incarnation_does_not_go_on(self):
        self.push(mutation("r", stamp(1)), cursor=stamp(1))
        status, said = self.push(mutation("s", stamp(2)), since={ONE: f"{1:016x}"}, incarnation="j")
        self.assertEqual((status, said["vector"]), (409, {}))

    def test_a_sender_that_covers_less_does_not_go_on(self):
        self.push(mutation("r", stamp(1)), cursor=stamp(1))
        status, said = self.push(mutation("s", stamp(2)), since={ONE: f"{1:016x}"}, through=2)
        self.assertEqual((status, said["vector"]), (409, {}))

    def test_pages_that_go_end_within_a_timestamp(self):
        self.push(mutation("r", stamp(1)), mutation("s", stamp(1)), mutation("t", stamp(2)))
        first = self.pull(limit=1)
        self.assertEqual([change["entity_id"] for change in first["changes"]], ["r"])
        self.assertTrue(first["cursor"].startswith(stamp(1) + "/"))
        second = self.pull(after=first["cursor"], limit=1)
        self.assertEqual([change["entity_id"] for change in second["changes"]], ["s"])
        self.assertEqual(second["cursor"], stamp(1))
        third = self.pull(since=cut(second["through"], stamp(1), is_whole=True), limit=1)
        self.assertEqual([change["entity_id"] for change in third["changes"]], ["t"])
        self.assertIsNone(third["cursor"])

    def test_a_server_that_is_set_back_is_another_one(self):
        before = self.pull()["incarnation"]
        self.application.control.switch({"snapshot": "s"})
        self.push(mutation("r", stamp(1)))
        self.application.control.switch({"rewind": "s"})
        self.assertEqual(self.pull()["changes"], [])
        self.assertNotEqual(self.pull()["incarnation"], before)

    def test_what_waits_for_its_time_hides_nothing(self):
        self.application.settings["clock_fixed_ms"] = 0
        ahead = stamp(900_000 << 16)
        self.push(mutation("r", stamp(1), "now"), mutation("s", ahead, "later"), through=900_000 << 16)
        self.push(mutation("r", ahead, "later"), since={}, through=900_000 << 16)
        changes = {change["entity_id"]: change for change in self.pull()["changes"]}
        self.assertEqual(changes["r"]["payload"], {"x": "now"})
        self.assertEqual(changes["r"]["elements"][0]["value"], "later")
        self.assertEqual(changes["s"]["payload"], {"x": "later"})

    def test_what_cannot_be_read_is_forgotten(self):
        for odd in ({}, {"from": 1}, {"mutations": [1]}, {"through": None}):
            body = {"from": {}, "through": {}, "mutations": [mutation("r", stamp(1))], "lives": [], "log": [],
                    "after": None, "cursor": None, "incarnation": "i", **odd}
            if not odd:
                del body["lives"]
            self.assertEqual(self.ask("/mutations", **body)[0], 400, odd)
            self.assertEqual(self.pull()["changes"], [])


if __name__ == "__main__":
    unittest.main()
