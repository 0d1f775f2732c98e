// The panels that say whether what was expected came true, and what is to be
// learned from it.

import { byId, el, memo, say } from "./dom.js";
import { over } from "./state.js";

export function verdictPanel() {
  return memo((run, guess) => {
    byId("learned").hidden = !over(run) || run.state === "lost";
    if (byId("learned").hidden) return;
    say(byId("lesson-text"), run.lesson ?? "");
    say(byId("unsolved-text"), run.unsolved ?? "");
    byId("checks").replaceChildren(
      ...(guess ? [el("p", { class: "guessed" }, el("b", null, "You predicted: "), guess)] : []),
      ...(run.error ? [el("p", { class: "problem" }, run.error)] : []),
      ...run.sides.filter(({ outcome }) => outcome).map((side) => sideOf(side, run.sides.length > 1)),
      ...differences(run));
  });
}

function sideOf({ client, outcome, verdict, view }, several) {
  return el("div", { class: "judged" },
    several ? el("h3", null, client) : null,
    el("p", { class: "outcome" }, ...ended(outcome, view)),
    outcome.ending === "cancelled" ? el("p", null, "It did not come to its end, so nothing is judged.") : null,
    el("ul", { "aria-label": "Expectations" }, ...verdict.map(({ source, text, held, found }) =>
      el("li", { class: held ? "ok" : "failed" },
        el("span", { class: "sign", "aria-hidden": "true" }, held ? "✓" : "✗"),
        el("span", { class: "source" }, source),
        el("span", null, el("span", { class: "unseen" }, held ? "held: " : "did not hold: "), text,
          found ? el("em", null, ` — ${found}`) : null)))));
}

function ended({ text }, { ended: { mark, text: words } }) {
  return ["Ended with: ", el("b", { class: mark }, words), words === text ? null : ` · ${text}`];
}

/** In what the two sides of a comparison differ. */
function differences({ differences: list, sides: [one, other] }) {
  if (!list.length) return [];
  const headings = [`The ${other.client} client …`, one.client, other.client];
  return [el("table", { class: "differences" },
    el("caption", { class: "unseen" }, "Where the two clients differ"),
    el("thead", null, el("tr", null, ...headings.map((text, index) =>
      el("th", { scope: "col", class: index ? "number" : null }, text)))),
    el("tbody", null, ...list.map(({ text, reliable, naive }) =>
      el("tr", null, el("th", { scope: "row" }, text),
        ...[reliable, naive].map((fact) => el("td", { class: "number" }, String(fact)))))))];
}
