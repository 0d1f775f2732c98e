// Storm: many clients, one service and a short incident. The outcome of the calls under
// each policy is drawn during the simulation. The address contains everything that is
// needed to repeat it.

import * as api from "./api.js";
import * as storms from "./storms.js";
import { byId, el, keyed, say, set } from "./dom.js";
import { parse, patch, patchOne } from "./patch.js";

/** The prefix for the settings of the user's own policy in the address. */
const OWN = "own.";

/** Tells a screen reader of a start or an end. */
const announce = (text) => say(byId("announce"), text);

stormPanel();

function stormPanel() {
  const form = byId("storm-form");
  let catalogue = null;
  /** The selected story. */
  let story = null;
  /** The sliders, by their names in the address. */
  const sliders = new Map();
  /** The shown storm: its id, its address, and whether it is running. */
  let shown = null;

  /** The handlers for each kind of event. */
  const hear = {
    begun(mine, { id, seed, html }, order) {
      mine.id = id;
      mine.address = addressOf(order, seed);
      history.replaceState(null, "", `/storm#${mine.address}`);
      patch(byId("pictures"), html);
      byId("storm-nothing").hidden = true;
      byId("storm-actions").hidden = true;
      announce("The storm begins");
    },
    picture: (_, { picture, html }) => patchOne(byId(`picture-${picture}`), parse(html).body.firstElementChild),
    over(mine, { result, html }) {
      patch(byId("pictures"), html);
      set(byId("storm-report"), { href: storms.reportPath(mine.id) });
      byId("storm-actions").hidden = false;
      announce(`The storm is over: ${result}`);
    },
    failed: (_, text) => show(new api.Problem(text)),
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start();
  });
  byId("cancel-storm").addEventListener("click", cancel);
  byId("storm-link").addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    say(byId("storm-link"), "Copied");
  });
  byId("stories").addEventListener("change", () => {
    clear();
    tell(byId("stories").value, new Map());
    history.replaceState(null, "", `/storm#story=${story.name}`);
  });
  byId("storm-settings").addEventListener("input", count);
  byId("storm-own").addEventListener("input", () => {
    byId("storm-with-own").checked = true;
    count();
  });
  byId("storm-with-own").addEventListener("change", count);
  addEventListener("popstate", address);
  const ready = offer();

  async function offer() {
    try {
      catalogue = await storms.stories();
    } catch (error) {
      show(error);
      return;
    }
    byId("stories").replaceChildren(...catalogue.stories.map(({ name }) => el("option", { value: name }, name)));
    for (const [id, mark, parameters] of [["storm-settings", "", catalogue.settings], ["storm-own", OWN, catalogue.own]]) {
      for (const parameter of parameters) {
        const slider = createSlider(parameter);
        sliders.set(mark + parameter.name, slider);
        byId(id).append(slider.root);
      }
    }
    fromAddress();
  }

  /** Shows the storm in the address, unless it is shown already. An address that names none
      keeps what is shown, such as a storm that runs. */
  async function address() {
    await ready;
    if (location.hash === "" && story) return;
    if (catalogue && location.hash.slice(1) !== shown?.address) fromAddress();
  }

  /** Shows the story in the address, and simulates it if the address names the seed too, as a
      shared one does. */
  function fromAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const name = asked.get("story") ?? catalogue.stories[0].name;
    const known = catalogue.stories.some((other) => other.name === name);
    clear();
    tell(known ? name : catalogue.stories[0].name, asked);
    if (!known) say(byId("storm-problem"), `No story is called '${name}'.`);
    else if (asked.has("seed")) start();
  }

  /** Removes the shown storm, which does not answer the next question, and cancels it. */
  function clear() {
    cancel();
    shown = null;
    byId("pictures").replaceChildren();
    byId("storm-nothing").hidden = false;
    byId("storm-actions").hidden = true;
    buttons();
  }

  /** Shows a story with the given settings. */
  function tell(name, asked) {
    story = catalogue.stories.find((other) => other.name === name);
    byId("stories").value = name;
    say(byId("storm-title"), `Storm · ${story.title}`);
    say(byId("storm-question"), story.question);
    say(byId("storm-rows"), `The name of a policy says: ${story.rows}. ▲ marks the end of the incident.`);
    say(byId("storm-problem"), "");
    form.elements.seed.value = asked.get("seed") ?? "";
    for (const [key, slider] of sliders) slider.put(asked.get(key) ?? story.settings[key] ?? slider.usual);
    byId("storm-with-own").checked = [...asked.keys()].some((key) => key.startsWith(OWN));
    byId("storm-options").open = [...asked.keys()].some((key) => sliders.has(key));
    offerGuesses();
    count();
  }

  function offerGuesses() {
    const names = story.policies.map(({ name }) => name);
    byId("storm-guesses").parentElement.hidden = !story.has_guess;
    keyed(byId("storm-guesses"), story.has_guess ? names : [], (name) => name, (name) => el("label", null,
      el("input", { type: "checkbox", name: "guess", value: name }), el("span", null, name)));
  }

  /** The settings that differ from the story's, by their names. */
  function changed() {
    const values = catalogue.settings.map(({ name }) => [name, sliders.get(name).value()]);
    return values.filter(([name, value]) => value !== story.settings[name]);
  }

  function count() {
    const changes = changed().length + Number(byId("storm-with-own").checked);
    const usual = "Load, service, and your own policy";
    say(byId("storm-options").firstElementChild, changes === 0 ? usual : `${usual} · ${changes} changed`);
  }

  async function start() {
    if (!story || shown?.goesOn) return;
    const order = { story: story.name, settings: Object.fromEntries(changed()) };
    const seed = form.elements.seed.value.trim();
    if (seed !== "") order.seed = api.number(seed);
    if (byId("storm-with-own").checked) {
      order.own = Object.fromEntries(catalogue.own.map(({ name }) => [name, sliders.get(OWN + name).value()]));
    }
    order.guess = [...form.querySelectorAll("[name=guess]:checked")].map(({ value }) => value);
    const mine = { goesOn: true };
    shown = mine;
    say(byId("storm-problem"), "");
    buttons();
    try {
      for await (const [kind, data] of storms.simulate(order)) {
        // Another story is shown: to stop reading ends the storm.
        if (shown !== mine) return;
        hear[kind](mine, data, order);
      }
    } catch (error) {
      if (shown !== mine) return;
      // A broken connection has no problem object.
      show(error instanceof api.Problem ? error : new api.Problem("The connection to the lab is lost"));
    }
    mine.goesOn = false;
    buttons();
  }

  async function cancel() {
    if (!shown?.goesOn || !shown.id) return;
    await storms.cancel(shown.id).catch(show);
  }

  function buttons() {
    const goesOn = shown?.goesOn ?? false;
    byId("start-storm").disabled = goesOn;
    // The keyboard focus moves to the button that starts again.
    if (!goesOn && document.activeElement === byId("cancel-storm")) byId("start-storm").focus();
    byId("cancel-storm").hidden = !goesOn;
    say(byId("start-storm"), goesOn ? "Running" : shown ? "Run again" : "Run");
  }

  function show(error) {
    if (!(error instanceof api.Problem)) throw error;
    say(byId("storm-problem"), error.message);
  }
}

