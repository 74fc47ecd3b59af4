"""Requests that are refused as a whole, and HTTP itself."""

import gzip
import json
import socket
from unittest import mock

from harness import ServerTestCase, insert
import wire


class LimitTests(ServerTestCase):
    def test_too_many_entries(self):
        answer = self.client.push(*[insert(f"r{number}") for number in range(51)])
        self.assertEqual((answer.status, answer.json), (413, {"error": "too_large", "limit_entries": 50}))
        self.assertEqual(self.client.rows(), {})
        self.client.control(settings={"max_entries": 2})
        self.assertEqual(self.client.push(insert("a"), insert("b"), insert("c")).status, 413)
        self.assertEqual(self.client.push(insert("a"), insert("b")).status, 200)

    def test_too_many_bytes(self):
        self.client.control(settings={"max_bytes": 1000})
        answer = self.client.push(insert("a", text="x" * 1000))
        self.assertEqual((answer.status, answer.json), (413, {"error": "too_large", "limit_bytes": 1000}))
        self.assertEqual(self.client.push(insert("a", text="x")).status, 200)
        self.assertEqual(list(self.client.rows()), ["a"])

    def test_an_empty_push_is_fine(self):
        self.assertEqual(self.client.push().json, {"results": []})


class TokenTests(ServerTestCase):
    def test_requests_without_the_token_change_nothing(self):
        self.client.control(settings={"token": "secret"})
        for headers in ({}, {"Authorization": "Bearer other"}):
            for answer in (self.client.push(insert("a"), headers=headers), self.client.sync(headers=headers)):
                self.assertEqual((answer.status, answer.json["error"]), (401, "unauthorized"))
                self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        self.assertEqual(self.client.rows(), {})
        good = {"Authorization": "Bearer secret"}
        self.assertEqual(self.client.push(insert("a"), headers=good).status, 200)
        self.assertEqual(self.client.sync(headers=good).status, 200)

    def test_the_token_comes_before_the_size(self):
        self.client.control(settings={"token": "secret", "max_bytes": 10})
        self.assertEqual(self.client.push(insert("a")).status, 401)


class EnvelopeTests(ServerTestCase):
    def test_what_is_no_push_is_refused_as_a_whole(self):
        good = insert("a", title="x")
        for body in [
            b"", b"{", b"[]", b"\xff", b'{"schema_version":1}', b'{"schema_version":1,"mutations":{}}',
            b'{"mutations":[]}', b'{"schema_version":1,"schema_version":1,"mutations":[]}',
            b"[" * 100_000,
        ]:
            answer = self.client.request("POST", "/mutations", body)
            self.assertEqual((answer.status, answer.json["error"]), (400, "bad_request"), body[:60])
        for key in (None, 7, "", "chg_0f3a91", good["op_id"].replace("-", "")):
            self.assertEqual(self.client.push(good, {**insert("b"), "op_id": key}).status, 400, key)
        self.assertEqual(self.client.rows(), {})
        self.assertEqual(self.client.push({**good, "op_id": good["op_id"].upper()}).status, 200)

    def test_numbers_are_finite_and_names_are_given_once(self):
        text = json.dumps({"schema_version": 1, "mutations": [insert("a", x="hole")]})
        for value in ("NaN", "Infinity", "-Infinity", "1e999", '{"a":1,"a":1}'):
            answer = self.client.request("POST", "/mutations", text.replace('"hole"', value).encode())
            self.assertEqual((answer.status, answer.json["error"]), (400, "bad_request"), value[:20])
        self.assertEqual(self.client.rows(), {})

    def test_paths_and_methods(self):
        self.assertEqual(self.client.request("GET", "/accounts").status, 404)
        self.assertEqual(self.client.request("GET", "/mutations").status, 405)
        self.assertEqual(self.client.request("DELETE", "/sync").status, 405)


class HTTPTests(ServerTestCase):
    def test_one_connection_carries_many_requests(self):
        self.client.connection.connect()
        mine = self.client.connection.sock
        self.client.fault("refuse", status=204, body="none", next=1)
        self.client.fault("refuse", status=500, body="none", next=1, skip=1)
        for _ in range(4):
            self.client.sync()
        self.client.control(settings={"max_bytes": 10})
        self.client.push(insert("a", text="x" * 100_000))
        self.client.request("GET", "/unheard")
        self.client.sync()
        self.assertIs(self.client.connection.sock, mine)

    def test_bodies_are_compressed_for_clients_that_accept_it(self):
        self.client.write("a", text="x" * 1000)
        plain = self.client.sync()
        self.assertNotIn("Content-Encoding", plain.headers)
        for accepted, is_compressed in [
            ("gzip", True), ("deflate, GZIP;q=0.5", True), ("*", True), ("gzip;q=0", False), ("br", False),
            ("identity, *;q=0", False),
        ]:
            answer = self.client.sync(headers={"Accept-Encoding": accepted})
            self.assertEqual(answer.headers.get("Content-Encoding") == "gzip", is_compressed, accepted)
            self.assertEqual(answer.headers["Vary"], "Accept-Encoding")
            raw = gzip.decompress(answer.raw) if is_compressed else answer.raw
            self.assertEqual(raw[:100], plain.raw[:100])

    def test_a_body_in_chunks_is_read(self):
        body = b'{"schema_version":1,"mutations":[]}'
        self.client.connection.request("POST", "/mutations", iter([body[:5], body[5:]]), encode_chunked=True)
        response = self.client.connection.getresponse()
        self.assertEqual((response.status, response.read()), (200, b'{"results":[]}'))
        self.assertEqual(self.client.sync().status, 200)

    def raw(self, data, count):
        """What the server sends first, for bytes that no client library writes."""
        with socket.create_connection(self.http.server_address, timeout=60) as connection:
            connection.sendall(data)
            found = b""
            while len(found) < count:
                more = connection.recv(count - len(found))
                if not more:
                    break
                found += more
            return found

    def test_a_client_that_waits_is_told_to_go_on(self):
        head = b"POST /mutations HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        self.assertEqual(self.raw(head, 25), b"HTTP/1.1 100 Continue\r\n\r\n")

    def test_a_length_that_is_none_is_refused(self):
        found = self.raw(b"POST /mutations HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 10_000)
        self.assertTrue(found.startswith(b"HTTP/1.1 400 "))
        self.assertIn(b"\r\nConnection: close\r\n", found)

    def test_two_requests_in_one_piece_are_both_answered(self):
        one = b"GET /unheard HTTP/1.1\r\nHost: a\r\n\r\n"
        closing = b"GET /unheard HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        self.assertEqual(self.raw(one + closing, 10_000).count(b"HTTP/1.1 404 "), 2)

    def test_a_fault_of_the_server_is_a_500_and_applies_nothing(self):
        with mock.patch.object(self.application.engine, "judge", side_effect=ZeroDivisionError):
            with mock.patch.object(wire.traceback, "print_exc"):
                answer = self.client.push(insert("a"))
        self.assertEqual((answer.status, answer.json["error"]), (500, "fault_of_the_server"))
        self.assertEqual(self.client.rows(), {})
