// The waterfall as a table, with the same rows in the same order, for readers who
// prefer a table to a picture. It is built only while it is open.

import { byId, el, memo } from "./dom.js";
import { table } from "./table.js";

const COLUMNS = [
  { title: "began at", number: true },
  { title: "lasted", number: true },
  { title: "what" },
  { title: "in", optional: true },
  { title: "how it went" },
];

export function tableViewPanel({ redraw }) {
  const tableView = byId("table-view");
  tableView.addEventListener("toggle", redraw);
  const make = memo((sides, open) => {
    renew(open ? sides.flatMap((side) => tableViewOf(side, sides.length > 1)) : []);
  });

  return (run) => {
    tableView.hidden = run === null || run.sides.length === 0;
    make(run?.sides ?? [], tableView.open && !tableView.hidden);
  };
}

/** Replaces the tables without disturbing their reader: each keeps its scroll position
    and the focus. */
function renew(children) {
  const tables = byId("tables");
  const before = [...tables.querySelectorAll(".scroll")];
  const places = before.map(({ scrollLeft }) => scrollLeft);
  const focused = before.indexOf(document.activeElement);
  tables.replaceChildren(...children);
  tables.querySelectorAll(".scroll").forEach((region, index) => {
    region.scrollLeft = places[index] ?? 0;
    if (index === focused) region.focus({ preventScroll: true });
  });
}

function tableViewOf({ client, view: { waterfall } }, several) {
  const rows = waterfall.rows.map(({ at, lasted, what, within, how }) => ({ cells: [at, lasted, what, within, how] }));
  const caption = several ? `Waterfall of the ${client} client, as a table` : "Waterfall, as a table";
  return [
    several ? el("h3", null, client) : "",
    waterfall.remark ? el("p", { class: "dropped" }, waterfall.remark) : "",
    table(caption, COLUMNS, rows),
  ];
}
