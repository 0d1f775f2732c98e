// The smoke test of the application: exit code 0 if it can do its work.

import assert from "node:assert";
import { order, orders, place } from "./shop.mjs";

const placed = await place("chair");
assert.equal((await order(placed.id)).item, "chair");
assert.ok((await orders()).some((it) => it.id === placed.id));
console.log("the shop works");
