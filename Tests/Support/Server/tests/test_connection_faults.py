"""Switches that concern a whole request: its answer, its connection, its time."""

from email.utils import parsedate_to_datetime
import http.client

from harness import NOON, ServerTestCase, insert


class ConnectionFaultTests(ServerTestCase):
    def applied(self, change):
        return self.client.state()["operations"].get(change["op_id"])

    def test_commit_and_drop_the_answer(self):
        change = insert("a", title="x")
        self.client.fault("drop_answer", next=1)
        with self.assertRaises(http.client.RemoteDisconnected):
            self.client.push(change)
        self.assertEqual(self.applied(change), {"received": 1, "applied": 1})
        self.assertEqual(self.client.result(change)["version"], 1)
        self.assertEqual(self.applied(change), {"received": 2, "applied": 1})

    def test_drop_the_answer_after_some_entries(self):
        changes = [insert(name, title="x") for name in "abcd"]
        self.client.fault("drop_answer", next=1, entries=2)
        with self.assertRaises(http.client.RemoteDisconnected):
            self.client.push(*changes)
        self.assertEqual(list(self.client.rows()), ["a", "b"])
        self.assertEqual([answer["version"] for answer in self.client.results(*changes)], [1, 1, 1, 1])

    def test_cut_the_connection_in_the_middle_of_the_body(self):
        change = insert("a", title="x")
        for more in ({}, {"bytes": 0}, {"bytes": 10}):
            self.client.fault("cut_answer", next=1, **more)
            with self.assertRaises(http.client.IncompleteRead) as caught:
                self.client.push(change)
            if more:
                self.assertEqual(len(caught.exception.partial), more["bytes"])
        self.assertEqual(self.applied(change), {"received": 3, "applied": 1})

    def test_cut_the_connection_in_the_middle_of_a_page(self):
        self.client.write("a", title="x")
        self.client.fault("cut_answer", next=1, on="pull")
        with self.assertRaises(http.client.IncompleteRead):
            self.client.sync()
        self.assertEqual(len(self.client.pull()[0]), 1)

    def test_delay_until_released(self):
        change = insert("a", title="x")
        for when, applied in [("before", 0), ("after", 1)]:
            self.client.fault("delay", next=1, held=True, when=when)
            result = self.in_background(lambda: self.other.result(change))
            self.assertTrue(self.client.control(await_held=1)["await_held"])
            self.assertEqual(self.applied(change)["applied"], applied)
            self.assertEqual(self.client.state()["held"], 1)
            self.client.control(release=True)
            self.assertEqual(result()["outcome"], "applied")
            self.assertEqual(self.applied(change)["applied"], 1)
            change = insert("b", title="x")

    def test_delay_for_a_time(self):
        from time import monotonic
        self.client.fault("delay", next=1, ms=50)
        begin = monotonic()
        self.client.sync()
        self.assertGreaterEqual(monotonic() - begin, 0.05)

    def test_refuse_with_any_status_applies_nothing(self):
        change = insert("a", title="x")
        for status in (400, 401, 403, 404, 408, 409, 410, 412, 413, 422, 425, 426, 429, 500, 502, 503, 504):
            self.client.fault("refuse", next=1, status=status)
            self.assertEqual(self.client.push(change).status, status)
            self.client.fault("refuse", next=1, status=status, on="pull")
            self.assertEqual(self.client.sync().status, status)
        self.assertEqual(self.client.rows(), {})
        self.assertEqual(self.client.result(change)["outcome"], "applied")
        self.assertEqual(self.applied(change), {"received": 18, "applied": 1})

    def test_refuse_after_the_commit(self):
        change = insert("a", title="x")
        self.client.fault("refuse", next=1, status=500, commit=True)
        self.assertEqual(self.client.push(change).status, 500)
        self.assertEqual(self.applied(change), {"received": 1, "applied": 1})

    def test_refuse_with_each_kind_of_body(self):
        for body, type_start, length in [
            ("none", None, 0), ({"code": 7}, "application/json", 11), ("Sorry.", "text/plain", 6),
        ]:
            self.client.fault("refuse", next=1, status=503, body=body)
            answer = self.client.sync()
            self.assertEqual(len(answer.raw), length)
            found = answer.headers.get("Content-Type")
            self.assertEqual(found and found.split(";")[0], type_start)
        self.client.fault("refuse", next=1, status=204, body="none")
        answer = self.client.sync()
        self.assertEqual((answer.status, answer.headers["Content-Length"]), (204, None))
        self.assertEqual(self.client.sync().status, 200)

    def test_answer_with_the_page_of_a_captive_portal(self):
        change = insert("a", title="x")
        for more in ({"status": 200}, {"status": 302, "headers": {"Location": "http://portal.example/"}}):
            self.client.fault("refuse", next=1, body="foreign", **more)
            answer = self.client.push(change)
            self.assertEqual(answer.status, more["status"])
            self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
            self.assertTrue(answer.raw.startswith(b"<!DOCTYPE html>"))
        self.assertEqual(answer.headers["Location"], "http://portal.example/")
        self.assertEqual(self.client.rows(), {})

    def test_retry_after_in_both_forms(self):
        self.client.control(clock={"fixed_ms": NOON})
        self.client.fault("refuse", next=1, status=429, retry_after_s=7)
        self.assertEqual(self.client.sync().headers["Retry-After"], "7")
        self.client.fault("refuse", next=1, status=503, retry_at_s=90)
        headers = self.client.sync().headers
        self.assertEqual(headers["Retry-After"], "Mon, 01 Dec 2025 12:01:30 GMT")
        wait = parsedate_to_datetime(headers["Retry-After"]) - parsedate_to_datetime(headers["Date"])
        self.assertEqual(wait.total_seconds(), 90)

    def test_a_request_that_arrives_twice_is_applied_once(self):
        change = insert("a", title="x")
        self.client.fault("duplicate", next=1)
        self.assertEqual(self.client.result(change)["version"], 1)
        self.assertEqual(self.applied(change), {"received": 2, "applied": 1})
        self.assertEqual(self.client.rows()["a"]["version"], 1)


