"""A client to be graded. It runs once for each case of a task.

LAB_TASK names the task and LAB_URL is where to send the request. The last line
that it prints is its result, as JSON. `lab list tasks` shows all tasks.
"""

import http.client
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

TASK = os.environ.get("LAB_TASK")
URL = os.environ.get("LAB_URL")


def request(method, url, body=None, headers=None):
    """Sends one request; returns status, headers and body, whatever the status.

    Without a response the status is 0, and the body says why. The body is None if it
    breaks off: the status and the headers came before it.
    """
    headers = {"Accept": "application/json", **(headers or {})}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    outgoing = urllib.request.Request(url, data, headers, method=method)
    try:
        response = urllib.request.urlopen(outgoing, timeout=5)
    except urllib.error.HTTPError as error:
        response = error
    except (OSError, http.client.HTTPException) as error:
        # Refused, too slow, or closed without a response.
        return 0, {}, repr(error).encode()
    with response:
        try:
            return response.code, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            return response.code, response.headers, None


def read_all():
    """Counts the records of a listing, page by page."""
    headers = {"Authorization": "Bearer " + os.environ.get("LAB_TOKEN", "")}
    records, url = 0, URL
    while url:
        status, _, body = request("GET", url, headers=headers)
        if status != 200:
            text = (body or b"")[:300].decode(errors="replace")
            return {"error": f"status {status}: {text}"}
        if body is None:
            return {"error": "the body of a page broke off"}
        try:
            page = json.loads(body)
            records += len(page["items"])
            cursor = page["next_cursor"]
        except (ValueError, KeyError, TypeError) as error:
            return {"error": f"not a page: {error!r}"}
        url = cursor and URL + "?" + urllib.parse.urlencode({"cursor": cursor})
    return {"records": records}


# Add a function for each further task; tasks without one are skipped.
TASKS = {
    "read-all": read_all,
}


def main():
    if TASK not in TASKS:
        print(f"TASKS has no {TASK}; it has: {', '.join(TASKS)}", file=sys.stderr)
        return {"skip": True}
    return TASKS[TASK]()


if __name__ == "__main__":
    if not TASK or not URL:
        print("LAB_TASK or LAB_URL is not set. The lab sets them:", file=sys.stderr)
        print("  lab grade -- python3 client.py", file=sys.stderr)
        sys.exit(2)
    result = main()
    print(json.dumps(result))
    sys.exit("error" in result)
