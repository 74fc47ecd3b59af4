"""What a push does and what it is answered: section 3 of the wire format, as far as the server decides it."""

from harness import NOON, ServerTestCase, delete, entry, insert, update


class OutcomeTests(ServerTestCase):
    def setUp(self):
        super().setUp()
        self.client.control(clock={"fixed_ms": NOON})

    def test_an_insert_makes_version_one(self):
        change = insert("a", title="Tea", done=None)
        self.assertEqual(self.client.result(change), {
            "op_id": change["op_id"], "outcome": "applied", "version": 1, "updated_at": NOON})
        row = self.client.rows()["a"]
        self.assertEqual((row["version"], row["fields"]), (1, {"title": "Tea", "done": None}))

    def test_an_update_changes_the_sent_fields_and_clears_with_null(self):
        self.client.result(insert("a", title="Tea", note="green", count=1))
        answer = self.client.result(update("a", 1, note=None, count=2))
        self.assertEqual((answer["outcome"], answer["version"]), ("applied", 2))
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "Tea", "note": None, "count": 2})

    def test_a_delete_leaves_a_tombstone(self):
        self.client.result(insert("a", title="Tea"))
        answer = self.client.result(delete("a", 1))
        self.assertEqual((answer["outcome"], answer["version"]), ("applied", 2))
        self.assertEqual(self.client.rows()["a"]["deleted_at"], answer["updated_at"])

    def test_a_base_version_that_is_not_the_rows_is_a_conflict_with_the_row(self):
        self.client.write("a", title="Tea")
        self.client.write("a", note="green")
        before = self.client.rows()
        for change in [update("a", 1, count=1), update("a", 3, count=1), delete("a", 1), insert("a", title="Mine")]:
            answer = self.client.result(change)
            self.assertEqual(answer, {
                "op_id": change["op_id"], "outcome": "conflict", "server_version": 2,
                "server": {
                    "entity": "task", "id": "a", "version": 2, "updated_at": NOON + 1, "deleted_at": None,
                    "fields": {"title": "Tea", "note": "green"}}})
        self.assertEqual(self.client.rows(), before)

    def test_a_change_based_on_the_row_of_the_conflict_is_applied_under_a_new_key(self):
        self.client.write("a", title="Tea")
        conflict = self.client.result(update("a", 0, note="green"))
        answer = self.client.result(update("a", conflict["server_version"], note="green"))
        self.assertEqual(answer["outcome"], "applied")
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "Tea", "note": "green"})

    def test_a_delete_is_retried_as_a_delete(self):
        self.client.write("a", title="Tea")
        conflict = self.client.result(delete("a", 0))
        self.assertEqual(self.client.result(delete("a", conflict["server_version"]))["outcome"], "applied")

    def test_deleting_what_is_gone_succeeds_and_changes_nothing(self):
        self.client.write("a", title="Tea")
        self.client.result(delete("a", 1))
        before = self.client.rows()
        answer = self.client.result(delete("a", 1))
        self.assertEqual((answer["outcome"], answer["version"]), ("applied", 2))
        self.assertEqual(self.client.result(delete("unknown", 7))["outcome"], "applied")
        self.assertEqual(self.client.rows(), before)

    def test_an_update_of_a_deleted_row_is_a_conflict_with_the_tombstone(self):
        self.client.write("a", title="Tea")
        self.client.result(delete("a", 1))
        for base in (1, 2):
            answer = self.client.result(update("a", base, title="Coffee"))
            self.assertEqual((answer["outcome"], answer["server_version"]), ("conflict", 2))
            self.assertIsNotNone(answer["server"]["deleted_at"])

    def test_an_update_of_an_unknown_row_is_rejected(self):
        answer = self.client.result(update("a", 1, title="Coffee"))
        self.assertEqual((answer["outcome"], answer["reason"]), ("rejected", "not_found"))
        self.assertEqual(self.client.rows(), {})

    def test_an_insert_revives_a_tombstone_that_it_is_based_on(self):
        self.client.write("a", title="Tea", note="green")
        self.client.result(delete("a", 1))
        self.assertEqual(self.client.result(insert("a", title="New"))["outcome"], "conflict")
        self.assertEqual(self.client.result(insert("a", 2, title="New"))["version"], 3)
        row = self.client.rows()["a"]
        self.assertEqual((row["deleted_at"], row["fields"]), (None, {"title": "New"}))

    def test_an_insert_based_on_a_living_row_is_an_update(self):
        self.client.write("a", title="Tea")
        self.assertEqual(self.client.result(insert("a", 1, note="green"))["version"], 2)
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "Tea", "note": "green"})

    def test_two_entries_for_one_record_in_a_request_are_taken_in_order(self):
        first, second, third = self.client.results(
            insert("a", title="1"), update("a", 1, title="2"), update("a", 1, title="3"))
        outcomes = [answer["outcome"] for answer in (first, second, third)]
        self.assertEqual(outcomes, ["applied", "applied", "conflict"])
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "2"})

    def test_one_bad_record_does_not_block_the_others(self):
        changes = [insert(f"r{number:02}", title="x") for number in range(50)]
        changes[36]["payload"] = "not an object"
        answers = self.client.results(*changes)
        self.assertEqual([answer["op_id"] for answer in answers], [change["op_id"] for change in changes])
        self.assertEqual(answers[36]["outcome"], "rejected")
        self.assertEqual(sum(answer["outcome"] == "applied" for answer in answers), 49)
        self.assertEqual(len(self.client.rows()), 49)

    def test_entries_without_the_form_are_rejected_alone(self):
        good = insert("a", title="x")
        for name, value in [
            ("entity", ""), ("entity_id", 4), ("op", "upsert"), ("payload", []), ("base_version", -1),
            ("base_version", True), ("base_version", "1"), ("created_at", "now"), ("intent", 1), ("entity", None),
        ]:
            with self.subTest(name=name, value=value):
                answer = self.client.result({**insert("b"), name: value})
                self.assertEqual((answer["outcome"], answer["reason"]), ("rejected", f"malformed: {name}"))
        for name in ("entity", "entity_id", "op", "payload", "base_version", "created_at"):
            change = insert("b")
            del change[name]
            self.assertEqual(self.client.result(change)["reason"], f"malformed: {name}")
        self.assertEqual(self.client.result({**good, "intent": "Rename"})["outcome"], "applied")
        self.assertEqual(list(self.client.rows()), ["a"])

    def test_values_come_back_as_they_were_sent(self):
        fields = {"big": 9007199254740993, "one": 1.0, "text": "ü\u0000\U0001F375", "deep": [{"a": [None, True]}]}
        self.client.result(insert("a", **fields))
        self.assertEqual(self.client.rows()["a"]["fields"], fields)
        self.assertIn(b'"one":1.0', self.client.sync().raw)


