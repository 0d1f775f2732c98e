// The lines above the waterfall: each client's ending, its expectations, and the
// settings of the run. Ending and expectations have separate colours, because a failed
// call may be exactly what was expected.

import { byId, el, set } from "./dom.js";
import * as api from "./api.js";
import { over, sideName } from "./state.js";

export function resultPanel({ cancel }) {
  const button = byId("cancel");
  button.addEventListener("click", cancel);
  const [result, terms] = [byId("result"), byId("terms")].map(linesOf);

  return (run, link, time) => {
    const goesOn = run?.state === "running" && link === "live";
    // The keyboard focus moves to the button that starts the next run.
    if (!goesOn && document.activeElement === button) byId("run").focus();
    button.hidden = !goesOn;
    byId("actions").hidden = !run || run.gone || run.preview || !(run.state === "finished" || run.state === "cancelled");
    if (!byId("actions").hidden) set(byId("report"), { href: api.reportPath(run.id) });
    const shown = run && run.state !== "fetching";
    result(shown ? wordsOf(run, link, time) : []);
    terms(shown ? termsOf(run) : []);
  };
}

/** The result of a finished run in one line, for a screen reader. */
export const aloud = (run) =>
  wordsOf(run).map((line) => line.map(({ text }) => text.replace(/^[✓✗⊘] /, "")).join(", ")).join("; ");

/** The result of a run: lines of phrases, each with an optional `mark`. */
function wordsOf(run, link, time) {
  const seconds = `${(time / 1e9).toFixed(1)} s`;
  if (run.state === "running") {
    return link === "lost"
      ? [[failed(`✗ connection lost at ${seconds}, state unknown`)]]
      : [[{ mark: "open", text: `running · ${seconds}` }]];
  }
  if (run.state === "lost") return [[failed("✗ lost: the lab was stopped while it ran")]];
  if (run.state === "failed") return [[failed(`✗ could not be run${run.error ? `: ${run.error}` : ""}`)]];
  const beside = run.compared?.sides;
  const sides = beside ?? run.sides.filter(({ outcome }) => outcome).map(({ client, view: { result } }) => ({ client, result }));
  return sides.map(({ client, result: [first, ...rest] }) =>
    [{ ...first, text: run.sides.length > 1 ? `${sideName(client)}: ${first.text}` : first.text }, ...rest]);
}

const failed = (text) => ({ mark: "failed", text });

/** Each client's method and limits, and then the settings that both share. */
function termsOf({ sides, seed, pace }) {
  const lines = sides.filter(({ terms }) => terms).map(({ client, terms }) =>
    [{ text: `${sides.length > 1 ? `${sideName(client)}: ` : ""}${terms.join(" · ")}` }]);
  const shared = [seed !== undefined && `seed ${seed}`, pace === "virtual" && "virtual time"].filter(Boolean);
  return shared.length ? [...lines, [{ text: shared.join(" · ") }]] : lines;
}

/** Draws lines into an element, unless it shows them already. */
function linesOf(root) {
  let drawn = "";
  return (lines) => {
    const key = JSON.stringify(lines);
    if (key === drawn) return;
    drawn = key;
    root.replaceChildren(...lines.map((line) => el("span", { class: "line" }, ...line.flatMap(({ mark, text }, index) =>
      [index ? " · " : null, el("span", { class: mark ?? null }, text)]))));
  };
}