class ScopeTests(ServerTestCase):
    def statuses(self, count):
        return [self.client.sync().status for _ in range(count)]

    def test_next_and_skip(self):
        self.client.fault("refuse", status=500, next=2, skip=1)
        self.assertEqual(self.statuses(4), [200, 500, 500, 200])

    def test_probability_is_the_same_for_the_same_seed(self):
        runs = []
        for seed in (1, 1, 2):
            number = self.client.fault("refuse", status=500, probability=0.3, seed=seed)
            runs.append(self.statuses(60))
            self.client.control(clear=number)
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])
        self.assertTrue(6 <= runs[0].count(500) <= 30, runs[0].count(500))

    def test_containing_picks_the_pushes_that_bring_a_record(self):
        poison, good = insert("poison"), insert("good")
        for name in ("poison", poison["op_id"]):
            number = self.client.fault("refuse", status=422, containing=name)
            statuses = [self.client.push(*some).status for some in ([good, poison], [poison], [good], [])]
            self.assertEqual(statuses, [422, 422, 200, 200])
            self.assertEqual(self.client.sync().status, 200)
            self.client.control(clear=number)
        self.assertEqual(list(self.client.rows()), ["good"])

    def test_on_picks_the_direction_and_clear_ends_it(self):
        self.client.fault("refuse", status=500, on="push")
        self.assertEqual((self.client.sync().status, self.client.push().status), (200, 500))
        self.assertEqual(self.client.state()["faults"][0]["acted"], 1)
        self.client.control(clear=True)
        self.assertEqual(self.client.push().status, 200)

    def test_control_is_never_touched(self):
        self.client.fault("refuse", status=500)
        self.assertEqual(self.client.state()["requests"], {})

    def test_unknown_faults_and_lying_acks_are_refused(self):
        for wanted in ({"kind": "unheard"}, {"kind": "outcome", "outcome": "applied"}, {}):
            answer = self.client.request("POST", "/_control", {"faults": [wanted]})
            self.assertEqual((answer.status, answer.json["error"]), (400, "bad_control"))
        self.assertEqual(self.client.state()["faults"], [])
