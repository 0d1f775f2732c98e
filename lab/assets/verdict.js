// The panels with the expectations and the lesson.

import { byId, el, memo, say } from "./dom.js";
import { over, sideName } from "./state.js";

export function verdictPanel() {
  return memo((run, guess) => {
    byId("learned").hidden = !over(run) || run.state === "lost";
    if (byId("learned").hidden) return;
    say(byId("lesson-text"), run.lesson ?? "");
    say(byId("unsolved-text"), run.unsolved ?? "");
    byId("checks").replaceChildren(
      ...(guess ? [guessOf(guess, run.sides)] : []),
      ...(run.error ? [el("p", { class: "problem" }, run.error)] : []),
      ...(run.compared ? effects(run.compared) : run.sides.filter(({ outcome }) => outcome).map(sideOf)));
  });
}

function sideOf({ client, outcome, verdict, view, lesson }, _, { length }) {
  return el("div", { class: "judged" },
    length > 1 ? el("h3", null, client) : null,
    el("p", { class: "outcome" }, ...ended(outcome, view)),
    lesson?.without ? el("p", null, lesson.without) : null,
    outcome.ending === "cancelled" ? el("p", null, "The run was cancelled, so nothing is judged.") : null,
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

/** A prediction about the first client, whether it was right, and the answers of the others
    that differ. */
function guessOf({ text, right }, [{ answer } = {}, ...others]) {
  if (!answer) return el("p", { class: "guessed" }, el("b", null, "You predicted: "), `${text}. The run ended before it could answer.`);
  const differing = others.filter((other) => other.answer && other.answer.text !== answer.text);
  return el("p", { class: "guessed" },
    el("b", { class: right ? "ok" : "failed" }, right ? "✓ Right: " : "✗ You predicted: "),
    [right ? answer.text : `${text}; the answer is ${answer.text}`, ...differing.map(({ client, answer: { text: other } }) => `${client}: ${other}`)].join("; "), ".");
}

/** The effects of two clients, and the findings about them. */
function effects({ sides, effects: list, remarks }) {
  const headings = ["Effects of each client", ...sides.map(({ client }) => sideName(client)), "Equal?"];
  return [
    el("table", { class: "effects" },
      el("caption", { class: "unseen" }, "The effects of the two clients"),
      el("thead", null, el("tr", null, ...headings.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", null, ...list.map(({ label, sides: values, differs }) =>
        el("tr", { class: differs ? "differs" : null }, el("th", { scope: "row" }, label),
          ...values.map(({ text }) => el("td", null, text)), el("td", null, differs ? "differs" : ""))))),
    ...sides.filter(({ broken }) => broken.length).map(rules),
    ...remarks.map(({ text, command }) => el("p", { class: "remark" }, text, command ? " " : null, command ? el("code", null, `lab ${command}`) : null)),
  ];
}

/** The rules that a client broke. */
function rules({ title, broken }) {
  return el("div", { class: "judged broke" },
    el("h3", null, `Rules that ${title} broke`),
    el("ul", null, ...broken.map(({ id, text, found }) =>
      el("li", { class: "failed" },
        el("span", { class: "sign", "aria-hidden": "true" }, "✗"),
        el("span", { class: "source" }, id),
        el("span", null, text, found ? el("em", null, ` — ${found}`) : null)))));
}
