"""Switches that concern single entries of a push."""

from harness import NOON, ServerTestCase, delete, insert, update


class EntryFaultTests(ServerTestCase):
    def test_outcomes_per_entry(self):
        self.client.write("c", title="of another")
        self.client.fault("outcome", outcome="conflict", entity_id="c")
        self.client.fault("outcome", outcome="rejected", reason="title is required", op="delete")
        self.client.fault("outcome", outcome="retry_later", index=3)
        answers = self.client.results(
            insert("a", title="x"), update("c", 1, title="y"), delete("d", 1), insert("e", title="z"))
        self.assertEqual(
            [answer["outcome"] for answer in answers], ["applied", "conflict", "rejected", "retry_later"])
        self.assertEqual(answers[1]["server"]["fields"], {"title": "of another"})
        self.assertEqual(answers[2]["reason"], "title is required")
        self.assertEqual(sorted(self.client.rows()), ["a", "c"])

    def test_an_outcome_that_nobody_knows(self):
        self.client.fault("outcome", outcome="perhaps", next=1)
        change = insert("a")
        self.assertEqual(self.client.result(change)["outcome"], "perhaps")
        self.assertEqual(self.client.result(change)["outcome"], "applied")

    def test_one_answer_missing(self):
        changes = [insert(name, title="x") for name in "abc"]
        self.client.fault("missing", index=1, next=1)
        answers = self.client.results(*changes)
        self.assertEqual([answer["op_id"] for answer in answers], [changes[0]["op_id"], changes[2]["op_id"]])
        self.assertEqual(sorted(self.client.rows()), ["a", "b", "c"])
        self.assertEqual(len(self.client.results(*changes)), 3)

    def test_a_field_is_corrected_in_the_answer(self):
        change = insert("a", title="tea", price=1)
        self.client.fault("correct", fields={"price": 2}, next=1)
        answer = self.client.result(change)
        self.assertEqual((answer["outcome"], answer["version"]), ("applied", 1))
        self.assertEqual(answer["server"]["fields"], {"title": "tea", "price": 2})
        self.assertNotIn("server_version", answer)
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "tea", "price": 2})
        self.assertEqual(self.client.result(change), answer)

    def test_an_ack_without_version(self):
        change = insert("a", title="x")
        self.client.fault("no_version", next=1)
        answer = self.client.result(change)
        self.assertEqual(sorted(answer), ["op_id", "outcome", "updated_at"])
        self.assertEqual(self.client.result(change)["version"], 1)

    def test_another_id_in_the_answer_to_an_insert(self):
        self.client.fault("other_id")
        change = insert("local", title="x")
        answer = self.client.result(change)
        self.assertEqual(answer["id"], "srv-1")
        self.assertEqual(self.client.result(change), answer)
        row = self.client.pull()[0][0]
        self.assertEqual((row["id"], row["local_id"]), ("srv-1", "local"))
        self.assertEqual(self.client.result(update("srv-1", 1, title="y"))["version"], 2)
        self.assertEqual(self.client.result(update("local", 2, title="z"))["version"], 3)
        self.assertEqual(self.client.result(insert("local", title="again"))["outcome"], "conflict")
        self.assertEqual(len(self.client.rows()), 1)

    def test_a_server_that_makes_all_ids(self):
        self.client.control(settings={"ids": "server"})
        answers = self.client.results(insert("x"), insert("y"), insert("x"))
        self.assertEqual([answer.get("id") for answer in answers], ["srv-1", "srv-2", None])
        self.assertEqual(answers[2]["outcome"], "conflict")

    def test_rows_that_become_visible_late(self):
        self.client.fault("late", next=1, pulls=2)
        self.client.result(insert("a", title="x"))
        self.client.result(insert("b", title="x"))
        seen = [[row["id"] for row in self.client.sync().json["changes"]] for _ in range(3)]
        self.assertEqual(seen, [["b"], ["b"], ["a", "b"]])

    def test_rows_that_become_visible_behind_the_cursor(self):
        self.client.fault("late", next=1)
        self.client.result(insert("a", title="x"))
        self.client.result(insert("b", title="x"))
        _, cursor = self.client.pull()
        self.client.control(reveal=True)
        self.assertEqual(self.client.pull(cursor)[0], [])
        self.client.control(settings={"look_back_ms": 30_000})
        self.assertEqual([row["id"] for row in self.client.pull(cursor)[0]], ["a", "b"])

    def test_many_rows_with_one_time(self):
        self.client.fault("same_stamp", next=2)
        self.client.results(*[insert(f"r{number:02}", title="x") for number in range(20)])
        self.client.results(*[insert(f"s{number:02}", title="x") for number in range(20)])
        self.client.result(insert("later", title="x"))
        rows, _ = self.client.pull(limit=7)
        self.assertEqual(len({row["updated_at"] for row in rows[:40]}), 1)
        self.assertEqual([row["id"] for row in rows], sorted(row["id"] for row in rows[:40]) + ["later"])

    def test_microsecond_stamps(self):
        self.client.control(settings={"stamps": "iso_us"}, clock={"fixed_ms": NOON})
        first, second = self.client.results(insert("a", title="x"), insert("b", title="x"))
        self.assertEqual(first["updated_at"], "2025-12-01T12:00:00.000000Z")
        self.assertEqual(second["updated_at"], "2025-12-01T12:00:00.000001Z")
        rows, _ = self.client.pull(limit=1)
        self.assertEqual([row["updated_at"] for row in rows], [first["updated_at"], second["updated_at"]])
        self.assertEqual(self.client.sync().json["server_time"], "2025-12-01T12:00:00.000000Z")

    def test_iso_stamps(self):
        self.client.control(settings={"stamps": "iso"}, clock={"fixed_ms": NOON})
        first, second = self.client.results(insert("a", title="x"), insert("b", title="x"))
        self.assertEqual(first["updated_at"], "2025-12-01T12:00:00.000Z")
        self.assertEqual(second["updated_at"], "2025-12-01T12:00:00.001Z")
