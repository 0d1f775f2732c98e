// The table twin of the waterfall: the same rows in the same order, for whoever
// reads a table more easily than a picture. It is made only while it is open.

import { byId, el, memo } from "./dom.js";
import { table } from "./table.js";
import { cut, rows } from "./timeline.js";
import { duration, how, leftOut, what } from "./words.js";

/** Nothing is folded in a table. */
const UNFOLDED = new Set();

const COLUMNS = [
  { title: "began at", of: ({ span }) => duration(span.start_ns), number: true },
  { title: "lasted", of: ({ span }) => (span.end_ns === null ? "still open" : duration(span.end_ns - span.start_ns)), number: true },
  { title: "what", of: ({ span }) => what(span) },
  { title: "in", of: ({ within }) => within, rare: true },
  { title: "how it went", of: ({ span, now }) => how(span, now) },
];

export function twinPanel({ redraw }) {
  const twin = byId("twin");
  twin.addEventListener("toggle", redraw);
  let now = 0;
  // Made anew when spans have changed, and once a second for the open waits.
  const make = memo((run, versions, seconds, open) => {
    renew(open ? run.sides.flatMap((side) => twinOf(side, now, run.sides.length > 1)) : []);
  });

  return (run, versions, time) => {
    now = time;
    twin.hidden = run === null || run.sides.length === 0;
    make(run, versions, Math.floor(now / 1e9), twin.open && !twin.hidden);
  };
}

/** Puts new tables in place of the old, which whoever reads them does not lose:
    each stays scrolled as it was, and keeps the focus if it had it. */
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

function twinOf(side, now, several) {
  const { rows: shown, left } = cut(rows(side.spans, UNFOLDED));
  const entries = shown.map(({ span, parent }) => {
    const above = parent === null ? null : side.spans.get(parent);
    return { span, now, within: above && what(above) };
  });
  const caption = several ? `Waterfall of the ${side.client} client, as a table` : "Waterfall, as a table";
  const lacking = leftOut(left, side.dropped ?? 0);
  return [
    several ? el("h3", null, side.client) : "",
    lacking ? el("p", { class: "dropped" }, lacking) : "",
    table(caption, COLUMNS, entries),
  ];
}
