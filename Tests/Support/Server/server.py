"""A server for the tests of the outbox: the documents' wire format once more, written from the documents alone.

    python3 -B server.py --storage FILE [--dialect 004] [--fidelity plain]

Listens on a free port of the loopback interface, prints {"port": n} as one line, and ends when standard input does.
Killed and started again on the same file, it knows what it knew; faults and request counts begin anew.

    python3 -B server.py --lines [--dialect 004] [--fidelity plain]

Reads requests from standard input and writes answers to standard output, a JSON object for each line, and keeps what it
knows in memory: for tests with many thousand requests. {"reset": settings} forgets everything.

Decisions where the documents are silent
- The answer to a push is {"results": [answer, ...]}, in the order of the mutations.
- `version` and `updated_at` stand in answers "applied" only, `server_version` in answers "conflict" only, `id` only
  where it is not the client's, `reason` in answers "rejected" and "retry_later".
- Stored under a key, and given again: applied, conflict and rejected; not retry_later, not what is malformed. A key
  that comes with another body is rejected as `op_id_reused`; what is stored under it stays.
- A base version that is not the row's, smaller or larger, is a conflict, also where no field is in both edits.
- Insert: of an id that lives, a conflict, or with its version as base an update; of a tombstone, a conflict, or with
  its version as base a revival with the sent fields alone.
- Update: of a tombstone always a conflict whose row has deleted_at; of an unknown id rejected as `not_found`.
- Delete: of a tombstone applied, with its version and without a new one; of an unknown id applied, with the base
  version, and no row is made.
- A log takes inserts only. A known entry with the same payload is applied, with another one rejected.
- Where the server gave an id, entity_id may be that or the client's; rows have both (`id` and `local_id`).
- Idempotency-Key has to be the op_id where a request holds one mutation and the header is there; with more
  mutations it is not looked at.
- A request with an entry that has no op_id, with other JSON, or without schema_version: 400, nothing applied. An
  entry that is malformed otherwise is rejected alone.
- A status code other than 200 for an outcome comes only with the setting `status_codes`, from requests of one
  mutation: 409 conflict, 422 rejected, 503 retry_later; 404 and 410 for updates and deletes of what is not there.
- 401 comes before 413, 413 by bytes before what needs the body to be read, 426 before 413 by entries.
- 426 for every schema version outside of the served range, also newer ones; without the header Upgrade, as no
  other protocol is offered.
- Errors are {"error": name, ...}. An unknown cursor, and one from before the horizon, is 410 "unknown_cursor". A
  cursor from before a change of epoch is served; the page names the new epoch.
- Times are whole milliseconds and strictly increasing from write to write, unless a switch says otherwise. Rows of
  two collections with one id and one time are ordered by collection. Log entries are pulled as rows of version 1.
- Looking back is the server's part where cursors are opaque; it is off by default, since with it a second pull
  brings rows again. A row that is visible late hides the version before it, too.
- Who a client is, for not echoing its writes, says the header X-Client, or else its token.
- An empty since is the start; a limit above 500 is taken for 500.
"""

import argparse
import json
import os
import sys
import threading

from application import Application
from wire import HTTPServer, Refusal, Request


def main():
    parser = argparse.ArgumentParser(description="A server for the tests of the outbox.")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--storage", help="the SQLite file, made when it is missing")
    where.add_argument("--lines", action="store_true", help="requests come as lines; nothing is kept")
    parser.add_argument("--dialect", default="004", help="the document whose wire format is spoken")
    parser.add_argument("--fidelity", default="plain", help="plain, or full: the server is a replica itself")
    arguments = parser.parse_args()
    if arguments.lines:
        return answer_lines(arguments.dialect, arguments.fidelity)
    server = HTTPServer(Application(arguments.storage, arguments.dialect, arguments.fidelity))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    while sys.stdin.buffer.read(4096):
        pass
    # No answer that is under way is waited for: who closed the input wants no more of them.
    os._exit(0)


def answer_lines(dialect, fidelity):
    """Answers requests {"method", "path", "query", "headers", "body"} with {"status", "headers", "body"}."""
    application = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "reset" in asked:
            application = Application(":memory:", dialect, fidelity)
            application.control.set(asked["reset"])
            print("{}", flush=True)
            continue
        body = json.dumps(asked["body"], ensure_ascii=False).encode() if asked["body"] is not None else b""
        try:
            response = application.answer(
                Request(asked["method"], asked["path"], asked["query"], asked["headers"], body))
        except Refusal as refusal:
            response = refusal.response
        text = (response.body or b"null").decode()
        print(f'{{"status":{response.status},"headers":{json.dumps(response.headers)},"body":{text}}}', flush=True)


if __name__ == "__main__":
    main()
