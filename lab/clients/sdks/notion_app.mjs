// Reads a page and creates one, with @notionhq/client at its defaults.

import assert from "node:assert";

import { Client } from "@notionhq/client";

const client = new Client({ auth: "test", baseUrl: process.env.API_URL });
const read = await client.pages.retrieve({ page_id: "9f3c2b1a" });
assert.equal(read.object, "page");
await client.pages.create({ parent: { page_id: "9f3c2b1a" }, properties: {} });
