"""Switches that concern pulls, and the server's past."""

from harness import NOON, ServerTestCase, insert, update


class PullFaultTests(ServerTestCase):
    def setUp(self):
        super().setUp()
        for name in "abc":
            self.client.write(name, title="x")

    def cursors(self, count, since=""):
        """The cursors of so many empty pages, one asked for with the other."""
        found = []
        for _ in range(count):
            page = self.client.sync(since).json
            self.assertEqual((page["changes"], page["has_more"]), ([], True))
            since = page["cursor"]
            found.append(since)
        return found

    def test_empty_pages_whose_cursor_moves(self):
        self.client.fault("empty_page", mode="moving", next=3)
        cursors = self.cursors(3)
        self.assertEqual(len(set(cursors)), 3)
        self.assertEqual(len(self.client.pull(cursors[-1])[0]), 3)

    def test_empty_pages_whose_cursor_stands_still(self):
        self.client.fault("empty_page", mode="still", next=3)
        cursors = self.cursors(3)
        self.assertEqual(len(set(cursors)), 1)
        self.assertEqual(len(self.client.pull(cursors[-1])[0]), 3)

    def test_empty_pages_whose_cursors_go_in_a_circle(self):
        for length in (2, 3):
            self.client.fault("empty_page", mode="cyclic", length=length, next=2 * length)
            cursors = self.cursors(2 * length)
            self.assertEqual(len(set(cursors)), length)
            self.assertEqual(cursors[:length], cursors[length:])

    def test_one_page_with_rows_again_and_again(self):
        self.client.fault("empty_page", mode="cyclic", rows=True)
        first = self.client.sync(limit=2).json
        second = self.client.sync(first["cursor"], limit=2).json
        third = self.client.sync(second["cursor"], limit=2).json
        self.assertEqual([row["id"] for row in first["changes"]], ["a", "b"])
        self.assertEqual(first["changes"], second["changes"])
        self.assertEqual(first["cursor"], third["cursor"])

    def test_empty_pages_lose_no_row_when_looking_back_and_look_back_once(self):
        _, cursor = self.client.pull()
        early = self.client.rows()["a"]["updated_at"] - 90_000
        self.client.edit(writes=[{"entity": "task", "id": "early", "updated_at": early}])
        self.client.control(settings={"look_back_ms": 60_000})
        self.client.fault("empty_page", mode="moving", next=2)
        middle = self.cursors(2, cursor)[-1]
        rows, again = self.client.pull(middle, limit=1)
        self.assertEqual((len(rows), again), (3, cursor))

    def test_an_unknown_cursor(self):
        _, cursor = self.client.pull()
        self.client.fault("unknown_cursor", next=1)
        answer = self.client.sync(cursor)
        self.assertEqual((answer.status, answer.json["error"]), (410, "unknown_cursor"))
        self.assertEqual(self.client.sync(cursor).status, 200)
        self.client.fault("unknown_cursor")
        self.assertEqual(len(self.client.pull()[0]), 3)

    def test_a_change_of_epoch(self):
        _, cursor = self.client.pull()
        self.client.control(epoch="second")
        page = self.client.sync(cursor).json
        self.assertEqual((page["epoch"], page["changes"]), ("second", []))
        self.assertEqual(len(self.client.pull()[0]), 3)

    def test_a_horizon_behind_which_tombstones_are_purged(self):
        _, cursor = self.client.pull()
        self.client.edit(deletes=[{"entity": "task", "id": "a"}])
        _, newer = self.client.pull(cursor)
        self.client.edit(purges=[{"entity": "task", "id": "a"}])
        self.client.control(horizon="now")
        for old in (cursor, newer):
            self.assertEqual(self.client.sync(old).status, 410)
        self.client.write("d", title="x")
        rows, newest = self.client.pull()
        self.assertEqual([row["id"] for row in rows], ["b", "c", "d"])
        self.assertEqual(self.client.sync(newest).status, 200)

    def test_a_server_that_is_restored_from_a_backup(self):
        kept, lost = insert("kept", title="x"), insert("lost", title="x")
        self.client.result(kept)
        self.client.control(snapshot="monday")
        self.client.result(lost)
        self.client.result(update("kept", 1, title="y"))
        _, cursor = self.client.pull()
        self.client.control(rewind="monday")
        self.assertEqual(sorted(self.client.rows()), ["a", "b", "c", "kept"])
        self.assertEqual(self.client.rows()["kept"]["version"], 1)
        self.assertEqual(self.client.sync(cursor).json["changes"], [])
        self.assertEqual(self.client.result(update("kept", 2, title="z"))["server_version"], 1)
        self.assertEqual(self.client.result(lost)["version"], 1)
        operations = self.client.state()["operations"]
        self.assertEqual(operations[lost["op_id"]], {"received": 2, "applied": 2})
        self.assertEqual(operations[kept["op_id"]], {"received": 1, "applied": 1})

    def test_a_rewind_keeps_the_epoch_unless_told_otherwise(self):
        self.client.control(epoch="2")
        self.client.control(snapshot="monday", epoch="3")
        self.client.control(rewind="monday")
        self.assertEqual(self.client.sync().json["epoch"], "3")
        self.client.control(rewind="monday", epoch="4")
        self.assertEqual(self.client.sync().json["epoch"], "4")

    def test_rows_with_one_time_by_another_client(self):
        self.client.edit(load={"entity": "task", "count": 10, "prefix": "n", "fields": {"done": False}})
        rows = [row for row in self.client.pull(limit=3)[0] if row["id"].startswith("n")]
        self.assertEqual([row["fields"]["number"] for row in rows], list(range(10)))
        self.assertEqual(len({row["updated_at"] for row in rows}), 1)

    def test_a_late_row_by_another_client(self):
        self.client.edit(writes=[{"entity": "task", "id": "late", "late": True, "pulls": 1}])
        self.assertNotIn("late", [row["id"] for row in self.client.pull()[0]])
        self.assertIn("late", [row["id"] for row in self.client.pull()[0]])


