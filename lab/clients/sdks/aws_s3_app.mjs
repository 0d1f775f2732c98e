// Reads an object of S3 and writes one, with @aws-sdk/client-s3 at its defaults.

import assert from "node:assert";

import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

const client = new S3Client({
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  endpoint: process.env.API_URL,
  forcePathStyle: true,
  region: "us-east-1",
});
const read = await client.send(new GetObjectCommand({ Bucket: "bucket", Key: "lamp" }));
assert.equal(await read.Body.transformToString(), "light");
await client.send(new PutObjectCommand({ Bucket: "bucket", Key: "chair", Body: "wood" }));
