"""The golden files of dialect 004: written from the documents, and this server is held to them.

Each file has `about`, `given` (what the server is told first), `request`, `response`, and sometimes `leaves`, the rows
that the server has afterwards. The text of a cursor is the server's own affair.
"""

import glob
import json
import os

from harness import FOLDER, ServerTestCase

TESTS = os.path.dirname(os.path.dirname(FOLDER))
GOLDEN = sorted(glob.glob(os.path.join(TESTS, "RejoinOutboxTests", "Golden", "004", "*.json")))


class GoldenTests(ServerTestCase):
    def test_there_are_golden_files(self):
        self.assertGreaterEqual(len(GOLDEN), 17)


def golden_test(path):
    def test(self):
        with open(path, encoding="utf-8") as file:
            golden = json.load(file)
        self.assertTrue({"about", "given", "request", "response"} <= set(golden))
        for step in golden["given"]:
            for name, wanted in step.items():
                {"control": self.client.control, "edit": self.client.edit}[name](**wanted)
        request, expected = golden["request"], golden["response"]
        answer = self.client.request(
            request["method"], request["path"], request.get("body"), request["headers"])
        found = answer.json
        if "cursor" in expected["body"]:
            self.assertIsInstance(found["cursor"], str)
            self.assertNotEqual(found["cursor"], "")
            found["cursor"] = expected["body"]["cursor"]
        self.assertEqual((answer.status, found), (expected["status"], expected["body"]))
        if "leaves" in golden:
            names = golden["leaves"][0].keys()
            rows = [{name: row[name] for name in names} for row in self.client.state()["rows"]]
            self.assertEqual(rows, golden["leaves"])
        if answer.status == 200 and request["method"] == "POST":
            again = self.client.request(
                request["method"], request["path"], request["body"], request["headers"])
            self.assertEqual(again.json, answer.json, "the same keys again")
    return test


for golden_path in GOLDEN:
    name = os.path.basename(golden_path).removesuffix(".json").replace("-", "_")
    setattr(GoldenTests, f"test_{name}", golden_test(golden_path))
