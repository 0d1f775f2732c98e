// The fields of the row that is chosen, as they were recorded.

import { byId, el, memo } from "./dom.js";
import { duration, what } from "./words.js";

export function fieldsPanel() {
  const root = byId("fields");

  return memo((span) => {
    if (!span) {
      root.replaceChildren();
      return;
    }
    const lasted = span.end_ns === null ? "still open" : duration(span.end_ns - span.start_ns);
    const facts = [["started at", duration(span.start_ns)], ["lasted", lasted], ["span", span.id]];
    root.replaceChildren(
      el("h3", null, what(span)),
      el("dl", null, ...[...facts, ...Object.entries(span.fields)].map(([name, value]) =>
        el("div", null, el("dt", null, name), el("dd", null, String(value))))));
  });
}
