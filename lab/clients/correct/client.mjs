// A correct client, with Node.js alone.

import { randomUUID } from "node:crypto";

const { LAB_TASK: TASK, LAB_URL: URL_, LAB_TOKEN: TOKEN } = process.env;
const RETRIED = [429, 500, 502, 503, 504];
const ATTEMPTS = 4;
const LONGEST_WAIT = 5_000;
// After so long a call has no further attempt.
const LONGEST_CALL = 6_000;
const MOST_BYTES = 1 << 16;

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class Failed extends Error {
  constructor(message, members = {}) {
    super(message);
    this.members = members;
  }
}

async function bodyOf(response) {
  const pieces = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MOST_BYTES) throw new Failed("the body is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function send(method, url, headers, body) {
  const signal = AbortSignal.timeout(3_000);
  const options = { method, headers, body, signal, redirect: "manual" };
  const response = await fetch(url, options);
  let text = "";
  try {
    text = await bodyOf(response);
  } catch (error) {
    if (!RETRIED.includes(response.status)) throw error;
  }
  return { status: response.status, headers: response.headers, text };
}

// How long to wait for the next attempt, in milliseconds.
function pause(headers, attempt) {
  const asked = headers?.get("retry-after") ?? "";
  // A 0 asks for no wait, and a service that has failed needs one.
  const seconds = /^\d+$/.test(asked) ? Number(asked) : 0;
  if (seconds > 0) return seconds * 1_000 + 5;
  const isDate = /^[A-Z][a-z]+, .* GMT$/.test(asked);
  const wait = isDate ? Date.parse(asked) - Date.now() : NaN;
  if (wait > 0) return wait + 20;
  return 100 * 2 ** attempt * (0.5 + Math.random());
}

async function call(method, url, { headers = {}, body, repeats = true } = {}) {
  const bearer = TOKEN ? { Authorization: `Bearer ${TOKEN}` } : {};
  headers = { Accept: "application/json", ...bearer, ...headers };
  if (body) headers["Content-Type"] = "application/json";
  const begun = performance.now();
  for (let attempt = 0; ; attempt++) {
    let wait, message;
    try {
      const response = await send(method, url, headers, body && JSON.stringify(body));
      if (!RETRIED.includes(response.status)) return response;
      wait = pause(response.headers, attempt);
      message = `status ${response.status}`;
    } catch (error) {
      if (error instanceof Failed) throw error;
      wait = pause(null, attempt);
      message = String(error.cause ?? error);
    }
    if (wait > LONGEST_WAIT)
      throw new Failed(message, { retry_after: Math.round((wait - 5) / 1_000) });
    const isLate = performance.now() - begun > LONGEST_CALL;
    if (!repeats || isLate || attempt + 1 >= ATTEMPTS) throw new Failed(message);
    await sleep(wait);
  }
}

async function value(method = "GET", url = URL_, options = {}) {
  const { status, headers, text } = await call(method, url, options);
  if (status !== 200 && status !== 201) throw new Failed(`status ${status}`, { status });
  const mediaType = (headers.get("content-type") ?? "").split(";")[0].trim();
  if (!/^application\/json$|\+json$/i.test(mediaType))
    throw new Failed("the response is not JSON");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failed(`invalid JSON: ${error.message}`);
  }
}

async function listing() {
  const seen = new Set();
  for (let records = 0, url = URL_; ; ) {
    const { items, next_cursor: cursor } = await value("GET", url);
    if (!Array.isArray(items) || items.some((item) => item?.constructor !== Object))
      throw new Failed("items is not a list of objects");
    // Null ends a listing. A missing cursor, like an empty one, does not.
    if (cursor !== null && (typeof cursor !== "string" || cursor === ""))
      throw new Failed("the cursor is not a string");
    records += items.length;
    if (cursor === null) return { records };
    if (seen.has(cursor) || seen.size >= 200) throw new Failed("the listing does not end");
    seen.add(cursor);
    // The URL may have a query of its own.
    const next = new URL(URL_);
    next.searchParams.set("cursor", cursor);
    url = next.href;
  }
}

async function job(task) {
  const headers = { "Idempotency-Key": randomUUID() };
  return (await value("POST", URL_, { headers, body: { task } })).id;
}

const postOnce = () => value("POST", URL_, { body: { task: "resize" }, repeats: false });

// Each call has attempts of its own.
async function manyCalls() {
  let sum = 0;
  for (let call = 0; call < 100; call++) sum += (await value()).value;
  return { sum };
}

// All requests share one limit, which a 429 lowers.
async function crowded() {
  const { urls } = await value();
  let [limit, busy, done, changes] = [16, 0, 0, 0];
  const work = async (url) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      while (busy >= limit) await sleep(5);
      busy++;
      const before = changes;
      const { status } = await send("GET", url, { Accept: "application/json" });
      busy--;
      if (status === 200) return done++;
      // Requests that left before the limit was last halved say nothing new.
      if (status === 429 && changes === before) {
        limit = Math.max(Math.floor(limit / 2), 1);
        changes++;
      }
      await sleep(100 * (1 + Math.random()));
    }
  };
  await Promise.all(urls.map(work));
  return { done };
}

const status = async () => ({ status: (await call("GET", URL_)).status });
const TASKS = {
  "read-all": listing,
  "invalid-body": listing,
  loop: listing,
  "long-list": listing,
  "half-a-list": listing,
  refused: status,
  "no-body": status,
  create: async () => ({ ids: [await job("resize"), await job("crop")] }),
  "create-twice": async () => ({ ids: [await job("resize"), await job("resize")] }),
  "lost-response": async () => ({ id: await job("resize") }),
  "post-once": postOnce,
  "redirect-post": postOnce,
  "many-calls": manyCalls,
  crowded,
  "flaky": value,
  "retry-after": value,
  "retry-at": value,
  "maintenance": value,
  "down": value,
  "silence": value,
  "unbounded": value,
  "redirected": value,
};

let result;
try {
  result = TASK in TASKS ? await TASKS[TASK]() : { skip: true };
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  result = { error: error.message, ...error.members };
}
console.log(JSON.stringify(result));
process.exitCode = "error" in result ? 1 : 0;
