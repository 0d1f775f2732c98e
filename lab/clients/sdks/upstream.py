"""An API that answers the few requests of the applications in this folder.

    python3 upstream.py 0                    serves it on a free port of 127.0.0.1
    python3 upstream.py 0 POST attempts.log  answers the first POST with 503, and writes all
                                             POSTs to the file, each as a line of JSON
"""

import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ISSUE = {"number": 1, "title": "lamp"}
CUSTOMER = {"id": "cus_1", "object": "customer", "email": "a@example.com"}
# For openai and mistralai, and for cohere.
MODELS = {
    "object": "list",
    "data": [
        {
            "id": "m",
            "type": "base",
            "object": "model",
            "created": 1,
            "owned_by": "us",
            "capabilities": {},
        }
    ],
    "models": [{"name": "m"}],
}
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
CHAT = {
    "id": "1",
    "finish_reason": "COMPLETE",
    "message": {"role": "assistant", "content": [{"type": "text", "text": "hello"}]},
}
GENERATED = {"candidates": [{"content": {"role": "model", "parts": [{"text": "hello"}]}}]}
ENTRY = {"sys": {"type": "Entry", "id": "lamp"}, "fields": {"item": "lamp"}}
ENTRIES = {"sys": {"type": "Array"}, "total": 1, "skip": 0, "limit": 1, "items": [ENTRY]}
RECORD = {"id": "rec1", "createdTime": "2026-01-01T00:00:00.000Z", "fields": {"item": "lamp"}}
ADDED = RECORD | {"id": "rec2", "fields": {"item": "chair"}}
DOCUMENT = {"_index": "orders", "_id": "1", "_version": 1, "found": True, "_source": {"item": "lamp"}}
OBJECT = {"kind": "storage#object", "bucket": "bucket", "name": "chair", "size": "4", "generation": "1"}
# What Google's client for Python reads once in the background, and nobody waits for.
BACKGROUND = "/storage/v1/b/bucket"
BUCKET = {"kind": "storage#bucket", "name": "bucket", "location": "EU", "projectNumber": "1"}
# Notion's client retries an error only if its code says so.
UNAVAILABLE = {"object": "error", "status": 503, "code": "service_unavailable", "message": "unavailable"}
PAGE = {"object": "page", "id": "9f3c2b1a"}
INDEXED = {"_index": "orders", "_id": "2", "_version": 1, "result": "created"}

# The status and the body for each route. Stores of objects answer with bytes instead of JSON.
ROUTES = {
    ("GET", "/v1/models"): (200, MODELS),
    ("POST", "/v1/chat/completions"): (200, COMPLETION),
    ("GET", "/v1/customers/cus_1"): (200, CUSTOMER),
    ("POST", "/v1/customers"): (200, CUSTOMER),
    ("GET", "/bucket/lamp"): (200, b"light"),
    ("PUT", "/bucket/chair"): (200, b""),
    ("GET", "/orders/_doc/1"): (200, DOCUMENT),
    ("POST", "/orders/_doc"): (201, INDEXED),
    ("GET", "/repos/shop/orders/issues/1"): (200, ISSUE),
    ("POST", "/repos/shop/orders/issues"): (201, ISSUE),
    ("GET", BACKGROUND): (200, BUCKET),
    ("GET", "/download/storage/v1/b/bucket/o/lamp"): (200, b"light"),
    ("GET", "/storage/v1/b/bucket/o/lamp"): (200, b"light"),
    ("POST", "/upload/storage/v1/b/bucket/o"): (200, OBJECT),
    ("GET", "/orders"): (200, [{"id": 1, "item": "lamp"}]),
    ("POST", "/orders"): (201, [{"id": 2, "item": "chair"}]),
    ("GET", "/spaces/shop/environments/master/entries"): (200, ENTRIES),
    ("GET", "/v1beta/models/m"): (200, {"name": "models/m"}),
    ("POST", "/v1beta/models/m:generateContent"): (200, GENERATED),
    ("POST", "/v2/chat"): (200, CHAT),
    ("GET", "/v0/appShop/Orders/rec1"): (200, RECORD),
    ("POST", "/v0/appShop/Orders"): (200, ADDED),
    ("POST", "/v1/traces"): (200, b""),
    ("GET", "/v1/pages/9f3c2b1a"): (200, PAGE),
    ("POST", "/v1/pages"): (200, PAGE),
}


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    method = attempts = None
    has_failed = False

    def answer(self):
        route = self.command, self.path.partition("?")[0]
        content = self.content()
        status, value = ROUTES.get(route, (404, {"message": "no such route"}))
        if self.command == self.method and route[1] != BACKGROUND:
            self.keep(content)
            if not Api.has_failed:
                Api.has_failed = True
                status, value = 503, UNAVAILABLE
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        # Elasticsearch's client refuses to work with any other product.
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = answer

    def content(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        content = b""
        while size := int(self.rfile.readline(), 16):
            content += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return content

    def keep(self, content):
        request = {
            "method": self.command,
            "target": self.path,
            "body": hashlib.sha256(content).hexdigest(),
            "headers": {name.lower(): value for name, value in self.headers.items()},
        }
        with open(self.attempts, "a") as file:
            print(json.dumps(request), file=file)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if len(sys.argv) > 2:
        Api.method, Api.attempts = sys.argv[2:]
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Api)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
