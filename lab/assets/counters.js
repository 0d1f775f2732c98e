// The panel of the counters: by how much each rose in this run and on which side, its
// meaning, and its course in Prometheus, where only runs of the reference client count.

import { byId, clock, el, keyed, memo, say, set, svg } from "./dom.js";
import { sideName } from "./state.js";

/** The coordinate system of the plot. */
const WIDTH = 120;
const HEIGHT = 30;

export function countersPanel() {
  const root = byId("counters");

  return memo((run, samples, vocabulary, headlines) => {
    const sides = run?.sides ?? [];
    const rises = sides.map(({ view }) => new Map(view.counters.map((rise) => [rise.name, rise])));
    const names = sides.length ? new Set(rises.flatMap((side) => [...side.keys()])) : headlines;
    const number = sides.length > 0 && sides.every(({ outcome }) => outcome)
      ? "the numbers: this run" : "the numbers: this run, by the spans so far";
    const line = samples.length > 1 && `the lines: /metrics since ${clock(samples[0].at)}`;
    say(byId("counters-note"), [sides.length > 0 && number, line].filter(Boolean).join("; "));

    keyed(root, [...names], (name) => name, create, (card, name) => {
      // The service counts the requests of all clients.
      const own = rises.some((side) => side.get(name)?.own);
      const values = sides
        .map(({ client }, index) => ({ index, client, rise: rises[index].get(name) }))
        .filter(({ rise }) => rise || !own);
      const several = values.length > 1;
      keyed(card.values, values,
        ({ index }) => index,
        () => el("span", { class: "value" }, el("b"), el("span", { class: "who" })),
        (element, { client, rise }) => {
          const change = rise?.change ?? "0";
          say(element.firstChild, change);
          say(element.lastChild, several ? ` ${sideName(client)}` : "");
          element.classList.toggle("moved", change !== "0");
        });
      const part = (rise, kind) => rise?.parts.find((known) => known.kind === kind)?.change ?? "0";
      const kinds = values.flatMap(({ rise }) => rise?.parts.map(({ kind }) => kind) ?? []);
      keyed(card.parts, [...new Set(kinds)], (kind) => kind,
        (kind) => el("li", null, el("span", null, kind), el("b")),
        (element, kind) => say(element.lastChild, values
          .map(({ client, rise }) => `${part(rise, kind)}${several ? ` ${sideName(client)}` : ""}`)
          .join(", ")));
      say(card.question, vocabulary.get(name)?.question ?? "");
      plot(card, name, samples);
    });
  });
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

/** A name that may wrap at its underscores. */
const broken = (name) => name.split(/(?<=_)/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

/** Draws a counter's course as steps, because it does not change between two samples. */
function plot(card, name, samples) {
  const points = samples.map(({ at, values }) => [at, values[name] ?? 0]);
  card.chart.classList.toggle("empty", points.length < 2);
  if (points.length < 2) return;
  const [[first], [last]] = [points[0], points.at(-1)];
  const lowest = points[0][1];
  const highest = points.at(-1)[1];
  // A margin at the end shows the value of the last sample.
  const x = (time) => ((0.96 * WIDTH * (time - first)) / Math.max(last - first, 1)).toFixed(1);
  const y = (value) => (HEIGHT - 2 - ((HEIGHT - 4) * (value - lowest)) / Math.max(highest - lowest, 1)).toFixed(1);
  const steps = points.map(([time, value], index) => (index === 0 ? `M0 ${y(value)}` : `H${x(time)}V${y(value)}`)).join("");
  set(card.line, { d: `${steps}H${WIDTH}` });
  set(card.area, { d: `${steps}H${WIDTH}V${HEIGHT}H0Z` });
  const seconds = Math.round((last - first) / 1000);
  set(card.chart, { "aria-label": `At /metrics ${name} rose from ${lowest} to ${highest} in ${seconds} s` });
}
