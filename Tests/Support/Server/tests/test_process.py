"""The process: how it begins, how it ends, and what it knows afterwards."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import FOLDER, Client, delete, entry, insert


class ProcessTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *arguments):
        storage = os.path.join(self.folder, "server.db")
        process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(FOLDER, "server.py"), "--storage", storage, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end, process)
        client = Client(json.loads(process.stdout.readline())["port"])
        self.addCleanup(client.connection.close)
        return process, client

    def end(self, process):
        process.stdin.close()
        process.stdout.close()
        process.wait(60)

    def test_it_ends_when_its_standard_input_closes_whatever_is_under_way(self):
        process, client = self.start()
        client.fault("delay", held=True)
        client.connection.request("GET", "/sync?schema_version=1")
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)

    def test_it_prints_one_line(self):
        process, client = self.start()
        client.push(insert("a"))
        process.stdin.close()
        self.assertEqual(process.stdout.read(), b"")

    def test_after_a_kill_it_knows_what_it_knew(self):
        process, client = self.start()
        client.control(settings={"logs": ["activity"], "look_back_ms": 5}, epoch="2")
        changes = [insert("a", title="x"), delete("unknown", 3)]
        answers = client.results(*changes)
        rows, cursor = client.pull()
        process.kill()
        process.wait(60)
        _, client = self.start()
        self.assertEqual(client.results(*changes), answers)
        self.assertEqual(client.pull()[0], rows)
        self.assertEqual(client.sync(cursor).json["epoch"], "2")
        for change in changes:
            self.assertEqual(client.state()["operations"][change["op_id"]], {"received": 2, "applied": 1})
        log = client.result(entry("update", "e", 1, entity="activity"))
        self.assertEqual(log["reason"], "log_is_append_only", "the settings are known")
        client.write("b")
        self.assertGreater(client.rows()["b"]["updated_at"], rows[-1]["updated_at"])

    def test_a_dialect_that_is_not_built_is_an_error(self):
        storage = os.path.join(self.folder, "server.db")
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(FOLDER, "server.py"), "--storage", storage, "--dialect", "007"],
            stdin=subprocess.DEVNULL, capture_output=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"dialect 007 with plain fidelity is not built", done.stderr)
