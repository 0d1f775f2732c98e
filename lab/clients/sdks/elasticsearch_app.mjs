// Reads a document and adds one, with @elastic/elasticsearch at its defaults.

import assert from "node:assert";

import { Client } from "@elastic/elasticsearch";

const client = new Client({ node: process.env.API_URL });
const read = await client.get({ index: "orders", id: "1" });
assert.equal(read._source.item, "lamp");
const added = await client.index({ index: "orders", document: { item: "chair" } });
assert.equal(added.result, "created");
