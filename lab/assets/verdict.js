// The panels that say whether what was expected came true, and what is to be
// learned from it.

import { byId, el, memo, say } from "./dom.js";
import { ENDINGS } from "./words.js";

export function verdictPanel() {
  return memo((scenario, run, guess) => {
    const over = run !== null && run.state !== "running";
    byId("learned").hidden = !over;
    if (!over) return;
    say(byId("lesson-text"), scenario?.lesson ?? "");
    say(byId("unsolved-text"), scenario?.unsolved ?? "");
    byId("checks").replaceChildren(
      ...(guess ? [el("p", { class: "guessed" }, el("b", null, "You predicted: "), guess)] : []),
      ...(run.error ? [el("p", { class: "problem" }, run.error)] : []),
      ...run.sides.filter((side) => side.outcome).map((side) => sideOf(side, run.sides.length > 1)),
      ...differences(run.differences));
  });
}

function sideOf({ client, outcome, verdict }, several) {
  return el("div", { class: "judged" },
    several ? el("h3", null, client) : null,
    el("p", { class: "outcome" }, el("b", null, ENDINGS[outcome.ending] ?? outcome.ending),
      outcome.text === ENDINGS[outcome.ending] ? "" : ` · ${outcome.text}`),
    el("ul", null, ...(verdict ?? []).map(({ text, held, found }) =>
      el("li", { class: held ? "ok" : "failed" },
        el("span", { class: "sign", "aria-hidden": "true" }, held ? "✓" : "✕"),
        el("span", null, el("span", { class: "unseen" }, held ? "held: " : "did not hold: "), text,
          found ? el("em", null, ` — ${found}`) : null)))));
}

/** In which facts the two sides of a comparison differ. */
function differences(list) {
  if (!list?.length) return [];
  const cell = (value) => el("td", null, value === null || value === undefined ? "–" : String(value));
  return [el("table", null,
    el("caption", null, "Where the two clients differ"),
    el("thead", null, el("tr", null, ...["", "reliable", "naive"].map((text) =>
      text ? el("th", { scope: "col" }, text) : el("td")))),
    el("tbody", null, ...list.map(({ what, reliable, naive }) =>
      el("tr", null, el("th", { scope: "row" }, what), cell(reliable), cell(naive)))))];
}
