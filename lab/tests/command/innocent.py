"""Commands that look as if their client retried, and whose client does not.

Their API is the one of lab/apps/python. The argument says what the command does beside
its one call, which it makes once and gives up.
"""

import json
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

API_URL = os.environ["API_URL"]


def call(path="/v1/orders", body=None):
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(API_URL + path, data, timeout=9) as response:
            return response.read() is not None
    except (OSError, urllib.error.HTTPError):
        return False


def beside(seconds, work):
    """Calls `work` again and again, this many seconds apart, in a thread that ends with the command."""

    def loop():
        while True:
            time.sleep(seconds)
            work()

    threading.Thread(target=loop, daemon=True).start()


def heartbeat():
    beside(0.7, call)
    time.sleep(0.2 if call() else 2.5)


def poller():
    for _ in range(3):
        call()
        time.sleep(0.1)


def parallel():
    threads = [threading.Thread(target=call) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def hedging():
    done = threading.Event()
    threading.Thread(target=lambda: (call(), done.set()), daemon=True).start()
    if not done.wait(0.15):
        call()
    done.wait(9)


def token():
    call(body={"item": "token"})
    if not call():
        call(body={"item": "token"})


def health():
    if not call():
        while not call("/v1/orders/1"):
            time.sleep(0.05)


def new_ids():
    for _ in range(3):
        call(body={"item": uuid.uuid4().hex})


def warm():
    address = urllib.parse.urlsplit(API_URL)
    idle = socket.create_connection((address.hostname, address.port))
    call()
    idle.close()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
