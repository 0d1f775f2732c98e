// A table that scrolls sideways if it is too wide.

import { el } from "./dom.js";

/** Rows of cells under columns, each with a `title`, and whether it is a `number` and
    `optional`: left out where no row has a cell for it. */
export function table(caption, columns, rows) {
  const shown = [...columns.keys()].filter((at) => !columns[at].optional || rows.some(({ cells }) => cells[at] !== null));
  const tone = (at) => (columns[at].number ? "number" : null);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", null,
      el("caption", { class: "unseen" }, caption),
      el("thead", null, el("tr", null, ...shown.map((at) =>
        el("th", { scope: "col", class: tone(at) }, columns[at].title)))),
      el("tbody", null, ...rows.map(({ cells, failed }) =>
        el("tr", { class: failed ? "failed" : null }, ...shown.map((at) =>
          el("td", { class: tone(at) }, cells[at] ?? "–")))))));
}
