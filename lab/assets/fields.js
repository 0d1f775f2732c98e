// What was recorded of the row that is chosen.

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
      el("dl", null, ...row.details.map(({ name, value }) =>
        el("div", null, el("dt", null, name), el("dd", null, value)))));
  });
}
