// The smoke test of the application: exit code 0 if it can do its work.

import assert from "node:assert";
import { setTimeout } from "node:timers/promises";
import { order, orders, place } from "./shop.mjs";

try {
  const placed = await place("chair");
  assert.equal((await order(placed.id)).item, "chair");
  assert.ok((await orders()).some((it) => it.id === placed.id));
} catch (error) {
  // A process that goes on after a failure has given up, and has not only ended.
  await setTimeout(1000);
  throw error;
}
console.log("the shop works");
