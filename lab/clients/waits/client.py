"""A client for the tasks `flaky`, `down` and `retry-at` that pauses in one way.

python3 client.py at-once        without a pause
python3 client.py equal 50       for 50 ms before each retry
python3 client.py unreadable     at random, and without a pause if Retry-After is unreadable
"""

import email.utils
import http.client
import json
import os
import random
import sys
import time
import urllib.parse

HOW, MILLIS = sys.argv[1], [int(number) for number in sys.argv[2:]]


def send(parts):
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=3)
    connection.request("GET", parts.path, headers={"Accept": "application/json"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def pause(asked):
    if HOW == "at-once":
        return 0
    if HOW == "equal":
        return MILLIS[0] / 1000
    if asked is None:
        return 0.05 + 0.1 * random.random()
    if asked.isdecimal():
        return int(asked)
    date = email.utils.parsedate_to_datetime(asked) if "GMT" in asked else None
    return max(date.timestamp() - time.time(), 0) if date else 0


parts = urllib.parse.urlsplit(os.environ["LAB_URL"])
for attempt in range(4):
    response, body = send(parts)
    if response.status == 200:
        print(body.decode())
        sys.exit()
    if attempt < 3:
        time.sleep(pause(response.headers["Retry-After"]))
print(json.dumps({"error": f"status {response.status}"}))
sys.exit(1)