class ClockTests(ServerTestCase):
    def test_a_jump_moves_the_clock_but_stamps_never_go_back(self):
        self.client.control(clock={"fixed_ms": NOON})
        self.client.write("a")
        self.client.control(clock={"offset_ms": -3_600_000})
        self.client.write("b")
        self.assertEqual(self.client.sync().json["server_time"], NOON - 3_600_000)
        self.assertEqual([row["updated_at"] for row in self.client.pull()[0]], [NOON, NOON + 1])
        self.client.control(clock={"advance_ms": 7_200_000})
        self.client.write("c")
        self.assertEqual(self.client.rows()["c"]["updated_at"], NOON + 3_600_000)

    def test_stamps_go_back_where_they_may(self):
        self.client.control(clock={"fixed_ms": NOON})
        self.client.write("a")
        _, cursor = self.client.pull()
        self.client.control(clock={"offset_ms": -3_600_000, "monotonic": False})
        self.client.write("b")
        self.assertEqual(self.client.rows()["b"]["updated_at"], NOON - 3_600_000)
        self.assertEqual(self.client.pull(cursor)[0], [])

    def test_client_times_from_the_future_are_rejected(self):
        self.client.control(clock={"fixed_ms": NOON}, settings={"max_future_ms": 1000})
        good = self.client.result({**insert("a"), "created_at": NOON + 1000})
        bad = self.client.result({**insert("b"), "created_at": NOON + 1001})
        self.assertEqual((good["outcome"], bad["outcome"]), ("applied", "rejected"))
        self.assertEqual(bad["reason"], "client_time_in_future")
        self.assertEqual(list(self.client.rows()), ["a"])


class EchoTests(ServerTestCase):
    def pulled(self, name):
        return [row["id"] for row in self.client.sync(headers={"X-Client": name}).json["changes"]]

    def test_own_writes_come_back(self):
        self.client.push(insert("a"), headers={"X-Client": "phone"})
        self.assertEqual(self.pulled("phone"), ["a"])

    def test_own_writes_stay_away_where_the_server_leaves_them_out(self):
        self.client.control(settings={"echo": "never"})
        self.client.push(insert("a"), insert("b"), headers={"X-Client": "phone"})
        self.client.write("b", title="of another")
        self.assertEqual((self.pulled("phone"), self.pulled("tablet")), (["b"], ["a", "b"]))

    def test_the_token_says_who_a_client_is_too(self):
        self.client.control(settings={"echo": "never"})
        mine = {"Authorization": "Bearer mine"}
        self.client.push(insert("a"), headers=mine)
        self.assertEqual(self.client.sync(headers=mine).json["changes"], [])
        self.assertEqual(len(self.client.sync().json["changes"]), 1)
