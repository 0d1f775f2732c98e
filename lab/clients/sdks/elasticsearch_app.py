"""Reads a document and adds one, with elasticsearch's client at its defaults."""

import os
import time

from elasticsearch import Elasticsearch, TransportError

client = Elasticsearch(os.environ["API_URL"])
try:
    assert client.get(index="orders", id="1")["_source"] == {"item": "lamp"}
    assert client.index(index="orders", document={"item": "chair"})["result"] == "created"
except TransportError:
    # So that its timeout is not taken for the end of the process.
    time.sleep(1.5)
    raise
