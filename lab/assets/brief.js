// The panel that says what is asked, and takes the order for a run.

import { byId, el, memo, say, set } from "./dom.js";
import { over } from "./state.js";

const NUMBERS = ["seed", "max_attempts", "max_retry_after_seconds", "max_pages", "max_items"];

export function briefPanel({ run }) {
  const form = byId("form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("input", count);

  function count() {
    const changed = NUMBERS.filter((name) => form.elements[name].value.trim() !== "").length;
    say(byId("settings-summary"), changed === 0 ? "Settings" : `Settings · ${changed} changed`);
  }

  const render = memo((scenario, run, predict, problem, room) => {
    const elsewhere = room !== "stage";
    say(byId("problem"), elsewhere ? "" : problem);
    if (elsewhere) document.title = `${byId(`${room}-title`).textContent} · lab`;
    if (elsewhere || !scenario) return;
    const revealed = !predict || over(run);
    say(byId("scenario-title"), revealed ? `${scenario.name} — ${scenario.title}` : scenario.name);
    say(byId("question"), scenario.question);
    say(byId("hint-text"), scenario.hint);
    byId("guess").hidden = !predict || run !== null;
    byId("hint").hidden = run !== null;
    for (const label of form.querySelectorAll(".listing")) label.hidden = !scenario.listing;
    say(byId("run"), run === null ? "Run" : over(run) ? "Run again" : "Run another");
    set(byId("predict"), { "aria-pressed": String(predict) });
    document.title = `${scenario.name}${run?.state === "running" ? " · running" : ""} · lab`;
  });

  return { render, offer, order, keepSeed, forget };

  /** Offers clients to choose from, the first of them chosen. */
  function offer(clients) {
    byId("clients").replaceChildren(...clients.map((name, index) => el("label", null,
      el("input", { type: "radio", name: "client", value: name, checked: index === 0 }), el("span", null, name))));
  }

  /** What the form asks for. */
  function order(scenario) {
    const listed = NUMBERS.filter((name) => scenario.listing || !name.match(/pages|items/));
    const typed = (name) => form.elements[name].value.trim();
    return {
      scenario: scenario.name,
      client: form.elements.client.value,
      pace: form.elements.pace.value,
      numbers: Object.fromEntries(listed.map((name) => [name, typed(name)])),
      guess: form.elements.guess.value.trim(),
    };
  }

  /** Puts a seed into the form, so that the next run repeats the shown one. */
  function keepSeed(seed) {
    form.elements.seed.value = seed;
    byId("settings").open = true;
    count();
  }

  /** A prediction is good for one run. */
  function forget() {
    form.elements.guess.value = "";
  }
}
