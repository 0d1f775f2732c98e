// The selected row: the reason for it, its recorded fields, and its request and
// response.

import { byId, el, memo } from "./dom.js";

export function fieldsPanel({ copyText }) {
  const root = byId("fields");
  const render = memo((row, exchange, service) => {
    if (!row) {
      root.replaceChildren(el("p", { class: "terms" }, "Select a row: its fields, its request and response, and the reason stand here."));
      return;
    }
    root.replaceChildren(
      el("h3", null, row.what),
      row.why.length > 0 ? el("ol", { class: "why", "aria-label": "Why" }, ...row.why.map((step) => el("li", null, step))) : "",
      el("dl", null, ...row.details.map(({ name, value }) =>
        el("div", null, el("dt", null, name), el("dd", null, value)))),
      exchange ? exchangeOf(exchange, service, copyText) : "");
  });

  return (side, id, service) => {
    const rows = side?.view.waterfall.rows ?? [];
    const row = rows.find(({ span }) => span === id);
    render(row, row && exchangeUnder(row, rows, side.wire), service);
  };
}

/** The exchange of a row with one request; none while the run goes on. */
function exchangeUnder(row, rows, wire) {
  const under = ({ span, kind }) =>
    rows.filter(({ parent }) => parent === span && kind !== "request").flatMap((child) => [child, ...under(child)]);
  const requests = [row, ...under(row)].filter(({ kind }) => kind === "request");
  if (!wire || requests.length !== 1) return undefined;
  const id = requests[0].details.find(({ name }) => name === "lab.request_id")?.value;
  const seq = wire.entries.find(({ request_id }) => request_id === id)?.seq;
  return wire.exchanges.find((exchange) => exchange.seq === seq);
}

/** A request and its response, in the layout of a browser's network panel. */
function exchangeOf({ request, response, curl }, service, copyText) {
  const command = curl?.replace(/http:\/\/127\.0\.0\.1:\d+/, service);
  const copy = command && el("button", { type: "button", title: command }, "Copy curl");
  copy?.addEventListener("click", () => copyText(copy, command));
  return el("div", { class: "exchange" },
    message("Received", request), response ? message("Sent", response) : el("p", null, "No response."), copy);
}

function message(title, { start, headers, body, remark }) {
  const lines = headers.map(({ name, value }) => `${name}: ${value ?? "(value not recorded)"}`);
  return el("section", { "aria-label": title },
    el("h4", null, title),
    el("pre", null, [start, ...lines, ...(body === null ? [] : ["", body])].join("\n")),
    remark === null ? null : el("p", { class: "terms" }, remark));
}
