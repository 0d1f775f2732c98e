"""Python clients: `python3 clients.py httpx` does one task with httpx.

A library that has retries has them enabled, as its documentation shows. All other settings
are the defaults. Each function gets the URL, and for a POST the body as an object. It returns
the status, the headers and the body.
"""

import asyncio
import json
import os
import sys

# What the manuals of urllib3 and requests show.
RETRY = {"total": 3, "backoff_factor": 0.1, "status_forcelist": [429, 502, 503, 504]}


def urllib(url, job):
    import urllib.error
    import urllib.request

    body = job and json.dumps(job).encode()
    headers = {"Content-Type": "application/json"} if job else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, b""


def urllib3(url, job):
    import urllib3

    method = "POST" if job else "GET"
    response = urllib3.request(method, url, json=job, retries=urllib3.Retry(**RETRY))
    return response.status, response.headers, response.data


def requests(url, job):
    import requests
    import urllib3

    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=urllib3.Retry(**RETRY)))
    response = session.post(url, json=job) if job else session.get(url)
    return response.status_code, response.headers, response.content


def httpx(url, job, transport=None):
    import httpx

    with httpx.Client(transport=transport or httpx.HTTPTransport(retries=3)) as client:
        response = client.post(url, json=job) if job else client.get(url)
    return response.status_code, response.headers, response.content


def httpx_retries(url, job):
    from httpx_retries import Retry, RetryTransport

    return httpx(url, job, RetryTransport(retry=Retry(total=3, backoff_factor=0.5)))


def httplib2(url, job):
    import httplib2

    post = {"method": "POST", "body": json.dumps(job), "headers": {"Content-Type": "application/json"}}
    response, content = httplib2.Http().request(url, **(post if job else {}))
    return response.status, {"Retry-After": response.get("retry-after")}, content


def aiohttp(url, job, client=None):
    import aiohttp

    async def call():
        async with (client or aiohttp.ClientSession)() as session:
            async with session.post(url, json=job) if job else session.get(url) as response:
                return response.status, response.headers, await response.read()

    return asyncio.run(call())


def aiohttp_retry(url, job):
    from aiohttp_retry import RetryClient

    return aiohttp(url, job, RetryClient)


def result(client):
    job = {"task": "resize"} if os.environ["LAB_TASK"] == "post-once" else None
    try:
        status, headers, body = client(os.environ["LAB_URL"], job)
        if status == 200:
            return json.loads(body)
    except Exception as error:
        return {"error": str(error) or type(error).__name__}
    if status < 400:
        return {"status": status}
    seconds = headers.get("Retry-After") or ""
    seconds = int(seconds) if seconds.isdecimal() else None
    return {"error": "refused", "status": status, "retry_after": seconds}


printed = result(globals()[sys.argv[1].replace("-", "_")])
print(json.dumps(printed))
sys.exit(1 if "error" in printed else 0)
