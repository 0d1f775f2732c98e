"""Reads an object of Google Cloud Storage and writes one, with its client at its defaults."""

import os

from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

client = storage.Client(
    project="shop",
    credentials=AnonymousCredentials(),
    client_options={"api_endpoint": os.environ["API_URL"]},
)
bucket = client.bucket("bucket")
assert bucket.blob("lamp").download_as_bytes() == b"light"
bucket.blob("chair").upload_from_string("wood")
