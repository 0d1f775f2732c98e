// Grade: open cases for the user's own client, judged while its requests arrive.

import { byId, el, keyed, memo, say, set, svg } from "./dom.js";

/** The mark for a verdict, in addition to the colour. */
const SIGNS = { ok: "✓", failed: "✗" };

export function gradePanel({ openCases, stopCases, again, copyText, choose, announce }) {
  let broken = new Set();

  byId("open-cases").addEventListener("click", openCases);
  byId("stop-cases").addEventListener("click", stopCases);

  return memo((card, problem) => {
    const isOpen = card?.id && !card.gone;
    say(byId("grade-problem"), problem);
    say(byId("open-cases"), card?.id ? "Open anew" : "Open the cases");
    // The keyboard focus moves from the removed button to the one that opens the cases
    // again.
    if (!isOpen && document.activeElement === byId("stop-cases")) byId("open-cases").focus();
    byId("stop-cases").hidden = !isOpen;
    say(byId("grade-terms"), noteOf(card));
    const tasks = card?.tasks.map((task) => ({ ...task, card: card.id, isOpen })) ?? [];
    const before = broken;
    broken = new Set(tasks.flatMap(({ name, rules }) =>
      rules.filter(({ mark }) => mark === "failed").map(({ id }) => `${name}: ${id} is broken`)));
    const news = [...broken].filter((words) => !before.has(words));
    if (news.length > 0) announce(news.join("; "));
    keyed(byId("tasks"), tasks, (task) => `${task.card} ${task.name}`, createTask, updateTask);
  });

  function createTask({ name, request, text, goal, hint, scenario }) {
    const sign = el("span", { class: "sign", "aria-hidden": "true" });
    const summary = el("span", { class: "counts" });
    const see = el("a", { href: `/#${scenario}` }, scenario);
    see.addEventListener("click", (event) => {
      event.preventDefault();
      choose(scenario);
    });
    const cases = el("ul", { class: "cases" });
    const rules = el("ul", { class: "rules", "aria-label": `Rules of ${name}` });
    const details = el("details", { class: "panel task" },
      el("summary", null, sign, el("h2", null, name), el("span", { class: "terms" }, request), summary),
      el("p", null, text),
      el("p", null, "Last line to print: ", el("code", null, goal)),
      el("details", { class: "hint" }, el("summary", null, "Hint"),
        el("p", null, hint), el("p", null, "See it done: ", see)),
      cases, rules);
    return Object.assign(el("li", null, details), { details, sign, summary, cases, rules });
  }

  function updateTask(element, { name, requests, mark, summary, cases, rules, isOpen }) {
    set(element.details, { class: `panel task ${mark ?? ""}` });
    say(element.sign, SIGNS[mark] ?? "");
    say(element.summary, summary);
    // It opens with its first request; after that only the reader opens and closes it.
    if (requests > 0 && !element.begun) {
      element.begun = true;
      element.details.open = true;
    }
    keyed(element.cases, cases, ({ number }) => number, (item) => createCase(name, item),
      (item, { rows, remark }) => {
        item.again.hidden = !isOpen;
        keyed(item.rows, rows, ({ seq }) => seq, createRow, updateRow);
        say(item.remark, remark ?? "");
        item.remark.hidden = remark === null;
      });
    keyed(element.rules, rules, ({ id }) => id, createRule, updateRule);
  }

  function createCase(task, { number, name, url, curl }) {
    const button = (label, act) => {
      const made = el("button", { type: "button", "aria-label": `${label}: ${task}, ${name}` }, label);
      made.addEventListener("click", () => act(made));
      return made;
    };
    const [before, after] = curl.split(url);
    const restart = button("Begin again", () => again(task, number));
    const rows = el("ol", { class: "arrivals", "aria-label": `Requests: ${task}, ${name}` });
    const remark = el("p", { class: "dropped" });
    return Object.assign(el("li", null,
      el("h3", null, name),
      el("p", { class: "call" },
        el("code", null, before, el("b", null, url), after),
        button("Copy URL", (it) => copyText(it, url)), button("Copy curl", (it) => copyText(it, curl)), restart),
      rows, remark), { again: restart, rows, remark });
  }
}

/** The text beside the buttons. */
function noteOf(card) {
  if (!card?.id) return "";
  return card.gone ? "The cases were stopped: their ports are closed." : card.terms;
}

function createRow() {
  const [at, chart, sign, label] = [
    el("span", { class: "at" }), svg("svg", { "aria-hidden": "true" }),
    el("span", { class: "sign", "aria-hidden": "true" }), el("span", { class: "label" }),
  ];
  return Object.assign(el("li", null, at, chart, sign, label), { at, chart, sign, label });
}

function updateRow(element, row) {
  const drawn = JSON.stringify(row);
  if (element.drawn === drawn) return;
  element.drawn = drawn;
  const bar = ({ start, end }, kind) =>
    svg("rect", { class: kind, x: `${start}%`, width: `${end - start}%`, y: kind === "bar" ? "15%" : "45%",
      height: kind === "bar" ? "70%" : "10%" });
  set(element, { class: row.mark });
  say(element.at, row.at);
  say(element.sign, SIGNS[row.mark] ?? "");
  say(element.label, row.label);
  element.chart.replaceChildren(...row.pause.map((piece) => bar(piece, "pause")), bar(row.bar, "bar"));
}

function createRule({ id, level, source, text, why, hint }) {
  const sign = el("span", { class: "sign", "aria-hidden": "true" });
  const [verdict, found] = [el("span", { class: "word" }), el("p", { class: "found" })];
  return Object.assign(el("li", null,
    el("p", null, sign, el("code", null, id), verdict, el("span", { class: "terms" }, `${level} · ${source}`)),
    found,
    el("details", null, el("summary", null, "Why and how", el("span", { class: "unseen" }, ` of ${id}`)),
      el("p", null, `Kept if ${text}.`), el("p", null, why), el("p", null, hint))), { sign, verdict, found });
}

function updateRule(element, { mark, verdict, found }) {
  set(element, { class: mark });
  say(element.sign, SIGNS[mark] ?? "·");
  say(element.verdict, verdict);
  say(element.found, found ?? "");
  element.found.hidden = found === null;
}
