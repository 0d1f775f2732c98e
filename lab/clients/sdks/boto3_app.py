"""Reads an object of S3 and writes one, with boto3's client at its defaults."""

import os

import boto3

client = boto3.client(
    "s3",
    endpoint_url=os.environ["API_URL"],
    region_name="us-east-1",
    aws_access_key_id="test",
    aws_secret_access_key="test",
)
assert client.get_object(Bucket="bucket", Key="lamp")["Body"].read() == b"light"
client.put_object(Bucket="bucket", Key="chair", Body=b"wood")
