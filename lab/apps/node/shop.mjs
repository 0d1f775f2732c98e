// The application: it reads and places orders through the API at API_URL.
//
// Its client waits as long as Retry-After asks for, and sends a POST again with the key of
// the first attempt. It gives up on a response after ten seconds.

import { randomUUID } from "node:crypto";

const API_URL = process.env.API_URL ?? "http://127.0.0.1:9000";

async function call(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  if (method === "POST") headers["Idempotency-Key"] = randomUUID();
  const request = { method, headers, body: body && JSON.stringify(body) };
  for (let attempt = 0; ; attempt += 1) {
    let wait = 2 ** attempt * 100 * Math.random();
    try {
      const response = await fetch(API_URL + path, { ...request, signal: AbortSignal.timeout(10_000) });
      if (response.ok) return await response.json();
      await response.text();
      if (response.status < 500 || attempt === 3) throw new Error(`status ${response.status}`);
      wait = Math.max(wait, 1_000 * Number(response.headers.get("Retry-After") ?? 0));
    } catch (error) {
      if (error.message.startsWith("status") || error.name === "TimeoutError" || attempt === 3) throw error;
    }
    await new Promise((resume) => setTimeout(resume, wait));
  }
}

export const orders = () => call("GET", "/v1/orders");
export const order = (id) => call("GET", `/v1/orders/${id}`);
export const place = (item) => call("POST", "/v1/orders", { item });
