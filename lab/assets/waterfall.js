// The waterfall: a tree grid with a row for every span and a bar in every row. The text
// of a row says everything that its bar shows. Each side of a run has a grid, and both
// share one axis, so that two clients can be compared visually.

import { byId, el, keyed, memo, say, set, svg } from "./dom.js";

/** The mark for a row, in addition to the colour. */
const SIGNS = { ok: "✓", failed: "✗", wait: "◷", queue: "⋯", service: "↳", open: "…" };

/** The position of a time in the chart, in percent of the axis. */
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
    const axes = sides.map(({ view }) => view.waterfall.axis);
    const axis = axes.reduce((one, other) => (other.length_ns > one.length_ns ? other : one), run?.preview ?? axes[0]);
    sides.forEach((side, index) => {
      const chosen = row?.side === index ? row.id : null;
      grids[index].render(side, nows[index], axis, chosen, folded, sides.length > 1);
    });
    byId("nothing").hidden = run !== null;
    byId("legend").hidden = run === null;
  }

  /** Focuses the selected row, or the first. */
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
  const limit = limitLine();
  const root = el("div", { class: "side-of-run" }, title, grid, limit.root, dropped);
  let drawn = [];

  body.addEventListener("focusin", (event) => choose(event.target));
  body.addEventListener("click", (event) => {
    const row = event.target.closest("[role=row]");
    if (event.target.closest(".twist")) fold(row.dataset.span);
    row?.focus();
  });
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("[role=row]");
    const place = drawn.findIndex((other) => other.row.span === row?.dataset.span);
    if (place < 0) return;
    const { open, row: { parent, span } } = drawn[place];
    const go = (to) => body.children[Math.min(Math.max(to, 0), drawn.length - 1)].focus();
    switch (event.key) {
      case "ArrowDown": go(place + 1); break;
      case "ArrowUp": go(place - 1); break;
      case "Home": go(0); break;
      case "End": go(drawn.length - 1); break;
      case "ArrowRight":
        if (open === false) fold(span);
        else if (open) go(place + 1);
        break;
      case "ArrowLeft":
        if (open) fold(span);
        else if (parent !== null) go(drawn.findIndex((other) => other.row.span === parent));
        break;
      default: return;
    }
    event.preventDefault();
  });

  function choose(target) {
    const row = target.closest("[role=row]");
    if (row) pick(index, row.dataset.span);
  }

  const renderTicks = memo(({ length_ns: length, ticks: times }) => {
    ticks.replaceChildren(...times.flatMap((tick) => {
      const x = at(tick.at_ns, length);
      const line = svg("line", { x1: x, x2: x, y1: "70%", y2: "100%" });
      // At the very end a number would overlap the next column.
      if (tick.at_ns > length * 0.93) return [line];
      return [line, svg("text", { x, y: "55%", "text-anchor": tick.at_ns === 0 ? "start" : "middle" }, tick.label)];
    }));
  });

  const lay = memo((waterfall, folded) => {
    drawn = unfolded(waterfall.rows, folded);
    say(dropped, waterfall.remark ?? "");
    dropped.hidden = waterfall.remark === null;
    // The line of the limit has the same columns as the rows.
    root.classList.toggle("deep", drawn.some(({ row }) => row.kind === "operation"));
    keyed(body, drawn, ({ row }) => row.span, createRow, (element, { row, open, place, of }) => {
      set(element, {
        "aria-level": row.level,
        "aria-expanded": open === null ? null : String(open),
        "aria-posinset": place,
        "aria-setsize": of,
        class: `row ${row.kind} ${row.mark}${row.span === waterfall.after_gap ? " after-gap" : ""}`,
      });
      element.twist.hidden = open === null;
      say(element.twist, open ? "▾" : "▸");
    });
  });

  /** The parts of a row that change with time: none once its span has closed and the axis
      is fixed. */
  function draw(now, length, chosen) {
    const stop = drawn.some(({ row }) => row.span === chosen) ? chosen : drawn[0]?.row.span;
    for (const { row, open } of drawn) {
      const element = body.keyed.get(row.span);
      const picked = row.span === chosen;
      if (element.picked !== picked || element.stop !== (row.span === stop)) {
        element.picked = picked;
        element.stop = row.span === stop;
        set(element, { "aria-selected": String(picked), tabindex: element.stop ? 0 : -1 });
      }
      const { start_ns: start, end_ns: end, due_ns: due, ceiling_ns: ceiling } = row;
      if (end !== null && element.row === row && element.length === length && element.open === open) continue;
      element.open = open;
      element.row = row;
      element.length = length;
      drawParts(element, open === false ? row.parts : [], now, length);
      say(element.at, row.at);
      say(element.sign, SIGNS[row.mark]);
      say(element.what, row.what);
      say(element.how, due === null ? row.how : `${left(due - now)} s left · ${row.how}`);
      const until = end ?? Math.max(now, start);
      set(element.bar, { x: at(start, length), width: wide(Math.min(until, due ?? until) - start, length) });
      set(element.ghost, { x: at(start, length), width: wide((due ?? start) - start, length) });
      element.ghost.classList.toggle("gone", due === null);
      drawLasted(element.lasted, row, until, length);
      set(element.ceiling, { x: at(start, length), width: wide((ceiling ?? start) - start, length) });
      element.ceiling.classList.toggle("gone", ceiling === null);
    }
  }

  return {
    root,
    render(side, now, axis, chosen, folded, several) {
      title.hidden = !several;
      say(title, side.client ?? "");
      set(grid, { "aria-label": several ? `Waterfall of the ${side.client} client` : "Waterfall" });
      renderTicks(axis);
      lay(side.view.waterfall, folded);
      draw(now, axis.length_ns, chosen);
      limit.render(side.view.waterfall.limit, axis.length_ns);
    },
  };
}

