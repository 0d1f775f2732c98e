// Reads an entry, with contentful's client at its defaults. It writes nothing.

import assert from "node:assert";

import { createClient } from "contentful";

const client = createClient({
  accessToken: "test",
  host: process.env.API_URL.replace("http://", ""),
  insecure: true,
  space: "shop",
});
const read = await client.getEntry("lamp");
assert.equal(read.fields.item, "lamp");
