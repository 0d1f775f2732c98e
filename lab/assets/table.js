// A table that scrolls sideways where it does not fit.

import { el } from "./dom.js";

/** Values as a table. A column has a `title`, the value `of` an entry, and may be
    a `number`; a `rare` one is left out where no entry fills it. `tone` gives the
    class of an entry's row. */
export function table(caption, columns, entries, tone = () => null) {
  const shown = columns.filter(({ rare, of }) => !rare || entries.some((entry) => (of(entry) ?? null) !== null));
  const cell = (entry, { of, number }) =>
    el("td", { class: number ? "number" : null }, String(of(entry) ?? "–"));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", null,
      el("caption", { class: "unseen" }, caption),
      el("thead", null, el("tr", null, ...shown.map(({ title, number }) =>
        el("th", { scope: "col", class: number ? "number" : null }, title)))),
      el("tbody", null, ...entries.map((entry) =>
        el("tr", { class: tone(entry) }, ...shown.map((column) => cell(entry, column)))))));
}
