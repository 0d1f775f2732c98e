"""A correct client, with Python's standard library alone."""

import calendar
import email.utils
import http.client
import json
import os
import random
import sys
import threading
import time
import urllib.parse
import uuid

TASK, URL = os.environ["LAB_TASK"], os.environ["LAB_URL"]
RETRIED = {429, 500, 502, 503, 504}
ATTEMPTS = 4
LONGEST_WAIT = 5.0
MOST_BYTES = 1 << 16
JSON = {"Accept": "application/json"}


class Failed(Exception):
    def __init__(self, message, **members):
        super().__init__(message)
        self.members = members


def read(response):
    content = b""
    latest = time.monotonic() + LONGEST_WAIT
    while piece := response.read1(1 << 16):
        content += piece
        # At most so many bytes within so many seconds.
        if len(content) > MOST_BYTES:
            raise Failed("the body is too large")
        if time.monotonic() > latest:
            raise Failed("the body takes too long")
    # Such a read does not report a body that breaks off.
    if response.length:
        raise http.client.IncompleteRead(content, response.length)
    return content


def send(method, url, headers, body):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=3)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        try:
            return response.status, response.headers, read(response)
        except http.client.IncompleteRead:
            if response.status not in RETRIED:
                raise
            return response.status, response.headers, b""
    finally:
        connection.close()


def pause(headers, attempt):
    """How long to wait for the next attempt, in seconds."""
    asked = headers.get("Retry-After", "") if headers else ""
    # A 0 asks for no wait, and a service that has failed needs one.
    if asked.isdecimal() and int(asked) > 0:
        return int(asked) + 0.01 * random.random()
    date = email.utils.parsedate(asked)
    if date:
        wait = calendar.timegm(date) - time.time()
        if wait > 0:
            return wait + 0.02
    return 0.1 * 2**attempt * (0.5 + random.random())


def call(method, url, headers=None, body=None, repeats=True):
    """Sends a request until it has a response that is not to be repeated."""
    headers = {**JSON, **(headers or {})}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body).encode()
    for attempt in range(ATTEMPTS):
        is_last = attempt == ATTEMPTS - 1 or not repeats
        try:
            status, got, content = send(method, url, headers, body)
            if status not in RETRIED:
                return status, got, content
            wait, message = pause(got, attempt), f"status {status}"
            if wait > LONGEST_WAIT:
                raise Failed(message, retry_after=round(wait))
        except (OSError, http.client.HTTPException) as error:
            wait, message = pause(None, attempt), f"{type(error).__name__}: {error}"
        if is_last:
            raise Failed(message)
        time.sleep(wait)


def value(method="GET", url=URL, headers=None, body=None, repeats=True):
    token = os.environ.get("LAB_TOKEN")
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    status, got, content = call(method, url, {**bearer, **(headers or {})}, body, repeats)
    if status not in (200, 201):
        raise Failed(f"status {status}", status=status)
    media_type = got.get_content_type()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise Failed("the response is not JSON")
    try:
        return json.loads(content)
    except ValueError as error:
        raise Failed(f"invalid JSON: {error}") from error


def listing():
    records, url = 0, URL
    seen = set()
    while True:
        page = value(url=url)
        items, cursor = page.get("items"), page.get("next_cursor", "")
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Failed("items is not a list of objects")
        # Null ends a listing. A missing cursor, like an empty one, does not.
        if cursor is not None and (not isinstance(cursor, str) or not cursor):
            raise Failed("the cursor is not a string")
        records += len(items)
        if cursor is None:
            return {"records": records}
        if cursor in seen or len(seen) >= 200:
            raise Failed("the listing does not end")
        seen.add(cursor)
        # The URL may have a query of its own.
        url = URL + ("&" if "?" in URL else "?") + urllib.parse.urlencode({"cursor": cursor})


def job(name):
    return value("POST", headers={"Idempotency-Key": str(uuid.uuid4())}, body={"task": name})["id"]


def post_once():
    return value("POST", body={"task": "resize"}, repeats=False)


def many_calls():
    """Each call has attempts of its own, and each attempt a connection of its own."""
    return {"sum": sum(value()["value"] for _ in range(100))}


def crowded():
    """Workers share one limit, which is halved by a 429."""
    urls, lock = value()["urls"], threading.Condition()
    state = {"limit": 16, "busy": 0, "done": 0, "changes": 0}

    def work(url):
        for attempt in range(20):
            with lock:
                lock.wait_for(lambda: state["busy"] < state["limit"])
                state["busy"] += 1
                changes = state["changes"]
            status = send("GET", url, JSON, None)[0]
            with lock:
                # Requests that left before the limit was last halved say nothing new.
                if status == 429 and state["changes"] == changes:
                    state["limit"] = max(state["limit"] // 2, 1)
                    state["changes"] += 1
                state["busy"] -= 1
                state["done"] += status == 200
                lock.notify_all()
            if status == 200:
                return
            time.sleep(0.1 * (1 + random.random()))

    threads = [threading.Thread(target=work, args=(url,)) for url in urls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"done": state["done"]}


def status():
    return {"status": call("GET", URL)[0]}


TASKS = {
    **dict.fromkeys(["read-all", "invalid-body", "loop", "long-list", "half-a-list"], listing),
    **dict.fromkeys(["refused", "no-body"], status),
    "create": lambda: {"ids": [job("resize"), job("crop")]},
    "create-twice": lambda: {"ids": [job("resize"), job("resize")]},
    "lost-response": lambda: {"id": job("resize")},
    **dict.fromkeys(["post-once", "redirect-post"], post_once),
    "many-calls": many_calls,
    "crowded": crowded,
    "flaky": value,
    "retry-after": value,
    "retry-at": value,
    "maintenance": value,
    "down": value,
    "silence": value,
    "unbounded": value,
    "redirected": value,
}

try:
    result = TASKS[TASK]() if TASK in TASKS else {"skip": True}
except Failed as failed:
    result = {"error": str(failed), **failed.members}
print(json.dumps(result), flush=True)
sys.exit("error" in result)
