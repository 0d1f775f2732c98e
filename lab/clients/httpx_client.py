"""httpx, with the retries of its transport; all else is its default."""

import json
import os
import sys

import httpx

TASKS = "flaky retry-after retry-at maintenance down refused no-body post-once silence"


def main():
    task, url = os.environ["LAB_TASK"], os.environ["LAB_URL"]
    if task not in TASKS.split():
        return {"skip": True}
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=3)) as client:
            if task == "post-once":
                response = client.post(url, json={"task": "resize"})
            else:
                response = client.get(url)
        if response.status_code == 200:
            return response.json()
        if response.status_code < 400:
            return {"status": response.status_code}
        seconds = response.headers.get("Retry-After", "")
        return {
            "error": response.reason_phrase,
            "status": response.status_code,
            "retry_after": int(seconds) if seconds.isdecimal() else None,
        }
    except (httpx.HTTPError, ValueError) as error:
        return {"error": str(error) or type(error).__name__}


result = main()
print(json.dumps(result))
sys.exit(1 if "error" in result else 0)
