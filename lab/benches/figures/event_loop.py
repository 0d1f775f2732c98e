"""The default story of `lab storm` as a plain event loop, without a client.

Prints how many requests it simulates, and how many per second.
"""

import heapq
import random
import time
from collections import deque

SEEDS = 5

LENGTH, SPIKE_STARTS, SPIKE_ENDS = 60.0, 10.0, 15.0
CALLS_PER_SECOND, SPIKE = 60.0, 3.5
CLIENTS, WORKERS, QUEUE = 10, 10, 300
WORK_TIME, TIMEOUT = 0.1, 1.0
BASE, CAP = 0.2, 5.0
TOKENS, DEPOSIT = 10.0, 0.1

# The most attempts of a call, whether it waits before a retry, and whether its client has a
# budget.
POLICIES = [
    (1, False, False),
    (3, False, False),
    (3, True, False),
    (3, True, True),
]

CALL, SEND, WORKED, TIMED_OUT = range(4)


class Request:
    """A request: the client of its call, the number of its attempt, and whether it ended."""

    __slots__ = ("client", "attempt", "ended")

    def __init__(self, client, attempt):
        self.client = client
        self.attempt = attempt
        self.ended = False


def simulate(attempts, waits, has_budget, seed):
    """Returns the number of requests."""
    chance = random.Random(seed)
    events, order, requests, calls = [], 0, 0, 0
    tokens = [TOKENS] * CLIENTS
    queue, idle = deque(), WORKERS

    def schedule(at, kind, request):
        nonlocal order
        order += 1
        heapq.heappush(events, (at, order, kind, request))

    def next_call(now):
        is_spike = SPIKE_STARTS <= now < SPIKE_ENDS
        rate = CALLS_PER_SECOND * SPIKE if is_spike else CALLS_PER_SECOND
        at = now + chance.expovariate(rate)
        # No call starts later, but those in flight go on to their end.
        if at < LENGTH:
            schedule(at, CALL, None)

    def failed(now, request):
        if request.attempt == attempts:
            return
        if has_budget:
            if tokens[request.client] < 1.0:
                return
            tokens[request.client] -= 1.0
        ceiling = min(CAP, BASE * 2 ** (request.attempt - 1))
        wait = chance.random() * ceiling if waits else 0.0
        schedule(now + wait, SEND, Request(request.client, request.attempt + 1))

    next_call(0.0)
    while events:
        now, _, kind, request = heapq.heappop(events)
        if kind == CALL:
            client = calls % CLIENTS
            calls += 1
            next_call(now)
            tokens[client] = min(TOKENS, tokens[client] + DEPOSIT)
            kind, request = SEND, Request(client, 1)
        if kind == SEND:
            requests += 1
            if idle > 0:
                idle -= 1
                schedule(now + chance.expovariate(1.0 / WORK_TIME), WORKED, request)
            elif len(queue) < QUEUE:
                queue.append(request)
            else:
                failed(now, request)
                continue
            schedule(now + TIMEOUT, TIMED_OUT, request)
        elif kind == WORKED:
            request.ended = True
            if queue:
                schedule(now + chance.expovariate(1.0 / WORK_TIME), WORKED, queue.popleft())
            else:
                idle += 1
        elif not request.ended:
            request.ended = True
            failed(now, request)
    return requests


def main():
    begun = time.perf_counter()
    requests = sum(simulate(*policy, seed) for policy in POLICIES for seed in range(SEEDS))
    print(requests, requests / (time.perf_counter() - begun))


if __name__ == "__main__":
    main()