class LogTests(ServerTestCase):
    def setUp(self):
        super().setUp()
        self.client.control(settings={"logs": ["activity"]})

    def test_an_entry_is_kept_and_pulled(self):
        answer = self.client.result(entry("insert", "e1", payload={"action": "start"}, entity="activity"))
        self.assertEqual((answer["outcome"], answer["version"]), ("applied", 1))
        rows, _ = self.other.pull()
        self.assertEqual([(row["entity"], row["id"]) for row in rows], [("activity", "e1")])

    def test_an_entry_never_conflicts_and_never_changes(self):
        values = {"action": "start"}
        self.client.result(entry("insert", "e1", payload=values, entity="activity"))
        again = self.client.result(entry("insert", "e1", payload=values, entity="activity"))
        self.assertEqual((again["outcome"], again["version"]), ("applied", 1))
        for change in [
            entry("insert", "e1", payload={"action": "stop"}, entity="activity"),
            entry("update", "e1", 1, {"action": "stop"}, entity="activity"),
            entry("delete", "e1", 1, entity="activity"),
        ]:
            answer = self.client.result(change)
            self.assertEqual((answer["outcome"], answer["reason"]), ("rejected", "log_is_append_only"))
        self.assertEqual(self.client.rows()["e1"]["fields"], values)

    def test_only_entities_that_are_declared_are_logs(self):
        self.client.result(insert("a", title="x"))
        self.assertEqual(self.client.result(update("a", 1, title="y"))["outcome"], "applied")


class StatusCodeTests(ServerTestCase):
    """Requests of one mutation, answered with the status code of the outcome."""

    def setUp(self):
        super().setUp()
        self.client.control(settings={"status_codes": True})
        self.client.write("a", title="Tea")
        self.client.edit(writes=[{"entity": "task", "id": "gone"}], deletes=[{"entity": "task", "id": "gone"}])

    def test_each_outcome_has_its_code(self):
        self.client.fault("outcome", outcome="rejected", reason="title", entity_id="bad")
        self.client.fault("outcome", outcome="retry_later", entity_id="busy")
        for change, status, outcome in [
            (insert("b"), 200, "applied"), (update("a", 7), 409, "conflict"), (insert("bad"), 422, "rejected"),
            (insert("busy"), 503, "retry_later"), (update("unknown", 1), 404, "rejected"),
            (update("gone", 2), 410, "conflict"), (delete("unknown", 1), 404, "applied"),
            (delete("gone", 1), 410, "applied"),
        ]:
            answer = self.client.push(change)
            self.assertEqual((answer.status, answer.json["outcome"]), (status, outcome), change)

    def test_a_conflict_has_row_and_version_in_its_body(self):
        body = self.client.push(update("a", 7, title="Mine")).json
        self.assertEqual((body["server_version"], body["server"]["fields"]), (1, {"title": "Tea"}))

    def test_more_mutations_are_answered_one_by_one(self):
        answer = self.client.push(update("a", 7), insert("b"))
        self.assertEqual(answer.status, 200)
        self.assertEqual([one["outcome"] for one in answer.json["results"]], ["conflict", "applied"])
