"""Dialect 001: each change is a method and a resource, held against the version in If-Match."""

from urllib.parse import unquote

from clock import MILLISECOND
from singles import SingleDialect
from wire import Response

OPERATIONS = {"POST": "insert", "PATCH": "update", "DELETE": "delete"}


class Dialect001(SingleDialect):
    """`POST /api/{entity}`, `PATCH /api/{entity}/{id}`, `DELETE /api/{entity}/{id}`; what is new is not shown."""

    def parts(self, request):
        return [unquote(part) for part in request.path.split("/")[1:]]

    def is_push(self, request):
        parts = self.parts(request)
        return parts[0] == "api" and len(parts) == (2 if request.method == "POST" else 3)

    def is_pull(self, request):
        return False

    def change(self, request):
        parts, op = self.parts(request), OPERATIONS[request.method]
        body = {} if op == "delete" else request.json()
        entity_id = body.pop("id") if op == "insert" else parts[2]
        base = int(request.headers.get("If-Match", "0").strip('"'))
        now = self.clock.now() // MILLISECOND
        return self.made(
            request, parts[1], entity_id, op, body, base, now, [request.method, request.path, base, body])

    def done(self, request, change, verdict, plan):
        if change.op == "delete":
            return Response(204)
        answer = super().done(request, change, verdict, plan)
        answer.status = 201 if change.op == "insert" else 200
        return answer

    def conflict(self, change, verdict):
        return {"serverVersion": verdict.server["version"], "server": verdict.server["fields"]}
