// The lines above the waterfall: how a run ended for each client, what came of
// the expectations, and under which terms it was played. A call that fails may be
// just what was expected, so the one is not told in the colour of the other.

import { byId, el, set } from "./dom.js";
import * as api from "./api.js";
import { over } from "./state.js";
import { count, duration, ending } from "./words.js";

export function resultPanel({ cancel }) {
  const button = byId("cancel");
  button.addEventListener("click", cancel);
  const [result, terms] = [byId("result"), byId("terms")].map(linesOf);

  return (run, link, time) => {
    const goesOn = run?.state === "running" && link === "live";
    // Whoever had the focus on the button starts from there the next run.
    if (!goesOn && document.activeElement === button) byId("run").focus();
    button.hidden = !goesOn;
    byId("deeds").hidden = !run || run.gone || !(run.state === "finished" || run.state === "cancelled");
    if (!byId("deeds").hidden) set(byId("report"), { href: api.reportPath(run.id) });
    const shown = run && run.state !== "fetching";
    result(shown ? told(run, link, time) : []);
    terms(shown ? termsOf(run) : []);
  };
}

/** A run that is over, in one line for the ear. */
export const aloud = (run) =>
  told(run).map((line) => line.map(({ words }) => words.replace(/^[✓✗⊘] /, "")).join(", ")).join("; ");

/** What a run has come to: lines of words, each of which may have a `tone`. */
function told(run, link, time) {
  if (run.state === "running") {
    return link === "lost"
      ? [[failed(`✗ connection lost at ${duration(time)}, not known whether it goes on`)]]
      : [[{ tone: "open", words: `running · ${duration(time)}` }]];
  }
  if (run.state === "lost") return [[failed("✗ lost: the lab was stopped while it ran")]];
  if (run.state === "failed") return [[failed(`✗ could not be played${run.error ? `: ${run.error}` : ""}`)]];
  const several = run.sides.length > 1;
  return run.sides.filter(({ outcome }) => outcome).map(({ client, outcome, counters, verdict }) => {
    const who = several ? `${client}: ` : "";
    if (outcome.ending === "cancelled") return [{ words: `${who}⊘ ${outcome.text}` }];
    const ok = outcome.ending === "ok";
    const held = verdict.filter((check) => check.held).length;
    return [
      tone(ok, `${who}ended with ${ok ? outcome.text : ending(outcome.ending)}`),
      { words: count(attempts(counters), "attempt") },
      tone(held === verdict.length, `${held === verdict.length ? "✓" : "✗"} ${held} of ${verdict.length} expectations held`),
    ];
  });
}

/** How many were counted, which is not how many were allowed. */
const attempts = (counters) =>
  counters.filter(({ name }) => name.endsWith("_attempts_total")).reduce((sum, { value }) => sum + value, 0);

const tone = (ok, words) => ({ tone: ok ? "ok" : "failed", words });
const failed = (words) => tone(false, words);

/** How each client works, and what it was allowed; then what both share. */
function termsOf({ sides, seed, pace }) {
  const lines = sides.filter(({ terms }) => terms).map(({ client, terms }) =>
    [{ words: `${sides.length > 1 ? `${client}: ` : ""}${terms.join(" · ")}` }]);
  const shared = [seed !== undefined && `seed ${seed}`, pace === "virtual" && "virtual time"].filter(Boolean);
  return shared.length ? [...lines, [{ words: shared.join(" · ") }]] : lines;
}

/** Draws lines into an element, if they are not there yet. */
function linesOf(root) {
  let drawn = "";
  return (lines) => {
    const key = JSON.stringify(lines);
    if (key === drawn) return;
    drawn = key;
    root.replaceChildren(...lines.map((line) => el("span", { class: "line" }, ...line.flatMap(({ tone, words }, index) =>
      [index ? " · " : null, el("span", { class: tone ?? null }, words)]))));
  };
}
