// The waterfall: a tree grid with a row for every span and a bar in every row.
// The text of a row says all that its bar shows. One grid for each side of a
// run, on one axis, so that two clients can be compared by eye.

import { byId, el, keyed, memo, say, set, svg } from "./dom.js";
import { axis, cut, due, reach, rows } from "./timeline.js";
import { duration, how, leftOut, sign, tone, what } from "./words.js";

/** Where the chart draws a time: per cent of the axis. */
const at = (time, length) => `${((100 * time) / length).toFixed(3)}%`;

export function waterfallPanel({ pick, fold }) {
  const root = byId("waterfalls");
  const grids = [];

  function render(run, nows, row, folded) {
    const sides = run?.sides ?? [];
    while (grids.length > sides.length) grids.pop().root.remove();
    while (grids.length < sides.length) {
      const grid = createGrid(grids.length, { pick, fold });
      grids.push(grid);
      root.append(grid.root);
    }
    const far = Math.max(0, ...sides.map((side, index) => reach(side.spans, nows[index])));
    const scale = axis(far);
    sides.forEach((side, index) => {
      const chosen = row?.side === index ? row.id : null;
      grids[index].render(side, nows[index], scale, chosen, folded, sides.length > 1);
    });
    byId("nothing").hidden = run !== null;
  }

  /** Puts the focus on the chosen row, or the first. */
  const focus = () => root.querySelector("[role=row][tabindex='0']")?.focus();

  return { render, focus };
}

