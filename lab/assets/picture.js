// The outcome of a storm's calls under one policy: a column for each interval, added as
// it is simulated.

import { el, say, set, svg } from "./dom.js";

/** The mark for an outcome, in addition to the colour. */
const SIGNS = { ok: "✓", failed: "✗", open: "·" };

/** A picture that grows by `add(curves)`, until `end(picture, isGuessed)`, or until
    `stop()`, which removes one that has not started. */
export function createPicture({ policy, changed, break_even: breakEven }, frame) {
  const { axis, columns, top, rates, capacity, incident } = frame;
  const across = (time) => `${((100 * time) / axis.length_ns).toFixed(2)}%`;
  const down = (rate) => `${(100 * (1 - rate / top)).toFixed(2)}%`;
  const level = (kind, rate) => svg("line", { class: kind, x2: "100%", y1: down(rate), y2: down(rate) });

  const curves = { load: [], goodput: [], throughput: [], limit: [] };
  const paths = Object.fromEntries(["goodput", "wasted", "load", "limit"].map((kind) => [kind, svg("path", { class: kind })]));
  const chart = svg("svg", { class: "storm-plot", role: "img", "aria-label": policy },
    incident && svg("rect", { class: "incident", height: "100%", x: across(incident.began_ns), width: across(incident.ended_ns - incident.began_ns) }),
    ...rates.flatMap(({ rate, label }) => [level("rule", rate),
      svg("text", { x: "-0.4em", y: down(rate), dy: "0.35em", "text-anchor": "end" }, label)]),
    svg("svg", { viewBox: `0 0 ${columns} ${top}`, preserveAspectRatio: "none", width: "100%", height: "100%" },
      ...Object.values(paths)),
    level("capacity", capacity.rate),
    breakEven && level("break-even", breakEven.rate),
    incident && svg("line", { class: "ended", x1: across(incident.ended_ns), x2: across(incident.ended_ns), y2: "100%" }),
    incident && svg("text", { class: "ended", x: across(incident.ended_ns), y: "-0.4em", dx: incident.anchor === "start" ? "-0.4em" : "0.4em", "text-anchor": incident.anchor }, incident.label),
    ...axis.ticks.map((tick) => svg("text", { x: across(tick.at_ns), y: "100%", dy: "1.25em", "text-anchor": "middle" }, tick.label)));

  const [sign, words] = [el("span", { class: "sign", "aria-hidden": "true" }), el("span")];
  const ending = el("span", { class: "ending" }, sign, words);
  const [remark, brief] = [el("p", { class: "terms" }), el("p", { class: "terms" })];
  const guessed = el("span", { class: "terms" });
  const root = el("li", null,
    el("h3", null, policy, " ", ending, " ", guessed), el("p", { class: "terms" }, changed ?? ""), chart, remark, brief);

  let [due, hasEnded] = [false, false];
  function draw() {
    due = false;
    const { load, goodput, throughput, limit } = curves;
    const y = (rate) => (top - Math.min(rate, top)).toFixed(1);
    set(paths.goodput, { d: `M0 ${top}${goodput.map((rate) => `V${y(rate)}h1`).join("")}V${top}z` });
    set(paths.wasted, { d: throughput.map((rate, at) => (rate > goodput[at] ? `M${at}.2 ${y(goodput[at])}V${y(rate)}h.6V${y(goodput[at])}z` : "")).join("") || null });
    const line = (rates) => rates.map((rate, at) => `${at === 0 ? "M0 " : "V"}${y(rate)}h1`).join("") || null;
    set(paths.load, { d: line(load) });
    set(paths.limit, { d: line(limit) });
  }

  return {
    root,
    add(more) {
      for (const [name, rates] of Object.entries(more)) curves[name].push(...rates);
      if (due) return;
      due = true;
      requestAnimationFrame(draw);
    },
    end(is, isGuessed) {
      Object.assign(curves, is.curves);
      draw();
      set(ending, { class: `ending ${is.ending.mark}` });
      say(sign, SIGNS[is.ending.mark]);
      say(words, ` ${is.ending.words}`);
      say(remark, is.remark);
      say(brief, is.brief);
      hasEnded = true;
      set(chart, { "aria-label": is.text });
      say(guessed, isGuessed ? "your guess" : "");
    },
    stop() {
      if (hasEnded) return;
      if (curves.load.length === 0) root.remove();
      else say(words, "not finished");
    },
  };
}
