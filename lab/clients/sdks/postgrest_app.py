"""Reads a row and adds one, with postgrest's client at its defaults."""

import os

from postgrest import SyncPostgrestClient

client = SyncPostgrestClient(os.environ["API_URL"])
assert client.table("orders").select("*").eq("id", 1).execute().data == [{"id": 1, "item": "lamp"}]
assert client.table("orders").insert({"item": "chair"}).execute().data == [{"id": 2, "item": "chair"}]
