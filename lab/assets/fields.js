// Why the row that is chosen is as it is, and what was recorded of it.

import { byId, el, memo } from "./dom.js";

export function fieldsPanel() {
  const root = byId("fields");

  return memo((row) => {
    if (!row) {
      root.replaceChildren();
      return;
    }
    root.replaceChildren(
      el("h3", null, row.what),
      row.why.length > 0 ? el("ol", { class: "why", "aria-label": "Why" }, ...row.why.map((step) => el("li", null, step))) : "",
      el("dl", null, ...row.details.map(({ name, value }) =>
        el("div", null, el("dt", null, name), el("dd", null, value)))));
  });
}
