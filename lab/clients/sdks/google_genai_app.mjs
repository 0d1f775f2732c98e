// Reads a model and asks one question, with @google/genai. Its retries are enabled; it has none at
// its defaults.

import assert from "node:assert";

import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: "test",
  httpOptions: { baseUrl: process.env.API_URL, retryOptions: {} },
});
const read = await client.models.get({ model: "m" });
assert.equal(read.name, "models/m");
const answer = await client.models.generateContent({ model: "m", contents: "Are you there?" });
assert.equal(answer.text, "hello");
