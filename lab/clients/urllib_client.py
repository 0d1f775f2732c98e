"""Python's standard library as it is: it neither retries nor has a timeout."""

import json
import os
import sys
import urllib.error
import urllib.request

TASKS = "flaky retry-after retry-at maintenance down refused no-body post-once silence"


def main():
    task, url = os.environ["LAB_TASK"], os.environ["LAB_URL"]
    if task not in TASKS.split():
        return {"skip": True}
    request = urllib.request.Request(url)
    if task == "post-once":
        request = urllib.request.Request(
            url, json.dumps({"task": "resize"}).encode(), {"Content-Type": "application/json"}
        )
    try:
        with urllib.request.urlopen(request) as response:
            if response.status == 204:
                return {"status": 204}
            return json.load(response)
    except urllib.error.HTTPError as error:
        seconds = error.headers.get("Retry-After", "")
        return {
            "error": str(error),
            "status": error.code,
            "retry_after": int(seconds) if seconds.isdecimal() else None,
        }
    except (OSError, ValueError) as error:
        return {"error": str(error) or type(error).__name__}


result = main()
print(json.dumps(result))
sys.exit(1 if "error" in result else 0)
