"""Reads a record and adds one, with pyairtable's client at its defaults."""

import os

from pyairtable import Api

table = Api("test", endpoint_url=os.environ["API_URL"]).table("appShop", "Orders")
assert table.get("rec1")["fields"] == {"item": "lamp"}
assert table.create({"item": "chair"})["id"] == "rec2"
