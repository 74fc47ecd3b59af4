"""The golden files of every dialect: written from the documents, and this server is held to them.

Each file has `about`, `given` (what the server is told first), `request`, `response`, and sometimes `leaves`, the rows
that the server has afterwards. The text of an opaque cursor is the server's own affair. Files that begin with `item-`
are about the devices' queues.
"""

import glob
import json
import os
import unittest

from harness import FOLDER, ServerTestCase

TESTS = os.path.dirname(os.path.dirname(FOLDER))
ROOT = os.path.join(TESTS, "RejoinOutboxTests", "Golden")
LEAST = {"000": 18, "001": 13, "002": 17, "003": 15, "004": 17}


class GoldenTests(unittest.TestCase):
    def test_there_are_golden_files(self):
        for dialect, least in LEAST.items():
            self.assertGreaterEqual(len(files(dialect)), least, dialect)


def files(dialect):
    paths = glob.glob(os.path.join(ROOT, dialect, "*.json"))
    return sorted(path for path in paths if not os.path.basename(path).startswith("item-"))


def golden_test(path):
    def test(self):
        with open(path, encoding="utf-8") as file:
            golden = json.load(file)
        self.assertTrue({"about", "given", "request", "response"} <= set(golden))
        for step in golden["given"]:
            for name, wanted in step.items():
                {"control": self.client.control, "edit": self.client.edit}[name](**wanted)
        request, expected = golden["request"], golden["response"]

        def ask():
            return self.client.request(
                request["method"], request["path"], request.get("body"), request["headers"])

        answer = ask()
        if "text" in expected or "body" not in expected:
            self.assertEqual(answer.status, expected["status"])
            self.assertEqual(answer.raw == b"", "text" not in expected)
            return
        found = answer.json
        if "cursor" in expected["body"] and isinstance(expected["body"]["cursor"], str):
            self.assertIsInstance(found["cursor"], str)
            self.assertNotEqual(found["cursor"], "")
            found["cursor"] = expected["body"]["cursor"]
        self.assertEqual((answer.status, found), (expected["status"], expected["body"]))
        if "leaves" in golden:
            names = golden["leaves"][0].keys()
            rows = [{name: row[name] for name in names} for row in self.client.state()["rows"]]
            self.assertEqual(rows, golden["leaves"])
        if answer.status in (200, 201) and request["method"] != "GET":
            self.assertEqual(ask().json, answer.json, "the same keys again")
    return test


for golden_dialect in LEAST:
    tests = {"dialect": golden_dialect}
    for golden_path in files(golden_dialect):
        name = os.path.basename(golden_path).removesuffix(".json").replace("-", "_")
        tests[f"test_{name}"] = golden_test(golden_path)
    globals()[f"Golden{golden_dialect}Tests"] = type(f"Golden{golden_dialect}Tests", (ServerTestCase,), tests)
