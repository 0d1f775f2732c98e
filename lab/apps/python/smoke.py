"""The smoke test of the application: exit code 0 if it can do its work."""

import shop

placed = shop.place("chair")
assert shop.order(placed["id"])["item"] == "chair"
assert placed in shop.orders()
print("the shop works")
