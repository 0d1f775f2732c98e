"""The API of a small shop: `python3 api.py 9000` serves it on 127.0.0.1."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ORDERS = {"1": {"id": "1", "item": "lamp"}}


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/v1/orders":
            return self.answer(200, list(ORDERS.values()))
        order = ORDERS.get(self.path.removeprefix("/v1/orders/"))
        self.answer(200, order) if order else self.answer(404, {"error": "no such order"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/orders":
            return self.answer(404, {"error": "no such path"})
        order = {"id": str(len(ORDERS) + 1), **json.loads(body)}
        ORDERS[order["id"]] = order
        self.answer(201, order)

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Api)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
