"""Reads a customer and creates one, with the classes of stripe's module at their defaults."""

import os

import stripe

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test_1"
assert stripe.Customer.retrieve("cus_1").email == "a@example.com"
assert stripe.Customer.create(email="a@example.com").id == "cus_1"
