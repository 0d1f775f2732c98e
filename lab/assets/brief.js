// The panel with the question and the form that starts a run.

import * as api from "./api.js";
import { byId, el, memo, say } from "./dom.js";
import { over } from "./state.js";

export function briefPanel({ run }) {
  const form = byId("form");
  const settings = [...form.querySelectorAll(".setting input")];

  /** The fields that a scenario begins without, whose labels stand for their names in an error. */
  const fields = [...settings, form.elements.seed, form.elements.without];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("input", () => {
    count();
    tellOlder();
    if (asking) fetchPremises(asking);
  });

  function count() {
    const changed = fields.filter((field) => field.value.trim() !== "").length;
    say(byId("settings-summary"), changed === 0 ? "Settings" : `Settings · ${changed} changed`);
  }

  /** The scenario whose answers are shown, and the function that reads the given answer.
      */
  let [offered, guessed] = [null, () => null];

  /** The scenario that the settings are for. */
  let settled = null;

  /** The scenario that is chosen before a run, the run whose premises are wanted, and the run
      that is shown. */
  let [asking, wanted, shown] = [null, null, null];

  /** Shows the premises of the run that the form describes. */
  async function fetchPremises(scenario) {
    const { guess: _, ...described } = order(scenario);
    const mine = JSON.stringify(described);
    if (wanted === mine) return;
    wanted = mine;
    const found = await api.premises(described).catch((error) => {
      if (!(error instanceof api.Problem)) throw error;
    });
    // Without a response the question stands without its premises.
    if (wanted !== mine || !found) return;
    tellPremises(found.premises);
    say(byId("hint-text"), found.hint);
    for (const field of settings) field.placeholder = found.settings[field.name];
  }

  /** Says whose the shown run is, once the form has another client, and what the button does. */
  function tellOlder() {
    const { client, without } = form.elements;
    const isOlder = over(shown) && (client.value !== shown.client || without.value !== (shown.without ?? ""));
    const whose = shown?.client === "compare" ? "the comparison" : `the ${shown?.client} client`;
    say(byId("run"), shown === null || isOlder ? "Run" : over(shown) ? "Run again" : "Run another");
    say(byId("older"), isOlder ? `Below is the run of ${whose}. Press Run for the choice above.` : "");
  }

  function tellPremises(lines) {
    byId("premises").replaceChildren(...lines.map((line) => el("span", null, line)));
  }

  const render = memo((scenario, run, predict, presenting, answered, problem, view, judged) => {
    const elsewhere = view !== "stage";
    say(byId("problem"), elsewhere ? "" : problem);
    if (elsewhere) document.title = `${byId(`${view}-title`).textContent} · lab`;
    if (elsewhere || !scenario) return;
    // Presenting asks, too: its class answers aloud.
    const asks = predict || presenting;
    say(byId("scenario-title"), asks && !answered ? scenario.name : `${scenario.name} — ${scenario.title}`);
    say(byId("question"), scenario.question);
    forScenario(scenario.name);
    byId("guess").hidden = !predict || run !== null;
    byId("premises").hidden = !asks;
    shown = run;
    tellOlder();
    asking = run === null ? scenario : null;
    if (asking) fetchPremises(asking);
    else if (run?.premises) {
      wanted = null;
      tellPremises(run.premises);
    }
    if (predict && offered !== scenario.name) {
      offered = scenario.name;
      import("./predict.js").then((module) => (guessed = module.offer(scenario)));
    }
    byId("hint").hidden = run !== null;
    for (const field of form.querySelectorAll(".listing input")) field.labels[0].hidden = !scenario.settings?.includes(field.name);
    const answers = Object.values(judged);
    const score = ` · ${answers.filter(Boolean).length} of ${answers.length} right`;
    say(byId("predict"), `Predict first${answers.length ? score : ""}`);
    document.title = `${scenario.name}${run?.state === "running" ? " · running" : ""} · lab`;
  });

  return { render, offer, order, take, fill, keepSeed, forget, inWords };

  /** Sets the form to options of `lab scenario`. */
  function fill(name, options) {
    settled = null;
    forScenario(name);
    form.elements.client.value = options.includes("--compare") ? "compare" : form.elements.client[0].value;
    options.forEach((option, at) => {
      // The name of a field may end in its unit, which the option does not have.
      const name = option.slice(2).replaceAll("-", "_");
      const field = option.startsWith("--") && form.querySelector(`[name=${name}], .setting [name^=${name}]`);
      if (field) form.elements[field.name].value = options[at + 1];
    });
    count();
  }

  /** An error about a field of the request, with the label of the form in place of its name. */
  function inWords(problem) {
    const [, name, rule] = problem.match(/^(?:settings\.)?(\w+): (.*)$/s) ?? [];
    const field = fields.find((field) => field.name === name);
    return field ? `${field.labels[0].firstChild.textContent.trim()}: ${rule}` : problem;
  }

  /** The settings belong to one scenario: another one begins with its own. */
  function forScenario(name) {
    if (name === settled) return;
    settled = name;
    byId("hint").open = false;
    for (const field of fields) field.value = "";
    count();
  }

  /** Selects what a run was made with, so that *Run again* repeats it. */
  function take({ scenario, client, pace, without, settings: chosen }) {
    settled = scenario;
    for (const field of settings) field.value = chosen[field.name] ?? "";
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
    return {
      scenario: scenario.name,
      client: form.elements.client.value,
      ...(form.elements.without.value ? { without: form.elements.without.value } : {}),
      pace: form.elements.pace.value,
      seed: form.elements.seed.value.trim(),
      settings: Object.fromEntries(settings.map((field) => [field.name, field.value.trim()])),
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
