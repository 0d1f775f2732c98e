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
MODELS = {"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "us"}]}
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}
    ],
}
DOCUMENT = {"_index": "orders", "_id": "1", "_version": 1, "found": True, "_source": {"item": "lamp"}}
INDEXED = {"_index": "orders", "_id": "2", "_version": 1, "result": "created"}

# The status and the body for each route. S3 answers with bytes instead of JSON.
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
}


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    method = attempts = None
    has_failed = False

    def answer(self):
        route = self.command, self.path.partition("?")[0]
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, value = ROUTES.get(route, (404, {"message": "no such route"}))
        if self.command == self.method:
            self.keep(content)
            if not Api.has_failed:
                Api.has_failed = True
                status, value = 503, {"message": "unavailable"}
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        # Elasticsearch's client refuses to work with any other product.
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = answer

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
