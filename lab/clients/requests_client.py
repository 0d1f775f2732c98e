"""requests, with the Retry of urllib3 as its manual mounts it; all else is its default."""

import json
import os
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

TASKS = "flaky retry-after retry-at maintenance down refused no-body post-once silence"


def main():
    task, url = os.environ["LAB_TASK"], os.environ["LAB_URL"]
    if task not in TASKS.split():
        return {"skip": True}
    retry = Retry(total=3, backoff_factor=0.1, status_forcelist=[429, 502, 503, 504])
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retry))
    try:
        if task == "post-once":
            response = session.post(url, json={"task": "resize"})
        else:
            response = session.get(url)
        if response.status_code == 200:
            return response.json()
        if response.status_code < 400:
            return {"status": response.status_code}
        seconds = response.headers.get("Retry-After", "")
        return {
            "error": response.reason,
            "status": response.status_code,
            "retry_after": int(seconds) if seconds.isdecimal() else None,
        }
    except (requests.RequestException, ValueError) as error:
        return {"error": str(error)}


result = main()
print(json.dumps(result))
sys.exit(1 if "error" in result else 0)
