"""The application: it reads and places orders through the API at API_URL.

Its client retries what fails, as many do: three times, a fifth of a second apart,
whatever the request and whatever the response asks for.
"""

import json
import os
import time
import urllib.error
import urllib.request

API_URL = os.environ.get("API_URL", "http://127.0.0.1:9000")


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} if data else {}
    request = urllib.request.Request(API_URL + path, data, headers, method=method)
    for attempt in range(4):
        try:
            with urllib.request.urlopen(request, timeout=5) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == 3:
                raise
        except OSError:
            if attempt == 3:
                raise
        time.sleep(0.2)


def orders():
    return call("GET", "/v1/orders")


def order(number):
    return call("GET", f"/v1/orders/{number}")


def place(item):
    return call("POST", "/v1/orders", {"item": item})
