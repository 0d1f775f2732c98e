// Reads an object of Google Cloud Storage and writes one, with @google-cloud/storage at its
// defaults. An object of a few bytes is written in one request.

import assert from "node:assert";

import { Storage } from "@google-cloud/storage";

const client = new Storage({
  apiEndpoint: process.env.API_URL,
  projectId: "shop",
  useAuthWithCustomEndpoint: false,
});
const bucket = client.bucket("bucket");
const [read] = await bucket.file("lamp").download({ validation: false });
assert.equal(read.toString(), "light");
await bucket.file("chair").save("wood", { resumable: false, validation: false });