/** The concurrency limit over time, under the rows and on their axis. */
function limitLine() {
  const path = svg("path", {});
  const words = el("div", { class: "how" });
  const root = el("div", { class: "row limit", hidden: "" },
    el("div", { class: "at" }), el("div", { class: "what" }, "limit"),
    el("div", { class: "chart" },
      svg("svg", { "aria-hidden": "true", viewBox: "0 0 100 40", preserveAspectRatio: "none" }, path)),
    words);
  const render = memo((line, length) => {
    root.hidden = line === null;
    if (line === null) return;
    const most = Math.max(line.from, ...line.steps.map(({ limit }) => limit));
    const y = (limit) => (39 - (37 * limit) / most).toFixed(1);
    const steps = line.steps.map(({ at_ns, limit }) => `H${((100 * at_ns) / length).toFixed(2)} V${y(limit)}`);
    set(path, { d: `M0 ${y(line.from)} ${steps.join(" ")} H100` });
    say(words, line.text);
  });
  return { root, render };
}

/** The bars of a whole call in its row: waits first, so that no attempt is hidden under
    one. */
function drawParts(element, parts, now, length) {
  const waits = ({ kind }) => kind === "wait" || kind === "queue";
  const inOrder = [...parts.filter(waits), ...parts.filter((part) => !waits(part))];
  element.parts.replaceChildren(...inOrder.map(({ kind, mark, start_ns: start, end_ns: end }) =>
    svg("rect", {
      class: `bar ${kind} ${mark}`, y: "22%", height: "56%", rx: "3",
      x: at(start, length), width: wide((end ?? Math.max(now, start)) - start, length),
      fill: kind === "wait" ? "url(#hatch)" : null,
    })));
}

/** The duration of a row, shown beside its bar: before the bar if there is no space after
    it, and on the bar if there is none before it either. */
function drawLasted(element, { kind, start_ns: start, end_ns: end, lasted }, until, length) {
  const shown = end !== null && ["attempt", "wait", "queue"].includes(kind);
  const before = until > 0.85 * length;
  const on = before && start < 0.15 * length;
  set(element, {
    x: at(before && !on ? start : until, length),
    dx: before ? -6 : 6,
    "text-anchor": before ? "end" : "start",
    class: on ? "lasted on" : "lasted",
  });
  say(element, shown ? lasted : "");
}

/** A bar without length is drawn as a line. */
const wide = (time, length) => `${Math.max((100 * time) / length, 0.01).toFixed(3)}%`;

/** Seconds with one decimal, rounded up, so that zero means zero. */
const left = (time) => (Math.ceil(Math.max(time, 0) / 1e8) / 10).toFixed(1);

/** The rows without folded ancestors, each with its position in the tree. */
function unfolded(rows, folded) {
  const families = Map.groupBy(rows, ({ parent }) => parent);
  const hidden = new Set();
  return rows.flatMap((row) => {
    const open = families.has(row.span) ? folded.has(row.span) === row.folded : null;
    if (hidden.has(row.parent) || open === false) hidden.add(row.span);
    if (hidden.has(row.parent)) return [];
    const family = families.get(row.parent);
    return [{ row, open, place: family.indexOf(row) + 1, of: family.length }];
  });
}

function createRow({ row: { span, kind } }) {
  const twist = el("span", { class: "twist", "aria-hidden": "true" });
  const mark = el("span", { class: "sign", "aria-hidden": "true" });
  const name = el("span");
  const started = el("div", { role: "gridcell", class: "at" });
  const result = el("div", { role: "gridcell", class: "how" });
  const ceiling = svg("rect", { class: "ceiling", y: "12%", height: "76%", rx: "3" });
  const ghost = svg("rect", { class: "ghost", y: "22%", height: "56%", rx: "3" });
  const bar = svg("rect", { class: "bar", y: "22%", height: "56%", rx: "3", fill: kind === "wait" ? "url(#hatch)" : null });
  const lasted = svg("text", { class: "lasted", y: "50%" });
  const parts = svg("g", { class: "parts" });
  const chart = el("div", { role: "gridcell", class: "chart" },
    svg("svg", { "aria-hidden": "true" }, ceiling, ghost, bar, parts, lasted));
  const row = el("div", { role: "row", "data-span": span },
    started, el("div", { role: "rowheader", class: "what" }, twist, mark, name), chart, result);
  return Object.assign(row, { twist, sign: mark, what: name, at: started, how: result, ceiling, ghost, bar, parts, lasted });
}
