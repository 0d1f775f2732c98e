"""Reads a document and adds one, with elasticsearch's client at its defaults."""

import os

from elasticsearch import Elasticsearch

client = Elasticsearch(os.environ["API_URL"])
assert client.get(index="orders", id="1")["_source"] == {"item": "lamp"}
assert client.index(index="orders", document={"item": "chair"})["result"] == "created"
