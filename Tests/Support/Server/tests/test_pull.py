"""The order of rows, pages, cursors and what stands around them."""

import base64

from harness import NOON, ServerTestCase, delete, insert, update


class PullTests(ServerTestCase):
    def test_rows_come_by_time_and_then_by_id(self):
        self.client.edit(writes=[
            {"entity": "task", "id": name, "updated_at": time}
            for name, time in [("c", 2000), ("a", 2000), ("z", 1000), ("b", 2000)]
        ] + [{"entity": "note", "id": "b", "updated_at": 2000}])
        rows, _ = self.client.pull(limit=2)
        found = [(row["updated_at"], row["id"], row["entity"]) for row in rows]
        self.assertEqual(found, sorted(found))
        self.assertEqual([name for _, name, _ in found], ["z", "a", "b", "b", "c"])

    def test_a_page_has_this_form(self):
        self.client.control(clock={"fixed_ms": NOON})
        self.client.result(insert("a", title="Tea"))
        page = self.client.sync().json
        self.assertEqual(page, {
            "changes": [{
                "entity": "task", "id": "a", "version": 1, "updated_at": NOON, "deleted_at": None,
                "fields": {"title": "Tea"}}],
            "cursor": page["cursor"], "has_more": False, "server_time": NOON, "epoch": "1"})

    def test_a_second_pull_moves_no_row(self):
        for number in range(7):
            self.client.write(f"r{number}", title="x")
        rows, cursor = self.client.pull(limit=3)
        self.assertEqual(len(rows), 7)
        again, same = self.client.pull(cursor)
        self.assertEqual((again, same), ([], cursor))
        self.client.write("r3", title="y")
        changed, _ = self.client.pull(cursor)
        self.assertEqual([row["id"] for row in changed], ["r3"])

    def test_a_deleted_row_is_a_tombstone_with_its_fields(self):
        self.client.write("a", title="Tea")
        _, cursor = self.other.pull()
        self.client.result(delete("a", 1))
        rows, _ = self.other.pull(cursor)
        self.assertEqual([(row["version"], row["fields"]) for row in rows], [(2, {"title": "Tea"})])
        self.assertEqual(rows[0]["deleted_at"], rows[0]["updated_at"])

    def test_rows_that_change_between_pages_are_not_lost(self):
        for number in range(6):
            self.client.write(f"r{number}", title="x")
        page = self.client.sync(limit=3).json
        self.client.write("r0", title="changed")
        self.client.write("r5", title="changed")
        rows, _ = self.client.pull(page["cursor"], limit=3)
        self.assertEqual([row["id"] for row in rows], ["r3", "r4", "r0", "r5"])

    def test_an_empty_server_has_a_cursor_too(self):
        rows, cursor = self.client.pull()
        self.assertEqual(rows, [])
        self.assertNotEqual(cursor, "")
        self.client.write("a", title="x")
        self.assertEqual(len(self.client.pull(cursor)[0]), 1)

    def test_a_cursor_that_this_server_never_made_is_unknown(self):
        self.client.write("a", title="x")
        _, cursor = self.client.pull()
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        forged = base64.urlsafe_b64encode(raw.replace(b'"task"', b'"note"')).decode().rstrip("=")
        other_texts = (cursor[:-1], cursor + "A", cursor + "=", f"{cursor[:5]}!{cursor[5:]}", forged)
        for text in ("nonsense", "ü", "AAAA", *other_texts):
            answer = self.client.sync(text)
            self.assertEqual((answer.status, answer.json["error"]), (410, "unknown_cursor"), text)

    def test_limits_of_a_page(self):
        self.client.edit(load={"entity": "task", "count": 501})
        page = self.client.sync(limit=9999).json
        self.assertEqual((len(page["changes"]), page["has_more"]), (500, True))
        self.assertFalse(self.client.sync(page["cursor"]).json["has_more"])
        for limit in ("0", "-1", "x", ""):
            self.assertEqual(self.client.sync(limit=limit).status, 400, limit)

    def test_looking_back_brings_late_rows_and_comes_to_an_end(self):
        self.client.control(settings={"look_back_ms": 30_000}, clock={"fixed_ms": NOON})
        for number in range(5):
            self.client.write(f"r{number}", title="x")
        _, cursor = self.client.pull(limit=2)
        late = [{"entity": "task", "id": "late", "updated_at": NOON - 29_000},
                {"entity": "task", "id": "too-late", "updated_at": NOON - 31_000}]
        self.client.edit(writes=late)
        rows, again = self.client.pull(cursor, limit=2)
        self.assertEqual([row["id"] for row in rows], ["late", "r0", "r1", "r2", "r3", "r4"])
        self.assertEqual(again, cursor)

    def test_looking_back_never_moves_a_cursor_back(self):
        self.client.control(settings={"look_back_ms": 30_000})
        self.client.write("a", title="x")
        self.client.write("b", title="x")
        _, cursor = self.client.pull()
        for name in ("b", "a"):
            self.client.edit(purges=[{"entity": "task", "id": name}])
            self.assertEqual(self.client.pull(cursor)[1], cursor)

    def test_other_schema_versions_get_426_and_nothing_is_applied(self):
        self.client.control(settings={"min_schema_version": 2, "schema_version": 3})
        for version in (1, 4):
            pushed, pulled = self.client.push(insert("a"), version=version), self.client.sync(version=version)
            for answer in (pushed, pulled):
                self.assertEqual((answer.status, answer.json["error"]), (426, "upgrade_required"))
                self.assertEqual(answer.json["schema_version"], 3)
        self.assertEqual(self.client.rows(), {})
        self.assertEqual(self.client.push(insert("a"), version=2).status, 200)
        self.assertEqual(self.client.sync(version=3).status, 200)
        for version in (None, "1", True, 1.5):
            self.assertEqual(self.client.push(insert("b"), version=version).status, 400, version)
        self.assertEqual(self.client.request("GET", "/sync?since=").status, 400)

    def test_an_update_moves_the_row_behind_all_others(self):
        for name in ("a", "b"):
            self.client.write(name, title="x")
        self.client.result(update("a", 1, title="y"))
        self.assertEqual([row["id"] for row in self.client.pull()[0]], ["b", "a"])