/** The part of an address that repeats a storm. */
function addressOf({ story, settings, own }, seed) {
  const parts = { story, seed, ...settings };
  for (const [name, value] of Object.entries(own ?? {})) parts[OWN + name] = value;
  return String(new URLSearchParams(parts));
}

/** A setting as a slider or a choice, with the server's values. A link may contain
    another value: it is shown as given, and the server validates it. */
function createSlider({ title, what, at, stops }) {
  const isChoice = typeof stops[0].value === "string";
  const said = el("output");
  const input = isChoice
    ? el("select", null, ...stops.map(({ label }, index) => el("option", { value: index }, label)))
    : el("input", { type: "range", min: 0, max: stops.length - 1, step: 1 });
  const root = el("label", { title: what }, el("span", null, title), isChoice ? null : said, input);
  let asked = null;

  input.addEventListener("input", () => {
    asked = null;
    tell();
  });

  function tell() {
    const label = asked ?? stops[input.value].label;
    say(said, label);
    if (!isChoice) set(input, { "aria-valuetext": label });
  }

  return {
    root,
    usual: stops[at].value,
    value: () => (asked === null ? stops[input.value].value : api.number(asked)),
    put(value) {
      const found = stops.findIndex((stop) => String(stop.value) === String(value));
      asked = found < 0 ? String(value) : null;
      input.value = found < 0 ? at : found;
      tell();
    },
  };
}
