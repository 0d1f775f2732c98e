// The panel of the counters: by how much each rose in this run, and where; what it
// means; and its course in the whole process, of all runs, under the names that
// Prometheus shows.

import { byId, el, keyed, say, set, svg } from "./dom.js";
import { clock, count, risen } from "./words.js";

/** Each client counts under names of its own, and the service under a third. */
const PREFIX = { reliable: "client_", naive: "naive_" };

/** Shown for every run of a client, moved or not. */
const HEADLINES = {
  reliable: ["client_attempts_total", "client_retries_total", "client_give_ups_total", "client_cursor_loops_total"],
  naive: ["naive_attempts_total", "naive_retries_total"],
};

/** Labels that say where something was counted. What happened there, the others say. */
const WHERE = new Set(["endpoint", "method", "route"]);

/** The plot's own units. */
const WIDTH = 120;
const HEIGHT = 30;

export function countersPanel() {
  const root = byId("counters");
  let drawn = [];

  return (run, samples, vocabulary, versions) => {
    const inputs = [run, samples, vocabulary, versions];
    if (drawn.length && inputs.every((input, index) => Object.is(input, drawn[index]))) return;
    drawn = inputs;

    const sides = run?.sides ?? [];
    const totals = sides.map((side) => (side.outcome ? counted(side.counters) : soFar(side)));
    const parts = sides.map((side) => partsOf(side.counters ?? []));
    const headlines = sides.length ? sides.flatMap(({ client }) => HEADLINES[client] ?? []) : HEADLINES.reliable;
    const moved = totals.flatMap((total) => [...total.keys()]).sort();
    const names = [...new Set([...headlines, ...moved])];
    const over = sides.length > 0 && sides.every((side) => side.outcome);
    const number = over ? "the numbers: this run" : "the numbers: this run, by the spans so far";
    const line = samples.length > 1 && `the lines: all runs since ${clock(samples[0].at)}`;
    say(byId("counters-note"), [sides.length > 0 && number, line].filter(Boolean).join("; "));

    keyed(root, names, (name) => name, create, (card, name) => {
      const values = sides
        .map(({ client }, index) => ({ index, client, value: totals[index].get(name) ?? 0 }))
        .filter(({ client }) => counts(client, name));
      keyed(card.values, values,
        ({ index }) => index,
        () => el("span", { class: "value" }, el("b"), el("span", { class: "who" })),
        (element, { client, value }) => {
          say(element.firstChild, risen(value));
          say(element.lastChild, values.length > 1 ? ` ${client}` : "");
          element.classList.toggle("moved", value > 0);
        });
      const kinds = [...new Set(values.flatMap(({ index }) => [...(parts[index].get(name)?.keys() ?? [])]))].sort();
      keyed(card.parts, kinds, (kind) => kind,
        (kind) => el("li", null, el("span", null, kind), el("b")),
        (element, kind) => say(element.lastChild, values
          .map(({ index, client }) => `${risen(parts[index].get(name)?.get(kind) ?? 0)}${values.length > 1 ? ` ${client}` : ""}`)
          .join(", ")));
      say(card.question, vocabulary.get(name)?.question ?? "");
      plot(card, name, samples);
    });
  };
}

/** A run's counters by name, all labels together. */
function counted(counters) {
  const totals = new Map();
  for (const { name, value } of counters ?? []) totals.set(name, (totals.get(name) ?? 0) + value);
  return totals;
}

/** What a run's counters rose by, by name and then by what happened. */
function partsOf(counters) {
  const parts = new Map();
  for (const { name, labels, value } of counters) {
    const kind = Object.entries(labels).filter(([label]) => !WHERE.has(label)).map(([, text]) => text).join(", ");
    if (kind === "") continue;
    if (!parts.has(name)) parts.set(name, new Map());
    const kinds = parts.get(name);
    kinds.set(kind, (kinds.get(kind) ?? 0) + value);
  }
  return parts;
}

/** Whether a side counts under this name at all. */
const counts = (client, name) =>
  Object.entries(PREFIX).every(([other, prefix]) => other === client || !name.startsWith(prefix));

/** What the spans say while a run goes on. Its counters are read at its end. */
function soFar({ client, spans }) {
  const own = PREFIX[client];
  const totals = new Map();
  const rise = (name) => totals.set(name, (totals.get(name) ?? 0) + 1);
  for (const { name, end_ns, fields } of spans.values()) {
    if (name === "attempt" && end_ns !== null) rise(`${own}attempts_total`);
    // The naive client does not wait before it tries again.
    const again = client === "naive" ? name === "attempt" && "http.request.resend_count" in fields : name === "wait";
    if (again) rise(`${own}retries_total`);
    if (name === "request" && fields.fault !== undefined) rise("service_faults_total");
  }
  return totals;
}

function create(name) {
  const values = el("span", { class: "values" });
  const parts = el("ul", { class: "parts" });
  const question = el("p", { class: "meaning" });
  const line = svg("path", { class: "line" });
  const area = svg("path", { class: "area" });
  const chart = svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" }, area, line);
  const card = el("div", { class: "counter" },
    el("h3", null, ...broken(name)), values, parts, chart, question);
  return Object.assign(card, { values, parts, question, line, area, chart });
}

/** A name that may be broken at its underscores. */
const broken = (name) => name.split(/(?<=_)/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

/** Draws a counter's course as steps: between two samples it stood still. */
function plot(card, name, samples) {
  const points = samples.map(({ at, values }) => [at, values[name] ?? 0]);
  card.chart.classList.toggle("empty", points.length < 2);
  if (points.length < 2) return;
  const [[first], [last]] = [points[0], points.at(-1)];
  const lowest = points[0][1];
  const highest = points.at(-1)[1];
  // A little room at the end shows where the last sample left it.
  const x = (time) => ((0.96 * WIDTH * (time - first)) / Math.max(last - first, 1)).toFixed(1);
  const y = (value) => (HEIGHT - 2 - ((HEIGHT - 4) * (value - lowest)) / Math.max(highest - lowest, 1)).toFixed(1);
  const steps = points.map(([time, value], index) => (index === 0 ? `M0 ${y(value)}` : `H${x(time)}V${y(value)}`)).join("");
  set(card.line, { d: `${steps}H${WIDTH}` });
  set(card.area, { d: `${steps}H${WIDTH}V${HEIGHT}H0Z` });
  const seconds = Math.round((last - first) / 1000);
  set(card.chart, { "aria-label": `Of all runs ${name} rose from ${lowest} to ${highest} in ${count(seconds, "second")}` });
}
