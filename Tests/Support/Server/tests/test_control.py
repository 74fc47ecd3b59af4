"""The test's own entrance: edits, state, settings."""

from time import monotonic

from harness import ServerTestCase, insert, update


class EditTests(ServerTestCase):
    def test_another_client_writes_deletes_and_purges(self):
        self.client.result(insert("a", title="Tea", note="green"))
        self.client.edit(writes=[
            {"entity": "task", "id": "a", "fields": {"title": "Coffee"}}, {"entity": "task", "id": "b"}])
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "Coffee", "note": "green"})
        self.assertEqual(self.client.result(update("a", 1, note="x"))["outcome"], "conflict")
        done = self.client.edit(deletes=[{"entity": "task", "id": "a"}], purges=[{"entity": "task", "id": "b"}])
        self.assertEqual(done["rows"], [{"entity": "task", "id": "a", "version": 3}])
        rows = self.client.rows()
        self.assertEqual(list(rows), ["a"])
        self.assertIsNotNone(rows["a"]["deleted_at"])

    def test_a_write_replaces_and_brings_back(self):
        self.client.write("a", title="Tea", note="green")
        self.client.edit(writes=[{"entity": "task", "id": "a", "fields": {"x": 1}, "replace": True, "version": 9}])
        self.assertEqual((self.client.rows()["a"]["version"], self.client.rows()["a"]["fields"]), (9, {"x": 1}))
        self.client.edit(deletes=[{"entity": "task", "id": "a"}])
        self.client.write("a", y=2)
        row = self.client.rows()["a"]
        self.assertEqual((row["version"], row["deleted_at"], row["fields"]), (11, None, {"y": 2}))

    def test_an_edit_is_applied_as_a_whole_or_not_at_all(self):
        answer = self.client.request("POST", "/_control/edit", {
            "writes": [{"entity": "task", "id": "a"}, {"entity": "task"}]})
        self.assertEqual((answer.status, answer.json["error"]), (400, "bad_control"))
        self.assertEqual(self.client.rows(), {})

    def test_a_hundred_thousand_rows_are_loaded_fast(self):
        begin = monotonic()
        self.client.edit(load={"entity": "task", "count": 100_000, "prefix": "n", "fields": {"title": "x"}})
        self.assertLess(monotonic() - begin, 30)
        rows, _ = self.client.pull(pages=201)
        self.assertEqual(len({row["id"] for row in rows}), 100_000)
        self.assertEqual(rows[-1]["fields"], {"title": "x", "number": 99_999})
        self.assertEqual(self.client.state("?rows=false")["rows_sent"], 100_000)


class StateTests(ServerTestCase):
    def test_requests_are_counted_by_path(self):
        self.client.push(insert("a"))
        self.client.sync()
        self.client.sync("nonsense")
        self.client.request("GET", "/unheard")
        state = self.client.state()
        self.assertEqual(state["requests"], {"POST /mutations": 1, "GET /sync": 2, "GET /unheard": 1})
        self.assertEqual((state["rows_sent"], state["held"], state["epoch"]), (1, 0, "1"))

    def test_pulls_are_listed_with_what_they_asked_for(self):
        self.client.write("a")
        cursor = self.client.sync().json["cursor"]
        self.client.sync(cursor)
        self.assertEqual([pull["since"] for pull in self.client.state()["pulls"]], ["", cursor])

    def test_rows_can_be_picked_and_left_out(self):
        self.client.write("a")
        self.client.write("b", entity="note")
        self.assertEqual([row["id"] for row in self.client.state("?entity=note")["rows"]], ["b"])
        self.assertEqual(self.client.state("?rows=false")["rows"], [])

    def test_wrong_controls_are_refused_and_do_nothing(self):
        for body in [{"unheard": 1, "epoch": "2"}, {"settings": {"unheard": 1}}, {"settings": {"dialect": "000"}}, []]:
            answer = self.client.request("POST", "/_control", body)
            self.assertEqual((answer.status, answer.json["error"]), (400, "bad_control"), body)
        self.assertEqual(self.client.request("GET", "/_control/unheard").status, 404)
        self.assertEqual(self.client.state()["epoch"], "1")
