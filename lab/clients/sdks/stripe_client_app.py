"""Reads a customer and creates one, with stripe's `StripeClient` at its defaults."""

import os

from stripe import StripeClient

client = StripeClient("sk_test_1", base_addresses={"api": os.environ["API_URL"]})
assert client.v1.customers.retrieve("cus_1").email == "a@example.com"
assert client.v1.customers.create({"email": "a@example.com"}).id == "cus_1"
