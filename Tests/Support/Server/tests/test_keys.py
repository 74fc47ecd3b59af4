"""Idempotency: what comes again under the same key is answered as before and applied once."""

from harness import ServerTestCase, delete, insert, update


class KeyTests(ServerTestCase):
    def test_the_same_key_gets_the_same_answer_and_is_applied_once(self):
        self.client.write("c", title="Tea")
        self.client.write("d", title="Tea")
        changes = [insert("a", title="x"), update("c", 7, title="y"), update("unknown", 1), delete("d", 1)]
        first = self.client.push(*changes).raw
        self.client.write("c", title="later")
        self.assertEqual(self.client.push(*changes).raw, first)
        counts = self.client.state()["operations"]
        expected = [(2, 1), (2, 0), (2, 0), (2, 1)]
        found = [(counts[change["op_id"]]["received"], counts[change["op_id"]]["applied"]) for change in changes]
        self.assertEqual(found, expected)
        self.assertEqual(self.client.rows()["a"]["version"], 1)

    def test_the_stored_answer_holds_when_the_row_has_moved_on(self):
        change = insert("a", title="x")
        answer = self.client.result(change)
        self.client.write("a", title="of another")
        self.assertEqual(self.client.result(change), answer)
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "of another"})

    def test_a_key_twice_in_one_request_is_applied_once(self):
        change = insert("a", title="x")
        first, second = self.client.results(change, change)
        self.assertEqual(first, second)
        self.assertEqual(self.client.rows()["a"]["version"], 1)

    def test_a_key_that_comes_with_another_body_is_refused(self):
        change = insert("a", title="x")
        answer = self.client.result(change)
        refused = self.client.result({**change, "payload": {"title": "y"}})
        self.assertEqual((refused["outcome"], refused["reason"]), ("rejected", "op_id_reused"))
        self.assertEqual(self.client.rows()["a"]["fields"], {"title": "x"})
        self.assertEqual(self.client.result(change), answer)

    def test_the_order_of_names_makes_no_other_body(self):
        change = insert("a", title="x")
        answer = self.client.result(change)
        self.assertEqual(self.client.result(dict(reversed(change.items()))), answer)

    def test_retry_later_binds_no_key(self):
        change = insert("a", title="x")
        self.client.fault("outcome", outcome="retry_later", next=1)
        self.assertEqual(self.client.result(change)["outcome"], "retry_later")
        self.assertEqual(self.client.result(change)["outcome"], "applied")

    def test_a_refusal_is_bound_to_its_key(self):
        change = insert("a", title="x")
        self.client.fault("outcome", outcome="rejected", reason="title", next=1)
        first = self.client.result(change)
        self.assertEqual((first["outcome"], first["reason"]), ("rejected", "title"))
        self.assertEqual(self.client.result(change), first)

    def test_the_header_has_to_be_the_key_of_a_single_mutation(self):
        change = insert("a", title="x")
        self.assertEqual(self.client.push(change, headers={"Idempotency-Key": "another"}).status, 400)
        self.assertEqual(self.client.rows(), {})
        good = self.client.push(change, headers={"Idempotency-Key": change["op_id"]})
        self.assertEqual(good.status, 200)
        many = self.client.push(insert("b"), insert("c"), headers={"Idempotency-Key": "another"})
        self.assertEqual(many.status, 200)
