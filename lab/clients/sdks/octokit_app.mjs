// Reads an issue and opens one, with @octokit/core and @octokit/plugin-retry at their defaults.

import assert from "node:assert";

import { Octokit } from "@octokit/core";
import { retry } from "@octokit/plugin-retry";

const client = new (Octokit.plugin(retry))({ baseUrl: process.env.API_URL });
const repository = { owner: "shop", repo: "orders" };
const issues = "/repos/{owner}/{repo}/issues";
const read = await client.request(`GET ${issues}/{issue_number}`, { ...repository, issue_number: 1 });
assert.equal(read.data.title, "lamp");
const opened = await client.request(`POST ${issues}`, { ...repository, title: "lamp" });
assert.equal(opened.status, 201);
