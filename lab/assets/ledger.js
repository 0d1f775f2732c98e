// The ledger of a run, and requests from elsewhere: what the service saw.

import { byId, el, memo } from "./dom.js";
import { table } from "./table.js";
import { count, duration, tooEarly } from "./words.js";

/** The most requests that are listed; the counts hold them all. */
const MOST = 200;

const COLUMNS = [
  { title: "#", of: ({ seq }) => seq, number: true },
  { title: "arrived", of: ({ arrived_ns }) => duration(arrived_ns), number: true },
  { title: "request", of: ({ method, route }) => `${method} ${route}` },
  { title: "status", of: ({ status }) => status ?? "not answered", number: true },
  { title: "fault", of: ({ fault }) => fault, rare: true },
  { title: "Retry-After", of: ({ retry_after_seconds: seconds }) => (seconds === null ? null : `${seconds} s`), rare: true, number: true },
  { title: "too early by", of: ({ early_ns }) => (early_ns === null ? null : tooEarly(early_ns)), rare: true, number: true },
  { title: "cursor", of: ({ cursor }) => cursor, rare: true },
  { title: "key", of: ({ idempotency_key: key }) => key, rare: true },
  { title: "body", of: ({ body }) => body, rare: true },
  { title: "trace", of: ({ trace_id }) => trace_id?.slice(0, 8), rare: true, own: true },
  { title: "request id", of: ({ request_id }) => request_id },
];

/** Ledger entries as a table; with the trace that a caller said it belongs to,
    where the entries are not all of one. */
export function requests(caption, entries, { traces = false } = {}) {
  const columns = COLUMNS.filter(({ own }) => !own || traces);
  return table(caption, columns, entries, ({ early_ns }) => (early_ns ? "failed" : null));
}

export function ledgerPanel() {
  return memo((run) => {
    const sides = run?.sides.filter((side) => side.ledger) ?? [];
    byId("ledger").hidden = sides.length === 0;
    byId("ledgers").replaceChildren(...sides.flatMap((side) => {
      const { entries, total } = side.ledger;
      const who = run.sides.length > 1 ? `${side.client}: ` : "";
      const more = entries.length > MOST ? `, of which ${MOST} are listed` : "";
      return [
        el("p", { class: "terms" }, `${who}the service saw ${count(total, "request")}${more}`),
        requests(`${who}requests in the order they arrived`, entries.slice(0, MOST)),
      ];
    }));
  });
}
