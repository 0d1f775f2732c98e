"""The smoke test of the application: exit code 0 if it can do its work."""

import time

import shop

try:
    placed = shop.place("chair")
    assert shop.order(placed["id"])["item"] == "chair"
    assert placed in shop.orders()
except Exception:
    # A process that goes on after a failure has given up, and has not only ended.
    time.sleep(1)
    raise
print("the shop works")