function createGrid(index, { pick, fold }) {
  const title = el("h3", { hidden: "" });
  const ticks = svg("svg", { class: "ticks", "aria-hidden": "true" });
  const head = el("div", { role: "row", class: "row head" },
    ...[["at", "At"], ["what", "What"], ["chart", "When"], ["how", "How it went"]].map(([name, text]) =>
      el("div", { role: "columnheader", class: name }, name === "chart" ? ticks : null,
        el("span", { class: name === "chart" ? "unseen" : null }, text))));
  const body = el("div", { role: "rowgroup", class: "body" });
  const grid = el("div", { role: "treegrid", class: "grid", "aria-label": "Waterfall", "aria-readonly": "true" },
    el("div", { role: "rowgroup" }, head), body);
  const dropped = el("p", { class: "dropped", hidden: "" });
  const root = el("div", { class: "side-of-run" }, title, grid, dropped);
  let drawn = [];

  body.addEventListener("focusin", (event) => choose(event.target));
  body.addEventListener("click", (event) => {
    const row = event.target.closest("[role=row]");
    if (event.target.closest(".twist")) fold(row.dataset.span);
    row?.focus();
  });
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("[role=row]");
    const place = drawn.findIndex(({ span }) => span.id === row?.dataset.span);
    if (place < 0) return;
    const { open, parent, span } = drawn[place];
    const go = (to) => body.children[Math.min(Math.max(to, 0), drawn.length - 1)].focus();
    switch (event.key) {
      case "ArrowDown": go(place + 1); break;
      case "ArrowUp": go(place - 1); break;
      case "Home": go(0); break;
      case "End": go(drawn.length - 1); break;
      case "ArrowRight":
        if (open === false) fold(span.id);
        else if (open) go(place + 1);
        break;
      case "ArrowLeft":
        if (open) fold(span.id);
        else if (parent !== null) go(drawn.findIndex((other) => other.span.id === parent));
        break;
      default: return;
    }
    event.preventDefault();
  });

  function choose(target) {
    const row = target.closest("[role=row]");
    if (row) pick(index, row.dataset.span);
  }

  const renderTicks = memo((length, places) => {
    ticks.replaceChildren(...places.flatMap((tick) => {
      const x = at(tick, length);
      const line = svg("line", { x1: x, x2: x, y1: "70%", y2: "100%" });
      // At the very end a number would run into the next column.
      if (tick > length * 0.93) return [line];
      return [line, svg("text", { x, y: "55%", "text-anchor": tick === 0 ? "start" : "middle" }, duration(tick))];
    }));
  });

  const lay = memo((version, folded, side) => {
    const all = rows(side.spans, folded);
    const part = cut(all);
    drawn = part.rows;
    say(dropped, leftOut(part.left, side.dropped ?? 0));
    dropped.hidden = dropped.textContent === "";
    grid.classList.toggle("deep", drawn.some(({ span }) => span.name === "operation"));
    keyed(body, drawn, ({ span }) => span.id, createRow, (row, { level, open, place, of, span }) => {
      set(row, {
        "aria-level": level,
        "aria-expanded": open === null ? null : String(open),
        "aria-posinset": place,
        "aria-setsize": of,
        class: `row ${span.name} ${tone(span)}${span.id === part.before ? " after-gap" : ""}`,
      });
      row.twist.hidden = open === null;
      say(row.twist, open ? "▾" : "▸");
    });
  });

  /** What of a row changes with time: nothing, once its span has closed and the
      axis stands. */
  function draw(side, now, scale, chosen) {
    const stop = drawn.some(({ span }) => span.id === chosen) ? chosen : drawn[0]?.span.id;
    for (const { span } of drawn) {
      const row = body.keyed.get(span.id);
      const picked = span.id === chosen;
      if (row.picked !== picked || row.stop !== (span.id === stop)) {
        row.picked = picked;
        row.stop = span.id === stop;
        set(row, { "aria-selected": String(picked), tabindex: row.stop ? 0 : -1 });
      }
      const still = span.end_ns !== null;
      if (still && row.span === span && row.length === scale.length) continue;
      row.span = span;
      row.length = scale.length;
      say(row.at, duration(span.start_ns));
      say(row.sign, sign(span));
      say(row.what, what(span));
      say(row.how, how(span, now));
      const end = span.end_ns ?? Math.max(now, span.start_ns);
      const until = due(span);
      set(row.bar, { x: at(span.start_ns, scale.length), width: wide(Math.min(end, until ?? end) - span.start_ns, scale.length) });
      set(row.ghost, { x: at(span.start_ns, scale.length), width: wide((until ?? span.start_ns) - span.start_ns, scale.length) });
      row.ghost.classList.toggle("gone", until === null);
    }
  }

  return {
    root,
    render(side, now, scale, chosen, folded, several) {
      title.hidden = !several;
      say(title, side.client ?? "");
      set(grid, { "aria-label": several ? `Waterfall of the ${side.client} client` : "Waterfall" });
      renderTicks(scale.length, scale.length && scale.ticks.length ? cached(scale) : []);
      lay(side.version, folded, side);
      draw(side, now, scale, chosen);
    },
  };
}

/** A bar of no length is drawn as a line all the same. */
const wide = (time, length) => `${Math.max((100 * time) / length, 0.01).toFixed(3)}%`;

/** Ticks follow from the length of the axis: one list for each length. */
const lists = new Map();
function cached({ length, ticks }) {
  if (lists.size > 50) lists.clear();
  if (!lists.has(length)) lists.set(length, ticks);
  return lists.get(length);
}

function createRow({ span }) {
  const twist = el("span", { class: "twist", "aria-hidden": "true" });
  const mark = el("span", { class: "sign", "aria-hidden": "true" });
  const name = el("span");
  const started = el("div", { role: "gridcell", class: "at" });
  const result = el("div", { role: "gridcell", class: "how" });
  const ghost = svg("rect", { class: "ghost", y: "22%", height: "56%", rx: "3" });
  const bar = svg("rect", { class: "bar", y: "22%", height: "56%", rx: "3", fill: span.name === "wait" ? "url(#hatch)" : null });
  const chart = el("div", { role: "gridcell", class: "chart" },
    svg("svg", { "aria-hidden": "true" }, ghost, bar));
  const row = el("div", { role: "row", "data-span": span.id },
    started, el("div", { role: "rowheader", class: "what" }, twist, mark, name), chart, result);
  return Object.assign(row, { twist, sign: mark, what: name, at: started, how: result, ghost, bar });
}
