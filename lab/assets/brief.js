// The panel with the question and the form that starts a run.

import { byId, el, memo, say } from "./dom.js";
import { over } from "./state.js";

/** The window's title while no scenario is shown. */
const VIEWS = { grade: "Grade", storm: "Storm" };
const NUMBERS = ["seed", "max_attempts", "backoff_ms", "max_retry_after_seconds", "max_pages", "max_items"];

/** The fields whose names have a unit, which the options do not have. */
const UNITS = { "--backoff": "backoff_ms", "--max-retry-after": "max_retry_after_seconds" };

/** The fields whose labels stand for their names in an error. */
const NAMED = [...NUMBERS, "without"];

export function briefPanel({ run }) {
  const form = byId("form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("input", count);

  function count() {
    const changed = NAMED.filter((name) => form.elements[name].value.trim() !== "").length;
    say(byId("settings-summary"), changed === 0 ? "Settings" : `Settings · ${changed} changed`);
  }

  /** The scenario whose answers are shown, and the function that reads the given answer.
      */
  let [offered, guessed] = [null, () => null];

  /** The scenario that the settings are for. */
  let settled = null;

  const render = memo((scenario, run, predict, answered, problem, view, score) => {
    const elsewhere = view !== "stage";
    say(byId("problem"), elsewhere ? "" : problem);
    if (elsewhere) document.title = `${VIEWS[view]} · lab`;
    if (elsewhere || !scenario) return;
    const revealed = !predict || answered;
    say(byId("scenario-title"), revealed ? `${scenario.name} — ${scenario.title}` : scenario.name);
    say(byId("question"), scenario.question);
    forScenario(scenario.name);
    say(byId("hint-text"), scenario.hint);
    byId("guess").hidden = !predict || run !== null;
    if (predict && offered !== scenario.name) {
      offered = scenario.name;
      import("./predict.js").then((module) => (guessed = module.offer(scenario)));
    }
    byId("hint").hidden = run !== null;
    for (const label of form.querySelectorAll(".listing")) label.hidden = !scenario.listing;
    say(byId("run"), run === null ? "Run" : over(run) ? "Run again" : "Run another");
    say(byId("predict"), score.of ? `Predict first · ${score.right} of ${score.of} right` : "Predict first");
    document.title = `${scenario.name}${run?.state === "running" ? " · running" : ""} · lab`;
  });

  return { render, offer, order, take, fill, keepSeed, forget, inWords };

  /** Sets the form to options of `lab scenario`. */
  function fill(name, options) {
    settled = null;
    forScenario(name);
    form.elements.client.value = options.includes("--compare") ? "compare" : form.elements.client[0].value;
    options.forEach((option, at) => {
      const field = UNITS[option] ?? option.slice(2).replaceAll("-", "_");
      if (option.startsWith("--") && form.elements[field]) form.elements[field].value = options[at + 1];
    });
    count();
  }

  /** An error about a field of the request, with the label of the form in place of its name. */
  function inWords(problem) {
    const [, name, rule] = problem.match(/^(\w+): (.*)$/s) ?? [];
    const label = NAMED.includes(name) && form.elements[name].closest("label").firstChild.textContent;
    return label ? `${label.trim()}: ${rule}` : problem;
  }

  /** The settings belong to one scenario: another one begins with its own. */
  function forScenario(name) {
    if (name === settled) return;
    settled = name;
    for (const field of NAMED) form.elements[field].value = "";
    count();
  }

  /** Selects what a run was made with, so that *Run again* repeats it. */
  function take({ scenario, client, pace, without }) {
    settled = scenario;
    form.elements.client.value = client;
    form.elements.pace.value = pace;
    form.elements.without.value = without ?? "";
    count();
  }

  /** Offers the clients, with the first one selected, and the defences that can be
      removed. */
  function offer(clients, defences) {
    form.elements.without.append(...defences.map((id) => el("option", { value: id }, id)));
    byId("clients").replaceChildren(...clients.map((name, index) => el("label", null,
      el("input", { type: "radio", name: "client", value: name, checked: index === 0 }), el("span", null, name))));
  }

  /** The run that the form describes. */
  function order(scenario) {
    forScenario(scenario.name);
    const listed = NUMBERS.filter((name) => scenario.listing || !name.match(/pages|items/));
    const typed = (name) => form.elements[name].value.trim();
    return {
      scenario: scenario.name,
      client: form.elements.client.value,
      ...(form.elements.without.value ? { without: form.elements.without.value } : {}),
      pace: form.elements.pace.value,
      numbers: Object.fromEntries(listed.map((name) => [name, typed(name)])),
      guess: byId("guess").hidden ? null : guessed(),
    };
  }

  /** Sets the form's seed, so that the next run repeats the shown one. */
  function keepSeed(seed) {
    form.elements.seed.value = seed;
    byId("settings").open = true;
    count();
  }

  /** A prediction is used for one run. */
  function forget() {
    offered = null;
  }
}
